"""Independencies from which all others of a causal graph follow."""

from collections import deque
from collections.abc import Iterator

from corpusgraph.tasks.prepare.causal.dag import CausalGraph, reachable

Statement = tuple[str, tuple[str, ...], tuple[str, ...]]
"""A variable, the variables it is independent of together, and what is held fixed."""


def basis(graph: CausalGraph) -> Iterator[Statement]:
    """Yield the ordered local Markov property of the latent projection (Richardson 2003).

    In a topological order, each variable given its Markov blanket in each ancestral set of those before
    it; without latent causes, each given its parents. Polynomial time between two (Jeong et al. 2024).
    """
    observed = graph.projected()
    before: set[str] = set()
    for node in observed.order():
        before.add(node)
        for group in _groups(observed, node, before):
            yield from _statement(observed, node, before, group)


def _groups(graph: CausalGraph, node: str, before: set[str]) -> Iterator[frozenset[str]]:
    """Yield each confounded group the node has in some ancestral set of those before it."""
    fixed = graph.ancestors([node])
    first = _group(graph, node, before)
    seen, queue = {first}, deque([(first, frozenset(before))])
    while queue:
        group, inside = queue.popleft()
        yield group
        for gone in sorted(group - fixed):
            smaller = inside - graph.descendants([gone])
            narrower = _group(graph, node, smaller)
            if narrower not in seen:
                seen.add(narrower)
                queue.append((narrower, smaller))


def _group(graph: CausalGraph, node: str, inside: set[str] | frozenset[str]) -> frozenset[str]:
    return frozenset(reachable({one: graph.spouses[one] & inside for one in inside}, [node]))


def _statement(graph: CausalGraph, node: str, before: set[str], group: frozenset[str]) -> Iterator[Statement]:
    """Yield what the node is independent of in the largest ancestral set where this is its group."""
    neighbours = frozenset().union(*(graph.spouses[one] for one in group)) - group
    largest = before - graph.descendants(neighbours & before)
    blanket = group.union(*(graph.parents[one] for one in group)) - {node}
    others = largest - blanket - {node}
    if others:
        yield node, _ordered(graph, others), _ordered(graph, blanket)


def _ordered(graph: CausalGraph, some: set[str] | frozenset[str]) -> tuple[str, ...]:
    return tuple(node for node in graph.nodes if node in some)
