"""Make the cells of one column what its type says, cell by cell, and say what was changed."""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from corpusgraph.schemas.results import Column, ColumnType, ToolWarning
from corpusgraph.tasks.table.cells import Cells, clean, fix, mixed
from corpusgraph.tasks.table.columns import where
from corpusgraph.tasks.table.dates import date_columns
from corpusgraph.tasks.table.values import EXACT_INTEGER, is_missing, number

_TRUE, _FALSE = {"true", "yes", "1", "1.0"}, {"false", "no", "0", "0.0"}


def coerce(column: Column, values: Sequence[Any], rows: Sequence[str]) -> Cells:
    """Return the cells as `column.dtype`; `rows` names them for messages. `quick` does the same by column.

    Raises PreparationError `mixed_types` where a cell is not of that type.
    """
    present = [None if is_missing(value) else value for value in values]
    return _COERCE[column.dtype](column, present, rows)


def _blank_as_missing(
    column: Column, values: Sequence[Any], rows: Sequence[str]
) -> tuple[list[Any], list[ToolWarning]]:
    blank = [isinstance(value, str) and not value.strip() for value in values]
    places = where(blank)
    kept = [None if is_blank else value for value, is_blank in zip(values, blank, strict=True)]
    return kept, [blanks(column, rows, places)] if places else []


def blanks(column: Column, rows: Sequence[str], places: Sequence[int]) -> ToolWarning:
    """Say which cells were blank."""
    return fix("blank_as_missing", f"Blank text in {column.name!r} is missing", rows, places)


def _numbers(column: Column, values: Sequence[Any], rows: Sequence[str]) -> Cells:
    kept, fixes = _blank_as_missing(column, values, rows)
    read = [None if value is None else number(value) for value in kept]
    for before, after, row in zip(kept, read, rows, strict=True):
        if before is not None and after is None:
            raise mixed(column, before, row)
    if places := where([isinstance(v, float) and math.isinf(v) for v in read]):
        read = [None if isinstance(v, float) and math.isinf(v) else v for v in read]
        fixes.append(endless(column, rows, places))
    if places := where([isinstance(v, int) and abs(v) > EXACT_INTEGER for v in read]):
        digits = tuple(None if v is None else str(v) for v in read)
        return Cells(as_text_column(column), digits, (*fixes, long_integers(column, rows, places)))
    whole = all(v is None or (float(v).is_integer() and abs(v) <= EXACT_INTEGER) for v in read)
    if column.dtype == "integer" and whole:
        return Cells(column, tuple(None if v is None else int(v) for v in read), tuple(fixes))
    numeric = column.model_copy(update={"dtype": "numeric"})
    return Cells(numeric, tuple(None if v is None else float(v) for v in read), tuple(fixes))


def endless(column: Column, rows: Sequence[str], places: Sequence[int]) -> ToolWarning:
    """Say which cells were infinite."""
    return fix("infinite_as_missing", f"Infinite values of {column.name!r} are missing", rows, places)


def long_integers(column: Column, rows: Sequence[str], places: Sequence[int]) -> ToolWarning:
    """Say which cells no double holds."""
    message = f"{column.name!r} holds integers beyond 2^53, which no double can hold, and is text"
    return fix("integer_as_text", message, rows, places)


def as_text_column(column: Column) -> Column:
    """Return the column as one of text."""
    return column.model_copy(update={"dtype": "text"})


def _booleans(column: Column, values: Sequence[Any], rows: Sequence[str]) -> Cells:
    kept, fixes = _blank_as_missing(column, values, rows)
    read = [None if value is None else truth(value) for value in kept]
    for before, after, row in zip(kept, read, rows, strict=True):
        if before is not None and after is None:
            raise mixed(column, before, row)
    return Cells(column, tuple(read), tuple(fixes))


def truth(value: Any) -> bool | None:
    """Read true, yes, 1 and their opposites, or return None."""
    word = str(value).strip().casefold()
    return word in _TRUE if word in _TRUE | _FALSE else None


def _levels(column: Column, values: Sequence[Any], rows: Sequence[str]) -> Cells:
    """Read codes: integers where all cells are, else text; levels in the given order, else sorted."""
    kept, fixes = _blank_as_missing(column, values, rows)
    whole = all(is_code(number(value)) for value in kept if value is not None)
    read = [None if value is None else level_code(value, whole) for value in kept]
    return Cells(with_levels(column, {code for code in read if code is not None}), tuple(read), tuple(fixes))


def level_code(value: Any, whole: bool) -> int | str:
    """Return the code of a level: an integer where all are whole numbers, else text."""
    if whole:
        return int(number(value) or 0)
    return clean(as_text(value + 0.0 if isinstance(value, float) else value))  # so that -0.0 is 0.0


def is_code(code: float | None) -> bool:
    """Return whether the number can be a code: whole, and held by a double."""
    return code is not None and float(code).is_integer() and abs(code) <= EXACT_INTEGER


def with_levels(column: Column, codes: Iterable[Any]) -> Column:
    """Return the column with its levels: those given, in their order, then the others sorted."""
    given = column.levels or tuple(column.value_labels or ())
    seen = [str(code) for code in sorted(codes)]
    levels = (*given, *(level for level in seen if level not in set(given)))
    return column.model_copy(update={"levels": levels})


def _texts(column: Column, values: Sequence[Any], rows: Sequence[str]) -> Cells:
    fixes = []
    read = [None if value is None else as_text(value) for value in values]
    if places := where([isinstance(value, (dict, list, tuple)) for value in values]):
        fixes.append(fix("nested_as_json", f"Nested values of {column.name!r} are JSON text", rows, places))
    cleaned = [None if text is None else clean(text) for text in read]
    if places := where([a != b for a, b in zip(read, cleaned, strict=True)]):
        fixes.append(illegal(column, rows, places))
    return Cells(as_text_column(column), tuple(cleaned), tuple(fixes))


def illegal(column: Column, rows: Sequence[str], places: Sequence[int]) -> ToolWarning:
    """Say which cells had characters that no text file holds."""
    message = f"Characters of {column.name!r} that no text file holds are U+FFFD"
    return fix("illegal_character", message, rows, places)


def as_text(value: Any) -> str:
    """Return the text of a cell; what is nested is JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value)


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
