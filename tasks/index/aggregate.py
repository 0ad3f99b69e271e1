"""Sums over evidence that do not depend on its order: integers, extremes and counts only."""

import math
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from heapq import nsmallest
from typing import NamedTuple

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.graph import DENIED, Entity, Relationship
from corpusgraph.tasks.index.descriptions import DESCRIPTION_TOKENS, Descriptions, Place, joined
from corpusgraph.tasks.index.resolve import EntityKey
from corpusgraph.tasks.index.stated import Stated

MAX_CHUNKS = 50
"""Chunks kept per relationship: those with the smallest ids."""
MAX_KEYWORDS = 10
MAX_DESCRIPTION = 240
_DRESS = re.compile(r"^[a-z]{2,3}:|\s*\([^()]*\)$")
"""What a cue carries besides its words: the language before, the voice of the verb behind."""
_SAYS_NOTHING = frozenset({"is a", "same sentence"})
_MICRO = 1_000_000
_NANO = 1_000_000_000


class Passage(NamedTuple):
    """The sentence that speaks best for an entity or a relationship, exactly as it stands in its document."""

    document_id: str
    chunk_id: str
    start: int
    end: int
    page: int | None
    text: str
    confidence: float = 1.0


CERTAIN = 0.999999
"""No evidence counts as surer, so that more of it still counts; what is as sure was stated without doubt."""
Rank = tuple[float | str, ...]
"""What is compared to keep the best passage: smaller is better, and no two passages are equal."""


@lru_cache(maxsize=4096)
def micro(confidence: float) -> int:
    """Return millionths: sums of integers are the same in any order."""
    return round(confidence * _MICRO)


@lru_cache(maxsize=4096)
def doubt(confidence: float) -> int:
    """Return -ln(1 - confidence) in billionths, so that a noisy-or becomes a sum."""
    return round(-math.log1p(-min(confidence, CERTAIN)) * _NANO)


def noisy_or(doubts: int) -> float:
    """Return 1 - prod(1 - c) from a sum of `doubt`, to six places (Pearl 1988, 4.3.2)."""
    return round(-math.expm1(-doubts / _NANO), 6)


