"""Tables as pandas and polars frames, and as parquet."""

import io
import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Rows, Table
from corpusgraph.tasks.reshape.stored import (
    Storage,
    columns_of,
    from_text,
    series_of,
    table_schema,
    to_text,
)
from corpusgraph.tasks.table.rows import loose_table
from corpusgraph.tasks.table.values import EXACT_INTEGER

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

_SCHEMA = b"corpusgraph"
_INEXACT: dict[str, Callable[[Any], bool]] = {
    "integer": lambda value: abs(value) > 2**63 - 1,
    "number": lambda value: isinstance(value, int) and abs(value) > EXACT_INTEGER,
    "datetime": lambda value: value.tzinfo is not None,
}
"""What a column of 64-bit integers, doubles or plain instants cannot hold."""


def to_pandas(table: Table) -> "pd.DataFrame":
    """Return a frame whose columns know missing cells; lists, objects and longer integers are objects.

    Types: string, boolean, Int64, Float64 and, for datetimes without zone, datetime64.
    """
    import pandas as pd

    dtypes = {"string": "string", "boolean": "boolean", "integer": "Int64", "number": "Float64"}
    dtypes |= {"datetime": "datetime64[us]"}
    made = {
        at: pd.Series(values, dtype=dtypes.get(kind, "object"))
        for at, (values, kind) in enumerate(_typed(table))
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
    for field, (values, kind) in zip(fields, _typed(table), strict=True):
        plain = values if kind in kinds else _texts(values, field["type"])
        made[field["name"]] = pl.Series(plain, dtype=kinds.get(kind, pl.String), strict=False)
    return pl.DataFrame(made)


def _texts(values: Sequence[Any], kind: Storage) -> list[str | None]:
    return [None if value is None else to_text(value, kind) for value in values]


def _typed(table: Table) -> list[tuple[list[Any], Storage]]:
    """Return each column with its type; `any` where a column of that type would not hold it exactly."""
    found = []
    for values, field in zip(series_of(table), table_schema(table)["fields"], strict=True):
        kind: Storage = field["type"]
        inexact = _INEXACT.get(kind)
        if inexact and any(inexact(value) for value in values if value is not None):
            kind = "any"
        found.append((values, kind))
    return found


def parquet_bytes(table: Table, graph: JsonDict | None = None) -> bytes:
    """Write parquet whose metadata has the Table Schema, so that `read_parquet` gives the same table.

    Lists, objects, cells of several types, integers beyond 64 bits and datetimes with a zone are text.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    kinds = {"boolean": pa.bool_(), "integer": pa.int64(), "number": pa.float64(), "date": pa.date32()}
    kinds |= {"datetime": pa.timestamp("us")}
    schema = table_schema(table)
    arrays = []
    for field, (values, kind) in zip(schema["fields"], _typed(table), strict=True):
        plain = values if kind in kinds else _texts(values, field["type"])
        arrays.append(pa.array(plain, kinds.get(kind, pa.string())))
    told = json.dumps({**schema, "graph": graph or {}}, ensure_ascii=False).encode()
    fields = [pa.field(c.name, a.type) for c, a in zip(table.columns, arrays, strict=True)]
    out = io.BytesIO()
    made = pa.Table.from_arrays(arrays, schema=pa.schema(fields, metadata={_SCHEMA: told}))
    pq.write_table(made, out, compression="zstd")
    return out.getvalue()


def read_parquet(data: bytes, name: str = "table") -> Table:
    """Read parquet: what `parquet_bytes` wrote becomes the same table, another file one of its cells.

    Raises InvalidInputError for bytes that are no parquet.
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
    cells = [
        _read(column.to_pylist(), kind) for column, (_, kind, _) in zip(read.columns, heads, strict=True)
    ]
    rows: Any = Rows(cells, read.num_rows)
    return Table(name=name, columns=tuple(column for column, *_ in heads), rows=rows)


def graph_of_parquet(data: bytes) -> JsonDict:
    """Return what the graph says of itself, as the metadata of the file has it."""
    import pyarrow.parquet as pq

    told = (pq.read_schema(io.BytesIO(data)).metadata or {}).get(_SCHEMA, b"{}")
    return dict(json.loads(told).get("graph", {}))


def _read(values: list[Any], kind: Storage) -> list[Any]:
    if kind == "string" or not any(isinstance(value, str) for value in values):
        return values
    return [None if value is None else from_text(value, kind) for value in values]
