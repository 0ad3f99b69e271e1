"""Put items in order of score; find items by vector."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Protocol, TypeVar, cast

import numpy as np

from corpusgraph.schemas.errors import InvalidInputError, MissingAttributeError, VectorsUnreachableError
from corpusgraph.schemas.ports import Embedder, Floats, VectorBackend, Vectors, VectorStatus
from corpusgraph.schemas.results import Scored
from corpusgraph.tasks.digits import cosines, significant
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.terms import TfIdf


class Identified(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> str:
        """Identify the item."""


T = TypeVar("T", bound=Identified)
Number = TypeVar("Number", float, Doubles)
Row = tuple[T, float, Mapping[str, float]]
"""An item, its score, and what the score is made of."""


def ranked(
    rows: Iterable[Row[T]], scorer: str, top_k: int | None = None
) -> "list[Scored[T]]":  # quoted: pydantic must not build a model of T
    """Return the best `top_k` items by score, ties by id, ranks from 1.

    Scores, and what they are made of, are rounded first: items are in the same order on every processor.

    Parameters
    ----------
    rows : iterable of (item, float, mapping of str to float)
        Items with their scores, and what these are made of.
    scorer : str
        What scored them.
    top_k : int, optional
        Items at most; all unless named.

    Returns
    -------
    list of Scored
        At most `top_k` of them; scores are rounded as by `significant`.

    """
    given = list(rows)
    scores = significant([score for _, score, _ in given]).tolist()
    order = sorted(range(len(given)), key=lambda place: (-scores[place], given[place][0].id))[:top_k]
    found: list[Row[T]] = []
    for place in order:
        item, _, parts = given[place]
        rounded = significant(list(parts.values())).tolist() if parts else []
        found.append((item, scores[place], dict(zip(parts, rounded, strict=True))))
    return scored_in_order(found, scorer)


def scored_in_order(rows: Iterable[Row[T]], scorer: str) -> "list[Scored[T]]":
    """Return items in the order given.

    Parameters
    ----------
    rows : iterable of (item, float, mapping of str to float)
        Models with their scores, and what these are made of.
    scorer : str
        What scored them.

    Returns
    -------
    list of Scored
        Ranks from 1.

    """
    return [
        scored(type(item))(item=item, score=float(score), rank=rank, scorer=scorer, components=dict(parts))
        for rank, (item, score, parts) in enumerate(rows, start=1)
    ]


@cache
def scored(kind: type[T]) -> "type[Scored[T]]":
    """Return `Scored[kind]`, which writes and reads items of that kind, for a kind known at run time.

    Parameters
    ----------
    kind : type
        A model.

    Returns
    -------
    type
        A model of pydantic.

    """
    return cast("type[Scored[T]]", Scored.__class_getitem__(kind))


def best(scores: Doubles, top_k: int | None = None) -> list[int]:
    """Return where the best scores above 0 are, best first; of equals the first.

    Scores that agree in all digits that a processor can be held to are equals.

    Parameters
    ----------
    scores : array of float, shape (n,)
        Of items in id order.
    top_k : int, optional
        Places at most.

    Returns
    -------
    list of int
        Places.

    """
    found = np.flatnonzero(scores > 0)
    worth = significant(scores[found])
    if top_k is not None and top_k < len(found):
        cut = np.partition(worth, -top_k)[-top_k]
        found, worth = found[worth >= cut], worth[worth >= cut]
    order: list[int] = found[np.argsort(-worth, kind="stable")[:top_k]].tolist()
    return order


def leading(scores: Mapping[str, float], top_k: int | None = None) -> list[tuple[str, float]]:
    """Return the best `top_k` ids with their scores, best first, ties by id: before any item is made.

    Parameters
    ----------
    scores : mapping of str to float
        Id -> score.
    top_k : int, optional
        Ids at most.

    Returns
    -------
    list of (str, float)
        Scores are rounded as `ranked` rounds them.

    """
    rounded = zip(scores, significant(list(scores.values())).tolist(), strict=True)
    return sorted(rounded, key=lambda hit: (-hit[1], hit[0]))[:top_k]


def then(first: Number, second: Number) -> Number:
    """Fold two keys into one score: a whole number, and a number >= 0 that decides between equals.

    Parameters
    ----------
    first : float or array of float
        Whole numbers: what decides.
    second : float or array of float
        From 0 on.

    Returns
    -------
    float or array of float
        `first` + a part below 1.

    """
    return first + second / (1 + second)


class Hits(list[tuple[str, float]]):
    """Ids with scores, best first. `scorer` is bm25 where full-text search answered instead of vectors."""

    scorer = "cosine"


def near(vectors: Vectors, kind: str, query: str, vector: Floats, top_k: int) -> Hits:
    """Return the nearest items by cosine, or, where vectors are unreachable, by full-text search.

    Parameters
    ----------
    vectors : Vectors
        What is searched.
    kind : str
        entity, relationship, chunk or report.
    query : str
        The text, for full-text search.
    vector : array of float, shape (dimension,)
        The text's vector.
    top_k : int
        Items at most.

    Returns
    -------
    Hits
        Pairs of id and cosine; or of id and share of the best BM25, with `scorer` bm25.

    """
    try:
        return Hits(vectors.nearest(kind, vector, top_k))
    except VectorsUnreachableError:
        matched = vectors.match(kind, query, top_k)
        hits = Hits((id_, score / (matched[0][1] or 1.0)) for id_, score in matched)
        hits.scorer = "bm25"
        return hits


def nearest(
    kind: str,
    query: str,
    top_k: int,
    n_items: int,
    vectors: Vectors,
    embedder: Embedder,
    threshold: float | None = None,
    keep: Callable[[str], bool] | None = None,
) -> Hits:
    """Return the items nearest to a text, each id once, best first.

    Parameters
    ----------
    kind : str
        entity, relationship, chunk or report.
    query : str
        The text.
    top_k : int
        Items at most.
    n_items : int
        Items that the index has of the kind.
    vectors, embedder : Vectors, Embedder
        What is searched, and what makes the text's vector.
    threshold : float, optional
        Least cosine; it does not apply where full-text search answers instead.
    keep : callable, optional
        Leaves items out; the search widens until `top_k` are left or there are no more.

    Returns
    -------
    Hits
        Pairs of id and cosine.

    Raises
    ------
    InvalidInputError
        For a text without a word.
    MissingAttributeError
        Where there are items and none has a vector.

    """
    vector = embedder.embed([query])[0]
    if not vector.any():
        raise InvalidInputError(f"There is no word to search for in {query!r}.", hint="Ask in words.")
    width = top_k
    while True:
        found = near(vectors, kind, query, vector, width)
        by_words = found.scorer == "bm25"
        if n_items and not found and not by_words:
            raise MissingAttributeError(
                f"No {kind} of this index has a vector.", hint="Index the corpus again."
            )
        least = -math.inf if threshold is None or by_words else threshold
        best: dict[str, float] = {}
        for id_, score in found:  # an item may have several vectors
            if score >= least and (keep is None or keep(id_)):
                best[id_] = max(score, best.get(id_, -math.inf))
        if len(best) >= top_k or len(found) < width:
            hits = Hits(sorted(best.items(), key=lambda hit: (-hit[1], hit[0]))[:top_k])
            hits.scorer = found.scorer
            return hits
        width *= 4


def vector_status(vectors: Vectors | None) -> VectorStatus:
    """Tell what answers a search by vector, and whether it does now.

    Parameters
    ----------
    vectors : Vectors, optional
        The vectors of an index.

    Returns
    -------
    VectorStatus
        An empty one where the vectors cannot tell.

    """
    return vectors.vector_status() if isinstance(vectors, VectorBackend) else VectorStatus()


def is_lexical(embedder: Embedder) -> bool:
    """Tell an embedder of spellings, which ranks texts by shared words: BM25 does that better.

    Parameters
    ----------
    embedder : Embedder
        What makes vectors of texts.

    Returns
    -------
    bool
        Its `lexical`; False where it has none.

    """
    return bool(getattr(embedder, "lexical", False))


def likeness(query: str, texts: Sequence[str], embedder: Embedder) -> list[float]:
    """Return for each text the mean of its TF-IDF cosine and its vector's cosine with the query, 0 to 1.

    Rarity is counted among the texts; a negative cosine of vectors counts as 0.

    Parameters
    ----------
    query : str
        A text.
    texts : sequence of str
        The n texts to compare.
    embedder : Embedder
        What makes vectors of texts.

    Returns
    -------
    list of float
        One for each text, 0 to 1.

    """
    if not texts:
        return []
    lexical = TfIdf(texts).scores(query)
    made = embedder.embed([query, *texts])
    both = (np.clip(lexical, 0, 1) + np.clip(cosines(made[1:], made[0]), 0, 1)) / 2
    return [float(score) for score in significant(both)]
