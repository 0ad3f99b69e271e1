"""How much of a question some texts speak to: the rule by which evidence supports an answer."""

from collections.abc import Callable, Iterable
from math import fsum

from corpusgraph.tasks.digits import log1p
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.text.words import stems

COVERED = 0.4
"""The least share of the question's words, weighted by rarity, that a supported answer holds."""


def rarity(bm25: Bm25) -> Callable[[str], float]:
    """Return stem -> idf among the texts; a stem that none holds is the rarest."""
    rarest = float(log1p((len(bm25.terms.lengths) + 0.5) / 0.5))

    def idf(stem: str) -> float:
        at = bm25.terms.vocabulary.get(stem)
        return rarest if at is None else float(bm25.idf[at])

    return idf


def covered(query: str, texts: Iterable[str], idf: Callable[[str], float]) -> float:
    """Return the share of the question's words, each weighing 1 + idf, that the texts hold together."""
    said = frozenset(stems(" ".join(texts)))
    asked = sorted(set(stems(query)))
    return fsum(1 + idf(s) for s in asked if s in said) / (fsum(1 + idf(s) for s in asked) or 1.0)
