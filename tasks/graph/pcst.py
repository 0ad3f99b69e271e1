"""The tree worth most: prizes of what it joins less the cost of its edges (prize-collecting Steiner tree)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Literal, NamedTuple

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.closure import Arc, Closure
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.links import Links
from corpusgraph.tasks.graph.steiner import pruned, spanning

Pruning = Literal["gw", "strong"]

SPENT = 1e-12
"""What is left of a prize by rounding."""


class PrizedEdge(NamedTuple):
    """An edge between two nodes with its prize."""

    edge: int
    one: int
    other: int
    prize: float


class Tree(NamedTuple):
    """Nodes and edges in order; their prizes in all, and the cost of the edges in all."""

    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    prize: float
    cost: float


def prize_collecting_tree(
    links: Links,
    prizes: Mapping[int, float],
    edges: Sequence[PrizedEdge],
    components: Ints,
    pruning: Pruning = "gw",
) -> Tree:
    """Return a tree whose cost, with the prizes left out, is at most twice the least possible.

    The primal-dual method of Goemans & Williamson (1995), unrooted (Johnson, Minkoff & Phillips 2000):
    clusters with a prize grow at one speed until they touch, and stop when their prize is used up. `gw` then
    cuts off what had stopped, `strong` keeps the best subtree. The prize of an edge is taken off its cost; an
    edge whose prize is more becomes a virtual node with the difference as its prize (He et al. 2024), so
    several of these may close a circle. `links` are undirected, with every edge, at costs above 0.

    Nodes without a prize do not grow, so a cluster is a union of balls around prized nodes, and two clusters
    touch when the radii of two of their nodes add up to the distance: only these distances are looked up.
    """
    cost, virtual = _reduced(links, edges)
    nodes = sorted(node for node, prize in prizes.items() if prize > 0)
    sources = [[node] for node in nodes] + [[edge.one, edge.other] for edge, _ in virtual]
    surplus = np.array([prizes[node] for node in nodes] + [over for _, over in virtual])
    if not sources:
        return Tree((), (), 0.0, 0.0)
    moats = Moats(Closure(links, cost, sources), surplus, components[[s[0] for s in sources]])
    moats.run()
    worth = Worth(prizes, {edge.edge: edge.prize for edge in edges}, links)
    rich = [edge for edge, _ in virtual]
    if pruning == "gw":
        kept, pairs = moats.pruned()
        tree = _laid_out(moats.closure, pairs, [rich[i - len(nodes)] for i in kept if i >= len(nodes)])
        keep = {node for which in kept for node in sources[which]}
        return worth.tree(pruned(tree, keep), keep, rich)
    return worth.best(
        _laid_out(moats.closure, moats.joined, rich), {node for source in sources for node in source}, rich
    )


def _reduced(links: Links, edges: Sequence[PrizedEdge]) -> tuple[Doubles, list[tuple[PrizedEdge, float]]]:
    """Return the cost of each link less prizes, and the edges with more prize than cost and how much more."""
    cost, virtual = links.cost.copy(), []
    for edge in sorted(edges):
        places = [_place(links, edge.one, edge.edge), _place(links, edge.other, edge.edge)]
        over = edge.prize - float(links.cost[places[0]])
        cost[places] = max(-over, 0.0)
        if over > 0:
            virtual.append((edge, over))
    return cost, virtual


def _place(links: Links, node: int, edge: int) -> int:
    start, end = int(links.start[node]), int(links.start[node + 1])
    return start + int(np.flatnonzero(links.edge[start:end] == edge)[0])


@dataclass
class Moats:
    """The growth phase: `joined` are pairs of sources whose balls touched, `stopped` clusters in order."""

    closure: Closure
    left: Doubles
    """Prize that each cluster has not used up, at the place of its least member (k,)."""
    components: Ints
    joined: list[tuple[int, int]] = field(default_factory=list)
    stopped: list[frozenset[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        n = len(self.left)
        self.left = self.left.astype(np.float64)
        self.part, self.radius = np.arange(n), np.zeros(n)
        self.active = np.ones(n, dtype=bool)
        self._last = 0

    def run(self) -> None:
        """Grow until no two clusters can."""
        while self.active.sum() > 1:
            ends = np.where(self.active, self.left, np.inf)
            stop = int(np.argmin(ends))
            touch, pair = self._next(np.where(self.closure.known, self.closure.distance, np.inf))
            doubt, unknown = self._next(np.where(self.closure.known, np.inf, self.closure.reach))
            if doubt <= min(touch, ends[stop]) and np.isfinite(doubt):
                self.closure.grow(*unknown)
            elif touch <= ends[stop]:
                self._grow(touch)
                self._join(*pair)
            else:
                self._grow(float(ends[stop]))
                self._stop(stop)

    def _next(self, length: Doubles) -> tuple[float, tuple[int, int]]:
        """Return when two balls of different clusters first touch, were distances these, and which."""
        speed = self.active[self.part].astype(np.float64)
        together = speed[:, None] + speed[None, :]
        able = (self.part[:, None] != self.part[None, :]) & (together > 0)
        able &= self.components[:, None] == self.components[None, :]
        gap = np.maximum(length - self.radius[:, None] - self.radius[None, :], 0.0)
        when = np.divide(gap, together, out=np.full_like(gap, np.inf), where=able)
        one, other = np.unravel_index(int(np.argmin(when)), when.shape)
        return float(when[one, other]), (int(one), int(other))

    def _grow(self, time: float) -> None:
        self.radius += time * self.active[self.part]
        self.left = np.where(self.active, self.left - time, self.left)

    def _stop(self, cluster: int) -> None:
        self.active[cluster], self.left[cluster], self._last = False, 0.0, cluster
        self.stopped.append(frozenset(np.flatnonzero(self.part == cluster).tolist()))

    def _join(self, one: int, other: int) -> None:
        self.joined.append((one, other))
        keep, gone = sorted((int(self.part[one]), int(self.part[other])))
        self.left[keep] += self.left[gone]
        self.left[gone], self.active[gone] = 0.0, False
        self.part[self.part == gone] = keep
        self.active[keep] = True
        if self.left[keep] <= SPENT:
            self._stop(keep)

    def pruned(self) -> tuple[list[int], list[tuple[int, int]]]:
        """Return members and pairs of the last cluster without what had stopped at the end of a branch."""
        last = int(np.argmax(self.active)) if self.active.any() else int(self.part[self._last])
        kept = set(np.flatnonzero(self.part == last).tolist())
        pairs = [pair for pair in self.joined if pair[0] in kept]
        cut = True
        while cut:
            cut = False
            for cluster in self.stopped:
                crossing = [pair for pair in pairs if (pair[0] in cluster) != (pair[1] in cluster)]
                if len(crossing) == 1 and cluster & kept:
                    kept -= cluster
                    pairs = [pair for pair in pairs if pair[0] in kept and pair[1] in kept]
                    cut = True
        return sorted(kept), pairs


def _laid_out(closure: Closure, pairs: Iterable[tuple[int, int]], virtual: Iterable[PrizedEdge]) -> list[Arc]:
    """Return a cheapest forest of the edges on the paths of pairs, and of edges that are virtual nodes."""
    arcs = {arc.edge: arc for one, other in pairs for arc in closure.path(one, other)}
    arcs |= {edge.edge: Arc(0.0, edge.edge, edge.one, edge.other) for edge in virtual}
    return spanning(arcs.values())


@dataclass(frozen=True)
class Worth:
    """What nodes and edges are worth, and what each edge costs."""

    nodes: Mapping[int, float]
    edges: Mapping[int, float]
    links: Links

    def tree(self, arcs: Iterable[Arc], alone: Iterable[int], rich: Sequence[PrizedEdge]) -> Tree:
        """Describe a tree of arcs, or of a node alone, with every rich edge that touches it.

        An edge whose prize is more than its cost is a gain, even where it closes a circle.
        """
        edges = {arc.edge: self._price(arc) for arc in arcs}
        nodes = {end for arc in arcs for end in (arc.one, arc.other)} | set(alone)
        while more := [e for e in rich if e.edge not in edges and (e.one in nodes or e.other in nodes)]:
            edges |= {edge.edge: self._price(edge) for edge in more}
            nodes |= {end for edge in more for end in (edge.one, edge.other)}
        prize = fsum(self.nodes.get(n, 0.0) for n in nodes) + fsum(self.edges.get(e, 0.0) for e in edges)
        return Tree(tuple(sorted(nodes)), tuple(sorted(edges)), prize, fsum(edges.values()))

    def best(self, arcs: Sequence[Arc], alone: Iterable[int], rich: Sequence[PrizedEdge]) -> Tree:
        """Return the connected part of a forest that is worth most; of equals that of the lowest node."""
        inside = {arc.edge for arc in arcs}
        bonus = dict(self.nodes)
        for edge in rich:
            if edge.edge not in inside:  # it closes a circle
                bonus[edge.one] = bonus.get(edge.one, 0.0) + edge.prize - self._price(edge)
        around: dict[int, list[Arc]] = {node: [] for node in alone}
        for arc in arcs:
            around.setdefault(arc.one, []).append(arc)
            around.setdefault(arc.other, []).append(arc)
        gain: dict[int, float] = {}
        branches: dict[int, list[Arc]] = {}
        for root in sorted(around):
            for node, came in reversed(_walk(root, around, gain)):
                branches[node] = [
                    b for b in around[node] if b is not came and gain[_end(b, node)] > self._net(b)
                ]
                more = fsum(gain[_end(b, node)] - self._net(b) for b in branches[node])
                gain[node] = bonus.get(node, 0.0) + more
        top = min(gain, key=lambda node: (-gain[node], node))
        kept, nodes = list[Arc](), [top]
        while nodes:
            node = nodes.pop()
            kept += branches[node]
            nodes += [_end(arc, node) for arc in branches[node]]
        return self.tree(kept, [top], rich)

    def _net(self, arc: Arc) -> float:
        return self._price(arc) - self.edges.get(arc.edge, 0.0)

    def _price(self, edge: Arc | PrizedEdge) -> float:
        return float(self.links.cost[_place(self.links, edge.one, edge.edge)])


def _end(arc: Arc, node: int) -> int:
    return arc.other if arc.one == node else arc.one


def _walk(
    root: int, around: Mapping[int, Sequence[Arc]], seen: Mapping[int, float]
) -> list[tuple[int, Arc | None]]:
    """Return the nodes of a tree from its root outward, each with the arc that leads to it."""
    found: list[tuple[int, Arc | None]] = [] if root in seen else [(root, None)]
    for node, came in found:
        found += [(_end(arc, node), arc) for arc in around[node] if arc is not came]
    return found
