"""Re-ranking of a few texts by the words of a query: which of them there are, and how near together."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.graph.words import stems

WINDOW = 8
"""Words within which two words of the query say something together."""


class Lexical(NamedTuple):
    """Scores of texts (n,), each between 0 and 1."""

    bm25: Doubles
    coverage: Doubles
    proximity: Doubles

    @property
    def total(self) -> Doubles:
        """Return the score (n,): (2 bm25 + coverage + proximity) / 4."""
        return (2 * self.bm25 + self.coverage + self.proximity) / 4


def lexical(query: str, texts: Sequence[str]) -> Lexical:
    """Read each text against the query, among the texts given.

    bm25: as a share of the best (Robertson & Zaragoza 2009). coverage: share of the query's words that occur,
    each weighed by its idf. proximity: pairs of different words of the query within 8 words of each other,
    (idf + idf) / distance ^ 2 each pair's best, as a share of the most there could be (after Rasolofo & Savoy
    2003).
    """
    engine = Bm25(texts)
    idf = {word: float(engine.idf[at]) for word, at in engine.terms.vocabulary.items()}
    asked = list(dict.fromkeys(stems(query)))
    unknown = max(idf.values(), default=1.0)
    weight = {word: idf.get(word, unknown) for word in asked}
    bm25 = engine.scores(query)
    read = [_read(stems(text), weight) for text in counted(texts, "texts read", every=64)]
    return Lexical(
        bm25=bm25 / (bm25.max(initial=0.0) or 1.0),
        coverage=np.array([one for one, _ in read], dtype=np.float64),
        proximity=np.array([other for _, other in read], dtype=np.float64),
    )


def _read(words: Sequence[str], weight: Mapping[str, float]) -> tuple[float, float]:
    """Return coverage and proximity of one text."""
    places = [(at, word) for at, word in enumerate(words) if word in weight]
    total = math.fsum(weight.values()) or 1.0
    covered = math.fsum(weight[word] for word in {word for _, word in places}) / total
    best: dict[tuple[str, str], float] = defaultdict(float)
    for i, (at, word) in enumerate(places):
        for there, other in places[i + 1 : i + 1 + WINDOW]:
            if there - at <= WINDOW and other != word:
                pair = (word, other) if word < other else (other, word)
                best[pair] = max(best[pair], (weight[word] + weight[other]) / (there - at) ** 2)
    most = math.fsum(weight.values()) * 2 - 2 * max(weight.values(), default=0.0) if len(weight) > 1 else 0.0
    near = min(1.0, math.fsum(best.values()) / most) if most > 0 else 0.0
    return covered, near
