"""How central nodes are, and which hang together."""

from typing import Any

import numpy as np

from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.tasks._steps import step
from corpusgraph.tasks.graph.compiled import CompiledGraph, Doubles, compiled
from corpusgraph.tasks.graph.memo import per_graph
from corpusgraph.tasks.graph.ppr import DAMPING, Walk, personalised_pagerank

BATCH_CELLS = 2**17
"""Nodes times sources worked on at a time: as many as a processor's cache holds, which is thrice as quick."""
SEED = 0
"""Of the choice of sources of an estimate."""


def pagerank(adjacency: Any, *, damping: float = DAMPING, max_iterations: int = 100) -> Walk:
    """Return PageRank (Page et al. 1999) over a weighted adjacency matrix (n, n): scores (n,) sum to 1."""
    n = adjacency.shape[0]
    return personalised_pagerank(adjacency, np.full(n, 1.0), damping=damping, max_iterations=max_iterations)


def degree_centrality(arrays: CompiledGraph) -> Doubles:
    """Return the stated relationships of each node divided by n - 1 (Freeman 1979); a loop counts once."""
    return arrays.degrees / max(1, len(arrays.ids) - 1)


def betweenness(adjacency: Any, sources: Ints, *, directed: bool = False) -> Any:
    """Return for each node the number of shortest paths through it, ends apart (Brandes 2001).

    `adjacency` is a sparse matrix of 0 and 1, shape (n, n), without a diagonal and, unless directed,
    symmetric. Sources fewer than the nodes give an estimate, scaled up (Brandes & Pich 2007). Each pair
    counts once. Shape (n,).
    """
    n = adjacency.shape[0]
    total = np.zeros(n)
    forward = adjacency.T.tocsr() if directed else adjacency
    batch = max(1, min(256, BATCH_CELLS // max(1, n)))
    for at in range(0, len(sources), batch):
        step("betweenness", at, len(sources))
        total += _dependencies(forward, adjacency, sources[at : at + batch])
    return total * (n / max(len(sources), 1)) / (1 if directed else 2)


def sampled(n: int, n_sources: int) -> Ints:
    """Return sources for an estimate, in order: all nodes where there are no more, else a fixed choice."""
    if n_sources >= n:
        return np.arange(n)
    return np.sort(np.random.default_rng(SEED).choice(n, n_sources, replace=False))


def _dependencies(forward: Any, backward: Any, sources: Ints) -> Any:
    """Sum over the sources: breadth first forward, counting paths, then their shares backward."""
    start = (sources, np.arange(len(sources)))
    paths = np.zeros((forward.shape[0], len(sources)))
    paths[start] = 1.0
    depth = np.where(paths > 0, 0, -1)
    reached, level = paths, 0
    while True:
        reached = np.where(depth < 0, forward @ reached, 0.0)
        if not reached.any():
            break
        level += 1
        depth[reached > 0] = level
        paths = paths + reached
    shares = np.zeros_like(paths)
    for k in range(level, 0, -1):
        there = depth == k
        passed = np.divide(1.0 + shares, paths, out=np.zeros_like(paths), where=there)
        shares += np.where(depth == k - 1, backward @ passed, 0.0) * paths
    shares[start] = 0.0
    return shares.sum(axis=1)


def components(arrays: CompiledGraph) -> Ints:
    """Return the number of each node's connected component (n,), whichever way stated edges point.

    Components are numbered from 0 in order of their first node.
    """
    from scipy.sparse import coo_array, csgraph

    n = len(arrays.ids)
    source, target = arrays.source[arrays.is_stated], arrays.target[arrays.is_stated]
    matrix = coo_array((np.ones(len(source), dtype=np.int8), (source, target)), shape=(n, n)).tocsr()
    _, label = csgraph.connected_components(matrix, directed=False)
    _, first, which = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[which].astype(np.int64)


@per_graph
def components_of(graph: GraphView) -> Ints:
    """Return the components of a graph, remembered for as long as it lives."""
    return components(compiled(graph))
