"""Who is linked to whom, by which relationship and at what cost: what searches over paths run on."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.tasks.graph.compiled import CompiledGraph, Doubles, compiled, relationship_ids
from corpusgraph.tasks.graph.memo import per_graph
from corpusgraph.tasks.graph.runs import in_order

Direction = Literal["in", "out", "both"]
Small = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Links:
    """Who is linked to whom, by which edge, at what cost.

    Link `s`, from `start[i]` to `start[i + 1]`, leads from node `i` to `node[s]` by `edge[s]` at `cost[s]`.
    The links of a node are in order of neighbour, then of cost, then of edge; self-loops are left out.
    """

    start: Ints
    node: Small
    edge: Small
    cost: Doubles

    @property
    def n_nodes(self) -> int:
        """Count the nodes, linked or not."""
        return len(self.start) - 1

    def of(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Return the places of all links of some nodes, and for each which of the nodes it is of."""
        counts = self.start[nodes + 1] - self.start[nodes]
        whose = np.repeat(np.arange(len(nodes)), counts)
        first = np.cumsum(counts) - counts
        return np.arange(len(whose)) - first[whose] + self.start[nodes][whose], whose

    def only(self, keep: NDArray[np.bool_]) -> "Links":
        """Return the links (not edges) that are kept."""
        if keep.all():
            return self
        start = np.concatenate([[0], np.cumsum(keep)])[self.start]
        return Links(start, self.node[keep], self.edge[keep], self.cost[keep])

    def strongest(self) -> "Links":
        """Return the cheapest link to each neighbour; of equals, the first in order of edges."""
        first = np.ones(len(self.node), dtype=bool)
        first[1:] = self.node[1:] != self.node[:-1]
        first[self.start[:-1][self.start[:-1] < len(first)]] = True
        return self.only(first)


def links(arrays: CompiledGraph, direction: Direction, strength: Doubles) -> Links:
    """Return the links of what is stated, at cost 1 / strength: `out` leads from source to target."""
    edge = np.flatnonzero((arrays.source != arrays.target) & arrays.is_stated)
    edge = edge[np.argsort(-strength[edge], kind="stable")]
    ends = np.stack([arrays.source[edge], arrays.target[edge]], axis=1)
    if direction == "in":
        ends = ends[:, ::-1]
    elif direction == "both":  # both ways of an edge side by side, so that the order by strength is kept
        ends, edge = np.stack([ends, ends[:, ::-1]], axis=1).reshape(-1, 2), np.repeat(edge, 2)
    n = len(arrays.ids)
    order = in_order(ends[:, 0] * n + ends[:, 1], n * n)
    ends, edge = ends[order], edge[order]
    start = np.concatenate([[0], np.cumsum(np.bincount(ends[:, 0], minlength=n))]).astype(np.int64)
    return Links(start, ends[:, 1].astype(np.int32), edge.astype(np.int32), 1.0 / strength[edge])


def linked(
    graph: GraphView,
    direction: Direction = "both",
    *,
    attribute: str | None = None,
    types: Collection[str] | None = None,
    parallel: bool = False,
) -> Links:
    """Return the links of a graph at cost 1 / strength, remembered for as long as the graph lives.

    `parallel` keeps every relationship between two entities, not the strongest alone; with direction both, a
    relationship each way counts as two.
    """
    made, arrays = _made(graph), compiled(graph)
    if (direction, attribute, True) not in made:
        every = links(arrays, direction, strength(graph, attribute))
        made[direction, attribute, True] = every
        made[direction, attribute, False] = every.strongest()
    if types is None:
        return made[direction, attribute, parallel]
    every = made[direction, attribute, True]
    some = every.only(arrays.of_types(types)[every.edge])
    return some if parallel else some.strongest()


@per_graph
def _made(graph: GraphView) -> dict[tuple[str, str | None, bool], Links]:  # noqa: ARG001  the key of what is remembered
    return {}


@per_graph
def _strengths(graph: GraphView) -> dict[str, Doubles]:  # noqa: ARG001
    return {}


def strength(graph: GraphView, attribute: str | None = None) -> Doubles:
    """Return the strength of each relationship (m,): its weight, a field such as confidence, or an attribute.

    A relationship without the attribute has strength 1. What is no number above 0 is refused by id.
    """
    if attribute is None or attribute == "weight":
        return _checked(graph, "weight", compiled(graph).weight)
    made = _strengths(graph)
    if attribute not in made:
        values = np.array([_number(relationship, attribute) for relationship in graph.relationships])
        made[attribute] = _checked(graph, attribute, values.astype(np.float64))
    return made[attribute]


def _number(relationship: Relationship, attribute: str) -> float:
    held = getattr(relationship, attribute, None)
    held = (relationship.attributes or {}).get(attribute) if held is None else held
    if held is None:
        return 1.0
    return float(held) if isinstance(held, int | float) else np.nan


def _checked(graph: GraphView, attribute: str, values: Doubles) -> Doubles:
    wrong = np.flatnonzero(~(np.isfinite(values) & (values > 0)))
    if len(wrong):
        ids = ", ".join(relationship_ids(graph)[int(i)] for i in wrong[:5])
        more = f" and {len(wrong) - 5} more" if len(wrong) > 5 else ""
        raise InvalidInputError(
            f"{attribute!r} is no number above 0 in {len(wrong)} relationships: {ids}{more}.",
            hint="It is a strength: cost is 1 / strength. Correct it, or name another attribute.",
        )
    return values


def has_attribute(graph: GraphView, attribute: str) -> bool:
    """Tell whether any relationship has a field or attribute of that name."""
    return any(
        getattr(r, attribute, None) is not None or attribute in (r.attributes or {})
        for r in graph.relationships
    )
