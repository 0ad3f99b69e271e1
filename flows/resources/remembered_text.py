"""Full-text search over what was added by hand, on the scale of the index that it was added to.

A BM25 score says how rare a word is and how long a text is, beside all others. A small index of the new items
alone would call every word rare, so its scores are put right, word by word: the documents that have the word
and the average length are those of the index and the new items together (Robertson and Zaragoza 2009, The
Probabilistic Relevance Framework, eq. 3.15, with k1 = 1.2 and b = 0.75, as Lance has them).
"""

import math
import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from corpusgraph.flows.resources.fulltext import SEARCHED, searchable, segmented
from corpusgraph.flows.resources.textindex import search_texts, text_table

if TYPE_CHECKING:
    from corpusgraph.flows.resources.opened import OpenIndex

K1, B = 1.2, 0.75
SAMPLE = 256
"""Items of the index whose lengths tell the average."""
MANY = 64
"""How often a word is in a text, at most, that is told from its score."""
_WORD = re.compile(r"\w+(?:['’.]\w+)*")
_DIGITS = 6
_KINDS = {"entity": "entities", "relationship": "relationships", "chunk": "chunks", "report": "reports"}


class FreshText:
    """The texts of new items of one kind; `counted` keeps how many items below have a word."""

    def __init__(
        self,
        below: "OpenIndex",
        kind: str,
        items: Mapping[str, Any],
        n_hidden: int,
        counted: dict[tuple[str, str], int],
    ) -> None:
        self._below, self._kind, self._items, self._counted = below, kind, items, counted
        self._n_below = below.manifest.tables[_KINDS[kind]].rows - n_hidden

    @cached_property
    def _table(self) -> Any:
        return text_table(self._kind, list(self._items.values()))

    @cached_property
    def _lengths(self) -> dict[str, int]:
        return {id_: self._length(item) for id_, item in self._items.items()}

    def _length(self, item: Any) -> int:
        return len(_WORD.findall(searchable(getattr(item, field) for field in SEARCHED[self._kind])))

    @cached_property
    def _averages(self) -> tuple[float, float]:
        """Return the average length of the new items, and of all."""
        below = getattr(self._below.graph, _KINDS[self._kind])
        lengths = [self._length(below[at]) for at in range(0, len(below), max(1, len(below) // SAMPLE))]
        ours = sum(self._lengths.values()) / len(self._lengths)
        theirs = sum(lengths) / len(lengths) if lengths else ours
        n = len(self._lengths)
        return ours or 1.0, (theirs * self._n_below + ours * n) / (self._n_below + n) or 1.0

    def match(self, query: str) -> list[tuple[str, float]]:
        """Return (id, BM25 score) of the items that match, in no order."""
        found: dict[str, float] = {}
        for word in dict.fromkeys(_WORD.findall(segmented(query).casefold())):
            hits = search_texts(self._table, word, len(self._items))
            for id_, score in self._scaled(word, hits):
                found[id_] = found.get(id_, 0.0) + score
        return [(id_, round(score, _DIGITS)) for id_, score in found.items()]

    def _scaled(self, word: str, hits: list[tuple[str, float]]) -> list[tuple[str, float]]:
        if not hits:
            return []
        n = len(self._items)
        rare, rare_here = (
            _rarity(n, len(hits)),
            _rarity(n + self._n_below, len(hits) + self._below_with(word)),
        )
        return [(id_, rare_here * self._weight(id_, score / rare)) for id_, score in hits]

    def _weight(self, id_: str, weight: float) -> float:
        """Return what a word counts beside the average length of all, by what it does beside ours."""
        ours, everyone = self._averages
        guess = self._lengths[id_] / ours
        times = min(range(1, MANY), key=lambda n: abs(_length(weight, n) - guess))
        beside = max(_length(weight, times), 0.0) * ours / everyone
        return times * (K1 + 1) / (times + K1 * (1 - B + B * beside))

    def _below_with(self, word: str) -> int:
        key = self._kind, word
        if key not in self._counted:
            self._counted[key] = len(self._below.match(self._kind, word, max(self._n_below, 1)))
        return self._counted[key]


def _rarity(n: int, having: int) -> float:
    return math.log1p((n - having + 0.5) / (having + 0.5))


def _length(weight: float, times: int) -> float:
    """Return length over average of a text in which a word that stands so many times has a weight."""
    return ((times * (K1 + 1) / weight - times) / K1 - (1 - B)) / B
