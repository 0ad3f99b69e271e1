"""What `coerce` does cell by cell, by column: numbers at once, text and the like once per distinct value."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Column, ColumnType, ToolWarning, Values
from corpusgraph.tasks.table.cells import Cells, clean, mixed
from corpusgraph.tasks.table.coerce import (
    as_text_column,
    blanks,
    coerce,
    endless,
    illegal,
    is_code,
    level_code,
    long_integers,
    truth,
    with_levels,
)
from corpusgraph.tasks.table.columns import Instants, among, distinct, listed, mapped, where, without
from corpusgraph.tasks.table.dates import LOSSY, as_given, problems, read, told
from corpusgraph.tasks.table.values import EXACT_INTEGER, Moment, number

if TYPE_CHECKING:
    import polars as pl

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


def _blank_as_missing(column: Column, values: "pl.Series", rows: Sequence[str]) -> _Found:
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


def _numbers(column: Column, values: "pl.Series", rows: Sequence[str]) -> Cells | None:
    import polars as pl

    kept, fixes = _blank_as_missing(column, values, rows)
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


def _booleans(column: Column, values: "pl.Series", rows: Sequence[str]) -> Cells | None:
    import polars as pl

    kept, fixes = _blank_as_missing(column, values, rows)
    if kept.dtype != pl.Boolean:
        known = {value: truth(value) for value in distinct(kept)}
        _refuse(column, kept, known, rows)
        kept = mapped(kept, known, pl.Boolean)
    return Cells(column, kept, tuple(fixes))


def _levels(column: Column, values: "pl.Series", rows: Sequence[str]) -> Cells | None:
    import polars as pl

    kept, fixes = _blank_as_missing(column, values, rows)
    present = distinct(kept)
    whole = all(is_code(number(value)) for value in present)
    known = {value: level_code(value, whole) for value in present}
    made = with_levels(column, set(known.values()))
    same = (whole and kept.dtype == pl.Int64) or all(value == code for value, code in known.items())
    dtype = pl.Int64 if whole else pl.String
    return Cells(made, kept.cast(dtype) if same else mapped(kept, known, dtype), tuple(fixes))


def _texts(column: Column, values: "pl.Series", rows: Sequence[str]) -> Cells | None:
    import polars as pl

    if values.dtype != pl.String:
        return None
    flags = values.str.contains("\x00", literal=True).fill_null(value=False)
    if not flags.any():
        return Cells(as_text_column(column), values)
    cleaned = values.str.replace_all("\x00", clean("\x00"), literal=True)
    return Cells(as_text_column(column), cleaned, (illegal(column, rows, where(flags)),))


def _dates(column: Column, values: "pl.Series", rows: Sequence[str]) -> Cells | None:
    import polars as pl

    kept, fixes = _blank_as_missing(column, values, rows)
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
