"""Tables from data frames (pandas, polars, tables of pyarrow) and frames from tables, column by column."""

import io
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import starmap
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from pydantic import ValidationError
from pydantic_core import to_jsonable_python

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, PreparationError
from corpusgraph.schemas.results import Column, ColumnType, Rows, Table, Values
from corpusgraph.tasks.table.columns import distinct, typed
from corpusgraph.tasks.table.encodable import not_encodable
from corpusgraph.tasks.table.values import EXACT_INTEGER, infer, infer_text

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Storage = Literal[
    "string", "boolean", "integer", "number", "date", "datetime", "array", "object", "any", "null"
]
JSON_TYPES = frozenset({"array", "object", "any", "null"})
_DATE, _DATE_TIME, _DOUBLE, _LITERAL = "xsd:date", "xsd:dateTime", "xsd:double", "@json"
_TYPED = {"@type", "@value"}
_ENDLESS = {"INF": math.inf, "-INF": -math.inf, "NaN": math.nan}
_TYPES: dict[str, Callable[[str], Any]] = {
    _DATE: date.fromisoformat,
    _DATE_TIME: datetime.fromisoformat,
    _DOUBLE: _ENDLESS.__getitem__,
}


def to_text(value: Any, stored: Storage) -> str:
    """Return the text of a cell; `from_text` reads it back.

    Parameters
    ----------
    value : Any
        A cell that is there.
    stored : Storage
        Type of its column.

    Returns
    -------
    str
        JSON for lists, objects and columns of several types.

    """
    return _STORED[stored].write(value) if stored in _STORED else json_text(value)


def json_text(value: Any) -> str:
    """Return JSON; what it lacks is a typed value of JSON-LD (dates, endless numbers), text or a list.

    Parameters
    ----------
    value : Any
        Whatever a cell may hold.

    Returns
    -------
    str
        One line, letters as they are.

    """
    return json.dumps(_told(value), ensure_ascii=False)


def _told(value: Any) -> Any:
    """Return a value that JSON has; an object that looks like a typed value is wrapped as a JSON literal."""
    if isinstance(value, dict):
        made = {key: _told(inner) for key, inner in value.items()}
        return {"@type": _LITERAL, "@value": made} if value.keys() == _TYPED else made
    if isinstance(value, (list, tuple)):
        return [_told(inner) for inner in value]
    if endless := _endless(value):
        return {"@type": _DOUBLE, "@value": endless}
    if isinstance(value, date):
        kind = _DATE_TIME if isinstance(value, datetime) else _DATE
        return {"@type": kind, "@value": value.isoformat()}
    return to_jsonable_python(value, fallback=str)


