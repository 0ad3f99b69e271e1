"""Shortest paths between a few nodes of a large graph, read no further than the question needs."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.links import Links
from corpusgraph.tasks.graph.runs import distinct, firsts

NONE = -1
STRETCH = 0.1
"""A step reaches this quantile of all costs further: few steps, and few nodes labelled in vain."""


class Arc(NamedTuple):
    """An edge between two nodes and its cost; arcs sort by cost, then by edge."""

    cost: float
    edge: int
    one: int
    other: int


class Ball:
    """What lies within a radius of a source: delta-stepping (Meyer & Sanders 2003), one stretch at a time.

    `distance` (n,) is final below `radius`, an upper bound beyond. A source may be several nodes.
    """

    def __init__(self, links: Links, cost: Doubles, sources: Sequence[int], stretch: float) -> None:
        self.links, self.cost, self._stretch = links, cost, stretch
        self.distance = np.full(links.n_nodes, np.inf)
        self._parent = np.full(links.n_nodes, NONE, dtype=np.int32)
        self._link = np.full(links.n_nodes, NONE, dtype=np.int32)
        self._waiting = distinct(np.asarray(sources, dtype=np.int64))
        self.distance[self._waiting] = 0.0
        self.radius = 0.0
        self.work = self._next_work()

    def step(self) -> Ints:
        """Reach one stretch further; return the nodes whose distance changed, some of them several times."""
        changed = [self._waiting[:0]]
        if len(self._waiting):
            self.radius = self._reach()
        near = self._take()
        while len(near):
            changed.append(self._relax(near))
            self._waiting = np.concatenate([self._waiting, changed[-1]])
            near = self._take()
        if not len(self._waiting):
            self.radius = np.inf
        self.work = self._next_work()
        return np.concatenate(changed)

    def _reach(self) -> float:
        return float(self.distance[self._waiting].min()) + self._stretch

    def _next_work(self) -> int:
        """Count the links that the next step will read at least."""
        if not len(self._waiting):
            return 0
        near = self._waiting[self.distance[self._waiting] < self._reach()]
        return int((self.links.start[near + 1] - self.links.start[near]).sum())

    def _take(self) -> Ints:
        """Return the waiting nodes below the radius, and keep the others waiting."""
        below = self.distance[self._waiting] < self.radius
        near, self._waiting = self._waiting[below], self._waiting[~below]
        return distinct(near)

    def _relax(self, near: Ints) -> Ints:
        """Follow every link from some nodes; return those reached at less cost than before."""
        link, whose = self.links.of(near)
        to = self.links.node[link].astype(np.int64)
        reached = self.distance[near][whose] + self.cost[link]
        better = np.flatnonzero(reached < self.distance[to])
        np.minimum.at(self.distance, to[better], reached[better])
        # of several ways to one node the cheapest counts; of equals the one from the lowest node
        least = better[reached[better] == self.distance[to[better]]]
        order = least[np.argsort(to[least], kind="stable")]
        best = order[firsts(to[order])]
        found: Ints = to[best]
        self._link[found] = link[best]
        self._parent[found] = near[whose[best]]
        return found

    def path(self, node: int) -> Iterator[Arc]:
        """Yield the edges that lead from the source to a node, last first."""
        while (parent := int(self._parent[node])) != NONE:
            link = int(self._link[node])
            yield Arc(float(self.cost[link]), int(self.links.edge[link]), parent, node)
            node = parent


class Closure:
    """Distances between sources, as far as their balls tell them.

    On a shortest path no longer than the sum of two radii, the last node within the one ball is linked to
    one within the other; so it has a distance from both, and the least sum of two distances is the length.
    """

    def __init__(self, links: Links, cost: Doubles, sources: Sequence[Sequence[int]]) -> None:
        stretch = _stretch(cost)
        self.balls = [Ball(links, cost, nodes, stretch) for nodes in sources]
        self.distance = np.full((len(sources),) * 2, np.inf)
        """Length of the best path found yet; it is the shortest where `known`."""
        np.fill_diagonal(self.distance, 0.0)
        self._middle = np.zeros((len(sources),) * 2, dtype=np.int64)
        for which, nodes in enumerate(sources):
            self._meet(which, np.asarray(nodes, dtype=np.int64))

    @property
    def reach(self) -> Doubles:
        """Lengths up to which the shortest path between two sources would have been found (k, k)."""
        radius: Doubles = np.array([ball.radius for ball in self.balls], dtype=np.float64)
        return radius[:, None] + radius[None, :]

    @property
    def known(self) -> NDArray[np.bool_]:
        """Tell between which sources the distance is known (k, k)."""
        reach = self.reach
        return (self.distance <= reach) | np.isinf(reach)

    def work(self, one: int, other: int) -> int:
        """Return how many links the next step towards an unknown distance reads at least."""
        return min(self.balls[one].work, self.balls[other].work)

    def grow(self, one: int, other: int) -> None:
        """Let the ball grow, of two, whose next step is less work."""
        which = one if self.balls[one].work <= self.balls[other].work else other
        self._meet(which, distinct(self.balls[which].step()))

    def _meet(self, which: int, nodes: Ints) -> None:
        mine = self.balls[which].distance[nodes]
        for other, ball in enumerate(self.balls):
            if other == which or not len(nodes):
                continue
            total = mine + ball.distance[nodes]
            at = int(np.argmin(total))
            if total[at] < self.distance[which, other]:
                self.distance[which, other] = self.distance[other, which] = total[at]
                self._middle[which, other] = self._middle[other, which] = nodes[at]

    def path(self, one: int, other: int) -> Iterator[Arc]:
        """Yield the edges of the best path found between two sources."""
        middle = int(self._middle[one, other])
        yield from self.balls[one].path(middle)
        yield from self.balls[other].path(middle)


def _stretch(cost: Doubles) -> float:
    sample = cost[:: max(1, len(cost) // 4096)]
    sample = sample[sample > 0]
    return float(np.quantile(sample, STRETCH)) if len(sample) else 1.0
