"""Trees that join nodes: the cheapest one (Steiner tree), and the one worth most (prize-collecting).

The prize-collecting tree is pcst_fast's; the Steiner tree is laid out from scipy's shortest paths, with ties
settled by edge, which neither scipy's spanning tree nor networkx's and rustworkx's Steiner trees do.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum
from typing import Any, Literal, NamedTuple

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.graph.paths import Links, Small

Pruning = Literal["gw", "strong"]


class Arc(NamedTuple):
    """An edge between two nodes and its cost; arcs sort by cost, then by edge.

    Attributes
    ----------
    cost : float
        Cost of the edge, or length of a path where an arc stands for one.
    edge : int
        Place of the edge.
    one, other : int
        The two nodes.

    """

    cost: float
    edge: int
    one: int
    other: int


class Forest(NamedTuple):
    """Trees that join terminals, as nodes and edges in order.

    Attributes
    ----------
    nodes : tuple of int
        Nodes of all trees, terminals among them.
    edges : tuple of int
        Places of the edges.
    cost : float
        What the edges cost in all.
    groups : tuple of tuple of int
        The terminals that each tree joins, the tree with the most of them first.

    """

    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    cost: float
    groups: tuple[tuple[int, ...], ...]

    @property
    def unreached(self) -> tuple[int, ...]:
        """Terminals that are not in the first tree, which joins the most."""
        return tuple(terminal for group in self.groups[1:] for terminal in group)


def steiner_forest(links: Links, terminals: Sequence[int], components: Ints) -> Forest:
    """Join the terminals of each component by a tree of at most 2 (1 - 1/l) times the least cost.

    l is the number of leaves of the best tree. A cheapest tree over the terminals' distances is laid out as
    paths; of their union a cheapest tree is kept, and its branches without a terminal are cut off (Kou et
    al.). That tree is found among the pairs whose regions of nearest nodes touch (Mehlhorn), so one search
    serves both algorithms.

    Parameters
    ----------
    links : Links
        Undirected, of n nodes, at costs above 0.
    terminals : sequence of int
        Nodes to join.
    components : array of int, shape (n,)
        The number of each node's connected component.

    Returns
    -------
    Forest
        Groups of terminals that are joined, the most first; of equals the group of the first terminal.

    References
    ----------
    Kou, Markowsky & Berman 1981; Mehlhorn 1988.

    """
    from scipy.sparse import csr_array

    terminals = list(dict.fromkeys(terminals))
    by_component = grouped((int(components[terminal]), terminal) for terminal in terminals)
    groups = sorted(by_component.values(), key=len, reverse=True)
    matrix = csr_array((links.cost, links.node, links.start.astype(np.int32)), shape=(links.n_nodes,) * 2)
    arcs = {arc.edge: arc for group in groups for arc in _distance_tree(links, matrix, group)}
    tree = sorted(pruned(spanning(arcs.values()), set(terminals)), key=lambda arc: arc.edge)
    nodes = {end for arc in tree for end in (arc.one, arc.other)}.union(terminals)
    cost = fsum(arc.cost for arc in tree)
    return Forest(tuple(sorted(nodes)), tuple(arc.edge for arc in tree), cost, tuple(map(tuple, groups)))


def _distance_tree(links: Links, matrix: Any, terminals: Sequence[int]) -> Iterator[Arc]:
    """Yield the edges on the paths of a cheapest tree over the distances of some connected terminals."""
    from scipy.sparse import csgraph

    distance, parent, nearest = csgraph.dijkstra(
        matrix, indices=list(terminals), return_predecessors=True, min_only=True
    )
    reached = np.flatnonzero(np.isfinite(distance))
    link, whose = links.of(reached)
    here, there = reached[whose], links.node[link].astype(np.int64)
    length = distance[here] + links.cost[link] + distance[there]
    touch = np.flatnonzero(nearest[here] < nearest[there])
    touch = touch[np.lexsort((links.edge[link[touch]], length[touch]))]
    ends = nearest[here[touch]].astype(np.int64) * links.n_nodes + nearest[there[touch]]
    touch = touch[np.unique(ends, return_index=True)[1]]  # the shortest of each two regions
    rows = length[touch], links.edge[link[touch]], nearest[here[touch]], nearest[there[touch]]
    pairs = spanning(map(Arc._make, zip(*(row.tolist() for row in rows), strict=True)))
    joined = {pair.edge for pair in pairs}
    for at in touch.tolist():
        if int(links.edge[link[at]]) in joined:
            yield Arc(float(links.cost[link[at]]), int(links.edge[link[at]]), int(here[at]), int(there[at]))
            yield from _back(links, parent, int(here[at]))
            yield from _back(links, parent, int(there[at]))


def _back(links: Links, parent: Small, node: int) -> Iterator[Arc]:
    """Yield the edges from a node back to where its path starts."""
    while (before := int(parent[node])) >= 0:
        start, end = int(links.start[before]), int(links.start[before + 1])
        link = start + int(np.searchsorted(links.node[start:end], node))
        yield Arc(float(links.cost[link]), int(links.edge[link]), before, node)
        node = before


def spanning(arcs: Iterable[Arc]) -> list[Arc]:
    """Return a cheapest forest that joins what the arcs join.

    Parameters
    ----------
    arcs : iterable of Arc
        In any order.

    Returns
    -------
    list of Arc
        Cheapest first.

    References
    ----------
    Kruskal 1956.

    """
    from scipy.cluster.hierarchy import DisjointSet

    ordered = sorted(arcs)
    sets = DisjointSet({end for arc in ordered for end in (arc.one, arc.other)})
    return [arc for arc in ordered if sets.merge(arc.one, arc.other)]


def pruned(tree: Iterable[Arc], keep: set[int]) -> list[Arc]:
    """Cut off leaves, again and again, unless they are to be kept.

    Parameters
    ----------
    tree : iterable of Arc
        The edges of a tree or forest.
    keep : set of int
        Nodes that stay, even as leaves.

    Returns
    -------
    list of Arc
        What is left, in the same order.

    """
    arcs, before = list(tree), -1
    while len(arcs) != before:
        before = len(arcs)
        degree = Counter(end for arc in arcs for end in (arc.one, arc.other))
        leaves = {node for node, n in degree.items() if n == 1} - keep
        arcs = [arc for arc in arcs if not leaves & {arc.one, arc.other}]
    return arcs


class PrizedEdge(NamedTuple):
    """An edge between two nodes with its prize.

    Attributes
    ----------
    edge : int
        Place of the edge.
    one, other : int
        The two nodes.
    prize : float
        What having the edge is worth.

    """

    edge: int
    one: int
    other: int
    prize: float


class Tree(NamedTuple):
    """A prize-collecting tree: nodes and edges in order, and what they bring and cost.

    Attributes
    ----------
    nodes, edges : tuple of int
        In order of place.
    prize : float
        Prizes of its nodes and edges in all.
    cost : float
        Cost of its edges in all, prizes not taken off.

    """

    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    prize: float
    cost: float


def prize_collecting_tree(
    links: Links, prizes: Mapping[int, float], edges: Sequence[PrizedEdge], pruning: Pruning = "gw"
) -> Tree:
    """Return a tree whose cost, with the prizes left out, is at most twice the least possible.

    The prize of an edge is taken off its cost; an edge whose prize is more becomes a virtual node with the
    difference as its prize, so several of these may close a circle.

    Parameters
    ----------
    links : Links
        Undirected, with every edge, at costs above 0.
    prizes : mapping of int to float
        Node: prize.
    edges : sequence of PrizedEdge
        Edges with prizes.
    pruning : {"gw", "strong"}
        `gw` cuts off clusters that had stopped growing, `strong` keeps the best subtree.

    Returns
    -------
    Tree
        Empty where nothing has a prize.

    References
    ----------
    Goemans & Williamson 1995; Johnson, Minkoff & Phillips 2000; He et al. 2024 (G-Retriever); the library:
    Hegde, Indyk & Schmidt 2014.

    """
    import pcst_fast

    here = np.repeat(np.arange(links.n_nodes), np.diff(links.start))
    once = np.flatnonzero(here < links.node)
    once = once[np.argsort(links.edge[once], kind="stable")]
    numbers, price = links.edge[once], links.cost[once]
    at = np.searchsorted(numbers, [edge.edge for edge in edges])
    over = np.array([edge.prize for edge in edges]) - price[at]
    rich = [edge for edge, more in zip(edges, over, strict=True) if more > 0]
    if not rich and not any(prize > 0 for prize in prizes.values()):
        return Tree((), (), 0.0, 0.0)
    cost = price.copy()
    cost[at] = np.maximum(-over, 0.0)
    worth = np.zeros(links.n_nodes + len(rich))
    worth[list(prizes)] = list(prizes.values())
    worth[links.n_nodes :] = over[over > 0]
    halves = [(end, links.n_nodes + i) for i, edge in enumerate(rich) for end in (edge.one, edge.other)]
    ends = np.concatenate([np.stack([here[once], links.node[once]], axis=1), np.reshape(halves, (-1, 2))])
    costs = np.concatenate([cost, np.zeros(len(halves))])
    inside, chosen = pcst_fast.pcst_fast(ends.astype(np.int64), worth, costs, -1, 1, pruning, 0)
    nodes = {int(node) for node in inside if node < links.n_nodes}
    tree = {int(numbers[i]) for i in chosen if i < len(numbers)}
    virtual = [rich[int(node) - links.n_nodes] for node in inside if node >= links.n_nodes]
    # An edge whose prize is more than its cost is a gain, even where it closes a circle.
    while virtual:
        tree |= {edge.edge for edge in virtual}
        nodes |= {end for edge in virtual for end in (edge.one, edge.other)}
        virtual = [e for e in rich if e.edge not in tree and (e.one in nodes or e.other in nodes)]
    prize = fsum(prizes.get(node, 0.0) for node in nodes) + fsum(e.prize for e in edges if e.edge in tree)
    paid = fsum(price[np.searchsorted(numbers, sorted(tree))].tolist())
    return Tree(tuple(sorted(nodes)), tuple(sorted(tree)), prize, paid)
