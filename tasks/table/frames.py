"""Tables from data frames (pandas, polars, tables of pyarrow) and frames from tables, column by column."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Column, ColumnType, Rows, Table, Values
from corpusgraph.tasks.table.columns import distinct, typed
from corpusgraph.tasks.table.stored import Storage, cells_by_column, table_schema, to_text
from corpusgraph.tasks.table.values import EXACT_INTEGER, MAX_LEVELS, infer, infer_text

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_Part = tuple[str, Values, ColumnType | None, tuple[str, ...] | None]
"""Name, cells, and for categories their type and levels."""
_FIRST, _LAST = date(1, 1, 1), date(9999, 12, 31)
_INEXACT: dict[str, Callable[[Any], bool]] = {
    "integer": lambda value: abs(value) > 2**63 - 1,
    "number": lambda value: isinstance(value, int) and abs(value) > EXACT_INTEGER,
    "datetime": lambda value: value.tzinfo is not None,
}
"""What a column of 64-bit integers, doubles or plain instants cannot hold."""


def table_of_frame(data: Any, name: str = "table") -> Table | None:
    """Make a table of a frame; None where it is none.

    Columns keep their types, categories become levels in their order (ordinal where they are ordered). A
    named index, or one that does not count rows, is a column. Raises InvalidInputError for a lazy frame.
    """
    kind = (type(data).__module__.partition(".")[0], type(data).__name__)
    if kind == ("polars", "LazyFrame"):
        raise InvalidInputError("A LazyFrame holds no data yet.", hint="Give frame.collect().")
    if kind not in _READERS:
        return None
    parts = [_in_range(*part) for part in _READERS[kind](data)]
    columns = [
        Column(name=part, dtype=dtype or infer_column(cells) or "json", levels=levels)
        for part, cells, dtype, levels in parts
    ]
    rows: Any = Rows([cells for _, cells, _, _ in parts], len(data))
    return Table(name=name, columns=tuple(columns), rows=rows)


def _polars(data: Any) -> list[_Part]:
    return [_part(values.name, values) for values in data.get_columns()]


def _arrow(data: Any) -> list[_Part]:
    import polars as pl

    names = [str(name) for name in data.column_names]
    return [_part(name, _series(pl.from_arrow(data.column(at)))) for at, name in enumerate(names)]


def _series(made: Any) -> "pl.Series":
    found: pl.Series = made if hasattr(made, "arr") else made.to_series()
    return found


def _pandas(data: Any) -> list[_Part]:
    index = data.index
    named = any(name is not None for name in index.names)
    if named or index.dtype.kind not in "iu":
        data = data.reset_index(allow_duplicates=True)
    return [_pandas_column(str(name), data.iloc[:, at]) for at, name in enumerate(data.columns)]


def _pandas_column(name: str, values: Any) -> _Part:
    import pandas as pd
    import polars as pl

    if isinstance(values.dtype, pd.CategoricalDtype):
        known: Any = typed(list(values.cat.categories))
        known = pl.Series(list(map(str, values.cat.categories))) if known is None else known
        places = pl.Series(values.cat.codes.to_numpy()).cast(pl.Int64)
        cells = known.gather(pl.select(pl.when(places >= 0).then(places)).to_series())
        levels = tuple(str(level) for level in known)
        return name, cells, "ordinal" if values.cat.ordered else "nominal", levels
    if values.dtype == object or isinstance(values.dtype, (pd.PeriodDtype, pd.IntervalDtype)):
        cells = [None if value is pd.NA or value is pd.NaT else value for value in values]
        return _part(name, cells)
    return _part(name, pl.from_pandas(values.reset_index(drop=True), nan_to_null=True))


def _part(name: str, cells: Any) -> _Part:
    """Bring cells to a type that is known here: of polars' types, else Python values."""
    import polars as pl

    if not isinstance(cells, pl.Series):
        made = typed(cells)
        return name, cells if made is None else made, None, None
    dtype = cells.dtype
    if isinstance(dtype, (pl.Categorical, pl.Enum)):
        ordered = isinstance(dtype, pl.Enum)
        levels = tuple(dtype.categories) if ordered else None
        return name, cells.cast(pl.String), "nominal", levels
    if dtype == pl.Null:
        return name, cells.cast(pl.String), None, None
    if dtype.is_integer() or dtype.is_float():
        whole = _whole(cells) if dtype.is_integer() else cells.cast(pl.Float64)
        return name, whole, None, None
    if dtype.is_decimal():
        return name, cells.cast(pl.Float64), None, None
    plain = dtype in {pl.String, pl.Boolean, pl.Date} or isinstance(dtype, pl.Datetime)
    return name, cells if plain else cells.to_list(), None, None


