"""Personalised PageRank: where a walk that keeps returning to its seeds spends its time."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

import numpy as np

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.progress import step as take_step

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SINGLE = 2**18
"""From so many entries on, the solver works in float32: half the memory to stream, to within 1e-7 in all."""


@dataclass(frozen=True, eq=False)
class Transitions:
    """Describe a walk over an adjacency matrix, nodes reordered so that those with most edges stand together.

    Attributes
    ----------
    order : array of int, shape (n,)
        Node `order[i]` of the graph is node `i` here.
    place : array of int, shape (n,)
        The inverse: where each node of the graph stands here.
    matrix : sparse array of float, shape (n, n)
        Weights of the edges from row to column, in this order.
    strength : array of float, shape (n,)
        Weight of the edges that leave each node.
    symmetric : bool
        Whether every edge leads both ways with the same weight.

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

    Parameters
    ----------
    adjacency : sparse array of float, shape (n, n)
        Weights of the edges from row to column. It must not be changed afterwards.

    Returns
    -------
    Transitions
        With the nodes put in another order, those with most edges first.

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


DAMPING = 0.85
TOLERANCE = 1e-6


class Walk(NamedTuple):
    """Result of a walk: scores that sum to 1, and how they were reached.

    Attributes
    ----------
    scores : array of float, shape (n,)
        Share of its time that the walk spends at each node.
    iterations : int
        Products with the matrix.
    residual : float
        The last step's change of the scores, summed over the nodes (L1).

    """

    scores: Doubles
    iterations: int
    residual: float

    @property
    def converged(self) -> bool:
        """Whether the last step changed less than the tolerance."""
        return self.residual < TOLERANCE


def personalised_pagerank(
    adjacency: "csr_array", reset: Doubles, *, damping: float = DAMPING, max_iterations: int = 100
) -> Walk:
    """Return the stationary scores of a walk over edges that goes back to its seeds again and again.

    A walk at a node without outgoing edges goes back to the seeds. The last step changes the scores by less
    than 1e-6 x (1 - damping), so that they are off by less than 1e-6 in all, unless `max_iterations` are too
    few. Where every edge leads both ways, conjugate gradients get there in fewer products with the matrix
    than power iteration; its last step is one of power.

    Parameters
    ----------
    adjacency : sparse array of float, shape (n, n)
        Weights of the edges from row to column.
    reset : array of float, shape (n,)
        Weight of each node as a seed, not negative.
    damping : float
        Probability of following an edge, in proportion to its weight.
    max_iterations : int
        Products with the matrix at most.

    Returns
    -------
    Walk
        Scores that sum to 1 (n,), steps taken, and the last step's change.

    Raises
    ------
    InvalidInputError
        For seeds that are not finite, negative, or all zero.

    References
    ----------
    Page et al. 1999; Haveliwala 2002; Hestenes & Stiefel 1952.

    """
    total = reset.sum()
    if not np.isfinite(reset).all() or (reset < 0).any() or (len(reset) and total <= 0):
        raise InvalidInputError("Seed weights must be finite, not negative, and not all zero.")
    if not len(reset):
        return Walk(reset, 0, 0.0)
    walk = transitions(adjacency)
    seeds = (reset / total)[walk.order]
    scores, spent = seeds, 0
    if walk.symmetric and max_iterations > 1:
        scores, spent = _by_gradients(walk, seeds, damping, max_iterations - 1)
    scores, steps, residual = _by_power(walk, scores, seeds, damping, max_iterations - spent)
    return Walk(scores[walk.place], spent + steps, residual)


def _by_power(
    walk: Transitions, scores: Doubles, seeds: Doubles, damping: float, most: int
) -> tuple[Doubles, int, float]:
    """Step until the scores hardly change; return them, the steps, and the last one's change."""
    residual, step = np.inf, 0
    while step < most and residual >= TOLERANCE * (1 - damping):
        take_step("PageRank", step)
        walked = walk.inward @ scores + scores[walk.stuck].sum() * seeds
        moved = damping * walked + (1 - damping) * seeds
        residual = float(np.abs(moved - scores).sum())
        scores, step = moved, step + 1
    return scores, step, residual


def _by_gradients(walk: Transitions, seeds: Doubles, damping: float, most: int) -> tuple[Doubles, int]:
    """Solve (I - damping D^-1/2 A D^-1/2) z = D^-1/2 seeds; scores are D^1/2 z, scaled to a sum of 1.

    It begins at the seeds and, in each of their components, the part of the answer that every walk there
    has: its nodes in proportion to their strength. An isolated seed keeps its weight.
    """
    kind = walk.half.dtype.type
    alone = np.where(walk.strength == 0, seeds, 0.0)
    held = np.bincount(walk.component, seeds, minlength=len(walk.mass))
    level = np.divide(held, walk.mass, out=np.zeros_like(held), where=walk.mass > 0)[walk.component]
    apart = np.divide(seeds, walk.root, out=np.zeros_like(seeds), where=walk.root > 0)
    found = (apart + damping / (1 - damping) * level * walk.root).astype(kind)
    root, pull = walk.root.astype(kind), kind(damping)
    rest = apart.astype(kind) - found + pull * (walk.half @ found)
    way, size, steps = rest, _dot(rest, rest), 1
    while steps < most and float(_dot(root, np.abs(rest))) >= TOLERANCE and size > 0:
        take_step("PageRank", steps)
        turned = way - pull * (walk.half @ way)
        length = size / _dot(way, turned)
        found, rest, steps = found + length * way, rest - length * turned, steps + 1
        last, size = size, _dot(rest, rest)
        way = rest + (size / last) * way
    scores = np.maximum(found, 0) * walk.root + alone
    return scores / scores.sum(), steps


def _dot(one: Any, other: Any) -> Any:
    """Multiply and sum in one fixed order, as BLAS with any number of threads does not."""
    return (one * other).sum()
