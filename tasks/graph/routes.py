"""From routes over arrays to scored paths, and the search for them between pairs of entities."""

import heapq
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Annotated

import numpy as np
from pydantic import Field

from corpusgraph.schemas.graph import Path
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolWarning, warned
from corpusgraph.tasks.digits import significant
from corpusgraph.tasks.graph.compiled import compiled, relationship_ids
from corpusgraph.tasks.graph.paths import Budget, Direction, Links, Order, Route, linked, simple_paths

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
        found = [route for goal in goals for route in islice(self.between(start, goal), 1)]
        return sorted(found, key=_place)

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
