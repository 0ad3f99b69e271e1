"""All minimal separators of an undirected graph, one after the other."""

from collections import deque
from collections.abc import Collection, Iterator

from corpusgraph.tasks._steps import step
from corpusgraph.tasks.prepare.causal.dag import Adjacency, reachable

LEFT, RIGHT = "\0left", "\0right"


def minimal_separators(
    adjacency: Adjacency, left: Collection[str], right: Collection[str], forbidden: Collection[str] = ()
) -> Iterator[frozenset[str]]:
    """Yield every minimal set of nodes, none of them forbidden, that cuts left from right.

    Nothing is yielded when no such set exists; the empty set alone when there is nothing to cut.
    Walks from the separator nearest to `left` outwards (Shen & Liang 1997; Berry, Bordat & Cogis 2000):
    polynomial time between two results.
    """
    graph = _quotient(adjacency, left, right, set(forbidden) - set(left) - set(right))
    if RIGHT in graph[LEFT]:
        return
    bits = _Bits(graph)
    first = bits.nearest(bits.left, bits.near[bits.index[LEFT]])
    seen, queue = {first}, deque([first])
    while queue:
        if not len(seen) % 64:
            step("separating sets found", len(seen))
        cut = queue.popleft()
        yield bits.named(cut)
        side = bits.component(bits.left, bits.all & ~cut)
        around = bits.around(side)
        for node in bits.places(cut & ~bits.near[bits.index[RIGHT]]):
            further = bits.nearest(side | 1 << node, around | bits.near[node])
            if further not in seen:
                seen.add(further)
                queue.append(further)


class _Bits:
    """A graph whose sets of nodes are integers, a bit a node in order of name: a union is one operation."""

    def __init__(self, graph: Adjacency) -> None:
        self._names = sorted(graph)
        self.index = {name: at for at, name in enumerate(self._names)}
        self.near = [sum(1 << self.index[other] for other in graph[name]) for name in self._names]
        self.all = (1 << len(self._names)) - 1
        self.left, self._right = 1 << self.index[LEFT], 1 << self.index[RIGHT]

    def places(self, nodes: int) -> Iterator[int]:
        """Yield the place of each node, in order of name."""
        while nodes:
            low = nodes & -nodes
            yield low.bit_length() - 1
            nodes ^= low

    def named(self, nodes: int) -> frozenset[str]:
        """Return the names of nodes."""
        return frozenset(self._names[at] for at in self.places(nodes))

    def around(self, nodes: int) -> int:
        """Return all that a node of these is joined to."""
        found = 0
        for at in self.places(nodes):
            found |= self.near[at]
        return found

    def component(self, start: int, within: int) -> int:
        """Return the nodes that `start` leads to without leaving `within`; it ends once all are found."""
        found, frontier, left = start, start, within & ~start
        while frontier and left:
            frontier = self.around(frontier) & left
            found |= frontier
            left ^= frontier
        return found

    def nearest(self, side: int, around: int) -> int:
        """Return the minimal separator nearest to a connected set around LEFT, whose neighbours are given."""
        boundary = around & ~side
        far = self.component(self._right, self.all & ~(side | boundary))
        cut = 0
        for at in self.places(boundary):
            if self.near[at] & far:
                cut |= 1 << at
        return cut


def _quotient(
    adjacency: Adjacency, left: Collection[str], right: Collection[str], forbidden: set[str]
) -> Adjacency:
    """Contract left and right to one node each, and bypass the nodes that may not be chosen."""
    name = {node: node for node in adjacency} | dict.fromkeys(left, LEFT) | dict.fromkeys(right, RIGHT)
    graph: Adjacency = {name[node]: set() for node in adjacency if node not in forbidden}
    graph.setdefault(LEFT, set())
    graph.setdefault(RIGHT, set())
    for node in graph.keys() & adjacency.keys() | set(left) | set(right):
        for near in adjacency.get(node, set()) - forbidden:
            _join(graph, name[node], name[near])
    for boundary in _bypasses(adjacency, forbidden):
        ends = sorted({name[node] for node in boundary})
        for i, a in enumerate(ends):
            for b in ends[i + 1 :]:
                _join(graph, a, b)
    return graph


def _bypasses(adjacency: Adjacency, forbidden: set[str]) -> Iterator[set[str]]:
    """Yield, for each connected group of forbidden nodes, the nodes around it."""
    inside = {node: adjacency[node] & forbidden for node in adjacency if node in forbidden}
    left = set(inside)
    while left:
        group = reachable(inside, [min(left)])
        left -= group
        yield set().union(*(adjacency[node] for node in group)) - group


def _join(graph: Adjacency, a: str, b: str) -> None:
    if a != b:
        graph[a].add(b)
        graph[b].add(a)
