"""Full-text search over what was added by hand, on the scale of the index that it was added to.

A BM25 score says how rare a word is and how long a text is, beside all others. A small index of the new items
alone would call every word rare, so its scores are put right, word by word: the documents that have the word
and the average length are those of the index and the new items together (Robertson and Zaragoza 2009, The
Probabilistic Relevance Framework, eq. 3.15, with k1 = 1.2 and b = 0.75, as Lance has them).

The items are in two tables, the second with those that came last, so that one more does not mean that all are
indexed again.
"""

import math
import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from corpusgraph.flows.resources.fulltext import LEFT_OUT, holds, phrases_of, segmented, text_of
from corpusgraph.flows.resources.textindex import search_texts, text_table

if TYPE_CHECKING:
    from corpusgraph.flows.resources.opened import OpenIndex

K1, B = 1.2, 0.75
SAMPLE = 256
"""Items of the index whose lengths tell the average."""
MANY = 64
"""How often a word is in a text, at most, that is told from its score."""
LATE, SHARE = 256, 8
"""Items in the second table, at most: so many, or this part of those in the first."""
_WORD = re.compile(r"\w+(?:['’.]\w+)*")
_DIGITS = 6
_KINDS = {"entity": "entities", "relationship": "relationships", "chunk": "chunks", "report": "reports"}


class Below:
    """What is asked of the texts of one kind in the index below; `counted` keeps how many have a word."""

    def __init__(self, index: "OpenIndex", kind: str, counted: dict[tuple[str, str], int]) -> None:
        self._index, self.kind, self._counted = index, kind, counted
        self.rows = index.manifest.tables[_KINDS[kind]].rows

    def length(self, item: Any) -> int:
        """Count the words of an item that are indexed."""
        words = _WORD.findall(text_of(self.kind, item))
        return sum(word.casefold() not in LEFT_OUT for word in words)

    @cached_property
    def average(self) -> float | None:
        """Return the average length of a text; None where there is none."""
        items = getattr(self._index.graph, _KINDS[self.kind])
        lengths = [self.length(items[at]) for at in range(0, len(items), max(1, len(items) // SAMPLE))]
        return sum(lengths) / len(lengths) if lengths else None

    def having(self, word: str) -> int:
        """Count the items that have a word."""
        key = self.kind, word
        if key not in self._counted:
            self._counted[key] = len(self._index.match(self.kind, word, max(self.rows, 1)))
        return self._counted[key]


class Part:
    """Some items in a table of their own."""

    def __init__(self, below: Below, items: Mapping[str, Any]) -> None:
        self.items = items
        self._below = below

    @cached_property
    def _table(self) -> Any:
        return text_table(self._below.kind, list(self.items.values()))

    @cached_property
    def lengths(self) -> dict[str, int]:
        """Return how many words each item has."""
        return {id_: self._below.length(item) for id_, item in self.items.items()}

    @cached_property
    def average(self) -> float:
        """Return the average length, as the table has it."""
        return sum(self.lengths.values()) / len(self.lengths) or 1.0

    def weights(self, word: str, everyone: float) -> list[tuple[str, float]]:
        """Return what a word counts in each item that has it, beside the average length of all texts."""
        hits = search_texts(self._table, word, len(self.items)) if self.items else []
        rare = _rarity(len(self.items), len(hits))
        return [(id_, self._weight(id_, score / rare, everyone)) for id_, score in hits]

    def _weight(self, id_: str, weight: float, everyone: float) -> float:
        guess = self.lengths[id_] / self.average
        times = min(range(1, MANY), key=lambda n: abs(_length(weight, n) - guess))
        beside = self.lengths[id_] / everyone
        return times * (K1 + 1) / (times + K1 * (1 - B + B * beside))


class FreshText:
    """The texts of new items of one kind; of an item that is in both parts the late one counts."""

    def __init__(self, below: Below, n_hidden: int, early: Part, late: Part) -> None:
        self._below, self._n_below = below, below.rows - n_hidden
        self._early, self._late = early, late

    @classmethod
    def of(cls, below: Below, n_hidden: int, items: Mapping[str, Any]) -> "FreshText":
        """Return the texts of some items."""
        return cls(below, n_hidden, Part(below, items), Part(below, {}))

    def more(self, n_hidden: int, items: Mapping[str, Any]) -> "FreshText":
        """Return these and those of others, or of some as they are now."""
        late = {**self._late.items, **items}
        if len(late) > max(LATE, len(self._early.items) // SHARE):
            return FreshText.of(self._below, n_hidden, {**self._early.items, **late})
        part = Part(self._below, late) if items else self._late
        return FreshText(self._below, n_hidden, self._early, part)

    @cached_property
    def _lengths(self) -> tuple[int, int]:
        """Return how many items there are, and how many words they have."""
        late = self._late.lengths
        early = [n for id_, n in self._early.lengths.items() if id_ not in late]
        return len(early) + len(late), sum(early) + sum(late.values())

    @cached_property
    def _everyone(self) -> float:
        """Return the average length of all texts, those below too."""
        n, words = self._lengths
        theirs = self._below.average
        of_theirs = (words / n if n else 0.0) if theirs is None else theirs
        return (of_theirs * self._n_below + words) / max(self._n_below + n, 1) or 1.0

    def match(self, query: str) -> list[tuple[str, float]]:
        """Return (id, BM25 score) of the items that match, in no order."""
        found: dict[str, float] = {}
        for word in dict.fromkeys(_WORD.findall(segmented(query).casefold())):
            weights = dict(self._early.weights(word, self._everyone))
            weights = {id_: one for id_, one in weights.items() if id_ not in self._late.items}
            weights |= dict(self._late.weights(word, self._everyone))
            n = self._lengths[0] + self._n_below
            rare = _rarity(n, len(weights) + self._below.having(word)) if weights else 0.0
            for id_, weight in weights.items():
                found[id_] = found.get(id_, 0.0) + rare * weight
        kept, phrases = {**self._early.items, **self._late.items}, phrases_of(query)
        return [
            (id_, round(score, _DIGITS))
            for id_, score in found.items()
            if not phrases or holds(text_of(self._below.kind, kept[id_]), phrases)
        ]


def _rarity(n: int, having: int) -> float:
    return math.log1p((n - having + 0.5) / (having + 0.5))


def _length(weight: float, times: int) -> float:
    """Return length over average of a text in which a word that stands so many times has a weight."""
    return ((times * (K1 + 1) / weight - times) / K1 - (1 - B)) / B