def shorten(text: str, limit: int = MAX_DESCRIPTION) -> str:
    """Return the text on one line, cut at a word and marked where it is longer than `limit`."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: line.rfind(" ", 0, limit)].rstrip(",;:") + " …"


@dataclass(slots=True, kw_only=True)
class Told:
    """What a language model said of an item, where one read the documents."""

    descriptions: Descriptions | None = None

    def describe(self, text: str, place: Place) -> None:
        """Keep what a model says of it at a place."""
        if self.descriptions is None:
            self.descriptions = Descriptions()
        self.descriptions.add(text, place)

    def told(self, max_tokens: int) -> str | None:
        """Return what the model said, joined; None where none did."""
        return joined(self.descriptions.texts(), max_tokens) or None if self.descriptions else None


@dataclass(slots=True)
class EntityTotal(Told):
    """What is known of one entity so far."""

    key: EntityKey
    mentions: int = 0
    documents: int = 0
    confidence: float = 0.0
    names: dict[str, int] = field(default_factory=dict)
    roles: dict[str, int] = field(default_factory=dict)
    first: tuple[str, int, str] | None = None
    dates: list[str] = field(default_factory=list)
    stated: Stated | None = None
    rank: Rank | None = None
    passage: Passage | None = None

    def see(self, name: str, confidence: float, where: tuple[str, int, str]) -> None:
        """Count one mention: `where` is (document, character, chunk)."""
        self.mentions += 1
        self.names[name] = self.names.get(name, 0) + 1
        self.confidence = max(self.confidence, confidence)
        if self.first is None or where < self.first:
            self.first = where

    def date(self, first: str, last: str) -> None:
        """Widen the span of dates of the events that it takes part in."""
        self.dates = (
            [min(first, *self.dates[:1]), max(last, *self.dates[1:])] if self.dates else [first, last]
        )

    @property
    def id(self) -> str:
        """Id of the entity."""
        return self.key.id

    def entity(self, short_id: int, degree: int, max_tokens: int = DESCRIPTION_TOKENS) -> Entity:
        """Return the entity; its confidence is that of its surest mention.

        What a model said of it, up to `max_tokens`, is its description; else the best sentence.
        """
        attributes: JsonDict = {
            **(self.stated.chosen() if self.stated else {}),
            "aliases": _counted(self.names),
            "n_documents": self.documents,
            **({"roles": _counted(self.roles)} if self.roles else {}),
            **({"first_date": self.dates[0], "last_date": self.dates[1]} if self.dates else {}),
            **({"qualifier": self.key.qualifier} if self.key.qualifier else {}),
            **({"iso": self.key.value} if self.key.type == "date" and self.key.value else {}),
        }
        return Entity(
            id=self.key.id,
            name=self.key.name,
            type=self.key.type,
            description=self.told(max_tokens) or self._description(),
            attributes=attributes,
            source_ref=self.first[2] if self.first else None,
            confidence=round(self.confidence, 6),
            short_id=short_id,
            degree=degree,
            n_mentions=self.mentions,
        )

    def _description(self) -> str | None:
        """Return the best sentence, after the commonest descriptor where the sentence does not hold it."""
        sentence = shorten(self.passage.text) if self.passage else ""
        role = next(iter(_counted(self.roles)), "")
        if role and role.casefold() not in sentence.casefold():
            return shorten(f"{role}: {sentence}" if sentence else role)
        return sentence or None


def _counted(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


@dataclass(slots=True)
class RelationshipTotal(Told):
    """The evidence for one relationship so far, and against it."""

    id: str
    source_id: str
    target_id: str
    type: str
    weight: int = 0
    doubts: int = 0
    n: int = 0
    denied_weight: int = 0
    denied_doubts: int = 0
    n_denied: int = 0
    n_hypothetical: int = 0
    """Assertions that only suppose or ask it: no evidence."""
    documents: int = 0
    is_causal: bool = False
    chunks: set[str] = field(default_factory=set)
    cues: Counter[str] = field(default_factory=Counter)
    rank: Rank | None = None
    passage: Passage | None = None

    def see(self, confidence: float, *, negated: bool, is_causal: bool, cue: str | None) -> None:
        """Count one assertion."""
        if negated:
            self.denied_weight += micro(confidence)
            self.denied_doubts += doubt(confidence)
            self.n_denied += 1
        else:
            self.weight += micro(confidence)
            self.doubts += doubt(confidence)
            self.n += 1
            self.is_causal = self.is_causal or is_causal
        keyword = _DRESS.sub("", cue or "").casefold()
        if keyword and keyword not in _SAYS_NOTHING:
            self.cues[keyword] += 1

    def found_in(self, chunks: list[str]) -> None:
        """Keep the chunks with the smallest ids; twice as many at most while counting."""
        self.chunks.update(chunks)
        if len(self.chunks) > 2 * MAX_CHUNKS:
            self.chunks = set(nsmallest(MAX_CHUNKS, self.chunks))

    @property
    def is_only_denied(self) -> bool:
        """No text asserts it, and some deny it."""
        return not self.n

    def relationship(self, short_id: int, max_tokens: int = DESCRIPTION_TOKENS) -> Relationship:
        """Return the relationship; one that is only ever denied is of type `not_…`, and not causal.

        The id is that of the type denied, so that assertions point to it whichever way it turns out.
        """
        denied = self.is_only_denied
        weight, doubts = (self.denied_weight, self.denied_doubts) if denied else (self.weight, self.doubts)
        attributes: JsonDict = {
            "n_documents": self.documents,
            **({"n_denied": self.n_denied} if self.n_denied else {}),
            **({"n_hypothetical": self.n_hypothetical} if self.n_hypothetical else {}),
        }
        return Relationship(
            id=self.id,
            source_id=self.source_id,
            target_id=self.target_id,
            type=f"{DENIED}{self.type}" if denied else self.type,
            weight=max(weight, 1) / _MICRO,
            confidence=noisy_or(doubts),
            is_causal=self.is_causal,
            negated_weight=self.denied_weight / _MICRO,
            description=self.told(max_tokens) or self._description(),
            keywords=tuple(_counted(self.cues))[:MAX_KEYWORDS],
            attributes=attributes,
            short_id=short_id,
            n_evidence=self.n_denied if denied else self.n,
            chunk_ids=tuple(nsmallest(MAX_CHUNKS, self.chunks)),
        )

    def _description(self) -> str | None:
        return shorten(self.passage.text, 2 * MAX_DESCRIPTION) if self.passage else None