def _whole(cells: "pl.Series") -> "pl.Series | list[int]":
    """Return 64-bit integers, or Python's where they are not enough."""
    import polars as pl

    made = cells.cast(pl.Int64, strict=False)
    return cells.to_list() if made.null_count() > cells.null_count() else made


def _in_range(name: str, cells: Values, dtype: ColumnType | None, levels: tuple[str, ...] | None) -> _Part:
    """Make text of dates before year 1 or after 9999, which Python cannot hold: they are no dates."""
    import polars as pl

    if not isinstance(cells, pl.Series) or not cells.dtype.is_temporal():
        return name, cells, dtype, levels
    days = cells.dt.date() if isinstance(cells.dtype, pl.Datetime) else cells
    if ((days < _FIRST) | (days > _LAST)).any():
        return name, cells.cast(pl.String), "date" if cells.dtype == pl.Date else "datetime", None
    return name, cells, dtype, levels


def infer_column(cells: Values) -> ColumnType | None:
    """Return the type of a column as `infer` does, of a series without a loop."""
    import polars as pl

    if not isinstance(cells, pl.Series):
        return infer(cells)
    if cells.dtype == pl.String:
        return _infer_text(cells)
    if not (~cells.is_nan()).any() if cells.dtype.is_float() else cells.null_count() == len(cells):
        return "text"
    if cells.dtype.is_temporal():
        return "date" if cells.dtype == pl.Date else "datetime"
    kinds: Mapping[Any, ColumnType] = {pl.Int64: "integer", pl.Float64: "numeric", pl.Boolean: "boolean"}
    return kinds[cells.dtype]


def _infer_text(cells: "pl.Series") -> ColumnType:
    """Look at the first cells: most text is neither number nor date, and they show it."""
    head = distinct(cells.head(1000))
    many = sum(bool(text.strip()) for text in head) > MAX_LEVELS
    if many and infer_text(head, ()) == "text" == infer_text([*head, "0001-01-01"], ()):
        return "text"
    return infer_text(distinct(cells), cells)


_READERS: Mapping[tuple[str, str], Callable[[Any], list[_Part]]] = {
    ("polars", "DataFrame"): _polars,
    ("pandas", "DataFrame"): _pandas,
    ("pyarrow", "Table"): _arrow,
}


def to_pandas(table: Table) -> "pd.DataFrame":
    """Return a frame whose columns know missing cells; lists, objects and longer integers are objects.

    Types: string, boolean, Int64, Float64 and, for datetimes without zone, datetime64.
    """
    import pandas as pd

    dtypes = {"string": "string", "boolean": "boolean", "integer": "Int64", "number": "Float64"}
    dtypes |= {"datetime": "datetime64[us]"}
    made = {
        at: pd.Series(values, dtype=dtypes.get(kind, "object"))
        for at, (values, kind) in enumerate(held_exactly(table))
    }
    frame = pd.DataFrame(made)
    frame.columns = pd.Index([column.name for column in table.columns], dtype="object")
    return frame


def to_polars(table: Table) -> "pl.DataFrame":
    """Return a frame of String, Boolean, Int64, Float64, Date and Datetime; what is nested is JSON text."""
    import polars as pl

    kinds: dict[str, Any] = {"boolean": pl.Boolean, "integer": pl.Int64, "number": pl.Float64}
    kinds |= {"date": pl.Date, "datetime": pl.Datetime("us")}
    fields = table_schema(table)["fields"]
    made = {}
    for field, (values, kind) in zip(fields, held_exactly(table), strict=True):
        plain = values if kind in kinds else texts_of(values, field["type"])
        made[field["name"]] = pl.Series(plain, dtype=kinds.get(kind, pl.String), strict=False)
    return pl.DataFrame(made)


def texts_of(values: Sequence[Any], kind: Storage) -> list[str | None]:
    """Return the text of each cell, None for a missing one."""
    return [None if value is None else to_text(value, kind) for value in values]


def held_exactly(table: Table) -> list[tuple[list[Any], Storage]]:
    """Return each column with its type; `any` where a column of that type would not hold it exactly."""
    found = []
    for values, field in zip(cells_by_column(table), table_schema(table)["fields"], strict=True):
        kind: Storage = field["type"]
        inexact = _INEXACT.get(kind)
        if inexact and any(inexact(value) for value in values if value is not None):
            kind = "any"
        found.append((values, kind))
    return found
