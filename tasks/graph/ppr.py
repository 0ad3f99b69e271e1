"""Personalised PageRank: where a walk that keeps returning to its seeds spends its time."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.progress import step

if TYPE_CHECKING:
    from scipy.sparse import csr_array

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
    few.

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
    Page et al. 1999; Haveliwala 2002.

    """
    total = reset.sum()
    if not np.isfinite(reset).all() or (reset < 0).any() or (len(reset) and total <= 0):
        raise InvalidInputError("Seed weights must be finite, not negative, and not all zero.")
    if not len(reset):
        return Walk(reset, 0, 0.0)
    seeds, strength = reset / total, np.asarray(adjacency.sum(axis=1)).ravel()
    share = np.divide(1.0, strength, out=np.zeros(len(strength)), where=strength > 0)
    stuck = np.flatnonzero(strength == 0)
    inward, scores, residual, steps = adjacency.T, seeds, np.inf, 0
    while steps < max_iterations and residual >= TOLERANCE * (1 - damping):
        step("PageRank", steps)
        walked = inward @ (share * scores) + scores[stuck].sum() * seeds
        moved = damping * walked + (1 - damping) * seeds
        residual = float(np.abs(moved - scores).sum())
        scores, steps = moved, steps + 1
    return Walk(scores, steps, residual)
