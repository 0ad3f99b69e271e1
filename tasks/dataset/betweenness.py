"""Betweenness centrality by sparse matrix products, many sources at a time."""

from typing import Any

import numpy as np

from corpusgraph.schemas.ports import Ints

BATCH = 256
"""Sources worked on at a time: memory is three doubles a node and source."""


def betweenness(adjacency: Any, sources: Ints) -> Any:
    """Return for each node the number of shortest paths through it, ends apart (Brandes 2001).

    `adjacency` is a symmetric sparse matrix of 0 and 1, shape (n, n). Sources fewer than the nodes give an
    estimate, scaled up (Brandes & Pich 2007). Each pair counts once. Shape (n,).
    """
    n = adjacency.shape[0]
    total = np.zeros(n)
    for at in range(0, len(sources), BATCH):
        total += _dependencies(adjacency, sources[at : at + BATCH])
    return total * (n / max(len(sources), 1)) / 2


def _dependencies(adjacency: Any, sources: Ints) -> Any:
    """Sum over the sources: breadth first forward, counting paths, then their shares backward."""
    start = (sources, np.arange(len(sources)))
    paths = np.zeros((adjacency.shape[0], len(sources)))
    paths[start] = 1.0
    depth = np.where(paths > 0, 0, -1)
    reached, level = paths, 0
    while True:
        reached = np.where(depth < 0, adjacency @ reached, 0.0)
        if not reached.any():
            break
        level += 1
        depth[reached > 0] = level
        paths = paths + reached
    shares = np.zeros_like(paths)
    for k in range(level, 0, -1):
        there = depth == k
        passed = np.divide(1.0 + shares, paths, out=np.zeros_like(paths), where=there)
        shares += np.where(depth == k - 1, adjacency @ passed, 0.0) * paths
    shares[start] = 0.0
    return shares.sum(axis=1)
