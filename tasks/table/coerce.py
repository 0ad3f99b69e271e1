"""Make the cells of one column what its type says, cell by cell, and say what was changed."""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Column, ColumnType, Table, ToolWarning, Values
from corpusgraph.tasks.table.columns import Codes, Instants, among, distinct, listed, mapped, where, without
from corpusgraph.tasks.table.values import (
    EXACT_INTEGER,
    LOSSY,
    Cells,
    Moment,
    as_given,
    clean,
    date_columns,
    fix,
    is_missing,
    mixed,
    number,
    problems,
    read,
    told,
)

if TYPE_CHECKING:
    import polars as pl

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

_Found = tuple["pl.Series", list[ToolWarning]]


def read_cells(column: Column, values: Values, rows: Sequence[str]) -> Cells:
    """Return the cells as `column.dtype`: a series at once, all else cell by cell, with the same result.

    Raises PreparationError `mixed_types` where a cell is not of that type.
    """
    import polars as pl

    made = quick(column, values, rows) if isinstance(values, pl.Series) else None
    return made or coerce(column, listed(values), rows)


def quick(column: Column, values: "pl.Series", rows: Sequence[str]) -> Cells | None:
    """Return the cells as `column.dtype`, or None where they have to be read one by one.

    Raises PreparationError `mixed_types` where a cell is not of that type.
    """
    present = values.fill_nan(None) if values.dtype.is_float() else values
    return _QUICK[column.dtype](column, present, rows)


def _quick_blank_as_missing(column: Column, values: "pl.Series", rows: Sequence[str]) -> _Found:
    import polars as pl

    blank = [text for text in distinct(values) if not text.strip()] if values.dtype == pl.String else []
    if not blank:
        return values, []
    flags = among(values, blank)
    return without(values, flags), [blanks(column, rows, where(flags))]


def _refuse(column: Column, values: "pl.Series", known: dict[Any, Any], rows: Sequence[str]) -> None:
    """Raise for the first cell that nothing is known for; `known` is in order of first sight."""
    odd = next((value for value, found in known.items() if found is None), None)
    if odd is not None:
        raise mixed(column, odd, rows[where(values == odd)[0]])


def _quick_numbers(column: Column, values: "pl.Series", rows: Sequence[str]) -> Cells | None:
    import polars as pl

    kept, fixes = _quick_blank_as_missing(column, values, rows)
    if kept.dtype == pl.String:
        known = {text: number(text) for text in distinct(kept)}
        _refuse(column, kept, known, rows)
        if long := [text for text, n in known.items() if isinstance(n, int) and abs(n) > EXACT_INTEGER]:
            return _long_text(
                column, kept, known, [*fixes, long_integers(column, rows, where(among(kept, long)))], rows
            )
        whole = all(isinstance(n, int) for n in known.values())
        kept = mapped(kept, known, pl.Int64 if whole else pl.Float64)
    if not (kept.dtype.is_integer() or kept.dtype.is_float() or kept.dtype in {pl.Boolean, pl.Null}):
        return None
    return _of_numbers(column, kept, fixes, rows)


def _of_numbers(column: Column, values: "pl.Series", fixes: list[ToolWarning], rows: Sequence[str]) -> Cells:
    import polars as pl

    if values.dtype.is_float():
        if places := where(values.is_infinite()):
            values = without(values, values.is_infinite().fill_null(value=False))
            fixes = [*fixes, endless(column, rows, places)]
        flags = (values.abs() <= EXACT_INTEGER) & (values.round() == values)
        whole = bool(flags.all())
    else:
        whole = True
        if (
            places := where((values > EXACT_INTEGER) | (values < -EXACT_INTEGER))
            if values.dtype.is_integer()
            else ()
        ):
            text = values.cast(pl.String)
            return Cells(as_text_column(column), text, (*fixes, long_integers(column, rows, places)))
    if column.dtype == "integer" and whole:
        return Cells(column, values.cast(pl.Int64), tuple(fixes))
    numeric = column.model_copy(update={"dtype": "numeric"})
    return Cells(numeric, values.cast(pl.Float64), tuple(fixes))


def _long_text(
    column: Column,
    values: "pl.Series",
    known: dict[str, Any],
    fixes: list[ToolWarning],
    rows: Sequence[str],
) -> Cells:
    """Keep digits as text; what is infinite beside them is missing."""
    import polars as pl

    infinite = [text for text, n in known.items() if n in {float("inf"), float("-inf")}]
    if infinite:
        flags = among(values, infinite)
        fixes.insert(len(fixes) - 1, endless(column, rows, where(flags)))
        values = without(values, flags)
    digits = {text: str(n) for text, n in known.items()}
    return Cells(as_text_column(column), mapped(values, digits, pl.String), tuple(fixes))


def _quick_booleans(column: Column, values: "pl.Series", rows: Sequence[str]) -> Cells | None:
    import polars as pl

    kept, fixes = _quick_blank_as_missing(column, values, rows)
    if kept.dtype != pl.Boolean:
        known = {value: truth(value) for value in distinct(kept)}
        _refuse(column, kept, known, rows)
        kept = mapped(kept, known, pl.Boolean)
    return Cells(column, kept, tuple(fixes))


def _quick_levels(column: Column, values: "pl.Series", rows: Sequence[str]) -> Cells | None:
    import polars as pl

    kept, fixes = _quick_blank_as_missing(column, values, rows)
    present = distinct(kept)
    whole = all(is_code(number(value)) for value in present)
    known = {value: level_code(value, whole) for value in present}
    made = with_levels(column, set(known.values()))
    same = (whole and kept.dtype == pl.Int64) or all(value == code for value, code in known.items())
    dtype = pl.Int64 if whole else pl.String
    return Cells(made, kept.cast(dtype) if same else mapped(kept, known, dtype), tuple(fixes))


