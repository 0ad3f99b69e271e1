"""Which sentences are central: those like many others that are like many others (Erkan & Radev 2004)."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from corpusgraph.tasks._steps import step
from corpusgraph.tasks.digits import log, significant
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.terms import Terms

DAMPING = 0.85
"""Probability of following likeness rather than starting anew."""
STEPS, ENOUGH = 100, 1e-9
RELEVANCE = 0.7
"""Share of a sentence's own score against its likeness to those already chosen (MMR's lambda)."""

Matrix = NDArray[np.float64]


def likenesses(texts: Sequence[str]) -> Matrix:
    """Return the cosines of all pairs of TF-IDF vectors (n, n); memory grows with n squared."""
    terms = Terms.of(texts)
    n = len(terms.lengths)
    idf = log((1 + n) / (1 + terms.document_frequency)) + 1
    weights = terms.count * np.repeat(idf, terms.document_frequency)
    lengths = np.sqrt(np.bincount(terms.text, weights**2, minlength=n))
    weights = weights / lengths[terms.text]
    alike = np.zeros((n, n))
    for term in range(len(terms.vocabulary)):
        rows, where = terms.postings(term)
        if len(rows) > 1:
            alike[np.ix_(rows, rows)] += np.outer(weights[where], weights[where])
    np.fill_diagonal(alike, np.where(lengths > 0, 1.0, 0.0))
    return np.minimum(alike, 1.0)


def centrality(alike: Matrix, prior: Doubles | None = None) -> Doubles:
    """Return continuous LexRank (n,), summing to 1: PageRank over likenesses.

    `prior` (n,) is where the walk starts anew, as the likeness to a question; alike everywhere, unless given.
    """
    n = len(alike)
    if not n:
        return np.zeros(0)
    start = np.full(n, 1 / n) if prior is None or not prior.any() else prior / prior.sum()
    # Likeness to itself says nothing: with it, a sentence like no other would be as central as the average.
    others = alike - np.diag(np.diag(alike))
    sums = others.sum(axis=1)
    follow = np.divide(others, sums[:, None], out=np.tile(start, (n, 1)), where=sums[:, None] > 0)
    rank = start.copy()
    for done in range(STEPS):
        step("sentences ranked: rounds", done)
        then = (1 - DAMPING) * start + DAMPING * (rank @ follow)
        settled = np.abs(then - rank).sum() < ENOUGH
        rank = then
        if settled:
            break
    return significant(rank)


def diverse(scores: Doubles, alike: Matrix, n: int) -> list[int]:
    """Choose up to `n`, best first, each unlike those before it (MMR); of equals the first."""
    top = float(scores.max()) if len(scores) else 0.0
    if top <= 0:
        return []
    own, likest = RELEVANCE * scores / top, np.zeros(len(scores))
    chosen: list[int] = []
    while len(chosen) < min(n, len(scores)):
        step("sentences chosen", len(chosen))
        worth = own - (1 - RELEVANCE) * likest
        worth[chosen] = -np.inf
        chosen.append(int(worth.argmax()))
        likest = np.maximum(likest, alike[chosen[-1]])
    return chosen
