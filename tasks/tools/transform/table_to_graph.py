"""Tool 21: a graph from tables."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Discriminator, Field, Tag

from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.errors import InvalidInputError, PreparationError
from corpusgraph.schemas.graph import Entity, Graph
from corpusgraph.schemas.results import Noted, Table, ToolInput
from corpusgraph.tasks.dataset.reshape.graph_tables import GraphTables, checked, graph_of, read_csv
from corpusgraph.tasks.dataset.reshape.table_graph import (
    Naming,
    RelationshipRule,
    check_columns,
    infer_graph,
    is_edge_table,
    names_in,
    read_edges,
    read_neighbours,
    read_nodes,
    stub_warning,
)
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.table.encodable import not_encodable
from corpusgraph.tasks.table.frames import check_table, loose_table


def _loose(data: Any) -> Any:
    """Accept CSV text beside what `loose_table` accepts."""
    return read_csv(data) if isinstance(data, str) else loose_table(data)


LooseTable = Annotated[
    Table, BeforeValidator(_loose, json_schema_input_type=list[JsonDict] | str | Table | JsonDict)
]


class KeyedTables(Noun):
    """A table of nodes, and a table whose cells name them by a key."""

    nodes: LooseTable
    table: LooseTable
    key: str = Field(default="id", description="column of nodes that the cells of table name")


def _shape(data: Any) -> str:
    if isinstance(data, KeyedTables) or (isinstance(data, Mapping) and "table" in data):
        return "keyed"
    both = isinstance(data, GraphTables) or (isinstance(data, Mapping) and "columns" not in data)
    return "graph" if both else "table"


def _as_tables(data: Any) -> Any:
    """Accept nodes and edges as rows, frames or loose tables, beside every format that tool 20 writes."""
    if not isinstance(data, Mapping) or data.get("format") not in (None, "dataframe"):
        return data
    kept = {name: data[name] for name in GraphTables.model_fields if data.get(name) is not None}
    records = data.get("records") or {}
    if not isinstance(records, Mapping):
        return records  # no mapping: validation tells
    parts = {name: data[name] for name in ("nodes", "edges") if data.get(name) is not None}
    named = {name: t if isinstance(t, Table) else _named(name, _loose(t)) for name, t in parts.items()}
    return {"format": "dataframe", **kept, **named}


def _named(name: str, table: Any) -> Any:
    if isinstance(table, Table):
        return table.model_copy(update={"name": name})
    return {**table, "name": name} if isinstance(table, Mapping) else table


TableData = Annotated[
    Annotated[LooseTable, Tag("table")]
    | Annotated[GraphTables, BeforeValidator(_as_tables), Tag("graph")]
    | Annotated[KeyedTables, Tag("keyed")],
    Discriminator(_shape),
]
Rules = Annotated[
    tuple[RelationshipRule, ...],
    BeforeValidator(
        lambda rules: [rules] if isinstance(rules, dict) else rules,
        json_schema_input_type=list[RelationshipRule] | RelationshipRule,
    ),
]


class TransformTableToGraph(ToolInput):
    """The table, which columns hold entities, and how they are related."""

    table_data: Annotated[TableData, Reads("table")] = Field(
        description="rows [{…}], a table {columns, rows}, a data frame, CSV text, {nodes, edges} as tool 20 "
        "writes, or {nodes, table}: the cells of table name nodes"
    )
    entity_columns: list[str] = Field(default_factory=list, description="columns containing entities")
    relationship_rules: Rules = Field(
        default=(), description="one rule or several; none: entities of one row co-occur"
    )
    entity_types: dict[str, str] = Field(
        default_factory=dict,
        description="column: type of the entities in it; else person, place … by its name",
    )
    separators: dict[str, Annotated[str, Field(min_length=1)]] = Field(
        default_factory=dict, description="column: what stands between several names in one cell, such as ;"
    )


@tool(21, writes="subgraph", adds={"Entity.id", "Relationship.id"})
def transform_table_to_graph(ask: TransformTableToGraph) -> Noted[Graph]:
    """Make a graph from a table: each name in an entity column is an entity, rules make the edges.

    With one entity column, the row describes that entity: its other columns are attributes. Tables of
    nodes and edges give their graph back. A key that leads to no node gets a stub. Raises PreparationError
    `unknown_variable`, `empty_table`, `duplicate_id`, `empty_id`, `mixed_types`, `weight_not_positive`,
    `weight_not_finite`, and InvalidInputError.
    """
    try:
        return _graph_of(ask.table_data, ask)
    except UnicodeEncodeError as error:  # ids are hashes of the UTF-8 text
        raise not_encodable(error) from None


def _graph_of(data: Table | GraphTables | KeyedTables, ask: TransformTableToGraph) -> Noted[Graph]:
    if isinstance(data, GraphTables):
        return _given_back(data)
    if isinstance(data, KeyedTables):
        return _keyed(data, ask)
    check_table(data)
    if not ask.entity_columns:
        if is_edge_table(data):
            return _with_stubs(Graph(edges=read_edges(data)))
        raise InvalidInputError("entity_columns is empty.", hint="Name the columns that hold entities.")
    naming = Naming(types=ask.entity_types, separators=ask.separators)
    naming.homes |= {
        rule.target_col: rule.source_col
        for rule in ask.relationship_rules
        if rule.kind == "foreign_key" and rule.source_col and rule.target_col
    }
    graph, warnings = infer_graph(data, ask.entity_columns, ask.relationship_rules, naming)
    return Noted[Graph](data=graph, warnings=warnings)


def _given_back(data: GraphTables) -> Noted[Graph]:
    tables = data.tables()
    if not tables:
        raise InvalidInputError("table_data holds neither nodes nor edges.")
    nodes, edges = tables.get("nodes"), tables.get("edges")
    made = Graph.model_validate(
        {
            **graph_of(data),
            "nodes": read_nodes(nodes) if nodes else (),
            "edges": (
                *(read_edges(edges) if edges else ()),
                *(read_neighbours(nodes) if nodes else ()),
            ),
        }
    )
    return _with_stubs(made)


def _keyed(data: KeyedTables, ask: TransformTableToGraph) -> Noted[Graph]:
    """Join the nodes of one table by another, whose cells name them by their keys."""
    check_table(data.nodes)
    check_table(data.table)
    check_columns(data.nodes, [data.key])
    described, told = checked(Graph(nodes=read_nodes(data.nodes)))
    named = zip(data.nodes.column(data.key), read_nodes(data.nodes), strict=True)
    keys: dict[str, str] = {}
    for value, node in named:
        for key in names_in(value):
            if keys.setdefault(key, node.id) != node.id:
                message = f"Two nodes have the key {key!r} in {data.key!r}."
                raise PreparationError(message, code="duplicate_id", hint="Use id, or another column.")
    rows_own = {rule.source_col for rule in ask.relationship_rules if rule.kind in ("foreign_key", "nary")}
    ends = [end for rule in ask.relationship_rules for end in (rule.source_col, rule.target_col) if end]
    homes = {name: data.key for name in (*ask.entity_columns, *ends) if name not in rows_own}
    naming = Naming(types=ask.entity_types, separators=ask.separators, homes=homes, keys=keys)
    if not homes and not rows_own:
        raise InvalidInputError(
            "Nothing says which columns of table name nodes.", hint="Give entity_columns."
        )
    made, more = infer_graph(data.table, ask.entity_columns, ask.relationship_rules, naming)
    graph, again = checked(made.model_copy(update={"nodes": (*described.nodes, *made.nodes)}))
    return Noted[Graph](data=graph, warnings=(*told, *more, *again))


def _with_stubs(graph: Graph) -> Noted[Graph]:
    """Add a stub for each node an edge leads to and no row describes."""
    graph, warnings = checked(graph)
    known = {node.id for node in graph.nodes}
    missing = sorted({end for edge in graph.edges for end in (edge.source_id, edge.target_id)} - known)
    if not missing:
        return Noted[Graph](data=graph, warnings=warnings)
    kept = tuple(told for told in warnings if told.code != "dangling_edge")
    nodes = (*graph.nodes, *(Entity(id=id_, is_stub=True) for id_ in missing))
    return Noted[Graph](
        data=graph.model_copy(update={"nodes": nodes}), warnings=(*kept, *stub_warning(missing))
    )
