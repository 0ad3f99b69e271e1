"""How many edges away nodes are."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from corpusgraph.schemas.ports import Ints

if TYPE_CHECKING:
    from scipy.sparse import csr_array

UNREACHED = -1


def hops(adjacency: "csr_array", starts: Sequence[int], max_hops: int) -> Ints:
    """Return for each node the least number of edges from a start (n,), or -1 beyond `max_hops`."""
    distance = np.full(adjacency.shape[0], UNREACHED, dtype=np.int64)
    frontier = np.unique(np.asarray(starts, dtype=np.int64))
    distance[frontier] = 0
    for hop in range(1, max_hops + 1):
        steps = [adjacency.indices[adjacency.indptr[i] : adjacency.indptr[i + 1]] for i in frontier]
        reached = np.unique(np.concatenate(steps)) if steps else frontier
        frontier = reached[distance[reached] == UNREACHED]
        distance[frontier] = hop
    return distance
