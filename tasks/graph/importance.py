"""How near nodes are to all others, and how important to important ones: closeness, eigenvector, hubs."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks._steps import step
from corpusgraph.tasks.graph.compiled import Doubles

TOLERANCE = 1e-10
"""Change of a score below which power iteration stops, summed over nodes and divided by their number."""
WORD = 64
AT_ONCE = 4 * WORD
"""Sources that are searched from together, a bit for each."""


class Nearness(NamedTuple):
    """Closeness and harmonic centrality of each node (n,)."""

    closeness: Doubles
    harmonic: Doubles


class Power(NamedTuple):
    """Scores (n,), and whether they stopped changing."""

    scores: Doubles
    converged: bool


def nearness(adjacency: Any, sources: Ints, *, directed: bool = False) -> Nearness:
    """Return how near each node is to the others, by steps along edges (n,), both between 0 and 1.

    Closeness (Freeman 1979) is r / total x r / (n - 1) for the r nodes that reach it, after Wasserman & Faust
    1994, so that a node of a small island is not near all; harmonic (Marchiori & Latora 2000) is the mean of
    1 / steps. Directed, steps lead to the node, as in networkx. Fewer `sources` than nodes give an estimate
    (Eppstein & Wang 2004) from the distances to those, scaled up.
    """
    n = adjacency.shape[0]
    reached, total, inverse = np.zeros(n), np.zeros(n), np.zeros(n)
    inward = adjacency.T.tocsr() if directed else adjacency
    for at in range(0, len(sources), AT_ONCE):
        step("closeness", at, len(sources))
        for steps, count in _rings(inward, sources[at : at + AT_ONCE]):
            reached += count
            total += steps * count
            inverse += count / steps
    scale = n / max(len(sources), 1)
    others = max(n - 1, 1)
    near = np.divide(reached**2 * scale, total * others, out=np.zeros(n), where=total > 0)
    return Nearness(np.minimum(near, 1.0), np.minimum(inverse * scale / others, 1.0))


def _rings(inward: Any, sources: Ints) -> Iterator[tuple[int, Doubles]]:
    """Yield 1, 2, … steps, and from how many sources each node is so far away (n,).

    A breadth-first search from all sources at once, a bit for each (Then et al. 2014, MS-BFS). Row `i` of
    `inward` lists the nodes from which a step leads to node i.
    """
    n, whose = inward.shape[0], np.arange(len(sources))
    front = np.zeros((n, -(-len(sources) // WORD)), dtype=np.uint64)
    bits = np.uint64(1) << (whose % WORD).astype(np.uint64)
    np.bitwise_or.at(front, (sources, whose // WORD), bits)
    unseen = ~front
    rows = np.flatnonzero(np.diff(inward.indptr))
    begins = inward.indptr[rows]
    steps = 0
    while len(rows) and front.any():
        step("closeness: steps", steps)
        steps += 1
        heard = np.bitwise_or.reduceat(front[inward.indices], begins, axis=0)
        front = np.zeros_like(front)
        front[rows] = heard & unseen[rows]
        unseen &= ~front
        yield steps, np.bitwise_count(front).sum(axis=1).astype(np.float64)


def eigenvector(adjacency: Any, max_iterations: int = 1000) -> Power:
    """Return the leading eigenvector (n,) of length 1 (Bonacich 1972): who counts is told by who points.

    Power iteration on A + I, whose leading eigenvector is the same and which also settles on a graph of two
    sides. It need not converge: where edges make no circle there is no such vector.
    """
    n = adjacency.shape[0]
    if not n:
        return Power(np.zeros(0), True)
    inward = adjacency.T.tocsr()
    scores = np.full(n, 1.0 / n)
    for done in range(max_iterations):
        step("eigenvector", done)
        moved = scores + inward @ scores
        moved = moved / np.sqrt((moved * moved).sum())
        change = np.abs(moved - scores).sum()
        scores = moved
        if change < n * TOLERANCE:
            return Power(scores, adjacency.nnz > 0)
    return Power(scores, False)


def hits(adjacency: Any, max_iterations: int = 1000) -> tuple[Power, Power]:
    """Return hubs and authorities (n,), each summing to 1 (Kleinberg 1999): hubs point to authorities."""
    n = adjacency.shape[0]
    inward = adjacency.T.tocsr()
    hubs, authorities = np.full(n, 1.0 / max(n, 1)), np.zeros(n)
    converged = False
    for done in range(max_iterations):
        step("hubs and authorities", done)
        authorities = _shared(inward @ hubs)
        moved = _shared(adjacency @ authorities)
        change = float(np.abs(moved - hubs).sum())
        hubs = moved
        if change < max(n, 1) * TOLERANCE:
            converged = True
            break
    return Power(hubs, converged), Power(authorities, converged)


def _shared(scores: Doubles) -> Doubles:
    total = scores.sum()
    shares: Doubles = scores / total if total else scores
    return shares
