"""How well the passages' own texts fit a question: by words, by meaning, or by both."""

from collections.abc import Mapping
from typing import Literal

import numpy as np

from corpusgraph.schemas.errors import MissingResourceError
from corpusgraph.schemas.ports import Embedder, Vectors
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.passages import PassageGraph, spread
from corpusgraph.tasks.graph.ranking import is_lexical, near

TextScore = Literal["auto", "bm25", "dense", "mix", "none"]


def text_scores(
    kind: TextScore,
    query: str,
    passages: PassageGraph,
    vectors: Vectors | None,
    embedder: Embedder | None,
    n: int,
) -> tuple[Doubles, Doubles]:
    """Return scores of all chunks (n,): where a walk starts, and what draws it and does better alone.

    `auto` is bm25 for the start, and where the embedder is trained a mix else: paths begin where the words of
    a question are, and of the passages on them those near in meaning are meant too.
    """
    if kind == "none":
        return np.zeros(len(passages.chunk_at)), np.zeros(len(passages.chunk_at))
    trained = kind == "auto" and vectors is not None and embedder is not None and not is_lexical(embedder)
    if kind == "bm25" or (kind == "auto" and not trained):
        scores = passages.bm25(query)
        return scores, scores
    dense = _dense(query, passages, vectors, embedder, n)
    if kind == "dense":
        return dense, dense
    by_words = passages.bm25(query)
    mixed = (spread(dense) + spread(by_words)) / 2
    return (by_words, mixed) if kind == "auto" else (mixed, mixed)


def given_scores(scores: Mapping[int, float], n: int) -> Doubles:
    """Return the scores of all chunks (n,) of those given by place: one not given is like the least.

    Where all that are given have one score above 0, one not given has 0.
    """
    least, most = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    found = np.full(n, least if most > least else min(least, 0.0))
    for place, score in scores.items():
        found[place] = score
    return found


def _dense(
    query: str, passages: PassageGraph, vectors: Vectors | None, embedder: Embedder | None, n: int
) -> Doubles:
    """Return the cosine of the `n` nearest chunks; another is like the least of them."""
    if vectors is None or embedder is None:
        raise MissingResourceError("Dense scores of passages need vectors.", hint="Use text: bm25.")
    hits = near(vectors, "chunk", query, embedder.embed([query])[0], n)
    at = passages.chunk_at
    return given_scores({at[id_]: score for id_, score in hits if id_ in at}, len(at))
