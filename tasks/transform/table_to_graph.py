"""Tool 21: a graph from tables."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Discriminator, Field, Tag

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Entity, Graph
from corpusgraph.schemas.results import Noted, Table, ToolInput, ToolWarning
from corpusgraph.tasks._tool import Reads, tool
from corpusgraph.tasks.dataset.graph_tables import GraphTables, checked
from corpusgraph.tasks.dataset.rows import check_table, loose_table, table_of_rows
from corpusgraph.tasks.dataset.rules import (
    Nodes,
    RelationshipRule,
    cells,
    check_columns,
    infer_edges,
    is_id_column,
    node_of,
)
from corpusgraph.tasks.dataset.table_graph import is_edge_table, read_edges, read_nodes


def _shape(data: Any) -> str:
    both = isinstance(data, GraphTables) or (isinstance(data, dict) and "columns" not in data)
    return "graph" if both else "table"


def _as_tables(data: Any) -> Any:
    """Accept nodes and edges as rows or loose tables, or in the `records` that tool 20 writes."""
    if not isinstance(data, dict):
        return data
    held = data.get("records") or data
    if not isinstance(held, dict):
        return held  # no mapping: validation tells
    parts = {name: loose_table(held[name]) for name in ("nodes", "edges") if held.get(name) is not None}
    return {"format": "dataframe", **parts}


TableData = Annotated[
    Annotated[Table, BeforeValidator(loose_table), Tag("table")]
    | Annotated[GraphTables, BeforeValidator(_as_tables), Tag("graph")],
    Discriminator(_shape),
]
Rules = Annotated[
    tuple[RelationshipRule, ...], BeforeValidator(lambda rules: [rules] if isinstance(rules, dict) else rules)
]


class TransformTableToGraph(ToolInput):
    """The table, which columns hold entities, and how they are related."""

    table_data: Annotated[TableData, Reads("table")] = Field(
        description="rows [{…}], a table {columns, rows}, or {nodes, edges} as tool 20 writes"
    )
    entity_columns: list[str] = Field(default_factory=list, description="columns containing entities")
    relationship_rules: Rules = Field(
        default=(), description="one rule or several; none: entities of one row co-occur"
    )


@tool(21, writes="subgraph", adds={"Entity.id", "Relationship.id"})
def transform_table_to_graph(ask: TransformTableToGraph) -> Noted[Graph]:
    """Make a graph from a table: each name in an entity column is an entity, rules make the edges.

    With one entity column, the row describes that entity: its other columns are attributes. Tables of
    nodes and edges give their graph back. Raises PreparationError `unknown_variable`, `empty_table`,
    `duplicate_id`, `weight_not_positive`.
    """
    data = ask.table_data
    if isinstance(data, GraphTables):
        if data.nodes is None and data.edges is None:
            raise InvalidInputError("table_data holds neither nodes nor edges.")
        nodes = read_nodes(data.nodes) if data.nodes else ()
        edges = read_edges(data.edges) if data.edges else ()
        return _with_stubs(Graph(nodes=nodes, edges=edges))
    check_table(data)
    if not ask.entity_columns:
        if is_edge_table(data):
            return _with_stubs(Graph(edges=read_edges(data)))
        raise InvalidInputError("entity_columns is empty.", hint="Name the columns that hold entities.")
    return _inferred(data, ask)


def _inferred(table: Table, ask: TransformTableToGraph) -> Noted[Graph]:
    rules = ask.relationship_rules or (RelationshipRule(kind="cooccurrence", type="co_occurs_with"),)
    used = [c for rule in rules for c in (rule.source_col, rule.target_col, rule.weight_col)]
    check_columns(table, [*ask.entity_columns, *used])
    rows = table.records()
    nodes: Nodes = {}
    warnings: tuple[ToolWarning, ...] = ()
    if len(ask.entity_columns) == 1:
        plain = [c for c in table.columns if c.name not in {*used, *ask.entity_columns}]
        described, warnings = _described(rows, ask.entity_columns[0], [c.name for c in plain])
        nodes |= described
    else:
        for row in rows:
            for column in ask.entity_columns:
                for value in cells(row[column]):
                    made = node_of(value, column)
                    nodes.setdefault(made.id, made)
    known = set(nodes)
    edges = [edge for rule in rules for edge in infer_edges(rows, rule, ask.entity_columns, nodes)]
    stubs = {
        id_: node.model_copy(update={"is_stub": True}) for id_, node in nodes.items() if id_ not in known
    }
    keys = any(rule.kind == "foreign_key" for rule in rules)
    if keys and stubs:
        nodes |= stubs
        warnings += (_stub_warning(sorted(stubs)),)
    ordered = tuple(sorted(nodes.values(), key=lambda node: node.id))
    return Noted[Graph](data=Graph(nodes=ordered, edges=tuple(edges)), warnings=warnings)


def _described(rows: list[JsonDict], column: str, others: list[str]) -> tuple[Nodes, tuple[ToolWarning, ...]]:
    """Make one node a row, with the row's other cells as fields (name, type, description) or attributes.

    Rows that name one entity and say different things of it leave it without attributes.
    """
    records = [{name: row[name] for name in [column, *others]} for row in rows if cells(row[column])]
    for record in records:
        made = node_of(cells(record.pop(column))[0], column)
        record["id"] = made.id
        if not is_id_column(column):
            record |= {"name": made.name, "type": record.get("type") or made.type}
    nodes = read_nodes(table_of_rows(records, "nodes"))
    if is_id_column(column):
        graph, warnings = checked(Graph(nodes=nodes))
        return {node.id: node for node in graph.nodes}, warnings
    first: Nodes = {}
    several = {node.id for node in nodes if first.setdefault(node.id, node) != node}
    bare = {node.id: node for node in (node_of(v, column) for row in rows for v in cells(row[column]))}
    kept = {node.id: bare[node.id] if node.id in several else node for node in nodes}
    message = f"Rows say different things of {len(several)} entities, which have no attributes."
    warning = ToolWarning(code="attributes_left_out", message=message, records=tuple(sorted(several)))
    return kept, (warning,) if several else ()


def _with_stubs(graph: Graph) -> Noted[Graph]:
    """Add a stub for each node an edge leads to and no row describes."""
    graph, warnings = checked(graph)
    known = {node.id for node in graph.nodes}
    missing = sorted({end for edge in graph.edges for end in (edge.source_id, edge.target_id)} - known)
    if not missing:
        return Noted[Graph](data=graph, warnings=warnings)
    kept = tuple(warning for warning in warnings if warning.code != "dangling_edge")
    nodes = (*graph.nodes, *(Entity(id=id_, is_stub=True) for id_ in missing))
    return Noted[Graph](
        data=graph.model_copy(update={"nodes": nodes}), warnings=(*kept, _stub_warning(missing))
    )


def _stub_warning(ids: list[str]) -> ToolWarning:
    message = f"{len(ids)} entities are named but not described; they got stubs."
    return ToolWarning(code="stub_entities", message=message, records=tuple(ids))
