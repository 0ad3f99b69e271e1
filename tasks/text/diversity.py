"""Choose what is worth telling without telling it twice: maximal marginal relevance."""

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet

import numpy as np
from numpy.typing import ArrayLike, NDArray

from corpusgraph.tasks.progress import step


def diverse(
    scores: NDArray[np.float64],
    likenesses: Callable[[int], ArrayLike],
    n: int,
    *,
    penalty: float,
    least: float = -np.inf,
    first: Sequence[int] = (),
) -> list[int]:
    """Choose up to `n`, best first, each unlike those before it; of equals the first.

    Parameters
    ----------
    scores : array of float, shape (m,)
        Not negative.
    likenesses : callable
        Returns how like each of the m is to one of them, from 0 to 1, of shape (m,).
    n : int
        Choices at most.
    penalty : float
        Share of the best score that one loses that is quite like another chosen before.
    least : float, optional
        Share of the best score that must be left.
    first : sequence of int, optional
        Places that are chosen before all others, whatever their scores.

    Returns
    -------
    list of int
        Places, in the order chosen.

    References
    ----------
    Carbonell & Goldstein 1998.

    """
    own = scores / (scores.max(initial=0.0) or 1.0)
    likest, chosen = np.zeros(len(scores)), list[int]()
    while len(chosen) < min(n, len(scores)):
        step("sentences chosen", len(chosen))
        worth = own - penalty * likest
        worth[chosen] = -np.inf
        at = first[len(chosen)] if len(chosen) < len(first) else int(worth.argmax())
        if len(chosen) >= len(first) and worth[at] < least:
            break
        chosen.append(at)
        likest = np.maximum(likest, likenesses(at))
    return chosen


def jaccard(some: AbstractSet[str], others: AbstractSet[str]) -> float:
    """Return the share of the members of two sets that both have.

    Parameters
    ----------
    some, others : set of str
        The sets.

    Returns
    -------
    float
        From 0 to 1; 0 for two empty sets.

    """
    return len(some & others) / (len(some | others) or 1)
