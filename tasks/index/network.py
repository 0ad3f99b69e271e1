"""A weighted graph to find communities in, as arrays: laid out, cut to a part, and with nodes merged."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.graph.arrays import Doubles
from corpusgraph.tasks.graph.runs import firsts, in_order, spread, starts

Edges = Mapping[tuple[str, str], float]
"""Weight between two nodes, each pair once."""


@dataclass(frozen=True)
class Network:
    """Nodes 0 to n-1, and what lies between two of them: each edge both ways round, sorted by `rows`.

    `rows`, `columns`: the two nodes, never the same; `weight`: above 0; `strength` of a node: the weight of
    all its edges, also of those inside it since nodes were merged; `total`: twice the weight of all edges.
    The edges of one node stay in the order in which they were given: nodes are looked at again in that order.
    Sums are taken from first to last, so that the same graph gives the same to the last bit.
    """

    rows: Ints
    columns: Ints
    weight: Doubles
    strength: Doubles
    total: float
    resolution: float

    @cached_property
    def starts(self) -> list[int]:
        """Where the edges of each node begin, and after the last node where they end."""
        found: list[int] = starts(self.rows, len(self.strength)).tolist()
        return found

    @cached_property
    def near(self) -> list[int]:
        """`columns` as a list: a loop reads it several times as fast."""
        found: list[int] = self.columns.tolist()
        return found

    @cached_property
    def weights(self) -> list[float]:
        """`weight` as a list."""
        found: list[float] = self.weight.tolist()
        return found

    @cached_property
    def strengths(self) -> list[float]:
        """`strength` as a list."""
        found: list[float] = self.strength.tolist()
        return found

    def expected(self, others: Doubles) -> Doubles:
        """Return the weight expected by chance between each node and nodes of so much strength."""
        return self.resolution * self.strength * others / self.total


def laid(edges: Edges, names: Sequence[str], resolution: float) -> Network:
    """Lay out a graph of nodes of these names; an edge of a node with itself is left out."""
    number = {name: at for at, name in enumerate(names)}
    ends = [number[end] for both in counted(edges, "communities: edges laid") for end in both]
    rows = np.array(ends, dtype=np.int64)
    columns = rows.reshape(-1, 2)[:, ::-1].ravel()
    weight = np.repeat(np.fromiter(edges.values(), dtype=np.float64, count=len(edges)), 2)
    order = in_order(rows, len(names))
    order = order[rows[order] != columns[order]]
    return _weighed(rows[order], columns[order], weight[order], len(names), resolution)


def part_of(network: Network, nodes: Ints) -> Network:
    """Return what lies between these nodes (ascending), which become 0 to n-1, as a graph of its own."""
    number = np.full(len(network.strength), -1, dtype=np.int64)
    number[nodes] = np.arange(len(nodes))
    edges, rows = spread(np.array(network.starts), nodes)
    columns = number[network.columns[edges]]
    inside = columns >= 0
    weight = network.weight[edges[inside]]
    return _weighed(rows[inside], columns[inside], weight, len(nodes), network.resolution)


def merged(network: Network, into: Ints) -> Network:
    """Make one node of all that have one number in `into` (0 to n-1); edges are summed."""
    count = int(into.max()) + 1
    rows, columns = into[network.rows], into[network.columns]
    outside = np.flatnonzero(rows != columns)
    key = rows[outside] * count + columns[outside]
    order = in_order(key, count * count)
    first = firsts(key[order])
    group = np.empty(len(key), dtype=np.int64)
    group[order] = np.cumsum(first) - 1
    weight = _summed(group, network.weight[outside], 0)
    # an edge stands where the first of those it is the sum of stood
    leading = order[first]
    placed = in_order(rows[outside[leading]] * len(key) + leading, count * len(key))
    ends = outside[leading[placed]]
    strength = _summed(into, network.strength, count)
    return Network(rows[ends], columns[ends], weight[placed], strength, network.total, network.resolution)


def _weighed(rows: Ints, columns: Ints, weight: Doubles, count: int, resolution: float) -> Network:
    strength = _summed(rows, weight, count)
    total = float(np.cumsum(strength)[-1]) if count else 0.0
    return Network(rows, columns, weight, strength, total or 1.0, resolution)


def _summed(at: Ints, values: Doubles, count: int) -> Doubles:
    """Sum values by their numbers, from first to last; at least so many sums."""
    return np.bincount(at, values, minlength=count).astype(np.float64, copy=False)
