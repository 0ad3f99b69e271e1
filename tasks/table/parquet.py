"""Tables as parquet and back; the metadata of the file say how each column is read."""

import io
import json
from typing import Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Rows, Table
from corpusgraph.tasks.table.frames import held_exactly, texts_of
from corpusgraph.tasks.table.rows import loose_table
from corpusgraph.tasks.table.stored import Storage, columns_of, from_text, table_schema

_SCHEMA = b"corpusgraph"


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
    for field, (values, kind) in zip(schema["fields"], held_exactly(table), strict=True):
        plain = values if kind in kinds else texts_of(values, field["type"])
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
