"""How sure relationships are by their evidence: told, written as weights, and pruned by."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self

import numpy as np
from pydantic import Field, NonNegativeInt, model_validator

from corpusgraph.schemas.base import Confidence, JsonDict, Noun
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.evidence import Assertion
from corpusgraph.schemas.graph import DENIED, Relationship
from corpusgraph.schemas.memory import HAND, IMPORT, STATED, Reweigh, Unrelate
from corpusgraph.schemas.ports import Corpus, GraphView, Ints, Memory
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.tasks.build.aggregate import CERTAIN, as_written
from corpusgraph.tasks.graph.compiled import compiled, distinct, edge_of, per_graph
from corpusgraph.tasks.graph.inputs import TopK
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.graph.ranking import scored_in_order
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import (
    MaybeRelationships,
    Success,
    Types,
    as_operation,
    record,
    unknown_types,
)

WEIGHED = "noisy-or: Pearl 1988; evidence for and against by Dempster's rule: Shafer 1976"
NEEDS = "Relationship.id source_id target_id"
LEAST = 1e-6
"""No weight is less: a relationship without weight would be none."""
Triple = tuple[str, str, str]

# Evidence


@per_graph
def assertions_of(corpus: Corpus) -> Mapping[Triple, Sequence[Assertion]]:
    """Return (source, type, target) -> what was said of that relationship, in text order."""
    of = corpus.entity_of
    ends = ((of(one.source_mention), of(one.target_mention), one) for one in corpus.assertions)
    return grouped(
        (as_written(source, one.type, target), one) for source, target, one in ends if source and target
    )


def evidence_of(relationship: Relationship, corpus: Corpus | None) -> Sequence[Assertion]:
    """Return what was said of a relationship; one of type `not_…` is what is only ever denied."""
    known = {} if corpus is None else assertions_of(corpus)
    source, type_, target = relationship.source_id, relationship.type, relationship.target_id
    return known.get((source, type_, target)) or known.get((source, type_.removeprefix(DENIED), target), ())


def places_of(graph: GraphView, refs: Sequence[str | int] | None, types: Sequence[str] | None) -> Ints:
    """Return where relationships are, by reference, or all, of some types or of any; in order, each once."""
    arrays = compiled(graph)
    places = np.arange(len(arrays.source))
    if refs is not None:
        places = distinct(np.array([edge_of(graph, ref) for ref in refs], dtype=np.int64))
    return places if types is None else places[arrays.of_types(types)[places]]


class Independence(Noun):
    """How much a further statement counts beside the first: as a power of its doubt, from 0 to 1.

    `same_extractor` for one by the same extractor in the same document, `same_document` for one by another
    extractor there; those of other documents count in full. `reliability` scales the confidence that an
    extractor gives (by its name up to the first `/`, `:` or `-`).
    """

    same_document: Confidence = Field(
        0.5, description="how much the word of a further extractor in the same document counts; 1: in full"
    )
    same_extractor: Confidence = Field(
        0.25, description="how much it counts when the same extractor says it again in the same document"
    )
    reliability: dict[str, Confidence] = Field(
        default_factory=dict, description="extractor: factor of the confidence that it gives; 1 unless given"
    )

    def trusted(self, assertion: Assertion) -> float:
        """Return how sure a statement is."""
        factors, family = self.reliability, re.split("[/:-]", assertion.extractor)[0]
        factor = factors.get(assertion.extractor, factors.get(family, 1.0))
        return min(assertion.confidence * factor, CERTAIN)


@dataclass(frozen=True)
class Belief:
    """What the evidence for a relationship comes to."""

    support: float
    denial: float
    weight: float
    n_evidence: int
    n_documents: int
    n_extractors: int
    n_denied: int
    by_hand: bool

    @property
    def confidence(self) -> float:
        """Join one body of evidence for it and one against by Dempster's rule: s (1 - d) / (1 - s d)."""
        return round(self.support * (1 - self.denial) / (1 - self.support * self.denial), 6)