def _untold(value: Any) -> Any:
    if isinstance(value, list):
        return [_untold(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    read = _TYPES.get(str(value["@type"])) if value.keys() == _TYPED else None
    if read and isinstance(value["@value"], str):
        return read(value["@value"])
    literal = value.keys() == _TYPED and value["@type"] == _LITERAL and isinstance(value["@value"], dict)
    return {key: _untold(inner) for key, inner in (value["@value"] if literal else value).items()}


def _endless(value: Any) -> str:
    if not isinstance(value, float) or math.isfinite(value):
        return ""
    return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"


def _number(text: str) -> int | float:
    if text in _ENDLESS:
        return _ENDLESS[text]
    return int(text) if text.lstrip("-").isdecimal() else float(text)


def _boolean(text: str) -> bool:
    word = text.casefold()
    if word not in {"true", "false"}:
        raise ValueError(f"{text!r} is neither TRUE nor FALSE")
    return word == "true"


class _Stored(NamedTuple):
    """How cells of one type are stored: type of the column, as text and back, in pandas and in polars."""

    python: type
    dtype: ColumnType
    read: Callable[[str], Any]
    write: Callable[[Any], str]
    pandas: str
    polars: str


_STORED: dict[Any, _Stored] = {
    "string": _Stored(str, "text", str, str, "string", "String"),
    "boolean": _Stored(bool, "boolean", _boolean, lambda v: "TRUE" if v else "FALSE", "boolean", "Boolean"),
    "integer": _Stored(int, "integer", int, repr, "Int64", "Int64"),
    "number": _Stored(float, "numeric", _number, lambda v: _endless(v) or repr(v), "Float64", "Float64"),
    "date": _Stored(date, "date", date.fromisoformat, date.isoformat, "object", "Date"),
    "datetime": _Stored(
        datetime, "datetime", datetime.fromisoformat, datetime.isoformat, "datetime64[us]", "Datetime"
    ),
}
"""What is stored otherwise (lists, objects, cells of several types) is JSON."""
_PLAIN: dict[type, Storage] = {
    **{stored.python: name for name, stored in _STORED.items()},
    list: "array",
    tuple: "array",
    dict: "object",
    type(None): "null",
}


def storage(values: Iterable[Any]) -> Storage:
    """Return how the cells of a column are stored; `None` is missing, and a column without cells is text.

    Parameters
    ----------
    values : iterable of Any
        Cells of one column.

    Returns
    -------
    Storage
        A type of Table Schema; integers with decimals are number, other mixtures any.

    """
    kinds = {_PLAIN.get(one, "any") for one in set(map(type, values))} - {"null"}
    if len(kinds) == 1:
        return kinds.pop()
    if kinds == {"integer", "number"}:
        return "number"
    return "any" if kinds else "string"


def cells_by_column(table: Table) -> list[list[Any]]:
    """Return the cells column by column.

    Parameters
    ----------
    table : Table
        Its rows may be held either way.

    Returns
    -------
    list of list of Any
        New lists, in the order of the columns.

    """
    return [list(table.cells(at)) for at in range(len(table.columns))]


def kind_of(value: Any) -> Storage:
    """Return how one cell is stored.

    Parameters
    ----------
    value : Any
        A cell.

    Returns
    -------
    Storage
        `any` for what has no type of its own.

    """
    return _PLAIN.get(type(value), "any")


def from_text(text: str, stored: str) -> Any:
    """Read the text of a cell.

    Parameters
    ----------
    text : str
        As `to_text` wrote it.
    stored : str
        Type of its column.

    Returns
    -------
    Any
        The cell, equal to what was written.

    Raises
    ------
    ValueError
        For text that is none of its type.

    """
    return _STORED[stored].read(text) if stored in _STORED else _untold(json.loads(text))


def to_json(value: Any, stored: Storage) -> Any:
    """Return a value that JSON has: dates and endless numbers as text, the rest as it is.

    Parameters
    ----------
    value : Any
        A cell.
    stored : Storage
        Type of its column.

    Returns
    -------
    Any
        Infinities and not-a-number become text too; None is null.

    """
    kind = type(value)
    if value is None or kind in (str, bool, int) or (kind is float and math.isfinite(value)):
        return value
    if stored in JSON_TYPES:
        return json.loads(json_text(value))
    return to_text(value, stored) if stored in ("date", "datetime") else _endless(value) or value


def from_json(value: Any, stored: Storage) -> Any:
    """Read what `to_json` wrote; a value that needs no reading stays as it is.

    Parameters
    ----------
    value : Any
        Read from JSON.
    stored : Storage
        Type of its column.

    Returns
    -------
    Any
        The cell, equal to what was written.

    """
    kind = type(value)
    if kind is dict or kind is list:
        return _untold(value) if stored in JSON_TYPES else value
    needs = kind is str and stored in ("date", "datetime", "number")
    return from_text(value, stored) if needs else value


def missing_marker(texts: Iterable[str]) -> str:
    """Return what stands for a missing cell: nothing, or where empty text is a value, `NA` or `.NA`.

    Parameters
    ----------
    texts : iterable of str
        Texts of all cells of a column.

    Returns
    -------
    str
        None of the texts is equal to it: `..NA` and so on where need be.

    """
    taken = set(texts)
    marker = ""
    while marker in taken:
        marker = f".{marker}" if marker else "NA"
    return marker


def field_of(column: Column, stored: Storage, marker: str = "") -> JsonDict:
    """Describe a column as a field of Table Schema, with our own `dtype`, `unit`, `source` and `role`.

    Parameters
    ----------
    column : Column
        With label, formula, source.
    stored : Storage
        How its cells are stored.
    marker : str, default ''
        Stands for a missing cell in CSV; "" needs no word.

    Returns
    -------
    JsonDict
        A field of Table Schema, with the column's label as title and its formula as description.

    """
    made: JsonDict = {"name": column.name, "type": stored}
    told = {"title": column.label, "description": column.formula, "source": column.source}
    made |= {key: text for key, text in told.items() if text}
    made |= {"json": True} if stored in JSON_TYPES else {}
    made |= {"missingValues": [marker]} if marker else {}
    rest = column.model_dump(mode="json", exclude_defaults=True)
    return made | {k: v for k, v in rest.items() if k not in {"name", "label", "formula", "source"}}


def column_of(field: JsonDict) -> tuple[Column, Storage, str]:
    """Read a field: the column, how its cells are stored, and what stands for a missing one.

    Parameters
    ----------
    field : JsonDict
        Of a Table Schema, ours or another's; a type that is unknown is text.

    Returns
    -------
    tuple of Column, Storage and str
        Column, storage and marker ("": an empty cell).

    Raises
    ------
    ValidationError
        Of pydantic, where what we add to a field is not of its type.

    """
    kinds: Sequence[str] = get_args(Storage)
    stored: Storage = field["type"] if field.get("type") in kinds else "string"
    told = {k: field[k] for k in Column.model_fields if k in field}
    told |= {"label": field.get("title", ""), "formula": field.get("description", "")}
    told.setdefault("dtype", _STORED[stored].dtype if stored in _STORED else "json")
    return Column.model_validate(told), stored, str((field.get("missingValues") or [""])[0])


def columns_of(schema: JsonDict, table: str) -> list[tuple[Column, Storage, str]]:
    """Read a Table Schema as `column_of` reads a field.

    Parameters
    ----------
    schema : JsonDict
        With a list of fields.
    table : str
        Name of the table, for messages.

    Returns
    -------
    list of tuple of Column, Storage and str
        In the order of the fields.

    Raises
    ------
    InvalidInputError
        For what is no Table Schema, and for a field that cannot be read.

    """
    fields = schema.get("fields") if isinstance(schema, dict) else None
    if not isinstance(fields, list) or not all(isinstance(field, dict) for field in fields):
        raise InvalidInputError(f"The schema of {table} is no Table Schema: it has no list of fields.")
    try:
        return [column_of(field) for field in fields]
    except ValidationError as error:
        problem = error.errors()[0]
        where = ".".join(map(str, problem["loc"]))
        raise InvalidInputError(f"A field in the schema of {table}: {where}: {problem['msg']}.") from None


def table_schema(table: Table) -> JsonDict:
    """Describe the table's columns as Table Schema, for records: a missing cell is null.

    Parameters
    ----------
    table : Table
        Typed.

    Returns
    -------
    JsonDict
        `{"fields": […]}`, a field for each column.

    """
    kinds = map(storage, cells_by_column(table))
    return {"fields": [field_of(column, kind) for column, kind in zip(table.columns, kinds, strict=True)]}


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
    named index, or one that does not count rows, is a column.

    Parameters
    ----------
    data : Any
        Of pandas, polars or pyarrow; anything else is none.
    name : str, default 'table'
        Name of the table.

    Returns
    -------
    Table or None
        Its cells are held by column; dates before the year 1 or after 9999, which Python cannot hold, are
        text.

    Raises
    ------
    InvalidInputError
        For a lazy frame.

    """
    kind = (type(data).__module__.partition(".")[0], type(data).__name__)
    if kind == ("polars", "LazyFrame"):
        raise InvalidInputError("A LazyFrame holds no data yet.", hint="Give frame.collect().")
    if kind not in _READERS:
        return None
    series = [
        (Column(name=part, dtype=dtype or infer_column(cells) or "json", levels=levels), cells)
        for part, cells, dtype, levels in starmap(_in_range, _READERS[kind](data))
    ]
    return table_of_columns(name, series, len(data))


def table_of_columns(name: str, series: Sequence[tuple[Column, Values]], height: int) -> Table:
    """Make a table of columns with their cells, held by column.

    Parameters
    ----------
    name : str
        Name of the table.
    series : sequence of tuple of Column and Values
        Each as long as the table.
    height : int
        Number of rows.

    Returns
    -------
    Table
        The same cells.

    """
    rows: Any = Rows([cells for _, cells in series], height)
    return Table(name=name, columns=tuple(column for column, _ in series), rows=rows)


def _arrow(data: Any) -> list[_Part]:
    import polars as pl

    names = [str(name) for name in data.column_names]
    return [_part(name, pl.Series(pl.from_arrow(data.column(at)))) for at, name in enumerate(names)]


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
    if dtype.is_integer():
        made = cells.cast(pl.Int64, strict=False)  # null where 64 bits are not enough
        return name, cells.to_list() if made.null_count() > cells.null_count() else made, None, None
    if dtype.is_float() or dtype.is_decimal():
        return name, cells.cast(pl.Float64), None, None
    plain = dtype in {pl.String, pl.Boolean, pl.Date} or isinstance(dtype, pl.Datetime)
    return name, cells if plain else cells.to_list(), None, None


def _in_range(name: str, cells: Values, dtype: ColumnType | None, levels: tuple[str, ...] | None) -> _Part:
    """Make text of dates before year 1 or after 9999, which Python cannot hold: they are no dates."""
    import polars as pl

    if isinstance(cells, pl.Series) and cells.dtype.is_temporal():
        days = cells.dt.date() if isinstance(cells.dtype, pl.Datetime) else cells
        if ((days < _FIRST) | (days > _LAST)).any():
            return name, cells.cast(pl.String), "date" if cells.dtype == pl.Date else "datetime", None
    return name, cells, dtype, levels


def infer_column(cells: Values) -> ColumnType | None:
    """Return the type of a column as `infer` does, of a series without a loop.

    Parameters
    ----------
    cells : Values
        Cells of one column.

    Returns
    -------
    ColumnType or None
        None where its cells are of several types that do not go together.

    """
    import polars as pl

    if not isinstance(cells, pl.Series):
        return infer(cells)
    if cells.dtype == pl.String:
        return infer_text(distinct(cells), cells)
    if not (~cells.is_nan()).any() if cells.dtype.is_float() else cells.null_count() == len(cells):
        return "text"
    if cells.dtype.is_temporal():
        return "date" if cells.dtype == pl.Date else "datetime"
    kinds: Mapping[Any, ColumnType] = {pl.Int64: "integer", pl.Float64: "numeric", pl.Boolean: "boolean"}
    return kinds[cells.dtype]


_READERS: Mapping[tuple[str, str], Callable[[Any], list[_Part]]] = {
    ("polars", "DataFrame"): lambda data: [_part(values.name, values) for values in data.get_columns()],
    ("pandas", "DataFrame"): _pandas,
    ("pyarrow", "Table"): _arrow,
}


def to_pandas(table: Table) -> "pd.DataFrame":
    """Return a frame whose columns know missing cells; lists, objects and longer integers are objects.

    Types: string, boolean, Int64, Float64 and, for datetimes without zone, datetime64.

    Parameters
    ----------
    table : Table
        Any.

    Returns
    -------
    DataFrame
        As many rows and columns; column names may repeat or be of any text.

    """
    import pandas as pd

    made = {
        at: pd.Series(values, dtype=_STORED[kind].pandas if kind in _STORED else "object")
        for at, (values, kind) in enumerate(held_exactly(table))
    }
    frame = pd.DataFrame(made)
    frame.columns = pd.Index([column.name for column in table.columns], dtype="object")
    return frame


def to_polars(table: Table) -> "pl.DataFrame":
    """Return a frame of String, Boolean, Int64, Float64, Date and Datetime; what is nested is JSON text.

    Parameters
    ----------
    table : Table
        With names that are all different.

    Returns
    -------
    DataFrame
        As many rows and columns; null is missing.

    """
    import polars as pl

    made = {}
    for column, (values, kind) in zip(table.columns, held_exactly(table), strict=True):
        is_text = kind == "string" or kind not in _STORED
        cells = texts_of(values, storage(values)) if is_text else values
        dtype: Any = pl.String if is_text else getattr(pl, _STORED[kind].polars)
        made[column.name] = pl.Series(cells, dtype=dtype, strict=False)
    return pl.DataFrame(made)


def texts_of(values: Sequence[Any], kind: Storage) -> list[str | None]:
    """Return the text of each cell, None for a missing one.

    Parameters
    ----------
    values : sequence of Any
        Cells of one column.
    kind : Storage
        Their type.

    Returns
    -------
    list of str or None
        As long as the cells.

    """
    return [None if value is None else to_text(value, kind) for value in values]


def held_exactly(table: Table) -> list[tuple[list[Any], Storage]]:
    """Return each column with its type; `any` where a column of that type would not hold it exactly.

    Parameters
    ----------
    table : Table
        Any.

    Returns
    -------
    list of tuple of list of Any and Storage
        Such as integers beyond 64 bits, which then are `any`; in the order of the columns.

    """
    columns = []
    for values in cells_by_column(table):
        kind = storage(values)
        inexact = _INEXACT.get(kind)
        is_lossy = inexact is not None and any(inexact(value) for value in values if value is not None)
        columns.append((values, "any" if is_lossy else kind))
    return columns


_KNOWN = frozenset({str, int, float, bool, type(None), date, datetime, list, tuple, dict})
_MISSING = {"NAType", "NaTType"}
"""pandas.NA, which is equal to nothing and not even false, and pandas.NaT, a time that has no text."""


def plain(name: str, values: Sequence[Any]) -> Sequence[Any]:
    """Return the cells of a column as text, numbers, dates, None, and lists or mappings of them.

    Numbers of numpy and decimals become Python's, sets sorted lists, other values their text.

    Parameters
    ----------
    name : str
        Name of the column, for messages.
    values : sequence of Any
        Whatever objects a caller has.

    Returns
    -------
    sequence of Any
        As long as the cells; the same object where nothing is to be done.

    Raises
    ------
    PreparationError
        `mixed_types` for bytes, and for an object whose text would be its place in memory.

    """
    if _KNOWN.issuperset(map(type, values)):
        return values
    return [one if type(one) in _KNOWN else _plain(name, at, one) for at, one in enumerate(values, 1)]


def _plain(name: str, at: int, value: Any) -> Any:
    if type(value).__name__ in _MISSING:
        return None
    if hasattr(value, "tolist"):
        instant = getattr(value.dtype, "kind", "") == "M"
        return (value.astype("datetime64[us]") if instant else value).tolist()
    if isinstance(value, Decimal):
        return _plain_number(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, (str, int, float, date, list, tuple, dict)):
        return value
    texts: list[Any] = [type(value).__str__, type(value).__repr__]
    if isinstance(value, (bytes, bytearray, memoryview)) or texts == [object.__str__, object.__repr__]:
        raise PreparationError(
            f"Variable {name!r} has a value of type {type(value).__name__} (row {at}), which is no cell.",
            code="mixed_types",
            hint="Give text, a number, true, false, a date or null; decode bytes to text.",
        )
    return str(value)


def _plain_number(value: Decimal) -> int | float | str | None:
    """Return the decimal as a number with the same digits, else as text: nothing is rounded."""
    if value.is_nan():
        return None
    if value.is_finite() and value == value.to_integral_value():
        return int(value)
    near = float(value)
    return near if value.is_infinite() or Decimal(repr(near)) == value else str(value)


def table_of_rows(rows: Sequence[Mapping[str, Any]], name: str = "table") -> Table:
    """Make a table of dictionaries; its columns are all keys, in order of first sight.

    A column whose cells do not go together is typed `json`: each keeps its own type.

    Parameters
    ----------
    rows : sequence of mapping of str to Any
        A key that a row lacks is a missing cell.
    name : str, default 'table'
        Name of the table.

    Returns
    -------
    Table
        A row for each dictionary, in order.

    Raises
    ------
    PreparationError
        What `plain` raises.

    """
    names = list(dict.fromkeys(key for keys in dict.fromkeys(map(tuple, rows)) for key in keys))
    cells = ((key, plain(str(key), [row.get(key) for row in rows])) for key in names)
    series = [(Column(name=key, dtype=infer(values) or "json"), values) for key, values in cells]
    return table_of_columns(name, series, len(rows))


def loose_table(data: object) -> object:
    """Turn `[{…}]`, `{columns, rows}` with untyped columns, or a data frame into what `Table` accepts.

    A column may be a name or `{name, …}`; a row may be a list or a dictionary. Frames are those of
    pandas and polars and tables of pyarrow. What is none of these is left as it is.

    Parameters
    ----------
    data : object
        What a caller gives as a table.

    Returns
    -------
    object
        A table, a mapping for `Table` to validate, or the data as they were.

    Raises
    ------
    ValueError
        For a row of another width than the columns.
    PreparationError
        What `plain` raises.

    """
    if isinstance(data, (list, tuple)) and all(isinstance(row, Mapping) for row in data):
        return table_of_rows(data)
    if not isinstance(data, Mapping):
        return data if isinstance(data, Table) else table_of_frame(data) or data
    if not all(isinstance(data.get(part), (list, tuple)) for part in ("columns", "rows")):
        return data
    heads = [{"name": c} if isinstance(c, str) else c for c in data["columns"]]
    if not all(isinstance(head, Mapping) and "name" in head for head in heads):
        return data
    names = [str(head["name"]) for head in heads]
    rows = [tuple(_cells(at, row, names)) for at, row in enumerate(data["rows"], 1)]
    _same_width(rows, len(names))
    cells = [plain(name, [row[at] for row in rows]) for at, name in enumerate(names)]
    typed = [
        head if "dtype" in head else {**head, "dtype": infer(values) or "json"}
        for head, values in zip(heads, cells, strict=True)
    ]
    return {**data, "columns": tuple(typed), "rows": Rows(cells, len(rows))}


def _cells(at: int, row: object, names: Sequence[str]) -> Sequence[Any]:
    if isinstance(row, Mapping):
        if more := [key for key in row if key not in names]:
            raise ValueError(f"row {at} has a value for {more[0]!r}, which is no column")
        return [row.get(name) for name in names]
    return row if isinstance(row, (list, tuple)) else [row]


def _same_width(rows: Sequence[Sequence[Any]], width: int) -> None:
    for at, row in enumerate(rows, 1):
        if len(row) != width:
            raise ValueError(f"row {at} has {len(row)} cells for {width} columns")


def check_table(table: Table) -> None:
    """Check that a table has rows and columns, even rows, and names that are different and can be written.

    Parameters
    ----------
    table : Table
        Before it is prepared for a program.

    Raises
    ------
    PreparationError
        `empty_table`, `duplicate_id` (of names).
    InvalidInputError
        For uneven rows, and for a name with half a character.

    """
    if not table.columns or not table.rows:
        what = "rows" if table.columns else "columns"
        raise PreparationError(
            f"Table {table.name!r} has no {what}.",
            code="empty_table",
            hint=f"Give it {what}, or loosen the filters that left none.",
        )
    try:
        _same_width(table.rows[:1] if isinstance(table.rows, Rows) else table.rows, len(table.columns))
    except ValueError as error:
        raise InvalidInputError(f"Table {table.name!r}: {error}.") from None
    try:
        "".join(column.name for column in table.columns).encode()
    except UnicodeEncodeError as error:
        raise not_encodable(error) from None
    counts = Counter(column.name for column in table.columns)
    if twice := sorted(name for name, n in counts.items() if n > 1):
        raise PreparationError(
            f"Table {table.name!r} has two columns named {twice[0]!r}.",
            code="duplicate_id",
            hint="Rename one of them, or remove it.",
        )


def free_name(name: str, taken: set[str]) -> str:
    """Return the name, or where it is taken with `_2`, `_3`, …; it is taken then.

    Parameters
    ----------
    name : str
        The name wanted.
    taken : set of str
        Names in use; the one returned is added.

    Returns
    -------
    str
        `name` itself where it is free.

    """
    found, nth = name, 1
    while found in taken:
        nth += 1
        found = f"{name}_{nth}"
    taken.add(found)
    return found


_SCHEMA = b"corpusgraph"


def parquet_bytes(table: Table, graph: JsonDict | None = None) -> bytes:
    """Write parquet whose metadata has the Table Schema, so that `read_parquet` gives the same table.

    Lists, objects, cells of several types, integers beyond 64 bits and datetimes with a zone are text.

    Parameters
    ----------
    table : Table
        Any.
    graph : JsonDict, optional
        What the graph says of itself; kept in the metadata.

    Returns
    -------
    bytes
        Compressed with zstd; the same table gives the same bytes with the same pyarrow.

    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    told = json.dumps({**table_schema(table), "graph": graph or {}}, ensure_ascii=False).encode()
    arrays = [cells.alias("").to_arrow() for cells in to_polars(table)]  # a name with NUL would be an error
    plain = {pa.large_string(): pa.string()}
    arrays = [array.cast(plain.get(array.type, array.type)) for array in arrays]
    data = pa.Table.from_arrays(arrays, [column.name for column in table.columns], metadata={_SCHEMA: told})
    out = io.BytesIO()
    pq.write_table(data, out, compression="zstd")
    return out.getvalue()


def read_parquet(data: bytes, name: str = "table") -> Table:
    """Read parquet: what `parquet_bytes` wrote becomes the same table, another file one of its cells.

    Parameters
    ----------
    data : bytes
        A whole file.
    name : str, default 'table'
        Name of the table, for messages too.

    Returns
    -------
    Table
        Types are those of the Table Schema in the metadata, else inferred.

    Raises
    ------
    InvalidInputError
        For bytes that are no parquet.

    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        read = pq.read_table(io.BytesIO(data))
    except (pa.ArrowInvalid, OSError) as error:
        raise InvalidInputError(f"{name}: this is no parquet: {error}.") from None
    told = (read.schema.metadata or {}).get(_SCHEMA)
    if told is None:
        return Table.model_validate(loose_table(read)).model_copy(update={"name": name})
    heads = columns_of(json.loads(told), name)
    series = [
        (head, _read(column.to_pylist(), kind))
        for (head, kind, _), column in zip(heads, read.columns, strict=True)
    ]
    return table_of_columns(name, series, read.num_rows)


def graph_of_parquet(data: bytes) -> JsonDict:
    """Return what the graph says of itself, as the metadata of the file has it.

    Parameters
    ----------
    data : bytes
        A file that `parquet_bytes` wrote, or another.

    Returns
    -------
    JsonDict
        Empty where the metadata says nothing.

    """
    import pyarrow.parquet as pq

    told = (pq.read_schema(io.BytesIO(data)).metadata or {}).get(_SCHEMA, b"{}")
    return dict(json.loads(told).get("graph", {}))


def _read(values: list[Any], kind: Storage) -> list[Any]:
    if kind == "string" or not any(isinstance(value, str) for value in values):
        return values
    return [None if value is None else from_text(value, kind) for value in values]
