"""New weights for relationships, from the evidence there is for each."""

import math
from typing import Literal

from pydantic import Field

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.memory import Operation, Reweigh
from corpusgraph.schemas.ports import Corpus, GraphView, Memory
from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.graph.inputs import TopK
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._columns import unknown_types
from corpusgraph.tasks.tools.memory._evidence import (
    Belief,
    as_operation,
    beliefs_at,
    fields_of,
    places_of,
    refuse_part,
)
from corpusgraph.tasks.tools.memory._inputs import record
from corpusgraph.tasks.tools.memory.score_confidence import WEIGHED, Weighing, denied_or, without_evidence

Method = Literal["evidence", "log", "confidence"]
LEAST = 1e-6
"""No weight is less: a relationship without weight would be none."""


class AdjustWeights(Weighing):
    """Which relationships are weighed anew, how, and whether it is done or only shown."""

    method: Method = Field(
        "evidence",
        description="evidence: sum of what each statement counts, less what denies it; log: ln(1 + that), so "
        "that one much repeated does not outweigh all; confidence: the confidence itself, from 0 to 1",
    )
    min_change: float = Field(0.01, ge=0, description="leave weights and confidences that change by less")
    dry_run: bool = Field(True, description="only show what would change; false: change it")
    top_k: TopK = 100


class Adjustment(Noun):
    """A relationship's weight and confidence before and after."""

    relationship_id: str
    source_id: str
    target_id: str
    relation_type: str
    weight: float
    new_weight: float
    confidence: float
    new_confidence: float


class Adjustments(Noun):
    """What changes, the largest changes of weight first."""

    success: Literal[True] = True
    dry_run: bool
    relationship_count: int = Field(description="relationships weighed")
    changed_count: int
    change: int | None = Field(
        description="number of the change that undo_change takes back; null: none made"
    )
    truncated: bool
    adjustments: list[Adjustment]


@tool(
    writes="adjustments",
    needs={"Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.weight", "Relationship.confidence", "Relationship.type"},
    adds={"Adjustment.new_weight", "Adjustment.new_confidence"},
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
    places = places_of(graph, ask.relationships, ask.relationship_types)
    beliefs = beliefs_at(graph, places, corpus, ask.independence)
    weighed = ((graph.relationships[place], found) for place, found in beliefs.items())
    made = [(r, adjustment) for r, found in weighed if (adjustment := _adjusted(ask, r, found))]
    operations: list[Operation] = (
        []
        if ask.dry_run
        else [
            Reweigh(**as_operation(r, graph), weight=one.new_weight, confidence=one.new_confidence)
            for r, one in made
        ]
    )
    change = record(memory, ask, "adjust_weights", operations) or None
    made.sort(key=lambda pair: (-abs(pair[1].new_weight - pair[1].weight), pair[0].id))
    return Noted(
        data=Adjustments(
            dry_run=ask.dry_run,
            relationship_count=len(places),
            changed_count=len(made),
            change=change,
            truncated=len(made) > ask.top_k,
            adjustments=[one for _, one in made[: ask.top_k]],
        ),
        warnings=(
            *without_evidence(len(places) - len(beliefs), len(places)),
            *unknown_types(graph, ask.relationship_types),
        ),
    )


def _adjusted(ask: AdjustWeights, relationship: Relationship, found: Belief) -> Adjustment | None:
    confidence = denied_or(relationship, found)
    counted = found.weight if found.n_evidence else found.denial * found.n_denied
    weights = {"evidence": counted, "log": math.log1p(counted), "confidence": confidence}
    weight = max(round(weights[ask.method], 6), LEAST)
    changes = abs(weight - relationship.weight), abs(confidence - relationship.confidence)
    if max(changes) < max(ask.min_change, LEAST):
        return None
    return Adjustment(**fields_of(relationship), new_weight=weight, new_confidence=confidence)