def belief(evidence: Sequence[Assertion], how: Independence) -> Belief:
    """Weigh statements for and against one relationship.

    support = 1 - product over statements of (1 - c) ^ u (noisy-or, Pearl 1988), c the confidence and u 1 for
    the surest statement of a document, `same_document` for the surest of each further extractor there,
    `same_extractor` for all others; denial is the same of what denies it, and the two are joined by
    Dempster's rule (Shafer 1976). What is supposed or asked is neither. weight is the sum of c u over what
    supports it, times 1 - denial.
    """
    pro = [one for one in evidence if one.is_stated]
    con = [one for one in evidence if one.is_put_forward and one.negated]
    doubts, shares = _weighed(pro, how)
    against, _ = _weighed(con, how)
    support, denial = -math.expm1(-doubts), -math.expm1(-against)
    return Belief(
        support=min(round(support, 9), CERTAIN),
        denial=min(round(denial, 9), CERTAIN),
        weight=round(shares * (1 - denial), 6),
        n_evidence=len(pro),
        n_documents=len({one.document_id for one in pro}),
        n_extractors=len({one.extractor for one in pro}),
        n_denied=len(con),
        by_hand=any(map(is_by_hand, pro)),
    )


def is_by_hand(one: Assertion) -> bool:
    """Tell what a person stated here."""
    return one.extractor == HAND and one.cue in {*STATED, None}


def _weighed(evidence: Iterable[Assertion], how: Independence) -> tuple[float, float]:
    """Return the sum of -u ln(1 - c) and the sum of u c."""
    by_document = grouped((one.document_id, one) for one in evidence)
    doubts, shares = [], []
    for document in sorted(by_document):
        seen: set[str] = set()
        for one in sorted(by_document[document], key=lambda a: (-how.trusted(a), a.extractor, a.id)):
            u = 1.0 if not seen else how.same_extractor if one.extractor in seen else how.same_document
            seen.add(one.extractor)
            doubts.append(-u * math.log1p(-how.trusted(one)))
            shares.append(u * how.trusted(one))
    return math.fsum(doubts), math.fsum(shares)


def refuse_part(ask: ToolInput, *, dry_run: bool) -> None:
    """Refuse to change the whole index by what a filter shows of it."""
    if ask.filter and not dry_run:
        raise InvalidInputError(
            "A filter shows a part of the evidence, by which the whole cannot be judged.",
            hint="Leave out the filter, or keep dry_run.",
        )


def fields_of(relationship: Relationship) -> JsonDict:
    """Return what is told of a relationship that is changed, by the names of an answer."""
    names = ("source_id", "target_id", "weight", "confidence")
    fields = {name: getattr(relationship, name) for name in names}
    return {"relationship_id": relationship.id, "relation_type": relationship.type, **fields}


def denied_or(relationship: Relationship, belief: Belief) -> float:
    """Return the confidence of a relationship; of one of type `not_…`, that it is denied."""
    only_denied = relationship.type.startswith(DENIED) and not belief.n_evidence
    return round(belief.denial, 6) if only_denied else belief.confidence


# Scoring and weighing


class _Weighed(ToolInput):
    """Which relationships are weighed."""

    relationships: MaybeRelationships = None
    relationship_types: Types = None


class Weighing(Independence, _Weighed):
    """Which relationships are weighed, and how statements that are not independent count."""


Beliefs = dict[str, Belief]
"""Id of a relationship of which a statement is at hand -> what its evidence comes to."""


def weighed(
    ask: Weighing, graph: GraphView, corpus: Corpus | None
) -> tuple[list[Relationship], Beliefs, tuple[ToolWarning, ...]]:
    """Return the relationships that are asked for, weighed, and what there is to tell of that."""
    places = places_of(graph, ask.relationships, ask.relationship_types)
    relationships = [graph.relationships[at] for at in counted(places.tolist(), "relationships weighed")]
    said = ((one.id, evidence_of(one, corpus)) for one in relationships)
    beliefs = {id_: belief(evidence, ask) for id_, evidence in said if evidence}
    bare, n = len(relationships) - len(beliefs), len(relationships)
    message = f"No statement is at hand of {bare} of {n} relationships; they keep the confidence they have."
    warnings = warned("no_evidence", message, when=bare)
    return relationships, beliefs, (*warnings, *unknown_types(graph, ask.relationship_types))


