"""How near nodes are to all others, and how important to important ones: closeness, eigenvector, hubs."""

from typing import Any, NamedTuple

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks._steps import step
from corpusgraph.tasks.graph.compiled import Doubles

TOLERANCE = 1e-10
"""Change of a score below which power iteration stops, summed over nodes and divided by their number."""
BATCH_CELLS = 2**19
"""Distances held at a time: some tenths of a second of work."""


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
    from scipy.sparse.csgraph import dijkstra

    n = adjacency.shape[0]
    reached, total, inverse = np.zeros(n), np.zeros(n), np.zeros(n)
    batch = max(1, BATCH_CELLS // max(1, n))
    for at in range(0, len(sources), batch):
        step("closeness", at, len(sources))
        some = sources[at : at + batch]
        steps = dijkstra(adjacency, directed=directed, indices=some, unweighted=True)
        there = np.isfinite(steps) & (steps > 0)
        reached += there.sum(axis=0)
        total += np.where(there, steps, 0.0).sum(axis=0)
        inverse += np.divide(1.0, steps, out=np.zeros_like(steps), where=there).sum(axis=0)
    scale = n / max(len(sources), 1)
    others = max(n - 1, 1)
    near = np.divide(reached**2 * scale, total * others, out=np.zeros(n), where=total > 0)
    return Nearness(np.minimum(near, 1.0), np.minimum(inverse * scale / others, 1.0))


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
