"""A graph as two tables, one of nodes and one of edges, from which the same graph can be made again."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeVar

from pydantic import Field

from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.graph import Entity, Graph, Relationship
from corpusgraph.schemas.results import Column, ColumnType, Table, ToolWarning
from corpusgraph.tasks.dataset.values import infer

T = TypeVar("T", Entity, Relationship)

_NODE_FIELDS = ("id", "name", "type", "description")
_EDGE_FIELDS = ("id", "source_id", "target_id", "type", "weight")
_TEXTS = {"id", "name", "description", "source_id", "target_id", "source_ref"}
ATTRIBUTES = "attributes"


class GraphTables(Noun):
    """A graph as a table of nodes and, unless edges are columns of it, a table of edges."""

    format: Literal["dataframe", "csv", "json"]
    nodes: Table | None = Field(default=None, description="dataframe: typed columns and rows")
    edges: Table | None = None
    csv: dict[str, str] = Field(default_factory=dict, description="csv: file name: text")
    records: dict[str, list[JsonDict]] = Field(
        default_factory=dict, description="json: nodes, edges: records"
    )


def attribute_names(nodes: Iterable[Entity]) -> list[str]:
    """Return every attribute and set field that a table of the nodes can show."""
    fields = {field for node in nodes for field, value in node.model_dump().items() if value is not None}
    keys = {key for node in nodes for key in node.attributes or {}}
    return sorted((fields | keys) - {ATTRIBUTES})


def node_table(nodes: Sequence[Entity], attributes: Iterable[str] | None = None) -> Table:
    """Return one row a node: id, name, type, description, then the attributes (all, or those named).

    A field that no node sets is left out. `Column.source` tells a field (`Entity.name`) from an attribute
    (`Entity.attributes.born`); an attribute named like a field is called `attribute_<name>`.
    """
    chosen = None if attributes is None else list(dict.fromkeys(attributes))
    return _table("nodes", nodes, _NODE_FIELDS, chosen)


def edge_table(edges: Sequence[Relationship]) -> Table:
    """Return one row an edge: id, source_id, target_id, type, weight, then whatever else is set."""
    return _table("edges", edges, _EDGE_FIELDS, None)


def checked(graph: Graph) -> tuple[Graph, tuple[ToolWarning, ...]]:
    """Merge identical nodes and edges; name the edges that lead to no node, which stay.

    Raises PreparationError `duplicate_id` where two different items share an id, `empty_id`.
    """
    nodes, twice = _merged("node", graph.nodes)
    edges, more = _merged("edge", graph.edges)
    known = {node.id for node in nodes}
    dangling = tuple(e.id for e in edges if e.source_id not in known or e.target_id not in known)
    found = []
    if repeated := (*twice, *more):
        message = f"{len(repeated)} identical records are merged."
        found.append(ToolWarning(code="duplicate_identical", message=message, records=repeated))
    if dangling:
        message = f"{len(dangling)} edges lead to nodes that are not in the graph."
        found.append(ToolWarning(code="dangling_edge", message=message, records=dangling))
    return graph.model_copy(update={"nodes": nodes, "edges": edges}), tuple(found)


def _merged(kind: str, items: Sequence[T]) -> tuple[tuple[T, ...], tuple[str, ...]]:
    seen: dict[str, T] = {}
    twice = []
    for item in items:
        if not item.id.strip():
            raise PreparationError(f"A {kind} has no id.", code="empty_id")
        if seen.setdefault(item.id, item) is item:
            continue
        if seen[item.id] != item:
            raise PreparationError(f"Two different {kind}s have the id {item.id!r}.", code="duplicate_id")
        twice.append(item.id)
    return tuple(seen.values()), tuple(twice)


def neighbour_columns(graph: Graph) -> list[tuple[Column, list[Any]]]:
    """Return one column a relationship type: the ids an edge of that type leads to from the node."""
    targets: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for edge in graph.edges:
        targets[edge.type][edge.source_id].append(edge.target_id)
    taken = {column.name for column in node_table(graph.nodes).columns}
    return [
        (
            Column(
                name=kind if kind not in taken else f"edges_{kind}",
                dtype="json",
                label=f"Ids of the entities it {kind.replace('_', ' ')}",
                source=f"Relationship.{kind}",
                formula="target_id of each edge that starts at the node",
            ),
            [targets[kind].get(node.id) for node in graph.nodes],
        )
        for kind in sorted(targets)
    ]


def degree_columns(graph: Graph) -> list[tuple[Column, list[Any]]]:
    """Return in-degree, out-degree, degree (edges, with parallel ones) and strength (sum of weights)."""
    ins = Counter(edge.target_id for edge in graph.edges)
    outs = Counter(edge.source_id for edge in graph.edges)
    strength: dict[str, float] = defaultdict(float)
    for edge in graph.edges:
        for end in (edge.source_id, edge.target_id):
            strength[end] += edge.weight
    ids = [node.id for node in graph.nodes]
    return [
        (_measure("in_degree", "integer", "edges that end at the node"), [ins[i] for i in ids]),
        (_measure("out_degree", "integer", "edges that start at the node"), [outs[i] for i in ids]),
        (_measure("degree", "integer", "edges at the node, in or out"), [ins[i] + outs[i] for i in ids]),
        (
            _measure("strength", "numeric", "sum of weights of the edges at the node"),
            [strength[i] for i in ids],
        ),
    ]


def _measure(name: str, dtype: ColumnType, formula: str) -> Column:
    return Column(name=name, dtype=dtype, label=name.replace("_", " "), formula=formula, source="graph")


def with_columns(table: Table, more: Sequence[tuple[Column, Sequence[Any]]]) -> Table:
    """Append columns; one whose name is taken is left out."""
    taken = {column.name for column in table.columns}
    new = [(column, values) for column, values in more if column.name not in taken]
    cells = zip(*(values for _, values in new), strict=True) if new else ((),) * len(table.rows)
    rows = tuple((*row, *more_cells) for row, more_cells in zip(table.rows, cells, strict=True))
    return table.model_copy(
        update={"columns": (*table.columns, *(column for column, _ in new)), "rows": rows}
    )


def _table(
    name: str,
    items: Sequence[Entity] | Sequence[Relationship],
    first: Sequence[str],
    attributes: Sequence[str] | None,
) -> Table:
    kind = "Entity" if name == "nodes" else "Relationship"
    records = [item.model_dump(exclude_defaults=attributes is None) for item in items]
    for record, item in zip(records, items, strict=True):
        record |= {field: getattr(item, field) for field in first}
    set_somewhere = dict.fromkeys(
        key for record in records for key in sorted(record) if record[key] is not None
    )
    held = [record.pop(ATTRIBUTES, None) or {} for record in records]
    keys = sorted({key for one in held for key in one})
    fields = [field for field in (*first, *set_somewhere) if field != ATTRIBUTES]
    if attributes is not None:
        fields = [field for field in fields if field in (*first, *attributes)]
        keys = [key for key in attributes if key in keys and key not in fields]
    plain = [field for field in dict.fromkeys(fields) if field in first[:2] or field in set_somewhere]
    series = [
        (_column(f, f"{kind}.{f}", [r.get(f) for r in records]), [r.get(f) for r in records]) for f in plain
    ]
    for key in keys:
        own = key if key not in type(items[0]).model_fields else f"attribute_{key}"
        values = [one.get(key) for one in held]
        series.append((_column(own, f"{kind}.{ATTRIBUTES}.{key}", values), values))
    rows = tuple(zip(*(values for _, values in series), strict=True))
    return Table(name=name, columns=tuple(column for column, _ in series), rows=rows)


def _column(name: str, source: str, values: Sequence[Any]) -> Column:
    dtype = "text" if name in _TEXTS else infer(values) or "json"
    return Column(name=name, dtype=dtype, source=source)