class ScoreConfidence(Weighing):
    """Which relationships are weighed, and which are told."""

    top_k: TopK = 50
    order: Literal["surest", "least_sure", "most_changed"] = Field(
        "surest", description="which come first; most_changed: those furthest from the confidence they have"
    )


class Judged(Relationship):
    """A relationship as it is, with what its evidence says in a line."""

    explanation: str


class Confidences(Success):
    """Relationships with the confidence that their evidence gives them as score."""

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
    needs=NEEDS,
    optional="Relationship.confidence type n_evidence",
    adds="Scored.score components.support components.denial, Judged.explanation",
    cite=WEIGHED,
)
def score_confidence(ask: ScoreConfidence, graph: GraphView, corpus: Corpus | None) -> Noted[Confidences]:
    """Score how sure relationships are by their evidence: statements, their independence, what denies them.

    Nothing is changed; adjust_weights writes what this tool tells.
    """
    relationships, beliefs, warnings = weighed(ask, graph, corpus)

    def place(one: Relationship) -> float:
        score = _score(one, beliefs.get(one.id))
        change = -abs(score - one.confidence)
        return {"surest": -score, "least_sure": score, "most_changed": change}[ask.order]

    rows = [_row(one, beliefs.get(one.id)) for one in sorted(relationships, key=place)[: ask.top_k]]
    data = Confidences(
        relationship_count=len(relationships),
        without_evidence=len(relationships) - len(beliefs),
        formula=FORMULA,
        relationships=scored_in_order(rows, "evidence"),
    )
    return Noted(data=data, warnings=warnings)


def _score(relationship: Relationship, belief: Belief | None) -> float:
    return relationship.confidence if belief is None else denied_or(relationship, belief)


def _row(relationship: Relationship, belief: Belief | None) -> tuple[Judged, float, dict[str, float]]:
    score, parts = _score(relationship, belief), {"stated": relationship.confidence}
    if belief is None:
        said = f"No statement is at hand; it keeps its confidence of {score:g}."
        parts["n_evidence"] = float(relationship.n_evidence or 0)
    else:
        said = _said(belief)
        counts = {name: float(value) for name, value in vars(belief).items() if name != "weight"}
        parts = {**counts, **parts, "change": round(score - relationship.confidence, 6)}
    return Judged(**dict(relationship), explanation=said), score, parts


def _said(belief: Belief) -> str:
    counts = (belief.n_evidence, belief.n_documents, belief.n_extractors, belief.n_denied)
    nouns = ("statement", "document", "extractor", "denial")
    statements, documents, extractors, denials = (
        f"{n} {noun}{'' if n == 1 else 's'}" for n, noun in zip(counts, nouns, strict=True)
    )
    against = f", {denials} against it" if belief.n_denied else ""
    by_hand = "; stated by hand" if belief.by_hand else ""
    return f"{statements} in {documents} by {extractors}{against}{by_hand}."


class AdjustWeights(Weighing):
    """Which relationships are weighed anew, how, and whether it is done or only shown."""

    method: Literal["evidence", "log", "confidence"] = Field(
        "evidence",
        description="evidence: sum of what each statement counts, less what denies it; log: ln(1 + that), so "
        "that one much repeated does not outweigh all; confidence: the confidence itself, from 0 to 1",
    )
    min_change: float = Field(0.01, ge=0, description="leave weights and confidences that change by less")
    dry_run: bool = Field(True, description="only show what would change; false: change it")
    top_k: TopK = 100


