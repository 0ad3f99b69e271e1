"""How sure relationships are, by the evidence there is for each."""

from collections.abc import Mapping
from typing import Literal

import numpy as np
from pydantic import Field

from corpusgraph.schemas.base import Confidence, Noun
from corpusgraph.schemas.graph import DENIED, Relationship
from corpusgraph.schemas.ports import Corpus, GraphView, Ints
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.tasks.graph.inputs import TopK
from corpusgraph.tasks.graph.ranking import ranked
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._columns import Types, stated_confidences, unknown_types
from corpusgraph.tasks.tools.memory._evidence import Belief, Independence, beliefs_at, places_of
from corpusgraph.tasks.tools.memory._inputs import MaybeRelationships

WEIGHED = "noisy-or: Pearl 1988; evidence for and against by Dempster's rule: Shafer 1976"


class Weighing(ToolInput):
    """Which relationships are weighed, and how statements that are not independent count."""

    relationships: MaybeRelationships = None
    relationship_types: Types = None
    same_document: Confidence = Field(
        0.5, description="how much the word of a further extractor in the same document counts; 1: in full"
    )
    same_extractor: Confidence = Field(
        0.25, description="how much it counts when the same extractor says it again in the same document"
    )
    reliability: dict[str, Confidence] = Field(
        default_factory=dict, description="extractor: factor of the confidence that it gives; 1 unless given"
    )

    @property
    def independence(self) -> Independence:
        """How statements count beside one another."""
        factors = tuple(sorted(self.reliability.items()))
        return Independence(self.same_document, self.same_extractor, factors)


class ScoreConfidence(Weighing):
    """Which relationships are weighed, and which are told."""

    top_k: TopK = 50
    order: Literal["surest", "least_sure", "most_changed"] = Field(
        "surest", description="which come first; most_changed: those furthest from the confidence they have"
    )


class Judged(Relationship):
    """A relationship as it is, with what its evidence says in a line."""

    explanation: str


class Confidences(Noun):
    """Relationships with the confidence that their evidence gives them as score."""

    success: Literal[True] = True
    relationship_count: int = Field(description="relationships weighed")
    without_evidence: int = Field(
        description="those of which no statement is at hand: they keep what they have"
    )
    formula: str
    relationships: list[Scored[Judged]]


FORMULA = (
    "support = 1 - prod (1 - c)^u over statements, u = 1 for the surest of a document, same_document for "
    "each further extractor there, same_extractor for repetitions; denial likewise; "
    "confidence = support (1 - denial) / (1 - support denial)"
)


@tool(
    writes="confidences",
    needs={"Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.confidence", "Relationship.type", "Relationship.n_evidence"},
    adds={"Scored.score", "Scored.components.support", "Scored.components.denial", "Judged.explanation"},
    cite=WEIGHED,
)
def score_confidence(ask: ScoreConfidence, graph: GraphView, corpus: Corpus | None) -> Noted[Confidences]:
    """Score how sure relationships are by their evidence: statements, their independence, what denies them.

    Nothing is changed; adjust_weights writes what this tool tells.
    """
    places = places_of(graph, ask.relationships, ask.relationship_types)
    beliefs = beliefs_at(graph, places, corpus, ask.independence)
    chosen = [
        _row(graph.relationships[place], beliefs.get(place)) for place in _first(ask, graph, places, beliefs)
    ]
    bare = len(places) - len(beliefs)
    return Noted(
        data=Confidences(
            relationship_count=len(places),
            without_evidence=bare,
            formula=FORMULA,
            relationships=_numbered(ask, chosen),
        ),
        warnings=(*without_evidence(bare, len(places)), *unknown_types(graph, ask.relationship_types)),
    )


def _first(ask: ScoreConfidence, graph: GraphView, places: Ints, beliefs: Mapping[int, Belief]) -> list[int]:
    """Return the places of those that are told, in the order asked for; of equals, the first by id."""
    stated = stated_confidences(graph, places)
    scores = stated.copy()
    for at, place in enumerate(places.tolist()):
        if (found := beliefs.get(place)) is not None:
            scores[at] = denied_or(graph.relationships[place], found)
    keys = {"surest": -scores, "least_sure": scores, "most_changed": -np.abs(scores - stated)}
    order: list[int] = places[np.argsort(keys[ask.order], kind="stable")[: ask.top_k]].tolist()
    return order


Row = tuple[Judged, float, dict[str, float]]


def _numbered(ask: ScoreConfidence, rows: list[Row]) -> list[Scored[Judged]]:
    """Return rows in the order asked for; ranks follow it, not the scores."""
    if ask.order == "surest":
        return ranked(rows, "evidence")
    return [
        Scored[Judged](item=item, score=score, rank=rank, scorer="evidence", components=parts)
        for rank, (item, score, parts) in enumerate(rows, start=1)
    ]


def _row(relationship: Relationship, found: Belief | None) -> Row:
    if found is None:
        said = f"No statement is at hand; it keeps its confidence of {relationship.confidence:g}."
        parts = {"stated": relationship.confidence, "n_evidence": float(relationship.n_evidence or 0)}
        return Judged(**dict(relationship), explanation=said), relationship.confidence, parts
    score = denied_or(relationship, found)
    parts = {
        "support": found.support,
        "denial": found.denial,
        "n_evidence": float(found.n_evidence),
        "n_documents": float(found.n_documents),
        "n_extractors": float(found.n_extractors),
        "n_denied": float(found.n_denied),
        "by_hand": float(found.by_hand),
        "stated": relationship.confidence,
        "change": round(score - relationship.confidence, 6),
    }
    return Judged(**dict(relationship), explanation=_said(found)), score, parts


def denied_or(relationship: Relationship, found: Belief) -> float:
    """Return the confidence of a relationship; of one of type `not_…`, that it is denied."""
    only_denied = relationship.type.startswith(DENIED) and not found.n_evidence
    return round(found.denial, 6) if only_denied else found.confidence


def _said(found: Belief) -> str:
    told = (
        f"{_n(found.n_evidence, 'statement')} in {_n(found.n_documents, 'document')} by "
        f"{_n(found.n_extractors, 'extractor')}"
    )
    against = f", {_n(found.n_denied, 'denial')} against it" if found.n_denied else ""
    return f"{told}{against}{'; stated by hand' if found.by_hand else ''}."


def _n(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def without_evidence(bare: int, n: int) -> tuple[ToolWarning, ...]:
    """Tell that there is nothing to weigh some relationships by."""
    message = f"No statement is at hand of {bare} of {n} relationships; they keep the confidence they have."
    return warned("no_evidence", message, when=bare)
