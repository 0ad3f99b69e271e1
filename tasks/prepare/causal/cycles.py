"""Cycles of a causal graph: every elementary one, up to a limit."""

from collections.abc import Collection, Sequence
from itertools import islice
from typing import Any

Walk = tuple[str, ...]

MAX_CYCLES = 200
"""Cycles listed at most."""


def cycles(
    nodes: Sequence[str], arrows: Collection[tuple[str, str]], limit: int = MAX_CYCLES
) -> tuple[list[Walk], bool]:
    """Return elementary cycles, shortest first, first node repeated last; and whether these are all.

    Johnson 1975, by networkx. Where there are more than `limit`, a shortest cycle of each group of nodes
    that reach each other is among those listed.
    """
    import networkx as nx

    place = {node: i for i, node in enumerate(nodes)}
    graph = nx.DiGraph()
    graph.add_nodes_from(range(len(nodes)))
    graph.add_edges_from(sorted((place[a], place[b]) for a, b in arrows))
    found = {_turned(walk) for walk in islice(nx.simple_cycles(graph), limit + 1)}
    complete = len(found) <= limit
    if not complete:
        first = {_turned(walk) for walk in _shortest(graph)}
        rest = sorted(found - first, key=_rank)[: max(0, limit - len(first))]
        found = first | set(rest)
    listed = sorted(found, key=_rank)
    return [tuple(nodes[i] for i in (*walk, walk[0])) for walk in listed], complete


def _rank(walk: Sequence[int]) -> tuple[int, Sequence[int]]:
    return len(walk), walk


def _turned(walk: Sequence[int]) -> tuple[int, ...]:
    """Start a cycle at its first node, so that one cycle is written one way."""
    at = walk.index(min(walk))
    return (*walk[at:], *walk[:at])


def _shortest(graph: Any) -> list[list[int]]:
    """Return a shortest cycle of each strongly connected component that has one."""
    import networkx as nx

    found = []
    for group in nx.strongly_connected_components(graph):
        part = graph.subgraph(sorted(group))
        walks = [walk for node in sorted(group) if (walk := _loop(part, node))]
        found += [min(walks, key=_rank)] if walks else []
    return found


def _loop(graph: Any, start: int) -> list[int] | None:
    """Return a shortest walk from a node back to itself, without its last step."""
    before: dict[int, int] = {}
    queue = [start]
    for node in queue:
        for child in sorted(graph.successors(node)):
            if child == start:
                walk = [node]
                while walk[-1] != start:
                    walk.append(before[walk[-1]])
                return walk[::-1]
            if child not in before:
                before[child] = node
                queue.append(child)
    return None