def _quick_texts(column: Column, values: "pl.Series", rows: Sequence[str]) -> Cells | None:
    import polars as pl

    if values.dtype != pl.String:
        return None
    flags = values.str.contains("\x00", literal=True).fill_null(value=False)
    if not flags.any():
        return Cells(as_text_column(column), values)
    cleaned = values.str.replace_all("\x00", clean("\x00"), literal=True)
    return Cells(as_text_column(column), cleaned, (illegal(column, rows, where(flags)),))


def _quick_dates(column: Column, values: "pl.Series", rows: Sequence[str]) -> Cells | None:
    import polars as pl

    kept, fixes = _quick_blank_as_missing(column, values, rows)
    if isinstance(kept.dtype, pl.Datetime):
        return _of_instants(column, kept, rows)
    wanted = pl.Date() if column.dtype == "date" else pl.Datetime("us")
    if kept.dtype == pl.Date:
        return Cells(column, Instants(kept.cast(wanted)))
    if kept.dtype not in {pl.String, pl.Int64}:
        return None
    found = {value: read(value) for value in distinct(kept)}
    offsets = any(isinstance(one, Moment) and one.has_offset for one in found.values())
    codes: dict[str, list[Any]] = {}
    for value, one in found.items():
        for code in problems(one, column.dtype == "date", offsets):
            codes.setdefault(code, []).append(value)
    at = {code: where(among(kept, some)) for code, some in codes.items()}
    moments = {value: one.instant for value, one in found.items() if isinstance(one, Moment)}
    instants = mapped(kept, moments, pl.Datetime("us"))
    made = Instants(instants.dt.date() if column.dtype == "date" else instants)
    beside = ((as_given(column), kept.cast(pl.String)),) if LOSSY & at.keys() else ()
    return Cells(column, made, (*fixes, *told(column, rows, at)), beside)


def _of_instants(column: Column, values: "pl.Series", rows: Sequence[str]) -> Cells:
    """Read instants: to UTC, to microseconds, and to days where days are wanted."""
    import polars as pl

    at: dict[str, Sequence[int]] = {}
    naive = values
    if isinstance(values.dtype, pl.Datetime) and values.dtype.time_zone:
        at["offset_dropped"] = where(values.is_not_null())
        naive = values.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    moments = naive.cast(pl.Datetime("us"))
    lost = naive != moments.cast(naive.dtype)
    if column.dtype == "date":
        moments = moments.dt.date()
        lost = naive != moments.cast(naive.dtype)
    if places := where(lost):
        at["finer_than_resolution"] = places
    written = [None if value is None else str(value) for value in values.to_list()] if places else []
    beside = ((as_given(column), pl.Series(written, dtype=pl.String)),) if places else ()
    return Cells(column, Instants(moments), told(column, rows, at), beside)


_QUICK: dict[ColumnType, Callable[[Column, "pl.Series", Sequence[str]], Cells | None]] = {
    "numeric": _quick_numbers,
    "integer": _quick_numbers,
    "boolean": _quick_booleans,
    "ordinal": _quick_levels,
    "nominal": _quick_levels,
    "text": _quick_texts,
    "json": _quick_texts,
    "date": _quick_dates,
    "datetime": _quick_dates,
}


def held(column: Column, values: Values) -> "pl.Series | Instants":
    """Return tidied cells as they are held from here on: a series, or instants for dates."""
    import polars as pl

    if isinstance(values, (pl.Series, Instants)):
        return values
    if column.dtype in {"date", "datetime"}:
        moments = [None if value is None else datetime.fromisoformat(value) for value in values]
        made = pl.Series(moments, dtype=pl.Datetime("us"))
        return Instants(made.dt.date() if column.dtype == "date" else made)
    return pl.Series(listed(values), dtype=held_type(column, values))


def held_type(column: Column, values: Values) -> Any:
    """Return the polars type of tidied cells; levels are integers where all codes are."""
    import polars as pl

    if column.dtype in {"nominal", "ordinal"}:
        return pl.Int64 if all(value is None or isinstance(value, int) for value in values) else pl.String
    kinds = {"numeric": pl.Float64, "integer": pl.Int64, "boolean": pl.Boolean}
    return kinds.get(column.dtype, pl.String)


def series(table: Table, name: str) -> "pl.Series":
    """Return a column of a tidied table with null for missing, also where a code means missing.

    Float64 for numeric, Int64 for integer, Boolean for boolean, Int64 or String for nominal and ordinal
    codes, String for text, dates and instants (ISO 8601). Of a tidied table nothing is copied.
    """
    at = [column.name for column in table.columns].index(name)
    made = raw(table, at)
    return made.text().alias(name) if isinstance(made, Instants) else physical(table, at)


def physical(table: Table, at: int) -> "pl.Series":
    """Return what `series` does for the column of that place, but days as Date and instants as Datetime."""
    made, column = raw(table, at), table.columns[at]
    if isinstance(made, Instants):
        return made.moments.alias(column.name)
    codes = Codes.of(column.missing)
    values = without(made, codes.marks(made)) if codes and made.dtype.is_numeric() else made
    return values.alias(column.name)


def raw(table: Table, at: int) -> "pl.Series | Instants":
    """Return the column of that place with the codes that mean missing in it; dates as instants."""
    return held(table.columns[at], table.cells(at))
