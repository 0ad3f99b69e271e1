"""How many edges away nodes are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.runs import distinct, spread

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from corpusgraph.tasks.graph.arrays import CompiledGraph

UNREACHED = -1


def hops(adjacency: "csr_array", starts: Sequence[int], max_hops: int) -> Ints:
    """Return for each node the least number of edges from a start (n,), or -1 beyond `max_hops`."""
    distance, frontier = _begun(adjacency.shape[0], starts)
    start = adjacency.indptr.astype(np.int64)
    for hop in range(1, max_hops + 1):
        places, _ = spread(start, frontier)
        frontier = _reached(distance, adjacency.indices[places].astype(np.int64), hop)
    return distance


def hops_over(
    arrays: "CompiledGraph", starts: Sequence[int], max_hops: int, keep: NDArray[np.bool_] | None = None
) -> Ints:
    """Return the same for a walk along stated edges, either way; only those of `keep` (m,), where given."""
    distance, frontier = _begun(len(arrays.ids), starts)
    for hop in range(1, max_hops + 1):
        edges = edges_around(arrays, frontier)
        edges = edges if keep is None else edges[keep[edges]]
        frontier = _reached(distance, np.concatenate([arrays.source[edges], arrays.target[edges]]), hop)
    return distance


def _begun(n: int, starts: Sequence[int]) -> tuple[Ints, Ints]:
    distance = np.full(n, UNREACHED, dtype=np.int64)
    frontier = distinct(np.asarray(starts, dtype=np.int64))
    distance[frontier] = 0
    return distance, frontier


def _reached(distance: Ints, nodes: Ints, hop: int) -> Ints:
    """Note the distance of nodes that were not reached before, and return them in order."""
    distance[nodes[distance[nodes] == UNREACHED]] = hop
    return np.flatnonzero(distance == hop)


def edges_around(arrays: "CompiledGraph", nodes: Ints) -> Ints:
    """Return the places of the stated edges at some nodes, each once and in order."""
    if 4 * int(arrays.degrees[nodes].sum()) < len(arrays.source):
        return distinct(arrays.edges_at(nodes)[0])
    inside = np.zeros(len(arrays.ids), dtype=bool)
    inside[nodes] = True
    return np.flatnonzero((inside[arrays.source] | inside[arrays.target]) & arrays.is_stated)
