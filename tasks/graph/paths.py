"""The best simple paths between two nodes, in order, without looking at the others.

Our own because they are bounded by hops and ordered by both hops and cost: networkx's `shortest_simple_paths`
has no bound, and takes 200 times as long for the five cheapest on 3,000 nodes; rustworkx yields no next best.
"""

import heapq
import sys
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import islice
from typing import Annotated, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Path, Relationship
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.schemas.results import Scored, ToolWarning, warned
from corpusgraph.tasks.digits import significant
from corpusgraph.tasks.graph.compiled import (
    CompiledGraph,
    Doubles,
    compiled,
    distinct,
    firsts,
    in_order,
    per_graph,
    relationship_ids,
    spread,
    starts,
)
from corpusgraph.tasks.progress import step

Direction = Literal["in", "out", "both"]
Small = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Links:
    """Who is linked to whom, by which edge, at what cost: an adjacency list in compressed rows.

    Link `s`, from `start[i]` to `start[i + 1]`, leads from node `i` to `node[s]` by `edge[s]` at `cost[s]`.
    The links of a node are in order of neighbour, then of cost, then of edge; self-loops are left out.

    Attributes
    ----------
    start : array of int, shape (n + 1,)
        Where each node's links begin.
    node : array of int, shape (s,)
        Where each link leads.
    edge : array of int, shape (s,)
        Place of the relationship.
    cost : array of float, shape (s,)
        1 / strength.

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
        """Return the places of all links of some nodes, and for each which of the nodes it is of.

        Parameters
        ----------
        nodes : array of int, shape (k,)
            Places of nodes.

        Returns
        -------
        places : array of int, shape (l,)
            Places of their links, node by node.
        whose : array of int, shape (l,)
            Which of the `k` nodes each link is of.

        """
        return spread(self.start, nodes)

    def only(self, keep: NDArray[np.bool_]) -> "Links":
        """Return the links (not edges) that are kept.

        Parameters
        ----------
        keep : array of bool, shape (s,)
            Which links stay.

        Returns
        -------
        Links
            Of as many nodes.

        """
        if keep.all():
            return self
        start = np.concatenate([[0], np.cumsum(keep)])[self.start]
        return Links(start, self.node[keep], self.edge[keep], self.cost[keep])

    def strongest(self) -> "Links":
        """Return the cheapest link to each neighbour; of equals, the first in order of edges.

        Returns
        -------
        Links
            One link for each neighbour of a node.

        """
        first = firsts(self.node)
        first[self.start[:-1][self.start[:-1] < len(first)]] = True
        return self.only(first)


@per_graph
def _every_link(graph: GraphView, direction: Direction, attribute: str | None) -> Links:
    """Return the links of what is stated, at cost 1 / strength; parallel edges are all there."""
    arrays, weight = compiled(graph), strength(graph, attribute)
    edge = np.flatnonzero((arrays.source != arrays.target) & arrays.is_stated)
    edge = edge[np.argsort(-weight[edge], kind="stable")]
    ends = np.stack([arrays.source[edge], arrays.target[edge]], axis=1)
    if direction == "in":
        ends = ends[:, ::-1]
    elif direction == "both":  # both ways of an edge side by side, so that the order by strength is kept
        ends, edge = np.stack([ends, ends[:, ::-1]], axis=1).reshape(-1, 2), np.repeat(edge, 2)
    n = len(arrays.ids)
    order = in_order(ends[:, 0] * n + ends[:, 1], n * n)
    ends, edge = ends[order], edge[order]
    return Links(
        starts(ends[:, 0], n), ends[:, 1].astype(np.int32), edge.astype(np.int32), 1.0 / weight[edge]
    )


def linked(
    graph: GraphView,
    direction: Direction = "both",
    *,
    attribute: str | None = None,
    types: Collection[str] | None = None,
    parallel: bool = False,
) -> Links:
    """Return the links of a graph at cost 1 / strength, remembered for as long as the graph lives.

    Parameters
    ----------
    graph : GraphView
        The graph.
    direction : {"in", "out", "both"}
        `out` leads from source to target; with `both`, a relationship each way counts as two.
    attribute : str, optional
        What is the strength of a relationship; its weight unless named. See `strength`.
    types : collection of str, optional
        Types of relationships to follow; all unless named.
    parallel : bool
        Keep every relationship between two entities, not the strongest alone.

    Returns
    -------
    Links
        By node where they start, then by neighbour, then by cost.

    Raises
    ------
    InvalidInputError
        Where a strength is no number above 0.

    """
    every = _every_link(graph, direction, attribute)
    if types is not None:
        every = every.only(compiled(graph).of_types(types)[every.edge])
    return every if parallel else every.strongest()


@per_graph
def strength(graph: GraphView, attribute: str | None = None) -> Doubles:
    """Return the strength of each relationship: its weight, a field such as confidence, or an attribute.

    Parameters
    ----------
    graph : GraphView
        The graph, of m relationships.
    attribute : str, optional
        Name of the field or attribute; the weight unless named.

    Returns
    -------
    array of float, shape (m,)
        In id order; 1 for a relationship without the attribute.

    Raises
    ------
    InvalidInputError
        For values that are no number above 0, with the ids of the first of them.

    """
    if attribute is None or attribute == "weight":
        return _checked(graph, "weight", compiled(graph).weight)
    values = np.array([_number(relationship, attribute) for relationship in graph.relationships])
    return _checked(graph, attribute, values.astype(np.float64))


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
    """Tell whether any relationship has a field or attribute of that name.

    Parameters
    ----------
    graph : GraphView
        The graph.
    attribute : str
        Name of the field or attribute.

    Returns
    -------
    bool
        A field that is None in every relationship counts as none.

    """
    return any(
        getattr(r, attribute, None) is not None or attribute in (r.attributes or {})
        for r in graph.relationships
    )


Order = Literal["hops", "cost"]

EXPANSIONS = 100_000
"""Partial paths a search looks at, at most."""


@dataclass
class Budget:
    """How many partial paths may still be looked at; at 0 a search ends with what it has found.

    Attributes
    ----------
    left : int
        Partial paths; spent by every search that is handed this budget.

    """

    left: int = EXPANSIONS


class Route(NamedTuple):
    """A path over places of nodes and edges.

    Attributes
    ----------
    key : tuple of (float, float)
        What routes are ordered by: (hops, cost) or (cost, hops).
    nodes : tuple of int
        From start to goal.
    edges : tuple of int
        One fewer than nodes.
    cost : float
        Sum of the edges' costs, to 12 digits.
    left : int
        Links to the goal; 0 but while it is searched for.

    """

    key: tuple[float, float]
    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    cost: float
    left: int = 0


def _remaining(back: Links, start: int, goal: int) -> Iterator[Doubles]:
    """Yield the least cost from each node to the goal in exactly 0, 1, 2, … links (n,), infinite where none.

    `back` are the links the other way round. Walks pass start and goal at their ends only.
    """
    cost = np.full(back.n_nodes, np.inf)
    cost[goal] = 0.0
    while True:
        yield cost
        frontier = np.flatnonzero(np.isfinite(cost))
        link, whose = back.of(frontier)
        further = np.full(back.n_nodes, np.inf)
        np.minimum.at(further, back.node[link], cost[frontier][whose] + back.cost[link])
        further[[start, goal]] = np.inf
        cost = further


def simple_paths(
    links: Links,
    back: Links,
    start: int,
    goal: int,
    max_hops: int,
    order: Order = "hops",
    budget: Budget | None = None,
) -> Iterator[Route]:
    """Yield the simple paths from start to goal, best first; the next is looked for when it is asked for.

    It is the order in which Yen's algorithm finds them, found by best-first search with an exact bound on
    what remains.

    Parameters
    ----------
    links, back : Links
        Links of the graph at their cost, and the same the other way round.
    start, goal : int
        Nodes; from a node to itself there is no path.
    max_hops : int
        Links of a path at most.
    order : {"hops", "cost"}
        `hops`: fewest links, then least cost; `cost`: least cost, then fewest links; equals in order of their
        nodes, then of their edges.
    budget : Budget, optional
        Partial paths that may be looked at; the search ends with what it has when it is spent.

    Yields
    ------
    Route
        Each simple path once.

    References
    ----------
    Yen 1971; Hart, Nilsson & Raphael 1968.

    """
    if start == goal:
        return
    remaining, budget = _remaining(back, start, goal), budget or Budget()
    every = range(1, max_hops + 1)
    costs: list[Doubles] = []
    for lengths in [every] if order == "cost" else [range(n, n + 1) for n in every]:
        costs += islice(remaining, len(lengths))
        yield from _best_first(links, costs, start, lengths, order, budget)


def _best_first(
    links: Links, costs: list[Doubles], start: int, lengths: range, order: Order, budget: Budget
) -> Iterator[Route]:
    @cache
    def ways(node: int, left: int) -> list[tuple[float, int, int, float]]:
        """Return the links from a node by which the goal is `left` links away: bound, node, edge, cost."""
        at = slice(int(links.start[node]), int(links.start[node + 1]))
        bound = links.cost[at] + costs[left - 1][links.node[at]]
        near = np.isfinite(bound)
        rows = bound[near], links.node[at][near], links.edge[at][near], links.cost[at][near]
        return sorted(zip(*(row.tolist() for row in rows), strict=True))

    def longer(base: Route) -> Iterator[Route]:
        """Yield the paths that go on from `base` by a link, in order."""
        for bound, node, edge, cost in ways(base.nodes[-1], base.left):
            if node not in base.nodes:
                total, hops = rounded(base.cost + bound), float(len(base.edges) + base.left)
                key = (hops, total) if order == "hops" else (total, hops)
                yield Route(key, (*base.nodes, node), (*base.edges, edge), base.cost + cost, base.left - 1)

    heap: list[tuple[Route, Iterator[Route]]] = []

    def push(paths: Iterator[Route]) -> None:
        if (path := next(paths, None)) is not None:
            heapq.heappush(heap, (path, paths))

    for length in lengths:
        push(longer(Route((0.0, 0.0), (start,), (), 0.0, length)))
    while heap and budget.left > 0:
        if not budget.left % 256:
            step("paths looked at", EXPANSIONS - budget.left)
        budget.left -= 1
        path, siblings = heapq.heappop(heap)
        push(siblings)
        if path.left == 0:
            yield path._replace(cost=rounded(path.cost))
        else:
            push(longer(path))


def rounded(cost: float) -> float:
    """Return a cost to 12 digits: sums of the same costs in another order are the same.

    Parameters
    ----------
    cost : float
        A sum.

    Returns
    -------
    float
        At most 12 significant digits.

    """
    return float(f"{cost:.12g}")


UNREACHED = -1


def hops(
    arrays: "CompiledGraph", sources: Sequence[int], max_hops: int, keep: NDArray[np.bool_] | None = None
) -> Ints:
    """Return for each node the least number of stated edges, followed either way, from a start.

    Parameters
    ----------
    arrays : CompiledGraph
        The graph, of n nodes and m edges.
    sources : sequence of int
        Where the walk starts.
    max_hops : int
        Edges at most.
    keep : array of bool, shape (m,), optional
        Edges that may be followed; all unless named.

    Returns
    -------
    array of int, shape (n,)
        0 at a source; -1 beyond `max_hops`.

    """
    distance = np.full(len(arrays.ids), UNREACHED, dtype=np.int64)
    distance[np.asarray(sources, dtype=np.int64)] = 0
    for hop in range(1, max_hops + 1):
        edges = edges_around(arrays, np.flatnonzero(distance == hop - 1))
        edges = edges if keep is None else edges[keep[edges]]
        nodes = np.concatenate([arrays.source[edges], arrays.target[edges]])
        distance[nodes[distance[nodes] == UNREACHED]] = hop
    return distance


def edges_around(arrays: "CompiledGraph", nodes: Ints) -> Ints:
    """Return the places of the stated edges at some nodes, each once and in order.

    Parameters
    ----------
    arrays : CompiledGraph
        The graph.
    nodes : array of int, shape (k,)
        Places of nodes.

    Returns
    -------
    array of int
        Places of edges.

    """
    if 4 * int(arrays.degrees[nodes].sum()) < len(arrays.source):
        return distinct(arrays.edges_at(nodes)[0])
    inside = np.zeros(len(arrays.ids), dtype=bool)
    inside[nodes] = True
    return np.flatnonzero((inside[arrays.source] | inside[arrays.target]) & arrays.is_stated)


class Hop(NamedTuple):
    """Relationships followed.

    Attributes
    ----------
    here, there : array of int, shape (k,)
        Nodes at which each is, and to which it leads.
    edge : array of int, shape (k,)
        Places of the relationships.

    """

    here: Ints
    there: Ints
    edge: Ints

    def marked(self, keep: NDArray[np.bool_]) -> "Hop":
        """Return those that are marked.

        Parameters
        ----------
        keep : array of bool, shape (k,)
            Which stay.

        Returns
        -------
        Hop

        """
        return Hop(self.here[keep], self.there[keep], self.edge[keep])


def hop_from(
    arrays: "CompiledGraph",
    nodes: Ints,
    direction: Direction,
    types: Collection[str] | None,
    *,
    own: bool = False,
    denied: bool = False,
) -> Hop:
    """Return every stated relationship at some nodes that leads elsewhere; between two of them, one each way.

    Parameters
    ----------
    arrays : CompiledGraph
        The graph.
    nodes : array of int, shape (k,)
        Places of nodes, each once.
    direction : {"in", "out", "both"}
        `out` follows relationships from source to target.
    types : collection of str or None
        Types of relationships to follow; all unless named.
    own : bool
        Whether to return those that a node has with itself, too.
    denied : bool
        Whether to return those that texts only deny, too.

    Returns
    -------
    Hop

    """
    edges, whose = arrays.edges_at(nodes, denied=denied)
    here = nodes[whose]
    source, target = arrays.source[edges], arrays.target[edges]
    keep = (source != target) | own
    if types is not None:
        wanted = np.array([name in types for name in arrays.type_names], dtype=bool)
        keep &= wanted[arrays.type_code[edges]] if len(wanted) else False
    if direction != "both":
        keep &= (source if direction == "out" else target) == here
    return Hop(here, np.where(source == here, target, source), edges).marked(keep)


OPPOSITE: dict[Direction, Direction] = {"out": "in", "in": "out", "both": "both"}


@dataclass
class Routes:
    """Paths between entities of a graph, as a tool was asked for them.

    Parameters
    ----------
    graph : GraphView
        The graph.
    max_hops : int
        Relationships of a path at most.
    direction : {"in", "out", "both"}
        `out` follows relationships from source to target, `in` backward.
    order : {"hops", "cost"}
        By fewest relationships, then least cost; or the other way round. Cost is 1 / weight.
    types : sequence of str, optional
        Types of relationships to follow; all unless named.
    parallel : bool
        Whether paths by parallel relationships are paths of their own.
    min_weight : float
        Least weight of a relationship to follow.
    reliable : bool
        Whether cost is -ln confidence, so that the cheapest path is the one most likely to hold.
    budget : Budget
        Partial paths that all searches together may look at.

    """

    graph: GraphView
    max_hops: int
    direction: Direction = "both"
    order: Order = "hops"
    types: Sequence[str] | None = None
    parallel: bool = False
    min_weight: float = 0.0
    reliable: bool = False
    budget: Budget = field(default_factory=Budget)

    def __post_init__(self) -> None:
        self._links = self._linked(self.direction)
        self._back = self._links if self.direction == "both" else self._linked(OPPOSITE[self.direction])

    def _linked(self, direction: Direction) -> Links:
        attribute = "confidence" if self.reliable else None
        parallel = self.parallel or self.min_weight > 0
        every = linked(self.graph, direction, attribute=attribute, types=self.types, parallel=parallel)
        if self.min_weight > 0:
            every = every.only(compiled(self.graph).weight[every.edge] >= self.min_weight)
            every = every if self.parallel else every.strongest()
        # 1 / confidence in, -ln confidence out: the order of links is the same by either
        return replace(every, cost=significant(np.log(every.cost))) if self.reliable else every

    def between(self, start: int, goal: int) -> Iterator[Route]:
        """Yield the paths between two nodes, best first.

        Parameters
        ----------
        start, goal : int
            Places of nodes.

        Yields
        ------
        Route
            Best by hops or by cost, as `order` says; at most `max_hops` edges, until the budget is spent.

        """
        return simple_paths(self._links, self._back, start, goal, self.max_hops, self.order, self.budget)

    def first(self, start: int, goals: Iterable[int]) -> list[Route]:
        """Return the best path to each goal that is reached, the nearest goal first.

        Parameters
        ----------
        start : int
            Place of a node.
        goals : iterable of int
            Places of nodes.

        Returns
        -------
        list of Route
            A goal that is not reached has none.

        """
        return sorted([route for goal in goals for route in islice(self.between(start, goal), 1)], key=_place)

    def pairs(
        self, starts: Sequence[int], goals: Sequence[int], each: int
    ) -> tuple[list[list[Route]], list[str]]:
        """Return up to `each` paths of every start and goal, and `start goal` of those without one.

        Parameters
        ----------
        starts, goals : sequence of int
            Places of nodes; a pair that was there before, or of a node with itself, is skipped.
        each : int
            Paths of a pair at most.

        Returns
        -------
        routes : list of list of Route
            The paths of each pair, best first.
        without : list of str
            Two ids with a space between, of the pairs without a path; a pair that was not looked at to the
            end, as the budget was spent, is not among them.

        """
        ids, found, without = compiled(self.graph).ids, [], []
        seen: set[tuple[int, int]] = set()
        for start in starts:
            for goal in goals:
                both_ways = (goal, start) if self.direction == "both" else (start, goal)
                if start == goal or (start, goal) in seen or both_ways in seen:
                    continue
                seen.add((start, goal))
                routes = list(islice(self.between(start, goal), min(each, sys.maxsize)))
                found.append(routes)
                if not routes and self.budget.left > 0:  # else it is not known
                    without.append(f"{ids[start]} {ids[goal]}")
        return found, without

    def merged(self, found: Iterable[Sequence[Route]], top_k: int | None = None) -> list[Route]:
        """Return routes as one list, best first.

        Parameters
        ----------
        found : iterable of sequence of Route
            Each best first.
        top_k : int, optional
            Routes at most.

        Returns
        -------
        list of Route
            Routes of one place in the order of `found`.

        """
        return list(heapq.merge(*found, key=_place))[:top_k]

    def scored(self, routes: Iterable[Route]) -> list[Scored[Path]]:
        """Return routes as paths with scores.

        By hops the score is 1 / (edges + c / (1 + c)) for cost c, by cost 1 / c: it falls in the same order.

        Parameters
        ----------
        routes : iterable of Route
            Best first.

        Returns
        -------
        list of Scored[Path]
            With ids for places; ranks from 1.

        """
        ids, edges = compiled(self.graph).ids, relationship_ids(self.graph)
        found = []
        for rank, route in enumerate(routes, start=1):
            hops, cost = len(route.edges), route.cost
            score = 1 / (hops + cost / (1 + cost)) if self.order == "hops" else 1 / cost
            path = Path(
                node_ids=tuple(ids[i] for i in route.nodes),
                edge_ids=tuple(edges[i] for i in route.edges),
                cost=cost,
                score=score,
            )
            parts = {"edges": float(hops), "cost": cost}
            found.append(Scored[Path](item=path, score=score, rank=rank, scorer=self.order, components=parts))
        return found

    def warnings(self) -> tuple[ToolWarning, ...]:
        """Say so where the search gave up.

        Returns
        -------
        tuple of ToolWarning
            `truncated`, or nothing.

        """
        message = "The search gave up with what it had found; ask for fewer hops, entities or paths."
        return warned("truncated", message, when=self.budget.left <= 0)


def _place(route: Route) -> tuple[tuple[float, float], tuple[int, ...], tuple[int, ...]]:
    return route.key, route.nodes, route.edges


CEILING = 3
RAISE = "; raise hop_ceiling to look further"
"""Three hops reach most of a dense graph."""

HopCeiling = Annotated[int, Field(ge=1, le=10, description="more hops than this are lowered to it")]


def clamped(name: str, asked: int, most: int, how: str = "") -> tuple[int, tuple[ToolWarning, ...]]:
    """Return how far to look, and a warning where that is less than asked; `how` says what helps.

    Parameters
    ----------
    name : str
        The parameter, for the warning.
    asked : int
        What the caller wants.
    most : int
        The ceiling.
    how : str
        End of the warning's sentence.

    Returns
    -------
    int
        The smaller of `asked` and `most`.
    tuple of ToolWarning
        `hops_clamped`, or none.

    """
    message = f"{name} {asked} was lowered to {most}{how}."
    return min(asked, most), warned("hops_clamped", message, when=asked > most)


def unreached(ids: list[str], what: str, graph: GraphView) -> tuple[ToolWarning, ...]:
    """Warn about the entities, or the pairs of them with a space between, that no path leads to.

    Parameters
    ----------
    ids : list of str
        Ids of entities, or two of them with a space between.
    what : str
        How the message begins.
    graph : GraphView
        Where their names are.

    Returns
    -------
    tuple of ToolWarning
        `unreached`, or none where there are no ids.

    """
    at = compiled(graph).at

    def named(id_: str) -> str:
        both = [id_] if id_ in at else id_.split(" ")
        return " and ".join(graph.entities[at[end]].name if end in at else end for end in both)

    shown = ", ".join(map(named, ids[:5]))
    more = f" and {len(ids) - 5} more" if len(ids) > 5 else ""
    return warned("unreached", f"{what}: {shown}{more}.", ids, when=ids)
