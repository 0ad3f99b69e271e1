"""Lengths of shortest paths between many pairs, where heavy edges are short."""

from collections.abc import Sequence
from math import isinf

import numpy as np

from corpusgraph.tasks.dataset.measures.links import Network

BATCH = 64
"""Sources searched together."""
_MARGIN = 1 + 1e-9
"""Sums of lengths differ in their last digit by the order of their terms."""

Pair = tuple[int, int]


def shortest_lengths(network: Network, pairs: Sequence[Pair]) -> list[float | None]:
    """Return for each pair the length of the shortest path, an edge being 1 / weight long (Newman 2001).

    None where no path leads. A path of one or two edges that no longer one can beat is taken at once; the
    others are searched for (Dijkstra 1959), no farther than the best path known.
    """
    near = _lengths(network)
    least = [min(ends.values(), default=np.inf) for ends in near]
    shortest = min(least, default=np.inf)
    values: list[float | None] = []
    open_: dict[int, list[int]] = {}
    for at, (a, b) in enumerate(pairs):
        best = _near(near[a], near[b], b) if a != b else 0.0
        values.append(None if isinf(best) else best)
        longer = least[a] + least[b] + shortest  # a path of three edges or more is at least so long
        if best > longer and network.part[a] == network.part[b]:
            open_.setdefault(a, []).append(at)
    _search(network, pairs, open_, values)
    return values


def _lengths(network: Network) -> list[dict[int, float]]:
    """Return for each node its neighbours and how far they are."""
    matrix = network.weighted
    ends = np.split(matrix.indices, matrix.indptr[1:-1]) if network.ids else []
    lengths = np.split(1 / matrix.data, matrix.indptr[1:-1]) if network.ids else []
    return [dict(zip(to.tolist(), far.tolist(), strict=True)) for to, far in zip(ends, lengths, strict=True)]


def _near(a: dict[int, float], b: dict[int, float], end: int) -> float:
    """Return the length of the best path of one or two edges; infinite where there is none."""
    few, many = (a, b) if len(a) < len(b) else (b, a)
    over = min((far + many[node] for node, far in few.items() if node in many), default=np.inf)
    return min(a.get(end, np.inf), over)


def _search(
    network: Network, pairs: Sequence[Pair], open_: dict[int, list[int]], values: list[float | None]
) -> None:
    from scipy.sparse import csgraph

    far = network.weighted.copy()
    far.data = 1 / far.data
    limits = {a: max(_limit(values[at]) for at in rows) for a, rows in open_.items()}
    order = sorted(open_, key=lambda a: (limits[a], a))  # sources with like limits go together
    for start in range(0, len(order), BATCH):
        sources = order[start : start + BATCH]
        found = csgraph.dijkstra(far, indices=sources, limit=limits[sources[-1]] * _MARGIN)
        for row, a in enumerate(sources):
            for at in open_[a]:
                length = float(found[row, pairs[at][1]])
                values[at] = None if isinf(length) else length


def _limit(best: float | None) -> float:
    return np.inf if best is None else best
