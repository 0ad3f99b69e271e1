"""A graph as two tables, one of nodes and one of edges, from which the same graph can be made again."""

import csv
import io
import json
import math
import re
from base64 import b64decode, b64encode
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, PlainSerializer

from corpusgraph.schemas.base import Described, JsonDict, stable_id
from corpusgraph.schemas.errors import InvalidInputError, PreparationError
from corpusgraph.schemas.graph import Entity, Graph, Relationship
from corpusgraph.schemas.results import Column, ColumnType, Rows, Table, ToolWarning
from corpusgraph.tasks.analysis.checks import unique_records
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.table import frames
from corpusgraph.tasks.table.values import MOST_RECORDS, infer, warning

SCHEMA = "datapackage.json"
_SPECIAL = re.compile('[",\r\n]')


def csv_files(tables: Mapping[str, Table], graph: JsonDict) -> dict[str, str]:
    """Return a CSV for each table, and the data package that says how to read them.

    Parameters
    ----------
    tables : mapping of str to Table
        Name -> table.
    graph : JsonDict
        What the graph says of itself; put into the data package.

    Returns
    -------
    dict of str to str
        File name -> text.

    """
    files, resources = {}, []
    for name, table in tables.items():
        files[f"{name}.csv"], schema = csv_text(table)
        resources.append({"name": name, "path": f"{name}.csv", "schema": schema})
    package: JsonDict = {"name": "graph", "resources": resources, **({"graph": graph} if graph else {})}
    return {**files, SCHEMA: json.dumps(package, ensure_ascii=False, indent=1) + "\n"}


def csv_text(table: Table) -> tuple[str, JsonDict]:
    """Return the table as CSV (RFC 4180 with line feeds) and its Table Schema; `read_csv` reads them back.

    Parameters
    ----------
    table : Table
        Any table.

    Returns
    -------
    (str, JsonDict)
        The text, the schema.

    """
    columns, fields = [], []
    for column, cells in zip(table.columns, frames.cells_by_column(table), strict=True):
        kind = frames.storage(cells)
        texts = frames.texts_of(cells, kind)
        marker = frames.missing_marker(text for text in texts if text is not None) if kind == "string" else ""
        fields.append(frames.field_of(column, kind, marker))
        columns.append([marker if text is None else _quoted(text) for text in texts])
    lines = [",".join(_quoted(column.name) for column in table.columns)]
    lines += [",".join(row) for row in zip(*columns, strict=True)]
    if len(columns) == 1:
        lines = [line or '""' for line in lines]  # an empty line would be no row
    return "".join(f"{line}\n" for line in lines), {"fields": fields}


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text


def read_csv(text: str, name: str = "table", schema: JsonDict | None = None) -> Table:
    """Read CSV with its Table Schema; without one, columns of integers, decimals and booleans are found.

    Parameters
    ----------
    text : str
        With a header; a byte order mark is left out.
    name : str, default "table"
        Of the table, for errors.
    schema : JsonDict, optional
        Table Schema, as `csv_text` returns it.

    Returns
    -------
    Table
        Empty cells are missing, unless the schema says what stands for a missing one.

    Raises
    ------
    InvalidInputError
        For what is no CSV, a row of another width, and a cell that is not of its field's type.

    """
    limit = csv.field_size_limit(2**31 - 1)
    try:
        lines = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    except csv.Error as error:
        raise InvalidInputError(f"{name}: this is no CSV: {error}.") from None
    finally:
        csv.field_size_limit(limit)
    header, *rows = [line for line in lines if line] or [[]]
    for at, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise InvalidInputError(f"{name}: row {at} has {len(row)} cells for {len(header)} columns.")
    if schema is None:
        return _guessed(header, rows, name)
    told = {found[0].name: found for found in frames.columns_of(schema, name)}
    series = []
    for at, head in enumerate(header):
        column, kind, marker = told.get(head) or (Column(name=head, dtype="text"), "string", "")
        try:
            cells = [None if row[at] == marker else frames.from_text(row[at], kind) for row in rows]
        except ValueError as error:
            raise InvalidInputError(f"{name}: column {head!r}: {error}.") from None
        series.append((column, cells))
    return frames.table_of_columns(name, series, len(rows))


def is_id_column(name: str) -> bool:
    """Return whether the cells are ids themselves, not names.

    Parameters
    ----------
    name : str
        Of a column.

    Returns
    -------
    bool
        True for `id` and what ends in `_id`.

    """
    return name == "id" or name.endswith("_id")


