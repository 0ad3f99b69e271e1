"""Separation in logistic regression: terms that predict the outcome without error."""

import numpy as np

from corpusgraph.tasks.statistics.collinear import Design, Vector

MOST_CELLS = 300_000
"""Rows times terms above which the linear program would take too long; single terms are looked at alone."""


def separated(made: Design, outcome: Vector) -> tuple[tuple[str, ...], str]:
    """Return the terms of a (quasi-)complete separation, and how it was looked for.

    With it no finite maximum-likelihood estimate exists (Albert & Anderson 1984). A direction that
    separates is a solution of a linear program (Konis 2007): maximise the sum of s_i x_i b over
    -1 <= b <= 1 with s_i x_i b >= 0 for every row, where s is -1 or 1; there is one where the maximum
    is above 0. `outcome` is 0 or 1, one a row of the design.
    """
    if not len(outcome) or outcome.min() == outcome.max():
        return (), "linear program"
    if made.n_rows * len(made.independent) > MOST_CELLS:
        return tuple(name for name, x in zip(made.names, made.columns, strict=True) if _alone(x, outcome)), (
            "single terms"
        )
    return _by_program(made, outcome), "linear program"


def _alone(x: Vector, outcome: Vector) -> bool:
    """Return whether a threshold on one term splits the outcome, ties at the threshold allowed."""
    no, yes = x[outcome == 0], x[outcome == 1]
    varies = x.min() < x.max()
    return bool(varies and (no.max() <= yes.min() or yes.max() <= no.min()))


def _by_program(made: Design, outcome: Vector) -> tuple[str, ...]:
    from scipy.optimize import linprog

    x = np.column_stack([made.columns[at] for at in made.independent])
    signed = x * (2 * outcome - 1)[:, None]
    solved = linprog(-signed.sum(axis=0), A_ub=-signed, b_ub=np.zeros(len(x)), bounds=(-1, 1), method="highs")
    if solved.x is None or float((signed @ solved.x).sum()) <= 1e-7 * len(x):
        return ()
    large = np.abs(solved.x) > 1e-7
    return tuple(made.names[at] for at, is_large in zip(made.independent, large, strict=True) if is_large)
