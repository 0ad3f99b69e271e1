"""Take weak relationships out of the graph, all in one change that can be undone."""

from collections import Counter
from collections.abc import Callable
from typing import Literal, Self

from pydantic import Field, NonNegativeInt, model_validator

from corpusgraph.schemas.base import Confidence, Noun
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.memory import IMPORT, STATED, Operation, Unrelate
from corpusgraph.schemas.ports import Corpus, GraphView, Memory
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.graph.inputs import TopK
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._columns import Types, unknown_types
from corpusgraph.tasks.tools.memory._evidence import (
    Independence,
    as_operation,
    belief,
    evidence_of,
    fields_of,
    places_of,
    refuse_part,
)
from corpusgraph.tasks.tools.memory._inputs import MaybeRelationships, record


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

    @property
    def has_tests(self) -> bool:
        """Whether it is not all of the types, or of the relationships named, that go."""
        return self.isolated or any(
            test is not None for test in (self.min_weight, self.min_confidence, self.min_evidence)
        )


class Pruned(Noun):
    """A relationship that goes, and why."""

    relationship_id: str
    source_id: str
    target_id: str
    source: str = Field(description="name of the source")
    target: str
    relation_type: str
    weight: float
    confidence: float
    reasons: list[str]


class Pruning(Noun):
    """What goes, the weakest first."""

    success: Literal[True] = True
    dry_run: bool
    relationship_count: int = Field(description="relationships looked at")
    pruned_count: int
    protected_count: int = Field(description="those that would go if they were not stated by hand")
    change: int | None = Field(
        description="number of the change that undo_change takes back; null: none made"
    )
    truncated: bool
    pruned: list[Pruned]


@tool(
    writes="pruning",
    needs={"Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={
        "Relationship.weight",
        "Relationship.confidence",
        "Relationship.type",
        "Relationship.n_evidence",
    },
    adds={"Pruned.reasons"},
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
    found = [graph.relationships[place] for place in counted(places.tolist(), "relationships read")]
    reasons = _tests(ask, graph, corpus)
    failing = [(r, why) for r in counted(found, "relationships tested", every=256) if (why := reasons(r))]
    by_hand = [r for r, _ in failing if not ask.include_hand and _is_stated(r, corpus, memory)]
    kept = {r.id for r in by_hand}
    gone = [(r, why) for r, why in failing if r.id not in kept]
    operations: list[Operation] = [] if ask.dry_run else [Unrelate(**as_operation(r, graph)) for r, _ in gone]
    change = record(memory, ask, "prune_relationships", operations) or None
    gone.sort(key=lambda pair: (pair[0].weight, pair[0].confidence, pair[0].id))
    return Noted(
        data=Pruning(
            dry_run=ask.dry_run,
            relationship_count=len(found),
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
        ),
        warnings=(*_protected(by_hand), *unknown_types(graph, ask.relationship_types)),
    )


def _tests(
    ask: PruneRelationships, graph: GraphView, corpus: Corpus | None
) -> Callable[[Relationship], list[str]]:
    degrees = Counter[str]()
    if ask.isolated:
        for r in counted(graph.relationships, "relationships counted"):
            if r.is_stated:
                degrees.update({r.source_id, r.target_id})

    def reasons(r: Relationship) -> list[str]:
        if not ask.has_tests:
            return [f"of type {r.type}" if ask.relationships is None else "named"]
        told = []
        if ask.min_weight is not None and r.weight < ask.min_weight:
            told.append(f"weight {r.weight:g} < {ask.min_weight:g}")
        if ask.min_confidence is not None and r.confidence < ask.min_confidence:
            told.append(f"confidence {r.confidence:g} < {ask.min_confidence:g}")
        if ask.min_evidence is not None and (n := _evidence(r, corpus)) < ask.min_evidence:
            told.append(f"evidence {n} < {ask.min_evidence}")
        if ask.isolated and degrees[r.source_id] == degrees[r.target_id] == int(r.is_stated):
            told.append("isolated")
        return told

    return reasons


def _evidence(relationship: Relationship, corpus: Corpus | None) -> int:
    """Count statements: as the graph says, or as there are; of a bare record none is known."""
    if relationship.n_evidence is not None:
        return relationship.n_evidence
    return sum(one.is_stated for one in evidence_of(relationship, corpus))


def _is_stated(relationship: Relationship, corpus: Corpus | None, memory: Memory) -> bool:
    """Tell whether a person stated or brought it."""
    if any(statement.cue in STATED for statement in memory.statements(relationship.id)):
        return True
    evidence = evidence_of(relationship, corpus)
    brought = any(one.extractor == IMPORT and one.cue == IMPORT and one.is_stated for one in evidence)
    return brought or (bool(evidence) and belief(evidence, Independence()).by_hand)


def _protected(by_hand: list[Relationship]) -> tuple[ToolWarning, ...]:
    message = (
        f"{len(by_hand)} relationships stay because they were stated by hand; include_hand takes them too."
    )
    return warned("protected", message, [r.id for r in by_hand[:100]], when=by_hand)
