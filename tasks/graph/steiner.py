"""The cheapest tree that joins some nodes, within twice the cost of the best (Steiner tree)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.compiled import Doubles, distinct, firsts
from corpusgraph.tasks.graph.paths import Links, Small

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


Algorithm = Literal["mehlhorn", "kou"]

FEW = 24
"""Up to so many terminals, growing balls reads less of a large graph than finding everyone's region."""


class Forest(NamedTuple):
    """Nodes and edges in order, what the edges cost, and which terminals each tree joins."""

    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    cost: float
    groups: tuple[tuple[int, ...], ...]

    @property
    def unreached(self) -> tuple[int, ...]:
        """Terminals that are not in the first tree, which joins the most."""
        return tuple(terminal for group in self.groups[1:] for terminal in group)


class Sets:
    """Disjoint sets of numbers (Tarjan 1975)."""

    def __init__(self) -> None:
        self._above: dict[int, int] = {}

    def find(self, member: int) -> int:
        """Return the least member of the set."""
        root = member
        while (above := self._above.get(root, root)) != root:
            root = above
        while member != root:
            self._above[member], member = root, self._above.get(member, member)
        return root

    def join(self, one: int, other: int) -> bool:
        """Make two sets one; tell whether they were two."""
        one, other = self.find(one), self.find(other)
        self._above[max(one, other)] = min(one, other)
        return one != other


def steiner_forest(
    links: Links, terminals: Sequence[int], components: Ints, algorithm: Algorithm = "mehlhorn"
) -> Forest:
    """Join the terminals of each component by a tree of at most 2 (1 - 1/l) times the least cost.

    l is the number of leaves of the best tree. A cheapest tree over the terminals' distances is laid out as
    paths; of their union a cheapest tree is kept, and its branches without a terminal are cut off. `kou`
    (Kou, Markowsky & Berman 1981) knows every distance first. `mehlhorn` (1988) looks only at distances that
    such a tree can need: of a few terminals by growing balls until these are known, of many by the regions
    nearest to each. The cost may differ between the two where distances are equal.
    `links` are undirected, costs above 0.
    """
    terminals = list(dict.fromkeys(terminals))
    groups = grouped(terminals, components)
    arcs: dict[int, Arc] = {}
    for group in groups:
        if len(group) > FEW and algorithm == "mehlhorn":
            arcs |= {arc.edge: arc for arc in region_tree(links, group)}
            continue
        closure = Closure(links, links.cost, [[terminal] for terminal in group])
        if algorithm == "kou":
            know_all(closure)
        for one, other in cheapest_tree(closure):
            arcs |= {arc.edge: arc for arc in closure.path(one, other)}
    tree = pruned(spanning(arcs.values()), set(terminals))
    return forest(tree, terminals, groups)


def region_tree(links: Links, terminals: Sequence[int]) -> Iterator[Arc]:
    """Yield the edges of a cheapest tree over the regions nearest to each of some connected terminals."""
    from scipy.sparse import csgraph, csr_array

    n = links.n_nodes
    matrix = csr_array((links.cost, links.node, links.start.astype(np.int32)), shape=(n, n))
    distance, parent, nearest = csgraph.dijkstra(
        matrix, indices=list(terminals), return_predecessors=True, min_only=True
    )
    place = np.full(n, NONE)
    place[list(terminals)] = np.arange(len(terminals))
    region = np.where(nearest >= 0, place[np.maximum(nearest, 0)], NONE)
    here = np.repeat(np.arange(n), np.diff(links.start))
    one, other = region[here], region[links.node]
    touch = np.flatnonzero(one < other)
    length = distance[here[touch]] + links.cost[touch] + distance[links.node[touch]]
    pair = one[touch] * len(terminals) + other[touch]
    least = np.full(len(terminals) ** 2, np.inf)
    np.minimum.at(least, pair, length)
    first = np.flatnonzero(length == least[pair])
    sets = Sets()
    for at in first[np.lexsort((links.edge[touch[first]], length[first]))]:
        link = int(touch[at])
        if sets.join(int(one[link]), int(other[link])):
            yield Arc(float(links.cost[link]), int(links.edge[link]), int(here[link]), int(links.node[link]))
            yield from _back(links, parent, int(here[link]))
            yield from _back(links, parent, int(links.node[link]))


