"""How sure a mean over questions is: the bootstrap, all metrics in one multiplication."""

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
RESAMPLES, SEED, LEVEL = 2000, 20240, 0.95
_CELLS = 4_000_000
"""Weights drawn at a time: 32 MB."""


def resampled_means(values: Matrix, resamples: int = RESAMPLES, seed: int = SEED) -> Matrix:
    """Return the means of `resamples` draws of the rows with replacement, shape (resamples, columns).

    `values` is (questions, metrics); a draw takes whole rows, so metrics stay paired. The same number of
    rows, resamples and seed draws the same rows (Efron & Tibshirani 1993, chapter 6).
    """
    n = len(values)
    generator = np.random.default_rng(seed)
    step = max(1, _CELLS // n)
    found = np.empty((resamples, values.shape[1]))
    for at in range(0, resamples, step):
        size = min(step, resamples - at)
        times = generator.multinomial(n, np.full(n, 1 / n), size=size)
        found[at : at + size] = times @ values / n
    return found


def percentile_intervals(
    values: Matrix, resamples: int = RESAMPLES, seed: int = SEED, level: float = LEVEL
) -> tuple[Matrix, Matrix, Matrix]:
    """Return mean, lower and upper end of each column's percentile interval; `values` has a row or more."""
    means = resampled_means(values, resamples, seed)
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail], axis=0)
    return values.mean(axis=0), low, high