class Review(Success):
    """Relationships that were looked at, and what changes."""

    dry_run: bool
    relationship_count: int = Field(description="relationships looked at")
    change: int | None = Field(
        description="number of the change that undo_change takes back; null: none made"
    )
    truncated: bool


class Reviewed(Noun):
    """A relationship that changes, as it is."""

    relationship_id: str
    source_id: str
    target_id: str
    relation_type: str
    weight: float
    confidence: float


class Adjustment(Reviewed):
    """A relationship's weight and confidence before and after."""

    new_weight: float
    new_confidence: float


class Adjustments(Review):
    """What changes, the largest changes of weight first."""

    changed_count: int
    adjustments: list[Adjustment]


@tool(
    writes="adjustments",
    needs=NEEDS,
    optional="Relationship.weight confidence type",
    adds="Adjustment.new_weight new_confidence",
    cite=WEIGHED,
    effect="changes",
)
def adjust_weights(
    ask: AdjustWeights, graph: GraphView, corpus: Corpus | None, memory: Memory
) -> Noted[Adjustments]:
    """Weigh relationships anew by their evidence; with dry_run false, as one change that can be undone.

    A relationship of which no statement is at hand keeps its weight. Doing it twice changes nothing more.
    """
    refuse_part(ask, dry_run=ask.dry_run)
    relationships, beliefs, warnings = weighed(ask, graph, corpus)
    pairs = ((one, beliefs[one.id]) for one in relationships if one.id in beliefs)
    made = [(r, adjustment) for r, belief in pairs if (adjustment := _adjusted(ask, r, belief))]
    operations = [
        Reweigh(**as_operation(r, graph.entity), weight=one.new_weight, confidence=one.new_confidence)
        for r, one in (() if ask.dry_run else made)
    ]
    change = record(memory, ask, operations) or None
    made.sort(key=lambda pair: (-abs(pair[1].new_weight - pair[1].weight), pair[0].id))
    data = Adjustments(
        dry_run=ask.dry_run,
        relationship_count=len(relationships),
        changed_count=len(made),
        change=change,
        truncated=len(made) > ask.top_k,
        adjustments=[one for _, one in made[: ask.top_k]],
    )
    return Noted(data=data, warnings=warnings)


def _adjusted(ask: AdjustWeights, relationship: Relationship, belief: Belief) -> Adjustment | None:
    confidence = denied_or(relationship, belief)
    counted = belief.weight if belief.n_evidence else belief.denial * belief.n_denied
    weights = {"evidence": counted, "log": math.log1p(counted), "confidence": confidence}
    weight = max(round(weights[ask.method], 6), LEAST)
    changes = abs(weight - relationship.weight), abs(confidence - relationship.confidence)
    if max(changes) < max(ask.min_change, LEAST):
        return None
    return Adjustment(**fields_of(relationship), new_weight=weight, new_confidence=confidence)


# Pruning


class PruneRelationships(ToolInput):
    """Which relationships go: those that fail any of the tests."""

    min_weight: float | None = Field(None, ge=0, description="those of less weight go")
    min_confidence: Confidence | None = Field(None, description="those of less confidence go")
    min_evidence: NonNegativeInt | None = Field(None, description="those of fewer statements go")
    isolated: bool = Field(
        False, description="those go whose two entities have no other relationship: islands of two"
    )
    relationship_types: Types = None
    relationships: MaybeRelationships = None
    include_hand: bool = Field(False, description="prune what was stated by hand or imported as well")
    dry_run: bool = Field(True, description="only show what would go; false: take it out")
    top_k: TopK = 100

    @model_validator(mode="after")
    def _tests_something(self) -> Self:
        tests = (self.min_weight, self.min_confidence, self.min_evidence, self.relationship_types)
        if all(test is None for test in tests) and not self.isolated and self.relationships is None:
            raise ValueError(
                "say what goes: min_weight, min_confidence, min_evidence, isolated, relationship_types or "
                "relationships"
            )
        return self


