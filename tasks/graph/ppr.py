"""Personalised PageRank: where a walk that keeps returning to its seeds spends its time."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.graph.compiled import Doubles

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DAMPING = 0.85
TOLERANCE = 1e-6


class Walk(NamedTuple):
    """Scores sum to 1; `residual` is the last step's change (L1)."""

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
    """Return the stationary scores of a walk over `adjacency` (n, n) that restarts at `reset` (n,).

    `damping` is the probability of following an edge, in proportion to its weight; a walk at a node
    without outgoing edges goes back to the seeds (Page et al. 1999; Haveliwala 2002). Power iteration in
    float64 until the scores change by less than 1e-6 in all, or `max_iterations`.
    """
    total = reset.sum()
    if not np.isfinite(reset).all() or (reset < 0).any() or (len(reset) and total <= 0):
        raise InvalidInputError("Seed weights must be finite, not negative, and not all zero.")
    if not len(reset):
        return Walk(reset, 0, 0.0)
    reset = reset / total
    strength = np.asarray(adjacency.sum(axis=1)).ravel()
    share = np.divide(1.0, strength, out=np.zeros_like(strength), where=strength > 0)
    stuck = strength == 0
    inward = adjacency.T.tocsr()
    scores, residual, step = reset, np.inf, 0
    while step < max_iterations and residual >= TOLERANCE:
        walked = inward @ (scores * share) + scores[stuck].sum() * reset
        moved = damping * walked + (1 - damping) * reset
        residual = float(np.abs(moved - scores).sum())
        scores, step = moved, step + 1
    return Walk(scores, step, residual)
