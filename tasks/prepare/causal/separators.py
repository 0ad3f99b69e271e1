"""All minimal separators of an undirected graph, one after the other."""

from collections import deque
from collections.abc import Collection, Iterator

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
    first = _nearest(graph, {LEFT})
    seen, queue = {first}, deque([first])
    while queue:
        cut = queue.popleft()
        yield cut
        side = _side(graph, LEFT, cut)
        for node in sorted(cut - graph[RIGHT]):
            further = _nearest(graph, side | {node})
            if further not in seen:
                seen.add(further)
                queue.append(further)


def _nearest(graph: Adjacency, side: set[str]) -> frozenset[str]:
    """Return the minimal separator nearest to a connected set around LEFT."""
    boundary = set().union(*(graph[node] for node in side)) - side
    far = _side(graph, RIGHT, boundary | side)
    return frozenset(set().union(*(graph[node] for node in far)) - far)


def _side(graph: Adjacency, start: str, removed: Collection[str]) -> set[str]:
    """Return the component of `start` after removing nodes."""
    gone = set(removed)
    found, queue = {start}, deque([start])
    while queue:
        for node in graph[queue.popleft()] - gone - found:
            found.add(node)
            queue.append(node)
    return found


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