class Pruned(Reviewed):
    """A relationship that goes, and why."""

    source: str = Field(description="name of the source")
    target: str
    reasons: list[str]


class Pruning(Review):
    """What goes, the weakest first."""

    pruned_count: int
    protected_count: int = Field(description="those that would go if they were not stated by hand")
    pruned: list[Pruned]


@tool(
    writes="pruning",
    needs=NEEDS,
    optional="Relationship.weight confidence type n_evidence",
    adds="Pruned.reasons",
    effect="removes",
)
def prune_relationships(
    ask: PruneRelationships, graph: GraphView, corpus: Corpus | None, memory: Memory
) -> Noted[Pruning]:
    """Prune weak relationships; with dry_run false, as one change that can be undone.

    Without a test of weight, confidence, evidence or isolation, all of the types (or relationships) named go.
    What was stated by hand stays unless include_hand.
    """
    refuse_part(ask, dry_run=ask.dry_run)
    places = places_of(graph, ask.relationships, ask.relationship_types)
    looked_at = (graph.relationships[place] for place in counted(places.tolist(), "relationships tested"))
    failing = [(r, why) for r in looked_at if (why := _reasons(ask, r, graph, corpus))]
    by_hand = [r.id for r, _ in failing if not ask.include_hand and _is_stated(r, corpus, memory)]
    protected = set(by_hand)
    gone = [(r, why) for r, why in failing if r.id not in protected]
    operations = [Unrelate(**as_operation(r, graph.entity)) for r, _ in (() if ask.dry_run else gone)]
    change = record(memory, ask, operations) or None
    gone.sort(key=lambda pair: (pair[0].weight, pair[0].confidence, pair[0].id))
    stays = (
        f"{len(by_hand)} relationships stay because they were stated by hand; include_hand takes them too."
    )
    data = Pruning(
        dry_run=ask.dry_run,
        relationship_count=len(places),
        pruned_count=len(gone),
        protected_count=len(by_hand),
        change=change,
        truncated=len(gone) > ask.top_k,
        pruned=[
            Pruned(
                **fields_of(r),
                source=graph.entity(r.source_id).name,
                target=graph.entity(r.target_id).name,
                reasons=why,
            )
            for r, why in gone[: ask.top_k]
        ],
    )
    warnings = (
        *warned("protected", stays, by_hand[:100], when=by_hand),
        *unknown_types(graph, ask.relationship_types),
    )
    return Noted(data=data, warnings=warnings)


def _reasons(ask: PruneRelationships, r: Relationship, graph: GraphView, corpus: Corpus | None) -> list[str]:
    """Tell by which tests a relationship goes; without a test all that are named do."""
    tests = (ask.min_weight, ask.min_confidence, ask.min_evidence)
    if not ask.isolated and all(test is None for test in tests):
        return [f"of type {r.type}" if ask.relationships is None else "named"]
    n_evidence = r.n_evidence or 0
    if r.n_evidence is None and ask.min_evidence is not None:  # of a bare record none is known
        n_evidence = sum(one.is_stated for one in evidence_of(r, corpus))
    has = (r.weight, r.confidence, n_evidence)
    rows = zip(("weight", "confidence", "evidence"), "ggd", has, tests, strict=True)
    why = [f"{name} {n:{f}} < {least:{f}}" for name, f, n, least in rows if least is not None and n < least]
    at, degrees = compiled(graph).at, compiled(graph).degrees
    is_isolated = degrees[at[r.source_id]] == degrees[at[r.target_id]] == int(r.is_stated)
    return [*why, "isolated"] if ask.isolated and is_isolated else why


def _is_stated(relationship: Relationship, corpus: Corpus | None, memory: Memory) -> bool:
    """Tell whether a person stated or brought it."""
    if any(statement.cue in STATED for statement in memory.statements(relationship.id)):
        return True
    evidence = [one for one in evidence_of(relationship, corpus) if one.is_stated]
    return any(is_by_hand(one) or one.extractor == one.cue == IMPORT for one in evidence)
