"""The matrix of a walk, normalised once for each adjacency matrix and remembered with it."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import ref

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.arrays import Doubles

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SINGLE = 2**18
"""From so many entries on, the solver works in float32: half the memory to stream, to within 1e-7 in all."""


@dataclass(frozen=True, eq=False)
class Transitions:
    """A walk over an adjacency matrix (n, n), nodes reordered so that those with most edges stand together.

    Node `order[i]` of the graph is node `i` here. `strength` (n,) is the weight of the edges that leave;
    `symmetric` tells whether every edge leads both ways with the same weight.
    """

    order: Ints
    place: Ints
    matrix: "csr_array"
    strength: Doubles
    symmetric: bool

    @cached_property
    def stuck(self) -> Ints:
        """Nodes that no edge leaves."""
        return np.flatnonzero(self.strength == 0)

    @cached_property
    def inward(self) -> "csr_array":
        """The step of a walk: column j spreads the weight of node j over the nodes that it leads to."""
        share = np.divide(1.0, self.strength, out=np.zeros_like(self.strength), where=self.strength > 0)
        step = self.matrix if self.symmetric else self.matrix.T.tocsr()
        return _scaled(step, np.ones(len(share)), share)

    @cached_property
    def root(self) -> Doubles:
        """Square roots of `strength`."""
        return np.sqrt(self.strength)

    @cached_property
    def half(self) -> "csr_array":
        """The symmetric matrix D^-1/2 A D^-1/2 of a symmetric walk; isolated nodes have empty rows."""
        share = np.divide(1.0, self.root, out=np.zeros_like(self.root), where=self.root > 0)
        made = _scaled(self.matrix, share, share)
        return made.astype(np.float32) if made.nnz >= SINGLE else made

    @cached_property
    def component(self) -> Ints:
        """Number of each node's component (n,), of a symmetric walk."""
        from scipy.sparse import csgraph

        return csgraph.connected_components(self.matrix, directed=False)[1].astype(np.int64)

    @cached_property
    def mass(self) -> Doubles:
        """Strength of all nodes of each component."""
        return np.bincount(self.component, self.strength).astype(np.float64)


def _scaled(matrix: "csr_array", rows: Doubles, columns: Doubles) -> "csr_array":
    from scipy.sparse import csr_array

    data = matrix.data * np.repeat(rows, np.diff(matrix.indptr)) * columns[matrix.indices]
    return csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


_made: "dict[int, tuple[ref[csr_array], Transitions]]" = {}


def transitions(adjacency: "csr_array") -> Transitions:
    """Return the walk over an adjacency matrix, remembered for as long as the matrix lives.

    Matrices never change after they are made.
    """
    key = id(adjacency)
    known = _made.get(key)
    if known is None or known[0]() is not adjacency:
        known = ref(adjacency, lambda _: _made.pop(key, None)), _transitions(adjacency)
        _made[key] = known
    return known[1]


def _transitions(adjacency: "csr_array") -> Transitions:
    order = np.argsort(-np.diff(adjacency.indptr), kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    matrix = adjacency[order][:, order].tocsr()
    matrix.sort_indices()
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
    strength = np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
    return Transitions(order, place, matrix, strength, _is_symmetric(matrix))


def _is_symmetric(matrix: "csr_array") -> bool:
    other = matrix.T.tocsr()
    same = np.array_equal(matrix.indptr, other.indptr) and np.array_equal(matrix.indices, other.indices)
    return bool(same and np.allclose(matrix.data, other.data, rtol=1e-12, atol=0.0))