def _guessed(header: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> Table:
    """Type the columns of a CSV that came without a schema; ids stay text, and so do dates and 007."""
    given = {"name": name, "columns": header, "rows": [[c or None for c in row] for row in rows]}
    table = Table.model_validate(frames.loose_table(given))
    kinds: dict[str, frames.Storage] = {"integer": "integer", "numeric": "number", "boolean": "boolean"}
    cells = []
    for column, values in zip(table.columns, frames.cells_by_column(table), strict=True):
        kind = None if is_id_column(column.name) else kinds.get(column.dtype)
        cells.append([v and frames.from_text(v.strip(), kind) for v in values] if kind else values)
    return table.model_copy(update={"rows": Rows(cells, len(rows))})


COLUMNS = ("record", "variable", "value", "type", "source")
_LABELS = {
    "record": "Id of the node or edge",
    "variable": "Name of the column of the wide shape",
    "value": "The value",
    "type": "Type of the value, as in Table Schema",
    "source": "Field or attribute the value is of",
}
NEIGHBOURS = "Relationship."


def is_long(table: Table) -> bool:
    """Return whether the table has the columns of the long shape.

    Parameters
    ----------
    table : Table
        Any table.

    Returns
    -------
    bool
        Other columns do not matter.

    """
    return set(COLUMNS[:4]) <= {column.name for column in table.columns}


def melt(table: Table, *, as_text: bool) -> Table:
    """Return record, variable, value, type and source, a row for each cell that is not missing.

    The first column of the table is the record. A node's neighbours have a row each. With `as_text` the
    values are text, so that their column has one type; else they stay what they are.

    Parameters
    ----------
    table : Table
        In wide shape.
    as_text : bool
        Whether all values become text.

    Returns
    -------
    Table
        In long shape.

    """
    rows = []
    heads = [(column, _is_neighbours(table, column.source)) for column in table.columns[1:]]
    for record, *cells in table.rows:
        for (column, several), cell in zip(heads, cells, strict=True):
            if cell is None:
                continue
            for value in cell if several else (cell,):
                kind = frames.kind_of(value)
                shown = frames.to_text(value, kind) if as_text else value
                rows.append((record, column.name, shown, kind, column.source))
    columns = tuple(
        Column(name=name, dtype="text" if name != "value" or as_text else "json", label=_LABELS[name])
        for name in COLUMNS
    )
    return Table(name=table.name, columns=columns, rows=tuple(rows))


def _is_neighbours(table: Table, source: str) -> bool:
    return table.name == "nodes" and source.startswith(NEIGHBOURS)


def unmelt(table: Table) -> Table:
    """Return the wide table: `id` and a column for each variable, records in order of their first row.

    Parameters
    ----------
    table : Table
        In long shape.

    Returns
    -------
    Table
        In wide shape.

    Raises
    ------
    PreparationError
        `duplicate_id` where a record has two values of one variable; `empty_id`.
    InvalidInputError
        For a value that is not of its type.

    """
    records, held = _filed(table)
    owner = "Relationship" if table.name == "edges" else "Entity"
    series = [(Column(name="id", dtype="text", source=f"{owner}.id"), list[Any](records))]
    series += [
        (Column(name=name, dtype="json", source=source), [values.get(id_) for id_ in records])
        for (name, source), values in held.items()
    ]
    return frames.table_of_columns(table.name, series, len(records))


def _filed(table: Table) -> tuple[dict[str, None], dict[tuple[str, str], dict[str, Any]]]:
    """Return the records, and for each variable and source the value of each record."""
    names = [column.name for column in table.columns]
    nothing = [None] * len(table.rows)
    cells = [table.cells(names.index(name)) if name in names else nothing for name in COLUMNS]
    records: dict[str, None] = {}
    held: dict[tuple[str, str], dict[str, Any]] = {}
    for at, (record, variable, given, kind, source) in enumerate(zip(*cells, strict=True), 1):
        id_ = record if isinstance(record, str) else "" if record is None else str(record)
        if id_ not in records:
            if not id_.strip():
                message = f"Row {at} of {table.name!r} has no record."
                raise PreparationError(message, code="empty_id", hint="Give every row the id of its record.")
            records[id_] = None
        key = (str(variable), str(source or ""))
        value = _read(given, kind, at) if kind != "string" else given
        column = held.setdefault(key, {})
        if _is_neighbours(table, key[1]):
            column.setdefault(id_, []).append(value)
        elif column.setdefault(id_, value) is not value and column[id_] != value:
            message = f"Record {id_!r} has two values of {key[0]!r}: {column[id_]!r} and {value!r}."
            raise PreparationError(message, code="duplicate_id", hint="Keep one of them.")
    return records, held


def _read(value: Any, kind: Any, at: int) -> Any:
    if not kind or not isinstance(value, str):
        return value
    try:
        return frames.from_text(value, kind)
    except ValueError:
        raise InvalidInputError(f"Row {at}: value {value!r} is no {kind}.") from None


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


class GraphTables(Described):
    """A graph as a table of nodes and, unless edges are columns of it, a table of edges."""

    format: TableFormat
    shape: Shape = "wide"
    nodes: Table | None = None
    """dataframe: typed columns and rows"""
    edges: Table | None = None
    csv: dict[str, str] = Field(default_factory=dict)
    """csv: file name: text; datapackage.json says how to read them"""
    records: dict[str, list[JsonDict]] = Field(default_factory=dict)
    """json (values that JSON has), records: nodes, edges: records"""
    schemas: dict[str, JsonDict] = Field(default_factory=dict)
    """json, records: nodes, edges: Table Schema of the records"""
    parquet: dict[str, Base64] = Field(default_factory=dict)
    """parquet: file name: bytes (base64 in JSON)"""
    graph: JsonDict = Field(default_factory=dict)
    """what the graph says of itself: metadata …"""

    def tables(self) -> dict[str, Table]:
        """Return nodes and edges as typed tables in wide shape, whatever the format.

        Returns
        -------
        dict of str to Table
            `nodes` and `edges`, as far as there are any.

        Raises
        ------
        InvalidInputError
            For what cannot be read.
        PreparationError
            `duplicate_id`, `empty_id`, of a table in long shape.

        """
        return {name: unmelt(t) if is_long(t) else t for name, t in unpacked(self).items()}

    def files(self) -> dict[str, bytes]:
        """Return the files of a format that has some: relative name -> bytes.

        Returns
        -------
        dict of str to bytes
            Empty for formats that live in memory only.

        """
        return {**{name: text.encode() for name, text in self.csv.items()}, **self.parquet}

    def to_pandas(self) -> dict[str, Any]:
        """Return nodes and edges as pandas frames, in the shape they have.

        Returns
        -------
        dict of str to pandas.DataFrame
            `nodes` and `edges`; see `to_pandas` of a table for the types.

        Raises
        ------
        InvalidInputError
            For what cannot be read.

        """
        return {name: frames.to_pandas(table) for name, table in unpacked(self).items()}

    def to_polars(self) -> dict[str, Any]:
        """Return nodes and edges as polars frames, in the shape they have.

        Returns
        -------
        dict of str to polars.DataFrame
            `nodes` and `edges`; see `to_polars` of a table for the types.

        Raises
        ------
        InvalidInputError
            For what cannot be read.

        """
        return {name: frames.to_polars(table) for name, table in unpacked(self).items()}


def packed(tables: Mapping[str, Table], wanted: TableFormat, shape: Shape, graph: JsonDict) -> GraphTables:
    """Return wide tables in a format and shape; `graph` travels along.

    Parameters
    ----------
    tables : mapping of str to Table
        `nodes`, `edges` -> table in wide shape.
    wanted : TableFormat
        The format.
    shape : Shape
        `wide` or `long`.
    graph : JsonDict
        What the graph says of itself.

    Returns
    -------
    GraphTables
        Only the fields of that format are filled.

    """
    if shape == "long":
        as_text = wanted in ("csv", "parquet")
        tables = {name: melt(table, as_text=as_text) for name, table in tables.items()}
    made = GraphTables(format=wanted, shape=shape, graph=graph)
    if wanted == "dataframe":
        return made.model_copy(update=dict(tables))
    if wanted == "csv":
        return made.model_copy(update={"csv": csv_files(tables, graph)})
    if wanted == "parquet":
        files = {f"{name}.parquet": frames.parquet_bytes(table, graph) for name, table in tables.items()}
        return made.model_copy(update={"parquet": files})
    records = {name: _records(table, as_json=wanted == "json") for name, table in tables.items()}
    schemas = {name: frames.table_schema(table) for name, table in tables.items()}
    return made.model_copy(update={"records": records, "schemas": schemas})


def unpacked(given: GraphTables) -> dict[str, Table]:
    """Return nodes and edges as typed tables in the shape they have.

    Parameters
    ----------
    given : GraphTables
        In any format and shape.

    Returns
    -------
    dict of str to Table
        `nodes` and `edges`, as far as there are any.

    Raises
    ------
    InvalidInputError
        For a file that cannot be read.

    """
    found = {"nodes": given.nodes, "edges": given.edges}
    schemas = _schemas(given.csv.get(SCHEMA, "{}"))
    for name in ("nodes", "edges"):
        if f"{name}.csv" in given.csv:
            found[name] = read_csv(given.csv[f"{name}.csv"], name, schemas.get(name))
        elif f"{name}.parquet" in given.parquet:
            found[name] = frames.read_parquet(given.parquet[f"{name}.parquet"], name)
        elif name in given.records:
            found[name] = _of_records(given, name)
    return {name: table for name, table in found.items() if table is not None}


def graph_of(given: GraphTables) -> JsonDict:
    """Return what the graph says of itself: its metadata and fields that we do not know.

    Parameters
    ----------
    given : GraphTables
        In any format and shape.

    Returns
    -------
    JsonDict
        Empty where nothing is said.

    Raises
    ------
    InvalidInputError
        For a data package that is no JSON object.

    """
    if given.graph:
        return given.graph
    if SCHEMA in given.csv:
        return dict(_json(given.csv[SCHEMA]).get("graph", {}))
    if "nodes.parquet" in given.parquet:
        return frames.graph_of_parquet(given.parquet["nodes.parquet"])
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
    kinds = ((cells, frames.storage(cells)) for cells in frames.cells_by_column(table))
    held = Rows([[frames.to_json(cell, kind) for cell in cells] for cells, kind in kinds], len(table.rows))
    return table.model_copy(update={"rows": held}).records()


def _of_records(given: GraphTables, name: str) -> Table:
    """Read records; those of the format `records` hold Python's values and need no typed values read."""
    records, schema = given.records[name], given.schemas.get(name)
    if schema is None:
        return frames.table_of_rows(records, name)
    plain = () if given.format == "json" else frames.JSON_TYPES
    heads: list[tuple[Column, frames.Storage]] = [
        (head, "string" if kind in plain else kind) for head, kind, _ in frames.columns_of(schema, name)
    ]
    try:
        series = [
            (head, [frames.from_json(one.get(head.name), kind) for one in records]) for head, kind in heads
        ]
    except ValueError as error:
        raise InvalidInputError(f"records of {name}: {error}.") from None
    return frames.table_of_columns(name, series, len(records))


Key = tuple[str, str, str]
"""Source, type and target of an edge."""
Series = tuple[Column, list[Any]]
Kind = type[Entity] | type[Relationship]
Items = Sequence[Entity] | Sequence[Relationship]

_NODE_FIELDS = ("id", "name", "type", "description")
_EDGE_FIELDS = ("id", "source_id", "target_id", "type", "weight")
_ALWAYS = {"Entity": ("id", "name"), "Relationship": _EDGE_FIELDS}
_TEXTS = {"id", "name", "description", "source_id", "target_id", "source_ref"}
ATTRIBUTES = "attributes"
EXTRA = "extra"


def attribute_names(nodes: Sequence[Entity]) -> list[str]:
    """Return every attribute and set field that a table of the nodes can show.

    Parameters
    ----------
    nodes : sequence of Entity
        The nodes.

    Returns
    -------
    list of str
        In alphabetical order.

    """
    fields = {name for node in nodes for name, value in node if value is not None}
    keys = {key for node in nodes for key in node.attributes or ()}
    return sorted(fields - {ATTRIBUTES} | keys)


def node_table(nodes: Sequence[Entity], attributes: Iterable[str] | None = None) -> Table:
    """Return one row a node: id, name, type, description, other fields, attributes (all, or those named).

    A field that no node sets is left out. `Column.source` tells a field (`Entity.name`) from an attribute
    (`Entity.attributes.born`) and from a field that we do not know (`Entity.extra.colour`); an attribute
    named like another column is called `attribute_<name>`. What is given as null is in the last columns.

    Parameters
    ----------
    nodes : sequence of Entity
        The nodes.
    attributes : iterable of str, optional
        Names of fields and attributes to show; None for all.

    Returns
    -------
    Table
        In wide shape.

    """
    chosen = None if attributes is None else list(dict.fromkeys(attributes))
    return _table("nodes", Entity, nodes, _NODE_FIELDS, chosen)


def edge_table(edges: Sequence[Relationship]) -> Table:
    """Return one row an edge: id, source_id, target_id, type, weight, then whatever else is set.

    Parameters
    ----------
    edges : sequence of Relationship
        The edges.

    Returns
    -------
    Table
        In wide shape.

    """
    return _table("edges", Relationship, edges, _EDGE_FIELDS, None)


def checked(graph: Graph) -> tuple[Graph, tuple[ToolWarning, ...]]:
    """Merge identical nodes and edges; name the edges that lead to no node, which stay.

    Parameters
    ----------
    graph : Graph
        The graph.

    Returns
    -------
    (Graph, tuple of ToolWarning)
        Warnings are `duplicate_identical` and `dangling_edge`.

    Raises
    ------
    PreparationError
        `duplicate_id` where two different items share an id; `empty_id`; `weight_not_finite`.

    """
    nodes, twins = unique_records(graph.nodes, "node")
    edges, more = unique_records(graph.edges, "edge")
    known = {node.id for node in nodes}
    dangling = tuple(e.id for e in edges if e.source_id not in known or e.target_id not in known)
    if loose := [e.id for e in edges if not (e.source_id.strip() and e.target_id.strip())]:
        message = f"An end of edge {loose[0]!r} has no id."
        raise PreparationError(message, code="empty_id", hint="Name the nodes at both ends by their ids.")
    endless = [edge.id for edge in edges if not math.isfinite(edge.weight)]
    if endless:
        message = f"The weight of edge {endless[0]!r} is infinite."
        raise PreparationError(message, code="weight_not_finite", hint="Give a finite number.")
    repeated = [id_ for twice in (*twins, *more) for id_ in twice.records]
    message = f"{len(dangling)} edges lead to nodes that are not in the graph."
    return graph.model_copy(update={"nodes": tuple(nodes), "edges": tuple(edges)}), (
        *warning("duplicate_identical", f"{len(repeated)} identical records are merged.", repeated),
        *warning("dangling_edge", message, dangling),
    )


def degree_columns(graph: Graph) -> list[Series]:
    """Return in-degree, out-degree, degree (edges, with parallel ones) and strength (sum of weights).

    Parameters
    ----------
    graph : Graph
        The graph.

    Returns
    -------
    list of (Column, list)
        A value a node, in order.

    """
    ins = Counter(edge.target_id for edge in graph.edges)
    outs = Counter(edge.source_id for edge in graph.edges)
    strength: dict[str, float] = defaultdict(float)
    for edge in graph.edges:
        for end in (edge.source_id, edge.target_id):
            strength[end] += edge.weight
    told: tuple[tuple[str, ColumnType, str, Mapping[str, float]], ...] = (
        ("in_degree", "integer", "edges that end at the node", ins),
        ("out_degree", "integer", "edges that start at the node", outs),
        ("degree", "integer", "edges at the node, in or out", ins + outs),
        ("strength", "numeric", "sum of weights of the edges at the node", strength),
    )
    return [
        (
            Column(name=name, dtype=kind, label=name.replace("_", " "), formula=formula, source="graph"),
            [values[node.id] for node in graph.nodes],
        )
        for name, kind, formula, values in told
    ]


def with_columns(table: Table, more: Sequence[tuple[Column, Sequence[Any]]]) -> Table:
    """Append columns; one whose name is taken is left out.

    Parameters
    ----------
    table : Table
        Any table.
    more : sequence of (Column, sequence of Any)
        Columns with a value a row.

    Returns
    -------
    Table
        A copy, with the same rows.

    """
    taken = {column.name for column in table.columns}
    new = [(column, values) for column, values in more if column.name not in taken]
    old = [table.cells(at) for at in range(len(table.columns))]
    rows = Rows([*old, *(values for _, values in new)], len(table.rows))
    return table.model_copy(
        update={"columns": (*table.columns, *(column for column, _ in new)), "rows": rows}
    )


def _table(name: str, kind: Kind, items: Items, first: Sequence[str], chosen: Sequence[str] | None) -> Table:
    """Lay items out as columns: fields, fields we do not know, attributes, and what only JSON can say."""
    taken: set[str] = set()
    extras: list[JsonDict] = [item.model_extra or {} for item in items]
    held: list[JsonDict | None] = [item.attributes for item in items]
    series = [
        *_fields(kind, items, first, chosen, taken),
        *_keyed(f"{kind.__name__}.{EXTRA}", extras, chosen, taken),
        *_keyed(f"{kind.__name__}.{ATTRIBUTES}", [one or {} for one in held], chosen, taken),
    ]
    if chosen is None:
        series += _nulls(f"{kind.__name__}.{EXTRA}", [one or None for one in extras], taken)
        series += _nulls(f"{kind.__name__}.{ATTRIBUTES}", held, taken)
    return frames.table_of_columns(name, series, len(items))


def _fields(
    kind: Kind, items: Items, first: Sequence[str], chosen: Sequence[str] | None, taken: set[str]
) -> Iterator[Series]:
    for name in dict.fromkeys((*first, *kind.model_fields)):
        if name == ATTRIBUTES or not (chosen is None or name in first or name in chosen):
            continue
        usual = kind.model_fields[name].default
        values = [getattr(item, name) for item in items]
        asked = chosen is not None and name in chosen
        if name in _ALWAYS[kind.__name__] or asked or any(value != usual for value in values):
            taken.add(name)
            yield _column(name, f"{kind.__name__}.{name}", values), values


def _keyed(
    home: str, held: Sequence[JsonDict], chosen: Sequence[str] | None, taken: set[str]
) -> Iterator[Series]:
    found = {key for one in held for key, value in one.items() if value is not None}
    keys = sorted(found) if chosen is None else [key for key in chosen if key in found]
    for key in keys:
        values = [one.get(key) for one in held]
        name = frames.free_name(key if key not in taken else f"attribute_{key}", taken)
        yield _column(name, f"{home}.{key}", values), values


def _nulls(home: str, held: Sequence[JsonDict | None], taken: set[str]) -> list[Series]:
    """Return a column of what no cell can say: keys whose value is null, and a dictionary without keys."""
    values = [
        None
        if one is None or (one and None not in one.values())
        else {k: None for k in one if one[k] is None}
        for one in held
    ]
    if not any(value is not None for value in values):
        return []
    name = frames.free_name(home.partition(".")[2], taken)
    return [(Column(name=name, dtype="json", label="Keys whose value is null", source=home), values)]


def _column(name: str, source: str, values: Sequence[Any]) -> Column:
    dtype = "text" if name in _TEXTS else infer(values) or "json"
    return Column(name=name, dtype=dtype, source=source)


def parallel_id(key: Key, count: Counter[Key]) -> str:
    """Identify the next edge of one type between two nodes, where edges come without ids.

    Parameters
    ----------
    key : tuple of str
        Source, type and target.
    count : Counter of tuple of str
        How many edges of each key came before; this one is counted.

    Returns
    -------
    str
        Prefixed `rel_`; the first has the id that such a relationship always has.

    """
    nth = count[key]
    count[key] += 1
    return stable_id("rel", *key, nth) if nth else Relationship.make_id(*key)


def neighbour_columns(graph: Graph, names: Iterable[str]) -> list[tuple[Column, list[Any]]]:
    """Return one column a relationship type: the ids an edge of that type leads to from the node.

    `names` are those of the columns that are there; a type named like one is called `edges_<type>`.

    Parameters
    ----------
    graph : Graph
        The graph.
    names : iterable of str
        Of the columns that are there.

    Returns
    -------
    list of (Column, list of Any)
        A value a node: ids, or None where there is no such edge.

    """
    targets = grouped(((edge.type, edge.source_id), edge.target_id) for edge in graph.edges)
    taken = set(names)
    return [
        (
            Column(
                name=frames.free_name(kind if kind not in taken else f"edges_{kind}", taken),
                dtype="json",
                label=f"Ids of the entities it {kind.replace('_', ' ')}",
                source=f"Relationship.{kind}",
                formula="target_id of each edge that starts at the node",
            ),
            [targets.get((kind, node.id)) for node in graph.nodes],
        )
        for kind in sorted({edge.type for edge in graph.edges})
    ]


def lost_in_columns(edges: Iterable[Relationship]) -> tuple[ToolWarning, ...]:
    """Name the edges of which a column of neighbour ids cannot say everything; the first hundred.

    Parameters
    ----------
    edges : iterable of Relationship
        The edges.

    Returns
    -------
    tuple of ToolWarning
        `edge_details_left_out`, or nothing.

    """
    count = Counter[Key]()
    lost = []
    for edge in edges:
        id_ = parallel_id((edge.source_id, edge.type, edge.target_id), count)
        if edge != Relationship(id=id_, source_id=edge.source_id, type=edge.type, target_id=edge.target_id):
            lost.append(edge.id)
    message = f"Columns of neighbours hold no ids, weights or other fields of {len(lost)} edges."
    return tuple(warning("edge_details_left_out", message, lost[:MOST_RECORDS]))
