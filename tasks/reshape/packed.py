"""The tables of a graph in the format asked for, and the way back to typed tables."""

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Rows, Table
from corpusgraph.tasks.reshape.csvs import SCHEMA, csv_files, read_csv
from corpusgraph.tasks.reshape.long import is_long, melt, unmelt
from corpusgraph.tasks.table.rows import table_of_rows
from corpusgraph.tasks.table.stored import (
    JSON_TYPES,
    Storage,
    cells_by_column,
    columns_of,
    from_json,
    storage,
    table_schema,
    to_json,
)

TableFormat = Literal["dataframe", "csv", "json", "records", "parquet"]
Shape = Literal["wide", "long"]


def _decoded(value: object) -> object:
    return b64decode(value, validate=True) if isinstance(value, str) else value


Base64 = Annotated[
    bytes,
    BeforeValidator(_decoded),
    PlainSerializer(lambda data: b64encode(data).decode(), return_type=str, when_used="json"),
]
"""Bytes in Python, base64 text in JSON."""


class GraphTables(Noun):
    """A graph as a table of nodes and, unless edges are columns of it, a table of edges."""

    format: TableFormat
    shape: Shape = "wide"
    nodes: Table | None = Field(default=None, description="dataframe: typed columns and rows")
    edges: Table | None = None
    csv: dict[str, str] = Field(
        default_factory=dict, description="csv: file name: text; datapackage.json says how to read them"
    )
    records: dict[str, list[JsonDict]] = Field(
        default_factory=dict, description="json (values that JSON has), records: nodes, edges: records"
    )
    schemas: dict[str, JsonDict] = Field(
        default_factory=dict, description="json, records: nodes, edges: Table Schema of the records"
    )
    parquet: dict[str, Base64] = Field(
        default_factory=dict, description="parquet: file name: bytes (base64 in JSON)"
    )
    graph: JsonDict = Field(default_factory=dict, description="what the graph says of itself: metadata …")

    def tables(self) -> dict[str, Table]:
        """Return nodes and edges as typed tables in wide shape, whatever the format."""
        return {name: unmelt(t) if is_long(t) else t for name, t in unpacked(self).items()}

    def files(self) -> dict[str, bytes]:
        """Return the files of a format that has some: relative name -> bytes."""
        return {**{name: text.encode() for name, text in self.csv.items()}, **self.parquet}

    def to_pandas(self) -> dict[str, Any]:
        """Return nodes and edges as pandas frames, in the shape they have."""
        from corpusgraph.tasks.table.frames import to_pandas

        return {name: to_pandas(table) for name, table in unpacked(self).items()}

    def to_polars(self) -> dict[str, Any]:
        """Return nodes and edges as polars frames, in the shape they have."""
        from corpusgraph.tasks.table.frames import to_polars

        return {name: to_polars(table) for name, table in unpacked(self).items()}


def packed(tables: Mapping[str, Table], wanted: TableFormat, shape: Shape, graph: JsonDict) -> GraphTables:
    """Return wide tables in a format and shape; `graph` travels along."""
    if shape == "long":
        as_text = wanted in ("csv", "parquet")
        tables = {name: melt(table, as_text=as_text) for name, table in tables.items()}
    made = GraphTables(format=wanted, shape=shape, graph=graph)
    if wanted == "dataframe":
        return made.model_copy(update=dict(tables))
    if wanted == "csv":
        return made.model_copy(update={"csv": csv_files(tables, graph)})
    if wanted == "parquet":
        from corpusgraph.tasks.table.parquet import parquet_bytes

        files = {f"{name}.parquet": parquet_bytes(table, graph) for name, table in tables.items()}
        return made.model_copy(update={"parquet": files})
    records = {name: _records(table, as_json=wanted == "json") for name, table in tables.items()}
    schemas = {name: table_schema(table) for name, table in tables.items()}
    return made.model_copy(update={"records": records, "schemas": schemas})


def unpacked(given: GraphTables) -> dict[str, Table]:
    """Return nodes and edges as typed tables in the shape they have.

    Raises InvalidInputError for a file that cannot be read.
    """
    found = {"nodes": given.nodes, "edges": given.edges}
    schemas = _schemas(given.csv.get(SCHEMA, "{}"))
    for name in ("nodes", "edges"):
        if f"{name}.csv" in given.csv:
            found[name] = read_csv(given.csv[f"{name}.csv"], name, schemas.get(name))
        elif f"{name}.parquet" in given.parquet:
            from corpusgraph.tasks.table.parquet import read_parquet

            found[name] = read_parquet(given.parquet[f"{name}.parquet"], name)
        elif name in given.records:
            found[name] = _of_records(given, name)
    return {name: table for name, table in found.items() if table is not None}


def graph_of(given: GraphTables) -> JsonDict:
    """Return what the graph says of itself: its metadata and fields that we do not know."""
    if given.graph:
        return given.graph
    if SCHEMA in given.csv:
        return dict(_json(given.csv[SCHEMA]).get("graph", {}))
    if "nodes.parquet" in given.parquet:
        from corpusgraph.tasks.table.parquet import graph_of_parquet

        return graph_of_parquet(given.parquet["nodes.parquet"])
    return {}


def _json(text: str) -> JsonDict:
    try:
        return dict(json.loads(text))
    except (TypeError, ValueError) as error:
        raise InvalidInputError(f"{SCHEMA} is no JSON object: {error}.") from None


def _schemas(package: str) -> dict[str, JsonDict]:
    """Return the Table Schema of each table of a data package; a resource may have none."""
    resources = _json(package).get("resources", [])
    if not isinstance(resources, list) or not all(isinstance(one, dict) for one in resources):
        raise InvalidInputError(f"{SCHEMA}: resources is no list of resources.")
    return {str(one.get("name")): one["schema"] for one in resources if "schema" in one}


def _records(table: Table, *, as_json: bool) -> list[JsonDict]:
    if not as_json:
        return table.records()
    names = [column.name for column in table.columns]
    columns = []
    for cells in cells_by_column(table):
        kind = storage(cells)
        columns.append([to_json(cell, kind) for cell in cells])
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def _of_records(given: GraphTables, name: str) -> Table:
    """Read records; those of the format `records` hold Python's values and need no typed values read."""
    records, schema = given.records[name], given.schemas.get(name)
    if schema is None:
        return table_of_rows(records, name)
    heads = columns_of(schema, name)
    try:
        kinds: list[Storage] = [
            kind if given.format == "json" or kind not in JSON_TYPES else "string" for _, kind, _ in heads
        ]
        cells = [
            [from_json(one.get(head.name), kind) for one in records]
            for (head, *_), kind in zip(heads, kinds, strict=True)
        ]
    except ValueError as error:
        raise InvalidInputError(f"records of {name}: {error}.") from None
    rows: Any = Rows(cells, len(records))
    return Table(name=name, columns=tuple(column for column, *_ in heads), rows=rows)
