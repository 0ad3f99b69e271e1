"""Sorted arrays as runs of equals: their order, where each run begins, and all that is in some of them."""

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.ports import Ints


def in_order(key: Ints, below: int) -> Ints:
    """Return the places of keys, from 0 to `below`, in order, of equals the first first: a stable argsort.

    Sorting numbers that have their place packed in takes a tenth of the time.
    """
    n = len(key)
    if below * n >= 2**63:
        return np.argsort(key, kind="stable")
    packed = np.sort(key * n + np.arange(n))
    return packed % n if n else packed


def starts(row: Ints, n_rows: int) -> Ints:
    """Return where the entries of each row begin (n_rows + 1,), of entries in order of row."""
    return np.concatenate([[0], np.cumsum(np.bincount(row, minlength=n_rows))]).astype(np.int64)


def distinct(values: Ints) -> Ints:
    """Return the values in order, each once; much faster than numpy's hash of them where they are many."""
    ordered = np.sort(values)
    found: Ints = ordered[firsts(ordered)]
    return found


def firsts(values: Ints) -> NDArray[np.bool_]:
    """Tell which values are the first of a run of equals."""
    first = np.ones(len(values), dtype=bool)
    first[1:] = values[1:] != values[:-1]
    return first


def spread(start: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return the places of all entries of some rows, row by row, and for each which of the rows it is of."""
    sizes = start[rows + 1] - start[rows]
    whose = np.repeat(np.arange(len(rows)), sizes)
    first = np.cumsum(sizes) - sizes
    return np.arange(len(whose)) - first[whose] + start[rows][whose], whose
