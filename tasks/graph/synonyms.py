"""Names that are alike, or that hold one another: edges between entities that resolution left apart."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Embedder, Floats, Ints
from corpusgraph.tasks._steps import counted, step
from corpusgraph.tasks.digits import COSINE
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.words import STOP_WORDS, words

if TYPE_CHECKING:
    from scipy.sparse import csr_array

THRESHOLD, TOP_K = 0.8, 10
"""Of HippoRAG's synonymy edges (Gutiérrez et al. 2024, arXiv:2405.14831, section 2.2)."""
GRAMS = (2, 3, 4)
"""Lengths of the groups of letters that two names are compared by."""
_BLOCK = 1024
_ROUGH = 1e-4  # more than a cosine summed in float32 is off by
_SLACK = 1e-9
_CUT = 0.8  # less: more groups are multiplied; more: more pairs are looked at twice


class Pair(NamedTuple):
    """Places of two names, the smaller first, and how alike they are."""

    one: int
    other: int
    score: float


def synonym_pairs(
    names: Sequence[str],
    threshold: float = THRESHOLD,
    top_k: int = TOP_K,
    embedder: Embedder | None = None,
) -> list[Pair]:
    """Return the pairs of names with a cosine of at least `threshold`, in order of place.

    The cosine is that of the embedder's vectors; without one, of counted groups of 2 to 4 letters of the
    case-folded words. A pair is kept if it is among the `top_k` best of either name.
    """
    if not 0 < threshold <= 1 or top_k < 1:
        raise InvalidInputError(
            f"A threshold of {threshold} and top_k of {top_k} make no pairs.",
            hint="The threshold is above 0 and at most 1, top_k at least 1.",
        )
    if embedder is not None:
        return similar_pairs(embedder.embed(names), threshold, top_k)
    return _strongest(*_alike(_unit(_counted(names)), threshold), top_k)


def similar_pairs(vectors: Floats, threshold: float = THRESHOLD, top_k: int = TOP_K) -> list[Pair]:
    """Return the pairs of unit vectors (n, dimension) with a cosine of at least `threshold`, as above."""
    rows: list[Ints] = [np.zeros(0, np.int64)]
    columns, scores = [np.zeros(0, np.int64)], [np.zeros(0)]
    for at in range(0, len(vectors), _BLOCK):
        step("names compared", at, len(vectors))
        rough = vectors[at : at + _BLOCK] @ vectors.T
        one, other = np.nonzero(rough >= threshold - _ROUGH)
        upper = one + at < other
        one, other = one[upper] + at, other[upper]
        pairs = vectors[one].astype(np.float64) * vectors[other]
        cosine = np.round(pairs.sum(axis=1), COSINE)
        near = cosine >= threshold - _SLACK
        rows.append(one[near])
        columns.append(other[near])
        scores.append(cosine[near])
    return _strongest(np.concatenate(rows), np.concatenate(columns), np.concatenate(scores), top_k)


def contained_pairs(names: Sequence[str]) -> list[tuple[int, int, float]]:
    """Return (i, j, share) where all words of name j stand together inside name i, in order of place.

    "Meet Me in St. Louis" holds "St. Louis". `share` is the part of i's words that j has, below 1. A name
    of nothing but stop words or digits is held by none.
    """
    split = [tuple(words(name)) for name in counted(names, "names split")]
    bearers: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for place, name in enumerate(split):
        if any(word not in STOP_WORDS and not word.isdigit() for word in name):
            bearers[name].append(place)
    longest = max(map(len, bearers), default=0)
    return [
        (place, held, round((end - start) / len(name), COSINE))
        for place, name in enumerate(counted(split, "names held by names"))
        for start in range(len(name))
        for end in range(start + 1, min(len(name), start + longest) + 1)
        if end - start < len(name)
        for held in bearers.get(name[start:end], ())
    ]


