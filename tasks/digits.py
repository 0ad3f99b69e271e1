"""Digits that do not depend on the processor.

A processor's vector instructions, and the kernels that a BLAS chooses for it, give logarithms and sums that
differ in the last digits. Logarithms of few values are computed here so that they are equal everywhere. What
cannot be is rounded, well above the noise, before it is compared, ordered or published: what differs by noise
alone becomes equal, and ties are decided by id.
"""

from collections.abc import Callable
from decimal import Context, Decimal
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Doubles = NDArray[np.float64]

SCORE = 10
"""Significant digits of a score; sums of doubles agree in 14 or so."""
COSINE = 6
"""Decimals of a cosine of float32 vectors, which carry no more."""
_LEAST, _MOST = -250, 250
_TENS = np.array([float(f"1e{power}") for power in range(_LEAST, _MOST + 1)])
"""Powers of ten as written: those of `np.power` are not the nearest doubles on every processor."""
_EXACT = Context(prec=40)


def significant(values: "ArrayLike", digits: int = SCORE) -> "Doubles":
    """Round each value to so many significant digits; what is no usual number stays as it is.

    Parameters
    ----------
    values : ArrayLike
        Any shape.
    digits : int, default SCORE
        Significant decimal digits.

    Returns
    -------
    array of float
        Of the same shape; 0, infinities, not-a-number and what is below 1e-200 or above 1e200 stay.

    """
    given = np.asarray(values, dtype=np.float64)
    size = np.abs(given)
    usual = (size > 1e-200) & (size < 1e200)
    size = np.where(usual, size, 1.0)
    shift = digits - (np.searchsorted(_TENS, size, side="right") + _LEAST)
    up, down = _TENS[np.maximum(shift, 0) - _LEAST], _TENS[np.maximum(-shift, 0) - _LEAST]
    return np.where(usual, np.rint(np.where(usual, given, 1.0) * up / down) * down / up, given)


def settled(value: float, digits: int = SCORE) -> float:
    """Round one value to so many significant digits.

    Parameters
    ----------
    value : float
        Any float.
    digits : int, default SCORE
        Significant decimal digits.

    Returns
    -------
    float
        The nearest number of so many digits.

    """
    return float(significant(value, digits))


def cosines(rows: "NDArray[Any]", unit: "NDArray[Any]") -> "Doubles":
    """Return the products of rows (n, dimension) with a vector, rounded: sums of doubles, not of float32.

    Parameters
    ----------
    rows : array, shape (n, dimension)
        Of length 1, or 0.
    unit : array, shape (dimension,)
        Of length 1.

    Returns
    -------
    array of float, shape (n,)
        From -1 to 1, rounded to `COSINE` digits.

    """
    return np.round(rows.astype(np.float64) @ unit.astype(np.float64), COSINE) + 0.0


def log(values: "ArrayLike") -> "Doubles":
    """Return natural logarithms of positive values of which few differ, such as counts.

    Parameters
    ----------
    values : ArrayLike
        Above 0, any shape; each different one is worked out once, in decimal arithmetic.

    Returns
    -------
    array of float
        Of the same shape, the same on every processor.

    """
    return _each(lambda value: value.ln(_EXACT), values)


def log1p(values: "ArrayLike") -> "Doubles":
    """Return ln(1 + value) of values of which few differ, not negative.

    Parameters
    ----------
    values : ArrayLike
        From 0, any shape; each different one is worked out once, in decimal arithmetic.

    Returns
    -------
    array of float
        Of the same shape, the same on every processor.

    """
    return _each(lambda value: _EXACT.add(value, 1).ln(_EXACT), values)


def _each(function: Callable[[Decimal], Decimal], values: "ArrayLike") -> "Doubles":
    """Compute in decimals, nearest double last: the library of C does not promise the same last digit."""
    given = np.asarray(values, dtype=np.float64)
    distinct, place = np.unique(given, return_inverse=True)
    found = np.array([float(function(Decimal(value))) for value in distinct.tolist()], dtype=np.float64)
    return found[place].reshape(given.shape)
