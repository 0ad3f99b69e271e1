"""What is given to be re-ranked: texts, nouns, and the results of a search with what they tell of it."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import CommunityReport, Entity, Relationship
from corpusgraph.tasks.answer.similarity_search import FIELDS

_TOLD = ("score", "scorer", "components")
_ALIKE = {"bm25", "cosine", "tfidf"}
"""Scorers that look at words or vectors alone."""
_JOINED = {"weighted", "rrf"}
"""Those of hybrid_search, which looks at the graph where its components say so."""
Origin = Literal["words", "walk", "unknown"]
"""What put an item in its place: words or vectors; a walk over the graph, or anything else; nobody knows."""


class Candidate(Noun):
    """What is re-ranked, and the score it came with."""

    item: Chunk | Relationship | CommunityReport | Entity | str
    score: float | None = None
    scorer: str | None = None
    components: dict[str, float] = Field(default_factory=dict)

    @property
    def origin(self) -> Origin:
        """Tell by which kind of evidence a search found it."""
        if self.score is None:
            return "unknown"
        joined = self.scorer in _JOINED and "graph" not in self.components
        return "words" if joined or self.scorer in _ALIKE else "walk"


def origin_of(items: Sequence[Candidate]) -> Origin:
    """Tell what most of the items were found by; of as many of several a walk, then words."""
    found = [item.origin for item in items]
    kinds: tuple[Origin, ...] = ("walk", "words", "unknown")
    return max(kinds, key=found.count)


def candidates(values: Any) -> Any:
    """Return texts, ids, nouns and scored items as candidates; of JSON the noun that its fields tell."""
    return [_candidate(value) for value in values] if isinstance(values, list | tuple) else values


def _candidate(value: Any) -> Any:
    told: dict[str, Any] = {}
    while True:
        held: dict[str, Any] = dict(value) if isinstance(value, Mapping | Noun) else {}
        if held.get("item") is not None:
            value = held["item"]
            told = {field: held[field] for field in _TOLD if held.get(field) is not None} or told
        elif "text" in held and held.get("kind") in {"chunk", "relationship", "report", "entity", "text"}:
            value = held.get(held["kind"]) or held["text"]  # what the searches of this family give
        else:
            break
    if isinstance(value, Mapping):
        kind = next((noun for field, noun in FIELDS.items() if field in value), None)
        value = kind.model_validate(value) if kind else value
    return {"item": value, **told}
