"""Make the cells of one column what its type says, and say what was changed."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Column, ColumnType, Table, ToolWarning, Values
from corpusgraph.tasks.table.columns import Codes, Instants, where, without
from corpusgraph.tasks.table.values import (
    EXACT_INTEGER,
    LOSSY,
    Cells,
    Moment,
    as_given,
    clean,
    date_fixes,
    fix,
    is_missing,
    mixed,
    moment,
    number,
    problems,
)

if TYPE_CHECKING:
    import polars as pl

_TRUE, _FALSE = {"true", "yes", "1", "1.0"}, {"false", "no", "0", "0.0"}


@dataclass(frozen=True)
class _Distinct:
    """The values of a column, each once in order of first sight, and for each cell the place of its value."""

    values: list[Any]
    at: "pl.Series"

    @classmethod
    def of(cls, cells: Values) -> "_Distinct":
        import polars as pl

        if isinstance(cells, pl.Series) and not cells.dtype.is_float():  # where -0.0 is 0.0
            values = cells.drop_nulls().unique(maintain_order=True)
            places = values.alias("v").to_frame().with_row_index("at")
            at = pl.DataFrame({"v": cells}).join(places, on="v", how="left", maintain_order="left")["at"]
            return cls(values.to_list(), at)
        # 1, 1.0 and true are told apart, and so are one instant's times with different offsets
        keys: list[Any] = [
            None if is_missing(cell) else (type(cell), cell if isinstance(cell, (str, int)) else repr(cell))
            for cell in cells
        ]
        known = {key: cell for key, cell in zip(keys, cells, strict=True) if key is not None}
        place_of = {key: place for place, key in enumerate(known)}
        return cls(list(known.values()), pl.Series([place_of.get(key) for key in keys], dtype=pl.UInt32))

    def mapped(self, results: Sequence[Any], dtype: Any) -> "pl.Series":
        """Return for each cell what its value became."""
        import polars as pl

        return pl.Series(results, dtype=dtype).gather(self.at)

    def where(self, flags: Sequence[bool]) -> Sequence[int]:
        """Return the places of the cells whose value has a flag."""
        import polars as pl

        return where(self.mapped(flags, pl.Boolean)) if any(flags) else ()


def read_cells(column: Column, values: Values, rows: Sequence[str]) -> Cells:
    """Return the cells as `column.dtype`: each distinct value is read once.

    Parameters
    ----------
    column
        Name, type, levels and label of the column.
    values
        The cells, (n,): a polars series of one kind, or Python values of any kinds; None and NaN are missing.
    rows
        What messages call each row, (n,).

    Returns
    -------
    Cells
        The column (its type may have changed: integers beyond 2^53 are text), a series or instants, the
        fixes, and the columns that keep what was lost.

    Raises
    ------
    PreparationError
        `mixed_types` where a cell is not of that type.

    """
    import polars as pl

    if isinstance(values, pl.Series) and values.dtype.is_float():
        values = values.fill_nan(None)
    return _READERS[column.dtype](column, values, rows)


def _read(
    column: Column, cells: Values, rows: Sequence[str], reader: Callable[[Any], Any]
) -> tuple[_Distinct, list[Any], list[ToolWarning]]:
    """Read each distinct value; a blank one is missing, and one that reads as None an error."""
    known = _Distinct.of(cells)
    blank = [isinstance(value, str) and not value.strip() for value in known.values]
    results = [
        None if is_blank else reader(value) for value, is_blank in zip(known.values, blank, strict=True)
    ]
    for at, (result, is_blank) in enumerate(zip(results, blank, strict=True)):
        if result is None and not is_blank:
            raise mixed(column, known.values[at], rows[where(known.at == at)[0]])
    fixes = []
    if places := known.where(blank):
        fixes = [fix("blank_as_missing", f"Blank text in {column.name!r} is missing", rows, places)]
    return known, results, fixes


def _is_endless(value: Any) -> bool:
    return value in {float("inf"), float("-inf")}


def _endless(column: Column, rows: Sequence[str], places: Sequence[int]) -> ToolWarning:
    return fix("infinite_as_missing", f"Infinite values of {column.name!r} are missing", rows, places)


def _long_integers(column: Column, rows: Sequence[str], places: Sequence[int]) -> ToolWarning:
    message = f"{column.name!r} holds integers beyond 2^53, which no double can hold, and is text"
    return fix("integer_as_text", message, rows, places)


def _as_text_column(column: Column) -> Column:
    return column.model_copy(update={"dtype": "text"})


def _numbers(column: Column, cells: Values, rows: Sequence[str]) -> Cells:
    import polars as pl

    if isinstance(cells, pl.Series) and (cells.dtype.is_numeric() or cells.dtype in {pl.Boolean, pl.Null}):
        return _of_numbers(column, cells, [], rows)
    known, read, fixes = _read(column, cells, rows, number)
    if long := known.where([isinstance(n, int) and abs(n) > EXACT_INTEGER for n in read]):
        if endless := known.where([_is_endless(n) for n in read]):
            fixes.append(_endless(column, rows, endless))
        digits = [None if n is None or _is_endless(n) else str(n) for n in read]
        fixes.append(_long_integers(column, rows, long))
        return Cells(_as_text_column(column), known.mapped(digits, pl.String), tuple(fixes))
    whole = all(n is None or isinstance(n, int) for n in read)
    kind: type = int if whole else float
    plain = [None if n is None else kind(n) for n in read]
    return _of_numbers(column, known.mapped(plain, pl.Int64 if whole else pl.Float64), fixes, rows)


def _of_numbers(column: Column, values: "pl.Series", fixes: list[ToolWarning], rows: Sequence[str]) -> Cells:
    import polars as pl

    whole = True
    if values.dtype.is_float():
        if places := where(values.is_infinite()):
            values = without(values, values.is_infinite().fill_null(value=False))
            fixes = [*fixes, _endless(column, rows, places)]
        whole = bool(((values.abs() <= EXACT_INTEGER) & (values.round() == values)).all())
    elif values.dtype.is_integer() and (
        places := where((values > EXACT_INTEGER) | (values < -EXACT_INTEGER))
    ):
        fixes = [*fixes, _long_integers(column, rows, places)]
        return Cells(_as_text_column(column), values.cast(pl.String), tuple(fixes))
    if column.dtype == "integer" and whole:
        return Cells(column, values.cast(pl.Int64), tuple(fixes))
    numeric = column.model_copy(update={"dtype": "numeric"})
    return Cells(numeric, values.cast(pl.Float64), tuple(fixes))


def _booleans(column: Column, cells: Values, rows: Sequence[str]) -> Cells:
    import polars as pl

    if isinstance(cells, pl.Series) and cells.dtype == pl.Boolean:
        return Cells(column, cells)
    known, read, fixes = _read(column, cells, rows, _truth)
    return Cells(column, known.mapped(read, pl.Boolean), tuple(fixes))


def _truth(value: Any) -> bool | None:
    word = str(value).strip().casefold()
    return word in _TRUE if word in _TRUE | _FALSE else None


def _levels(column: Column, cells: Values, rows: Sequence[str]) -> Cells:
    """Read codes: integers where all cells are, else text; levels in the given order, else sorted."""
    import polars as pl

    known, present, fixes = _read(column, cells, rows, lambda value: value)
    whole = all(is_code(number(value)) for value in present if value is not None)
    texts = (value + 0.0 if isinstance(value, float) else value for value in present)  # so that -0.0 is 0.0
    codes: list[Any] = [
        value if value is None else int(number(value) or 0) if whole else clean(_as_text(value))
        for value in texts
    ]
    given = column.levels or tuple(column.value_labels or ())
    seen = map(str, sorted({code for code in codes if code is not None}))
    levels = (*given, *(level for level in seen if level not in set(given)))
    values = known.mapped(codes, pl.Int64 if whole else pl.String)
    return Cells(column.model_copy(update={"levels": levels}), values, tuple(fixes))


def is_code(code: float | None) -> bool:
    """Return whether the number can be a code: whole, and held by a double.

    Parameters
    ----------
    code : float or None
        None for what was read as no number.

    Returns
    -------
    bool
        True up to 2^53, beyond which doubles skip whole numbers.

    """
    return code is not None and float(code).is_integer() and abs(code) <= EXACT_INTEGER


def _texts(column: Column, cells: Values, rows: Sequence[str]) -> Cells:
    import polars as pl

    text = _as_text_column(column)
    is_text = isinstance(cells, pl.Series) and cells.dtype == pl.String
    if is_text and not cells.str.contains("\x00", literal=True).any():  # type: ignore[attr-defined]
        return Cells(text, cells)
    known, fixes = _Distinct.of(cells), []
    if places := known.where([isinstance(value, (dict, list, tuple)) for value in known.values]):
        fixes.append(fix("nested_as_json", f"Nested values of {column.name!r} are JSON text", rows, places))
    read = [_as_text(value) for value in known.values]
    cleaned = [clean(value) for value in read]
    if places := known.where([a != b for a, b in zip(read, cleaned, strict=True)]):
        message = f"Characters of {column.name!r} that no text file holds are U+FFFD"
        fixes.append(fix("illegal_character", message, rows, places))
    return Cells(text, known.mapped(cleaned, pl.String), tuple(fixes))


def _as_text(value: Any) -> str:
    if isinstance(value, (dict, list, tuple)):
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    return str(value)


def _dates(column: Column, cells: Values, rows: Sequence[str]) -> Cells:
    import polars as pl

    if isinstance(cells, pl.Series) and isinstance(cells.dtype, pl.Datetime):
        return _of_instants(column, cells, rows)
    if isinstance(cells, pl.Series) and cells.dtype == pl.Date:
        return Cells(column, Instants(cells.cast(pl.Date() if column.dtype == "date" else pl.Datetime("us"))))
    known, moments, fixes = _read(column, cells, rows, moment)
    offsets = any(isinstance(one, Moment) and one.has_offset for one in moments)
    codes = [problems(one, column.dtype == "date", offsets) for one in moments]
    at = {code: known.where([code in own for own in codes]) for code in dict.fromkeys(chain(*codes))}
    instants = [one.instant if isinstance(one, Moment) else None for one in moments]
    values = known.mapped(instants, pl.Datetime("us"))
    beside: tuple[tuple[Column, Values], ...] = ()
    if LOSSY & at.keys():
        written = [
            None if one is None else str(value) for value, one in zip(known.values, moments, strict=True)
        ]
        beside = ((as_given(column), known.mapped(written, pl.String)),)
    dates = Instants(values.dt.date() if column.dtype == "date" else values)
    return Cells(column, dates, (*fixes, *date_fixes(column, rows, at)), beside)


def _of_instants(column: Column, values: "pl.Series", rows: Sequence[str]) -> Cells:
    """Read instants: to UTC, to microseconds, and to days where days are wanted."""
    import polars as pl

    at: dict[str, Sequence[int]] = {}
    naive = values
    if isinstance(values.dtype, pl.Datetime) and values.dtype.time_zone:
        at["offset_dropped"] = where(values.is_not_null())
        naive = values.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
    moments = naive.cast(pl.Datetime("us"))
    if column.dtype == "date":
        moments = moments.dt.date()
    if places := where(naive != moments.cast(naive.dtype)):
        at["finer_than_resolution"] = places
    written = [None if value is None else str(value) for value in values.to_list()] if places else []
    beside = ((as_given(column), pl.Series(written, dtype=pl.String)),) if places else ()
    return Cells(column, Instants(moments), date_fixes(column, rows, at), beside)


_READERS: dict[ColumnType, Callable[[Column, Values, Sequence[str]], Cells]] = {
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
    """Return tidied cells as a series, or instants for dates, also where they were read back from JSON.

    Codes of levels are integers where all of them are.

    Parameters
    ----------
    column : Column
        Says the type of the cells.
    values : Values
        Cells as `tidied` made them, or as JSON has them.

    Returns
    -------
    Series or Instants
        As long as the values, null for missing; the same object where it is a series already.

    """
    import polars as pl

    if isinstance(values, (pl.Series, Instants)):
        return values
    if column.dtype in {"date", "datetime"}:
        moments = [None if value is None else datetime.fromisoformat(value) for value in values]
        instants = pl.Series(moments, dtype=pl.Datetime("us"))
        return Instants(instants.dt.date() if column.dtype == "date" else instants)
    kinds: dict[str, Any] = {"numeric": pl.Float64, "integer": pl.Int64, "boolean": pl.Boolean}
    if column.dtype in {"nominal", "ordinal"} and all(v is None or isinstance(v, int) for v in values):
        kinds[column.dtype] = pl.Int64
    return pl.Series(list(values), dtype=kinds.get(column.dtype, pl.String))


def series(table: Table, name: str) -> "pl.Series":
    """Return a column of a tidied table with null for missing, also where a code means missing.

    Float64 for numeric, Int64 for integer, Boolean for boolean, Int64 or String for nominal and ordinal
    codes, String for text, dates and instants (ISO 8601). Of a tidied table nothing is copied.

    Parameters
    ----------
    table : Table
        A tidied table.
    name : str
        Name of one of its columns.

    Returns
    -------
    Series
        As long as the table, under the column's name.

    Raises
    ------
    ValueError
        Where there is no such column.

    """
    at = [column.name for column in table.columns].index(name)
    made = raw(table, at)
    return made.text().alias(name) if isinstance(made, Instants) else physical(table, at)


def physical(table: Table, at: int) -> "pl.Series":
    """Return what `series` does for the column of that place, but days as Date and instants as Datetime.

    Parameters
    ----------
    table : Table
        A tidied table.
    at : int
        Place of the column, from 0.

    Returns
    -------
    Series
        As long as the table, under the column's name; null also where a code means missing.

    """
    made, column = raw(table, at), table.columns[at]
    if isinstance(made, Instants):
        return made.moments.alias(column.name)
    codes = Codes.of(column.missing)
    values = without(made, codes.marks(made)) if codes and made.dtype.is_numeric() else made
    return values.alias(column.name)


def raw(table: Table, at: int) -> "pl.Series | Instants":
    """Return the column of that place with the codes that mean missing in it; dates as instants.

    Parameters
    ----------
    table : Table
        A tidied table.
    at : int
        Place of the column, from 0.

    Returns
    -------
    Series or Instants
        As long as the table; null only where nothing was written.

    """
    return held(table.columns[at], table.cells(at))