def _counted(names: Sequence[str]) -> "csr_array":
    """Count the groups of letters of each name (names, groups); columns from the rarest group on."""
    from scipy.sparse import coo_array

    vocabulary: dict[str, int] = {}
    rows, columns, counts = [], [], []
    for row, name in enumerate(counted(names, "names spelt out")):
        said = words(name)
        text = f" {' '.join(said)} " if said else ""
        groups = Counter(text[i : i + n] for n in GRAMS for i in range(len(text) - n + 1))
        for group, count in groups.items():
            rows.append(row)
            columns.append(vocabulary.setdefault(group, len(vocabulary)))
            counts.append(float(count))
    seen = np.bincount(np.asarray(columns, np.int64), minlength=len(vocabulary))
    rank = np.empty(len(vocabulary), np.int64)
    rank[np.argsort(seen, kind="stable")] = np.arange(len(vocabulary))
    at = (np.asarray(rows, np.int64), rank[np.asarray(columns, np.int64)])
    return coo_array((np.asarray(counts), at), shape=(len(names), len(vocabulary))).tocsr()


def _unit(matrix: "csr_array") -> "csr_array":
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    sizes = np.diff(matrix.indptr)
    matrix.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), sizes)
    matrix.sort_indices()
    return matrix


def _alike(units: "csr_array", threshold: float) -> tuple[Ints, Ints, Doubles]:
    """Return the pairs with at least that cosine, exactly, without comparing all with all.

    Of each name its most frequent groups are left out, as long as they are shorter than `cut`. What two names
    have in common there adds less than `cut` to their cosine, so the rest of them must reach the difference
    to the threshold (Bayardo et al. 2007).
    """
    cut = _CUT * threshold
    rarest = _rarest(units, cut)
    others = rarest.T.tocsr()
    ones, twos = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for at in range(0, units.shape[0], _BLOCK):
        step("names compared", at, units.shape[0])
        found = (rarest[at : at + _BLOCK] @ others).tocoo()
        kept = (found.data > threshold - cut - _SLACK) & (found.row + at < found.col)
        ones.append(found.row[kept].astype(np.int64) + at)
        twos.append(found.col[kept].astype(np.int64))
    one, other = np.concatenate(ones), np.concatenate(twos)
    scores = np.asarray(units[one].multiply(units[other]).sum(axis=1)).ravel()
    kept = scores >= threshold - _SLACK
    return one[kept], other[kept], np.round(scores[kept], COSINE)


def _rarest(units: "csr_array", cut: float) -> "csr_array":
    """Leave out of each row its last columns whose squares sum to less than that of `cut`."""
    from scipy.sparse import csr_array

    squares = units.data**2
    until = np.concatenate([[0.0], np.cumsum(squares)])
    ends = np.repeat(until[units.indptr[1:]], np.diff(units.indptr))
    data = np.where(ends - until[:-1] >= cut**2 - _SLACK, units.data, 0.0)
    kept = csr_array((data, units.indices.copy(), units.indptr.copy()), shape=units.shape)
    kept.eliminate_zeros()
    return kept


def _strongest(one: Ints, other: Ints, scores: Doubles, top_k: int) -> list[Pair]:
    """Keep the pairs that are among the best `top_k` of either of the two; ties go to the smaller place."""
    pair = np.concatenate([np.arange(len(one)), np.arange(len(one))])
    mine, theirs = np.concatenate([one, other]), np.concatenate([other, one])
    order = np.lexsort((theirs, -scores[pair], mine))
    starts = np.flatnonzero(np.r_[True, np.diff(mine[order]) != 0]) if len(order) else order
    sizes = np.diff(np.r_[starts, len(order)])
    rank = np.arange(len(order)) - np.repeat(starts, sizes)
    kept = sorted(set(pair[order[rank < top_k]].tolist()), key=lambda i: (one[i], other[i]))
    return [Pair(int(one[i]), int(other[i]), float(scores[i])) for i in kept]
