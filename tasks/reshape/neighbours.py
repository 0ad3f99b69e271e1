"""Edges as columns of the table of nodes: one column a relationship type, holding neighbour ids."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.graph import Graph, Relationship
from corpusgraph.schemas.results import Column, ToolWarning
from corpusgraph.tasks.reshape.graph_tables import free_name
from corpusgraph.tasks.table.cells import MOST_RECORDS


def parallel_id(source_id: str, type_: str, target_id: str, nth: int) -> str:
    """Identify the nth edge, from 0, of one type between two nodes, where edges come without ids."""
    if not nth:
        return Relationship.make_id(source_id, type_, target_id)
    return stable_id("rel", source_id, type_, target_id, nth)


def neighbour_columns(graph: Graph, names: Iterable[str]) -> list[tuple[Column, list[Any]]]:
    """Return one column a relationship type: the ids an edge of that type leads to from the node.

    `names` are those of the columns that are there; a type named like one is called `edges_<type>`.
    """
    targets: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for edge in graph.edges:
        targets[edge.type][edge.source_id].append(edge.target_id)
    taken = set(names)
    return [
        (
            Column(
                name=free_name(kind if kind not in taken else f"edges_{kind}", taken),
                dtype="json",
                label=f"Ids of the entities it {kind.replace('_', ' ')}",
                source=f"Relationship.{kind}",
                formula="target_id of each edge that starts at the node",
            ),
            [targets[kind].get(node.id) for node in graph.nodes],
        )
        for kind in sorted(targets)
    ]


def lost_in_columns(edges: Iterable[Relationship]) -> tuple[ToolWarning, ...]:
    """Name the edges of which a column of neighbour ids cannot say everything; the first hundred."""
    count = Counter[tuple[str, str, str]]()
    lost = []
    for edge in edges:
        key = (edge.source_id, edge.type, edge.target_id)
        id_ = parallel_id(*key, count[key])
        count[key] += 1
        if edge != Relationship(id=id_, source_id=edge.source_id, type=edge.type, target_id=edge.target_id):
            lost.append(edge.id)
    if not lost:
        return ()
    message = f"Columns of neighbours hold no ids, weights or other fields of {len(lost)} edges."
    return (ToolWarning(code="edge_details_left_out", message=message, records=tuple(lost[:MOST_RECORDS])),)
