"""Directed acyclic graphs with latent nodes and bidirected edges: order, kin, d-separation."""

from collections.abc import Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations

from corpusgraph.tasks.graph.names import grouped

Adjacency = dict[str, set[str]]
"""Node -> neighbours, of an undirected graph."""


@dataclass(frozen=True)
class CausalGraph:
    """A directed graph with latent nodes and bidirected edges, which stand for unobserved common causes.

    Attributes
    ----------
    nodes : tuple of str
        In the order given.
    arrows : frozenset of (str, str)
        (cause, effect).
    bidirected : frozenset of (str, str)
        Pairs, each sorted.
    latent : frozenset of str
        Nodes that nobody observed.

    """

    nodes: tuple[str, ...]
    arrows: frozenset[tuple[str, str]]
    bidirected: frozenset[tuple[str, str]] = frozenset()
    latent: frozenset[str] = frozenset()

    @cached_property
    def parents(self) -> Mapping[str, frozenset[str]]:
        """Direct causes of each node."""
        return _neighbours(self.nodes, ((effect, cause) for cause, effect in self.arrows))

    @cached_property
    def children(self) -> Mapping[str, frozenset[str]]:
        """Direct effects of each node."""
        return _neighbours(self.nodes, self.arrows)

    @cached_property
    def spouses(self) -> Mapping[str, frozenset[str]]:
        """Nodes joined to each node by a bidirected edge."""
        return _neighbours(self.nodes, (ends for a, b in self.bidirected for ends in ((a, b), (b, a))))

    @property
    def observed(self) -> tuple[str, ...]:
        """Nodes that are not latent."""
        return tuple(node for node in self.nodes if node not in self.latent)

    def ancestors(self, of: Iterable[str]) -> set[str]:
        """Return the nodes with a directed path into `of`, and `of` itself.

        Parameters
        ----------
        of : iterable of str
            Nodes.

        Returns
        -------
        set of str
            Latent nodes too; bidirected edges are not followed.

        """
        return reachable(self.parents, of)

    def descendants(self, of: Iterable[str]) -> set[str]:
        """Return the nodes that a directed path from `of` leads to, and `of` itself.

        Parameters
        ----------
        of : iterable of str
            Nodes.

        Returns
        -------
        set of str
            Latent nodes too; bidirected edges are not followed.

        """
        return reachable(self.children, of)

    def order(self) -> tuple[str, ...]:
        """Return a topological order; among the nodes that could come next, the first given comes first.

        Returns
        -------
        tuple of str
            All nodes, causes before effects.

        Raises
        ------
        networkx.NetworkXUnfeasible
            For a graph with a cycle.

        """
        import networkx as nx

        place = {node: at for at, node in enumerate(self.nodes)}
        return tuple(nx.lexicographical_topological_sort(nx.DiGraph(self.children), key=place.__getitem__))

    def cut(self, *, into: Collection[str] = (), out_of: Collection[str] = ()) -> "CausalGraph":
        """Remove the arrows into some nodes (with their bidirected edges) and those out of others.

        Parameters
        ----------
        into : collection of str
            Nodes that lose the arrows into them, as under do(into).
        out_of : collection of str
            Nodes that lose the arrows out of them.

        Returns
        -------
        CausalGraph
            A new graph of the same nodes: that of an intervention where `into` is what is set (Pearl 2009).

        """
        arrows = ((a, b) for a, b in self.arrows if b not in into and a not in out_of)
        both = (pair for pair in self.bidirected if not set(pair) & set(into))
        return CausalGraph(self.nodes, frozenset(arrows), frozenset(both), self.latent)

    def without(self, arrows: Collection[tuple[str, str]]) -> "CausalGraph":
        """Remove arrows.

        Parameters
        ----------
        arrows : collection of (str, str)
            (cause, effect).

        Returns
        -------
        CausalGraph
            A new graph of the same nodes; bidirected edges stay.

        """
        return CausalGraph(self.nodes, self.arrows - set(arrows), self.bidirected, self.latent)

    def subgraph(self, keep: Collection[str]) -> "CausalGraph":
        """Return the graph among some of the nodes.

        Parameters
        ----------
        keep : collection of str
            Nodes.

        Returns
        -------
        CausalGraph
            Nodes in their order here; edges with both ends among them.

        """
        kept = frozenset(keep)
        arrows, both = (frozenset(filter(kept.issuperset, pairs)) for pairs in (self.arrows, self.bidirected))
        return CausalGraph(self.in_order(kept), arrows, both, self.latent & kept)

    def canonical(self) -> "CausalGraph":
        """Replace each bidirected edge by a latent common cause.

        Returns
        -------
        CausalGraph
            With more latent nodes, and no bidirected edge.

        """
        causes = {pair: f"\0{pair[0]}\0{pair[1]}" for pair in sorted(self.bidirected)}
        arrows = self.arrows.union((cause, end) for pair, cause in causes.items() for end in pair)
        return CausalGraph((*self.nodes, *causes.values()), arrows, latent=self.latent.union(causes.values()))

    def projected(self) -> "CausalGraph":
        """Return the latent projection on the observed nodes.

        Returns
        -------
        CausalGraph
            Without latent nodes; a bidirected edge joins two nodes with a latent common cause.

        References
        ----------
        Verma 1993.

        """
        graph = self.canonical()
        through: dict[str, set[str]] = {}
        for node in reversed(graph.order()):
            through[node] = set()
            for child in graph.children[node]:
                through[node] |= through[child] if child in graph.latent else {child}
        arrows = {(a, b) for a in self.observed for b in through[a]}
        pairs = {pair for hidden in graph.latent for pair in combinations(sorted(through[hidden]), 2)}
        return CausalGraph(self.observed, frozenset(arrows), frozenset(pairs))

    def in_order(self, some: AbstractSet[str]) -> tuple[str, ...]:
        """Return some of the nodes in the order of all.

        Parameters
        ----------
        some : set of str
            Nodes.

        Returns
        -------
        tuple of str

        """
        return tuple(node for node in self.nodes if node in some)

    def moral(self, of: Collection[str], without: AbstractSet[str] = frozenset()) -> Adjacency:
        """Return the moral graph of the ancestors of some nodes; the graph must be canonical.

        Parameters
        ----------
        of : collection of str
            Nodes.
        without : set of str
            Nodes left out in the end.

        Returns
        -------
        dict of str to set of str
            Node -> neighbours.

        """
        adjacency: Adjacency = {node: set() for node in self.in_order(self.ancestors(of))}
        for node in adjacency:
            for a, b in permutations((node, *self.parents[node]), 2):
                adjacency[a].add(b)
        return {node: near - without for node, near in adjacency.items() if node not in without}

    def separated(self, left: Collection[str], right: Collection[str], given: Collection[str]) -> bool:
        """Tell whether `given` d-separates left from right; canonical graphs only.

        Parameters
        ----------
        left, right, given : collection of str
            Nodes.

        Returns
        -------
        bool
            True where every path from left to right is blocked (Pearl 2009).

        """
        return self.connected(set(left) - set(given), given).isdisjoint(right)

    def connected(
        self, start: Collection[str], given: Collection[str], silent: Collection[str] = frozenset()
    ) -> set[str]:
        """Return the nodes d-connected to `start` given others, without the arrows out of `silent` nodes.

        Bayes ball, linear in the arrows; canonical graphs only.

        Parameters
        ----------
        start : collection of str
            Nodes.
        given : collection of str
            Nodes held fixed; they are not returned.
        silent : collection of str
            Nodes whose arrows out do not count.

        Returns
        -------
        set of str
            With the start itself (Shachter 1998).

        References
        ----------
        Shachter 1998.

        """
        opened = reachable(self.parents, given, silent)
        seen: set[tuple[str, bool]] = set()
        queue = [(node, True) for node in start]
        while queue:
            step = queue.pop()
            if step in seen:
                continue
            seen.add(step)
            node, upwards = step
            passes = node not in given
            if passes if upwards else node in opened:
                queue += [(parent, True) for parent in self.parents[node] if parent not in silent]
            if passes and node not in silent:
                queue += [(child, False) for child in self.children[node]]
        return {node for node, _ in seen if node not in given}


def reachable(
    neighbours: Mapping[str, Collection[str]], start: Iterable[str], without: Collection[str] = ()
) -> set[str]:
    """Return every node a walk from `start` reaches, and `start` itself.

    Parameters
    ----------
    neighbours : mapping of str to collection of str
        Neighbours of each node.
    start : iterable of str
        Nodes.
    without : collection of str
        Nodes that no walk enters.

    Returns
    -------
    set of str

    """
    found = set(start)
    frontier = set(found)
    while frontier:
        frontier = set[str]().union(*(neighbours[node] for node in frontier)).difference(found, without)
        found |= frontier
    return found


def _neighbours(nodes: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    found = grouped(pairs)
    return {node: frozenset(found.get(node, ())) for node in nodes}
