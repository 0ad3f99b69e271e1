"""What the compiled graph is made of."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, overload, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.lists import Ids, Lists, Places
from corpusgraph.tasks.graph.runs import in_order, spread, starts

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Doubles = NDArray[np.float64]

FILTERED = 8
"""Adjacency matrices of some types kept with a graph: those made last."""


@dataclass(frozen=True, eq=False)
class CompiledGraph:
    """Edge `i` runs from node `source[i]` to node `target[i]`; nodes and edges are in id order.

    `type_names[type_code[i]]` is its type. `by_node` lists the edges of each node, where that is known.
    `denied` are the places of the edges that texts only deny, in order: they are in the arrays so that they
    can be shown and changed, and in no adjacency, degree or list of edges to walk.
    """

    ids: Ids
    source: Ints
    target: Ints
    weight: Doubles
    type_code: Ints
    type_names: tuple[str, ...]
    by_node: tuple[Ints, Ints] | None = None
    denied: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    _filtered: "dict[tuple[bool, tuple[str, ...]], csr_array]" = field(default_factory=dict)

    @cached_property
    def at(self) -> Mapping[str, int]:
        """Return entity id -> node."""
        return Places(self.ids)

    @cached_property
    def types(self) -> Sequence[str]:
        """Return the type of each edge."""
        return _Coded(self.type_code, self.type_names)

    def adjacency(self, *, directed: bool, types: Collection[str] | None = None) -> "csr_array":
        """Return the weighted adjacency matrix of what is stated; parallel edges add up.

        Undirected, an edge counts both ways and a self-loop once, as in networkx.
        """
        if types is None:
            return self._directed if directed else self._undirected
        key = directed, tuple(name for name in self.type_names if name in types)
        if key not in self._filtered:
            while len(self._filtered) >= FILTERED:
                del self._filtered[next(iter(self._filtered))]
            self._filtered[key] = self._adjacency(self.is_stated & self.of_types(types), directed=directed)
        return self._filtered[key]

    @cached_property
    def is_stated(self) -> NDArray[np.bool_]:
        """Tell for each edge whether any text states it (m,)."""
        stated = np.ones(len(self.source), dtype=bool)
        stated[self.denied] = False
        return stated

    def of_types(self, types: Collection[str]) -> NDArray[np.bool_]:
        """Tell for each edge whether it has one of the types."""
        wanted = np.array([name in types for name in self.type_names], dtype=bool)
        return wanted[self.type_code] if len(wanted) else np.zeros(len(self.source), dtype=bool)

    @cached_property
    def degrees(self) -> Ints:
        """Count the stated relationships of each node (n,); a self-loop counts once."""
        return np.diff(self._stated_by_node[0])

    @cached_property
    def busy(self) -> Ints:
        """Return the sum of the degrees of each edge's ends (m,)."""
        return self.degrees[self.source] + self.degrees[self.target]

    def edges_of(self, node: int, *, denied: bool = False) -> Ints:
        """Return the places of the stated edges at a node, in id order; a self-loop once.

        With `denied` also those that texts only deny.
        """
        start, edges = self._edges_by_node if denied else self._stated_by_node
        found: Ints = edges[start[node] : start[node + 1]]
        return found

    def edges_at(self, nodes: Ints, *, denied: bool = False) -> tuple[Ints, Ints]:
        """Return the places of the stated edges at some nodes, node by node, and for each which of the nodes.

        With `denied` also those that texts only deny.
        """
        start, edges = self._edges_by_node if denied else self._stated_by_node
        places, whose = spread(start, np.asarray(nodes, dtype=np.int64))
        return edges[places], whose

    @property
    def edge_lists(self) -> tuple[Ints, Ints]:
        """Return where each node's edges start (n + 1,), and the places of all edges, node by node."""
        return self._edges_by_node

    @cached_property
    def _edges_by_node(self) -> tuple[Ints, Ints]:
        """Return where each node's edges start (n + 1,), and the edges, node by node."""
        return self.by_node or edges_by_node(len(self.ids), self.source, self.target)

    @cached_property
    def _stated_by_node(self) -> tuple[Ints, Ints]:
        """Return the same without the edges that texts only deny."""
        start, edges = self._edges_by_node
        if not len(self.denied):
            return start, edges
        keep = self.is_stated[edges]
        return np.concatenate([[0], np.cumsum(keep)]).astype(np.int64)[start], edges[keep]

    @cached_property
    def _directed(self) -> "csr_array":
        return self._adjacency(self.is_stated, directed=True)

    @cached_property
    def _undirected(self) -> "csr_array":
        return self._adjacency(self.is_stated, directed=False)

    def _adjacency(self, keep: NDArray[np.bool_], *, directed: bool) -> "csr_array":
        ends = (self.source, self.target, self.weight)
        if not keep.all():
            ends = (self.source[keep], self.target[keep], self.weight[keep])
        return adjacency(len(self.ids), *ends, directed=directed)


class _Coded(Sequence[str]):
    """Names by their codes."""

    def __init__(self, codes: Ints, names: tuple[str, ...]) -> None:
        self._codes, self._names = codes, names

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return _Coded(self._codes[at], self._names)
        return self._names[int(self._codes[at])]


def edges_by_node(n: int, source: Ints, target: Ints) -> tuple[Ints, Ints]:
    """Return where each node's edges start (n + 1,), and the edges, node by node, a self-loop once."""
    other = np.flatnonzero(source != target)
    node = np.concatenate([source, target[other]])
    edge = np.concatenate([np.arange(len(source)), other])
    order = in_order(node * len(source) + edge, n * len(source))
    return starts(node, n), edge[order]


def adjacency(n: int, source: Ints, target: Ints, weight: Doubles, *, directed: bool) -> "csr_array":
    """Return the (n, n) matrix with the weight of edges from row to column, parallel edges summed."""
    from scipy.sparse import coo_array

    if not directed:
        once = source != target
        source, target = np.concatenate([source, target[once]]), np.concatenate([target, source[once]])
        weight = np.concatenate([weight, weight[once]])
    return coo_array((weight, (source, target)), shape=(n, n)).tocsr()


@dataclass(frozen=True, eq=False)
class GraphArrays:
    """All of a graph but its texts: edges, chunks that mention each entity, chunks that state each edge."""

    nodes: CompiledGraph
    relationship_ids: Ids
    chunk_ids: Ids
    mentions: Lists
    stated: Lists


@runtime_checkable
class HasArrays(Protocol):
    """A graph that is kept as arrays."""

    @property
    def arrays(self) -> GraphArrays:
        """The arrays."""
        ...
