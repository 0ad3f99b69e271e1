"""The best simple paths between two nodes, in order, without looking at the others."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks._steps import step
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.links import Links
from corpusgraph.tasks.graph.runs import distinct

Order = Literal["hops", "cost"]

EXPANSIONS = 100_000
"""Partial paths a search looks at, at most."""


@dataclass
class Budget:
    """How many partial paths may still be looked at; at 0 a search ends with what it has found."""

    left: int = EXPANSIONS


class Route(NamedTuple):
    """A path: its key in the order asked for, its nodes, its edges, and the sum of their costs."""

    key: tuple[float, float]
    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    cost: float


class Remaining:
    """The least cost from each node to a goal in exactly `r` links, for all `r` up to a limit.

    For the half of the way near the goal it is read outward from the goal, for the other half only at the
    nodes near the start, so that a search over a large graph reads neighbourhoods of half its length.
    `back` are the same links the other way round. Walks pass start and goal at their ends only.
    """

    def __init__(self, links: Links, back: Links, start: int, goal: int) -> None:
        self._links, self._back, self._start, self._goal = links, back, start, goal
        first = np.full(links.n_nodes, np.inf)
        first[goal] = 0.0
        self._outward = [first]
        self._frontier = [np.array([goal], dtype=np.int64)]
        self._near = [np.array([start], dtype=np.int64)]
        self._seen = np.zeros(links.n_nodes, dtype=bool)
        self._seen[start] = True

    def upto(self, length: int) -> list[Doubles]:
        """Return for `r` = 0 .. length - 1 the least cost of `r` links to the goal (n,), infinite where none.

        Nodes further from the start than `length - r` links may be left out.
        """
        half = length // 2
        while len(self._outward) <= min(half, length - 1):
            self._outward.append(self._read_outward())
        costs = self._outward[: min(half, length - 1) + 1]
        for r in range(len(costs), length):
            costs = [*costs, self._read_at(self._within(length - r), costs[-1])]
        return costs

    def _read_outward(self) -> Doubles:
        """Scatter the costs of the last frontier over the links that lead there."""
        frontier, last = self._frontier[-1], self._outward[-1]
        found = np.full(self._links.n_nodes, np.inf)
        link, whose = self._back.of(frontier)
        to = self._back.node[link]
        np.minimum.at(found, to, last[frontier][whose] + self._back.cost[link])
        found[[self._start, self._goal]] = np.inf
        self._frontier.append(np.flatnonzero(np.isfinite(found)))
        return found

    def _read_at(self, nodes: Ints, last: Doubles) -> Doubles:
        """Gather the costs at some nodes over the links that lead on from them."""
        found = np.full(self._links.n_nodes, np.inf)
        link, whose = self._links.of(nodes)
        np.minimum.at(found, nodes[whose], last[self._links.node[link]] + self._links.cost[link])
        found[[self._start, self._goal]] = np.inf
        return found

    def _within(self, hops: int) -> Ints:
        """Return the nodes at most `hops` links from the start."""
        while len(self._near) <= hops:
            link, _ = self._links.of(self._near[-1])
            reached = distinct(self._links.node[link].astype(np.int64))
            fresh = reached[~self._seen[reached]]
            self._seen[fresh] = True
            self._near.append(fresh)
        return np.concatenate(self._near[: hops + 1])


def simple_paths(
    links: Links,
    back: Links,
    start: int,
    goal: int,
    max_hops: int,
    order: Order = "hops",
    budget: Budget | None = None,
) -> Iterator[Route]:
    """Yield the simple paths from start to goal of at most `max_hops` links, best first.

    Order `hops`: fewest links, then least cost; `cost`: least cost, then fewest links; equals in order of
    their nodes, then of their edges. It is the order in which Yen's algorithm (1971) finds them, found by
    best-first search with an exact bound on what remains (Hart, Nilsson & Raphael 1968), so that the next
    path is looked for only when it is asked for.
    """
    if start == goal:
        return
    remaining = Remaining(links, back, start, goal)
    budget = budget or Budget()
    if order == "cost":
        costs = remaining.upto(max_hops)
        yield from _best_first(links, costs, start, range(1, max_hops + 1), order, budget)
        return
    for length in range(1, max_hops + 1):
        costs = remaining.upto(length)
        yield from _best_first(links, costs, start, range(length, length + 1), order, budget)


class _Partial(NamedTuple):
    """A path on its way; heap order is by key, then by nodes and edges."""

    key: tuple[float, float]
    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    cost: float
    left: int
    sibling: int


def _best_first(
    links: Links, costs: list[Doubles], start: int, lengths: range, order: Order, budget: Budget
) -> Iterator[Route]:
    after: dict[tuple[int, int], list[tuple[float, int, int, float]]] = {}

    def ways(node: int, left: int) -> list[tuple[float, int, int, float]]:
        """Return the links from a node by which the goal is `left` links away: bound, node, edge, cost."""
        if (node, left) not in after:
            at = slice(int(links.start[node]), int(links.start[node + 1]))
            bound = links.cost[at] + costs[left - 1][links.node[at]]
            rows = np.flatnonzero(np.isfinite(bound))
            after[node, left] = sorted(
                (float(bound[i]), int(links.node[at][i]), int(links.edge[at][i]), float(links.cost[at][i]))
                for i in rows
            )
        return after[node, left]

    def partial(base: _Partial, place: int) -> _Partial | None:
        """Return the path that goes on from `base` by its way number `place`, or None where there is none."""
        on = ways(base.nodes[-1], base.left)
        while place < len(on) and on[place][1] in base.nodes:
            place += 1
        if place >= len(on):
            return None
        bound, node, edge, cost = on[place]
        total, hops = rounded(base.cost + bound), float(len(base.edges) + base.left)
        key = (hops, total) if order == "hops" else (total, hops)
        nodes, edges = (*base.nodes, node), (*base.edges, edge)
        return _Partial(key, nodes, edges, base.cost + cost, base.left - 1, place)

    heap: list[tuple[_Partial, _Partial]] = []

    def push(base: _Partial, place: int) -> None:
        if (made := partial(base, place)) is not None:
            heapq.heappush(heap, (made, base))

    for length in lengths:
        push(_Partial((0.0, 0.0), (start,), (), 0.0, length, 0), 0)
    while heap and budget.left > 0:
        if not budget.left % 256:
            step("paths looked at", EXPANSIONS - budget.left)
        budget.left -= 1
        made, base = heapq.heappop(heap)
        push(base, made.sibling + 1)
        if made.left == 0:
            yield Route(made.key, made.nodes, made.edges, rounded(made.cost))
        else:
            push(made, 0)


def rounded(cost: float) -> float:
    """Return a cost to 12 digits: sums of the same costs in another order are the same."""
    return float(f"{cost:.12g}")
