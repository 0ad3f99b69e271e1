"""How nodes of a network lie in it; every function returns an array (n,), empty for no nodes."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.dataset.measures.links import Network
from corpusgraph.tasks.graph.centrality import betweenness as paths_through
from corpusgraph.tasks.graph.centrality import pagerank as rank
from corpusgraph.tasks.graph.centrality import sampled

Doubles = NDArray[np.float64]

EXACT = 5000
"""In a component with more nodes, what looks at all shortest paths is estimated from PIVOTS of them."""
PIVOTS = 500
BATCH_CELLS = 2**22
"""Nodes times sources that a breadth-first search looks at together."""
DENSE = 400
"""Up to so many nodes all eigenvectors are found at once."""
_DIGITS = 8
"""Decimals of an eigenvector that every processor gives, where eigenvalues are not very close."""
PAGERANK_STEPS = 1000


def degrees(network: Network) -> Ints:
    """Count different neighbours, whichever way edges point."""
    return np.asarray(np.diff(network.joined.indptr), dtype=np.int64)


def out_degrees(network: Network) -> Ints:
    """Count different nodes that edges lead to."""
    return np.asarray(np.diff(network.directed.indptr), dtype=np.int64)


def in_degrees(network: Network) -> Ints:
    """Count different nodes that edges come from."""
    return np.bincount(network.directed.indices, minlength=len(network.ids)).astype(np.int64)


def out_strengths(network: Network) -> Doubles:
    """Sum the weights of edges that leave (Barrat et al. 2004)."""
    return np.asarray(network.directed.sum(axis=1), dtype=np.float64).reshape(-1)


def in_strengths(network: Network) -> Doubles:
    """Sum the weights of edges that arrive (Barrat et al. 2004)."""
    return np.asarray(network.directed.sum(axis=0), dtype=np.float64).reshape(-1)


def strengths(network: Network) -> Doubles:
    """Sum the weights of all edges (Barrat et al. 2004)."""
    return in_strengths(network) + out_strengths(network)


def pageranks(network: Network) -> Doubles:
    """Return PageRank (Page et al. 1999); edges directed and weighted, damping 0.85; sums to 1."""
    if not network.ids:
        return np.zeros(0)
    return np.asarray(rank(network.directed, damping=0.85, max_iterations=PAGERANK_STEPS).scores)


def sources_in(size: int) -> Ints:
    """Return the nodes of a component that searches start from: all, or a fixed choice of PIVOTS."""
    return np.arange(size) if size <= EXACT else sampled(size, PIVOTS)


def estimated(network: Network) -> bool:
    """Tell whether a component is too large for all of its shortest paths."""
    return any(len(part) > EXACT for part in network.parts)


def betweennesses(network: Network) -> Doubles:
    """Return betweenness (Freeman 1977) divided by the pairs of other nodes, by Brandes (2001)."""
    n = len(network.ids)
    found = np.zeros(n)
    for part in network.parts:
        if len(part) > 2:  # no path leaves a component
            found[part] = paths_through(_within(network.joined, part), sources_in(len(part)))
    return found / max((n - 1) * (n - 2) / 2, 1)


def closenesses(network: Network) -> Doubles:
    """Return closeness (Freeman 1979) as Wasserman & Faust (1994) have it for what is not connected.

    (r - 1) / (sum of distances), times (r - 1) / (n - 1): r nodes are in the component; 0 where alone. From
    pivots the mean distance to them stands for that to all others (Eppstein & Wang 2004).
    """
    n = len(network.ids)
    found = np.zeros(n)
    for part in network.parts:
        size = len(part)
        if size == 2:  # most parts of a large graph are as small as that
            found[part] = 1 / (n - 1)
        elif size > 2:
            sources = sources_in(size)
            total = np.zeros(size)
            for depths in steps_from(_within(network.joined, part), sources):
                total += depths.sum(axis=1)
            others = np.full(size, float(len(sources)))
            others[sources] -= 1
            found[part] = others / total * (size - 1) / (n - 1)
    return found


def steps_from(joined: Any, sources: Ints) -> Iterator[Any]:
    """Yield the steps from some nodes to all, in arrays (n, batch); -1 where no path leads."""
    batch = max(1, min(256, BATCH_CELLS // max(1, joined.shape[0])))
    for at in range(0, len(sources), batch):
        yield _breadth_first(joined, sources[at : at + batch])


def _breadth_first(joined: Any, sources: Ints) -> Any:
    reached = np.zeros((joined.shape[0], len(sources)), dtype=np.float32)
    reached[sources, np.arange(len(sources))] = 1
    depth = np.where(reached > 0, 0, -1).astype(np.int32)
    matrix, level = joined.astype(np.float32), 0
    while reached.any():
        level += 1
        reached = np.where((depth < 0) & (matrix @ reached > 0), np.float32(1), np.float32(0))
        depth[reached > 0] = level
    return depth


def eigenvectors(network: Network) -> Doubles:
    """Return eigenvector centrality (Bonacich 1972) within each component, its largest 1; NaN where alone.

    Edges are undirected and weighted. On a connected graph the vector is unique (Perron-Frobenius).
    """
    found = np.full(len(network.ids), np.nan)
    for part in network.parts:
        if len(part) == 2:
            found[part] = 1.0
        elif len(part) > 2:
            vector = np.abs(_principal(_within(network.weighted, part)))
            found[part] = np.round(vector / vector.max(), _DIGITS)
    return found


def _principal(matrix: Any) -> Any:
    """Return the eigenvector of the largest eigenvalue of a symmetric matrix."""
    from scipy.sparse.linalg import eigsh

    n = matrix.shape[0]
    scaled = matrix / matrix.data.max()  # weights of any size meet the same tolerance
    if n <= DENSE:
        return np.linalg.eigh(scaled.toarray())[1][:, -1]
    return eigsh(scaled, k=1, which="LA", v0=np.ones(n), ncv=min(n, 60), maxiter=100 * n)[1][:, 0]


def cores(network: Network) -> Ints:
    """Return the core number (Seidman 1983): the largest k of a k-core with the node."""
    import networkx as nx

    graph = nx.from_scipy_sparse_array(network.joined)
    found = nx.core_number(graph) if len(graph) else {}
    return np.array([found[at] for at in range(len(network.ids))], dtype=np.int64)


def triangles(network: Network) -> Ints:
    """Count the triangles of each node, over edges towards higher degree (Schank & Wagner 2005)."""
    near, degree = network.neighbours, degrees(network)
    above = [frozenset(b for b in ends if (degree[b], b) > (degree[a], a)) for a, ends in enumerate(near)]
    found = np.zeros(len(near), dtype=np.int64)
    for a, ends in enumerate(above):
        for b in ends:
            third = ends & above[b]
            found[a] += len(third)
            found[b] += len(third)
            for c in third:
                found[c] += 1
    return found


def clusterings(network: Network) -> Doubles:
    """Return the local clustering coefficient (Watts & Strogatz 1998); 0 for fewer than two neighbours."""
    degree = degrees(network)
    pairs = degree * (degree - 1) / 2
    return np.divide(triangles(network), pairs, out=np.zeros(len(degree)), where=pairs > 0)


def _within(matrix: Any, part: Ints) -> Any:
    """Return the rows and columns of one component."""
    return matrix if len(part) == matrix.shape[0] else matrix[part][:, part]
