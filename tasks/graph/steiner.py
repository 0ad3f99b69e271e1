"""The cheapest tree that joins some nodes, within twice the cost of the best (Steiner tree)."""

from collections.abc import Iterable, Iterator, Sequence
from math import fsum
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.closure import NONE, Arc, Closure
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.links import Links, Small

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