def _back(links: Links, parent: Small, node: int) -> Iterator[Arc]:
    """Yield the edges from a node back to the terminal of its region."""
    while (before := int(parent[node])) >= 0:
        at = slice(int(links.start[before]), int(links.start[before + 1]))
        link = at.start + int(np.searchsorted(links.node[at], node))
        yield Arc(float(links.cost[link]), int(links.edge[link]), before, node)
        node = before


def know_all(closure: Closure) -> None:
    """Let all balls grow until every distance is known."""
    while len(unknown := np.argwhere(~closure.known)):
        reach = closure.reach[unknown[:, 0], unknown[:, 1]]
        one, other = unknown[int(np.argmin(reach))]
        closure.grow(int(one), int(other))


def cheapest_tree(closure: Closure) -> Iterator[tuple[int, int]]:
    """Yield pairs of sources that make a cheapest spanning tree; all must be connected.

    Of the ways out of a set of sources that are joined already, the cheapest belongs to such a tree (Boruvka
    1926); it is known to be the cheapest once no unknown distance can be less.
    """
    part = np.arange(len(closure.balls))
    while (part != part[0]).any():
        apart = part[:, None] != part[None, :]
        way_out = np.where(apart, closure.distance, np.inf)
        at_least = np.where(apart & ~closure.known, closure.reach, np.inf)
        ways = [_least(way_out, part == one) for one in np.unique(part)]
        doubts = [_least(at_least, part == one) for one in np.unique(part)]
        sure = [way for way, doubt in zip(ways, doubts, strict=True) if way[0] <= doubt[0]]
        if sure:
            _, one, other = min(sure)
            yield one, other
            part[part == max(part[one], part[other])] = min(part[one], part[other])
        else:
            closure.grow(*min(doubts, key=lambda doubt: closure.work(*doubt[1:]))[1:])


def _least(values: Doubles, rows: NDArray[np.bool_]) -> tuple[float, int, int]:
    """Return the first of the least values in some rows, and its row and column."""
    values = np.where(rows[:, None], values, np.inf)
    one, other = np.unravel_index(int(np.argmin(values)), values.shape)
    return float(values[one, other]), int(one), int(other)


def forest(tree: Iterable[Arc], terminals: Iterable[int], groups: Sequence[Sequence[int]]) -> Forest:
    """Describe the trees made of some arcs."""
    arcs = sorted(tree, key=lambda arc: arc.edge)
    nodes = {end for arc in arcs for end in (arc.one, arc.other)} | set(terminals)
    cost = fsum(arc.cost for arc in arcs)
    return Forest(tuple(sorted(nodes)), tuple(a.edge for a in arcs), cost, tuple(tuple(g) for g in groups))


def grouped(terminals: Iterable[int], components: Ints) -> list[list[int]]:
    """Return terminals that are joined at all, the most first; of equals the group of the first terminal."""
    groups: dict[int, list[int]] = {}
    for terminal in terminals:
        groups.setdefault(int(components[terminal]), []).append(terminal)
    return sorted(groups.values(), key=len, reverse=True)


def spanning(arcs: Iterable[Arc]) -> list[Arc]:
    """Return a cheapest forest that joins what the arcs join (Kruskal 1956)."""
    sets = Sets()
    return [arc for arc in sorted(arcs) if sets.join(arc.one, arc.other)]


def pruned(tree: Iterable[Arc], keep: set[int]) -> list[Arc]:
    """Cut off leaves, again and again, unless they are to be kept."""
    arcs = set(tree)
    around: dict[int, set[Arc]] = {}
    for arc in arcs:
        around.setdefault(arc.one, set()).add(arc)
        around.setdefault(arc.other, set()).add(arc)
    leaves = [node for node, its in around.items() if len(its) == 1 and node not in keep]
    while leaves:
        leaf = leaves.pop()
        for arc in around.pop(leaf):
            arcs.discard(arc)
            end = arc.other if arc.one == leaf else arc.one
            around[end].discard(arc)
            if len(around[end]) == 1 and end not in keep:
                leaves.append(end)
    return sorted(arcs)


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
