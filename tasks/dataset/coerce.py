"""Make the cells of one column what its type says, and say what was changed."""

import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import Column, ColumnType, ToolWarning
from corpusgraph.tasks.dataset.dates import date_columns
from corpusgraph.tasks.dataset.values import EXACT_INTEGER, is_missing, number

MOST_RECORDS = 100
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")
_TRUE, _FALSE = {"true", "yes", "1", "1.0"}, {"false", "no", "0", "0.0"}


@dataclass(frozen=True)
class Cells:
    """A column with its cells, what was changed in them, and columns made to keep what was lost."""

    column: Column
    values: tuple[Any, ...]
    fixes: tuple[ToolWarning, ...] = ()
    beside: tuple[tuple[Column, tuple[Any, ...]], ...] = ()


def fix(code: str, message: str, rows: Sequence[str] = ()) -> ToolWarning:
    """Describe a change; of the rows it is about, the first hundred are named."""
    count = f" ({len(rows)} {'row' if len(rows) == 1 else 'rows'})" if rows else ""
    return ToolWarning(code=code, message=f"{message}{count}.", records=tuple(rows[:MOST_RECORDS]))


def coerce(column: Column, values: Sequence[Any], rows: Sequence[str]) -> Cells:
    """Return the cells as `column.dtype`; `rows` names them for messages.

    Raises PreparationError `mixed_types` where a cell is not of that type.
    """
    present = [None if is_missing(value) else value for value in values]
    return _COERCE[column.dtype](column, present, rows)


def mixed(column: Column, value: Any, row: str) -> PreparationError:
    """Say which cell does not fit its column's type, and what to do."""
    return PreparationError(
        f"Variable {column.name!r} mixes types: {value!r} ({row}) is not {column.dtype}.",
        code="mixed_types",
        hint=f"Give its type (types: {{{column.name}: text}}), or list codes that mean missing"
        f" (missing: {{{column.name}: [{value!r}]}}).",
    )


def _blank_as_missing(
    column: Column, values: Sequence[Any], rows: Sequence[str]
) -> tuple[list[Any], list[ToolWarning]]:
    blank = [isinstance(value, str) and not value.strip() for value in values]
    where = [row for row, is_blank in zip(rows, blank, strict=True) if is_blank]
    kept = [None if is_blank else value for value, is_blank in zip(values, blank, strict=True)]
    message = f"Blank text in {column.name!r} is missing"
    return kept, [fix("blank_as_missing", message, where)] if where else []


def _numbers(column: Column, values: Sequence[Any], rows: Sequence[str]) -> Cells:
    kept, fixes = _blank_as_missing(column, values, rows)
    read = [None if value is None else number(value) for value in kept]
    for before, after, row in zip(kept, read, rows, strict=True):
        if before is not None and after is None:
            raise mixed(column, before, row)
    if endless := [r for v, r in zip(read, rows, strict=True) if isinstance(v, float) and math.isinf(v)]:
        read = [None if isinstance(v, float) and math.isinf(v) else v for v in read]
        fixes.append(fix("infinite_as_missing", f"Infinite values of {column.name!r} are missing", endless))
    if any(isinstance(v, int) and abs(v) > EXACT_INTEGER for v in read):
        return _long_integers(column, read, fixes, rows)
    whole = all(value is None or float(value).is_integer() for value in read)
    if column.dtype == "integer" and whole:
        return Cells(column, tuple(None if v is None else int(v) for v in read), tuple(fixes))
    numeric = column.model_copy(update={"dtype": "numeric"})
    return Cells(numeric, tuple(None if v is None else float(v) for v in read), tuple(fixes))


def _long_integers(
    column: Column, read: Sequence[Any], fixes: Sequence[ToolWarning], rows: Sequence[str]
) -> Cells:
    where = [row for v, row in zip(read, rows, strict=True) if isinstance(v, int) and abs(v) > EXACT_INTEGER]
    message = f"{column.name!r} holds integers beyond 2^53, which no double can hold, and is text"
    text = column.model_copy(update={"dtype": "text"})
    digits = tuple(None if v is None else str(v) for v in read)
    return Cells(text, digits, (*fixes, fix("integer_as_text", message, where)))


def _booleans(column: Column, values: Sequence[Any], rows: Sequence[str]) -> Cells:
    kept, fixes = _blank_as_missing(column, values, rows)
    read: list[bool | None] = []
    for value, row in zip(kept, rows, strict=True):
        word = str(value).strip().casefold()
        if value is not None and word not in _TRUE | _FALSE:
            raise mixed(column, value, row)
        read.append(None if value is None else word in _TRUE)
    return Cells(column, tuple(read), tuple(fixes))


def _levels(column: Column, values: Sequence[Any], rows: Sequence[str]) -> Cells:
    """Read codes: integers where all cells are, else text; levels in the given order, else sorted."""
    kept, fixes = _blank_as_missing(column, values, rows)
    codes = [None if value is None else number(value) for value in kept]
    if all((code is None) == (value is None) for code, value in zip(codes, kept, strict=True)) and all(
        code is None or (float(code).is_integer() and abs(code) <= EXACT_INTEGER) for code in codes
    ):
        read: list[Any] = [None if code is None else int(code) for code in codes]
    else:
        read = [None if value is None else clean(_as_text(value)) for value in kept]
    given = column.levels or tuple(column.value_labels or ())
    seen = [str(level) for level in sorted({value for value in read if value is not None})]
    levels = (*given, *(level for level in seen if level not in given))
    return Cells(column.model_copy(update={"levels": levels}), tuple(read), tuple(fixes))


def _texts(column: Column, values: Sequence[Any], rows: Sequence[str]) -> Cells:
    fixes = []
    read = [None if value is None else _as_text(value) for value in values]
    if nested := [row for v, row in zip(values, rows, strict=True) if isinstance(v, (dict, list, tuple))]:
        fixes.append(fix("nested_as_json", f"Nested values of {column.name!r} are JSON text", nested))
    cleaned = [None if text is None else clean(text) for text in read]
    if dirty := [row for a, b, row in zip(read, cleaned, rows, strict=True) if a != b]:
        fixes.append(
            fix(
                "illegal_character",
                f"Characters of {column.name!r} that no text file holds are U+FFFD",
                dirty,
            )
        )
    return Cells(column.model_copy(update={"dtype": "text"}), tuple(cleaned), tuple(fixes))


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value)


def clean(text: str) -> str:
    """Replace NUL and lone surrogates, which end a string or cannot be encoded."""
    return _NOT_TEXT.sub("\ufffd", text)


def _dates(column: Column, values: Sequence[Any], rows: Sequence[str]) -> Cells:
    kept, blanks = _blank_as_missing(column, values, rows)
    read, fixes, beside = date_columns(column, kept, rows)
    return Cells(column, read, (*blanks, *fixes), beside)


_COERCE: dict[ColumnType, Callable[[Column, Sequence[Any], Sequence[str]], Cells]] = {
    "numeric": _numbers,
    "integer": _numbers,
    "boolean": _booleans,
    "ordinal": _levels,
    "nominal": _levels,
    "text": _texts,
    "json": _texts,
    "date": _dates,
    "datetime": _dates,
}
