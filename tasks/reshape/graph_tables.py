"""A graph as two tables, one of nodes and one of edges, from which the same graph can be made again."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.graph import Entity, Graph, Relationship
from corpusgraph.schemas.results import Column, ColumnType, Rows, Table, ToolWarning
from corpusgraph.tasks.reshape.packed import GraphTables
from corpusgraph.tasks.table.values import infer

__all__ = [
    "ATTRIBUTES",
    "EXTRA",
    "GraphTables",
    "attribute_names",
    "checked",
    "degree_columns",
    "edge_table",
    "node_table",
    "with_columns",
]
T = TypeVar("T", Entity, Relationship)
Series = tuple[Column, list[Any]]

_NODE_FIELDS = ("id", "name", "type", "description")
_EDGE_FIELDS = ("id", "source_id", "target_id", "type", "weight")
_ALWAYS = {"Entity": ("id", "name"), "Relationship": _EDGE_FIELDS}
_TEXTS = {"id", "name", "description", "source_id", "target_id", "source_ref"}
ATTRIBUTES = "attributes"
EXTRA = "extra"


def attribute_names(nodes: Iterable[Entity]) -> list[str]:
    """Return every attribute and set field that a table of the nodes can show."""
    fields: set[str] = set()
    keys: set[str] = set()
    for node in nodes:
        fields.update(name for name, value in node if value is not None)
        keys.update(node.attributes or ())
    return sorted((fields - {ATTRIBUTES}) | keys)


def node_table(nodes: Sequence[Entity], attributes: Iterable[str] | None = None) -> Table:
    """Return one row a node: id, name, type, description, other fields, attributes (all, or those named).

    A field that no node sets is left out. `Column.source` tells a field (`Entity.name`) from an attribute
    (`Entity.attributes.born`) and from a field that we do not know (`Entity.extra.colour`); an attribute
    named like another column is called `attribute_<name>`. What is given as null is in the last columns.
    """
    chosen = None if attributes is None else list(dict.fromkeys(attributes))
    return _table("nodes", Entity, nodes, _NODE_FIELDS, chosen)


def edge_table(edges: Sequence[Relationship]) -> Table:
    """Return one row an edge: id, source_id, target_id, type, weight, then whatever else is set."""
    return _table("edges", Relationship, edges, _EDGE_FIELDS, None)


def checked(graph: Graph) -> tuple[Graph, tuple[ToolWarning, ...]]:
    """Merge identical nodes and edges; name the edges that lead to no node, which stay.

    Raises PreparationError `duplicate_id` where two different items share an id, `empty_id`,
    `weight_not_finite`.
    """
    nodes, twice = _merged("node", graph.nodes)
    edges, more = _merged("edge", graph.edges)
    known = {node.id for node in nodes}
    dangling = tuple(e.id for e in edges if e.source_id not in known or e.target_id not in known)
    if loose := [e.id for e in edges if not (e.source_id.strip() and e.target_id.strip())]:
        message = f"An end of edge {loose[0]!r} has no id."
        raise PreparationError(message, code="empty_id", hint="Name the nodes at both ends by their ids.")
    endless = [edge.id for edge in edges if not math.isfinite(edge.weight)]
    if endless:
        message = f"The weight of edge {endless[0]!r} is infinite."
        raise PreparationError(message, code="weight_not_finite", hint="Give a finite number.")
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
    for at, item in enumerate(items, start=1):
        if not item.id.strip():
            message = f"{kind.capitalize()} {at} has no id."
            raise PreparationError(message, code="empty_id", hint="Give every record an id of its own.")
        if seen.setdefault(item.id, item) is item:
            continue
        if seen[item.id] != item:
            message = f"Two different {kind}s have the id {item.id!r}."
            raise PreparationError(message, code="duplicate_id", hint="Rename one of them, or remove it.")
        twice.append(item.id)
    return tuple(seen.values()), tuple(twice)


def degree_columns(graph: Graph) -> list[Series]:
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
    old = [table.cells(at) for at in range(len(table.columns))]
    rows = Rows([*old, *(values for _, values in new)], len(table.rows))
    return table.model_copy(
        update={"columns": (*table.columns, *(column for column, _ in new)), "rows": rows}
    )


def _table(
    name: str,
    kind: type[Entity] | type[Relationship],
    items: Sequence[Entity] | Sequence[Relationship],
    first: Sequence[str],
    chosen: Sequence[str] | None,
) -> Table:
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
    rows: Any = Rows([values for _, values in series], len(items))
    return Table(name=name, columns=tuple(column for column, _ in series), rows=rows)


def _fields(
    kind: type[Entity] | type[Relationship],
    items: Sequence[Entity] | Sequence[Relationship],
    first: Sequence[str],
    chosen: Sequence[str] | None,
    taken: set[str],
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
        name = free_name(key if key not in taken else f"attribute_{key}", taken)
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
    name = free_name(home.partition(".")[2], taken)
    return [(Column(name=name, dtype="json", label="Keys whose value is null", source=home), values)]


def free_name(name: str, taken: set[str]) -> str:
    """Return the name, or where it is taken with `_2`, `_3`, …; it is taken then."""
    found, nth = name, 1
    while found in taken:
        nth += 1
        found = f"{name}_{nth}"
    taken.add(found)
    return found


def _column(name: str, source: str, values: Sequence[Any]) -> Column:
    dtype = "text" if name in _TEXTS else infer(values) or "json"
    return Column(name=name, dtype=dtype, source=source)
