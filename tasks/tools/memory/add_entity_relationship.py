"""State a relationship between two entities."""

import json
from typing import Literal

from pydantic import AliasChoices, Field, NonNegativeInt

from corpusgraph.schemas.base import Confidence, JsonDict
from corpusgraph.schemas.evidence import CAUSAL
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.memory import Relate, Statement
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._columns import weight_of
from corpusgraph.tasks.tools.memory._inputs import (
    Context,
    Held,
    Ref,
    RelationType,
    Shape,
    named,
    ordered,
    record,
    related,
    triple_id,
    unchanged,
)
from corpusgraph.tasks.tools.memory.get_entity_neighbors import ENHANCED

LEAST = 1e-6
"""Evidence counts in millionths: less than one would be none."""


class AddEntityRelationship(ToolInput):
    """What is related to what, how, and how surely."""

    client_context: JsonDict | None = Field(
        default=None, description="anything the caller wants back; read by no tool"
    )
    source_id: Ref = Field(
        validation_alias=AliasChoices("source_id", "source", "from", "from_entity_id"),
        description="the entity it starts from: short id, id or name",
    )
    target_id: Ref = Field(
        validation_alias=AliasChoices("target_id", "target", "to", "to_entity_id"),
        description="the entity it leads to: short id, id or name",
    )
    relation_type: RelationType = Field(
        validation_alias=AliasChoices("relation_type", "relationType", "type"),
        description="relates_to, causes, part_of, implements, extends, uses, depends_on, or any other words "
        "in lower case joined by _",
    )
    weight: Confidence = Field(1.0, description="how sure it is, 0 to 1")
    is_causal: bool = Field(
        False, description="whether one brings the other about; causes and prevents are, unless this says not"
    )
    context: Context | None = Field(
        None, description="anything else to keep with it: JSON of at most 100,000 bytes, 20 levels deep"
    )


class AddedRelationship(Shape):
    """The relationship that the statement is evidence for."""

    success: Literal[True] = True
    relationship_id: int | None = Field(description="short id")
    id: str
    source_id: int | None = Field(description="short id")
    target_id: int | None = Field(description="short id")
    relation_type: str
    weight: float
    is_causal: bool
    change: NonNegativeInt = Field(description="number to undo it by; 0 where nothing was written")


@tool(writes="memory", cite=ENHANCED, effect="adds")
def add_entity_relationship(ask: AddEntityRelationship, memory: Memory) -> Noted[AddedRelationship]:
    """State a relationship by hand: evidence for it that every tool sees, until it is removed or undone."""
    source, target = memory.find(ask.source_id), memory.find(ask.target_id)
    first, second = ordered(source, ask.relation_type, target)
    causal = ask.is_causal if "is_causal" in ask.model_fields_set else ask.relation_type in CAUSAL
    statement = Relate(
        source=named(first),
        target=named(second),
        type=ask.relation_type,
        confidence=max(ask.weight, LEAST),
        is_causal=causal,
        context=ask.context,
    )
    held = related(memory, source, ask.relation_type, target)
    is_stated = held is not None and _is_stated(memory, statement)
    number = record(memory, ask, "add_entity_relationship", [] if is_stated else [statement])
    before, held = held, related(memory, source, ask.relation_type, target)
    raised = f"weight {ask.weight} was raised to {LEAST}."
    data = AddedRelationship(
        relationship_id=held.relationship.short_id if held else None,
        id=triple_id(source, ask.relation_type, target),
        source_id=source.short_id,
        target_id=target.short_id,
        relation_type=ask.relation_type,
        weight=statement.confidence,
        is_causal=causal,
        change=number,
    )
    return Noted(
        data=data,
        warnings=(
            *unchanged("exactly this is stated already", when=is_stated),
            *(() if is_stated else _joined(before, held, statement)),
            *warned("weight_raised", raised, when=ask.weight < LEAST),
        ),
    )


def _joined(before: Held | None, now: Held | None, said: Relate) -> tuple[ToolWarning, ...]:
    """Tell where the relationship was there, and is other than said now because all that is said counts."""
    if before is None or now is None:
        return ()
    had, has = weight_of(before.relationship), weight_of(now.relationship)
    if abs(has - said.confidence) < LEAST and now.relationship.is_causal == said.is_causal:
        return ()
    causal = "" if now.relationship.is_causal == said.is_causal else ", and is causal"
    message = (
        f"The relationship was there with weight {had:.6g}. Both count: it has weight {has:.6g} now{causal}. "
        "To have only what was said now, remove_entity_relationship first."
    )
    return warned("evidence_joined", message, [now.relationship.id])


def _is_stated(memory: Memory, statement: Relate) -> bool:
    """Tell whether what was said by hand of the relationship includes exactly this."""
    id_ = Relationship.make_id(statement.source.id, statement.type, statement.target.id)
    return any(_content(one) == _content(statement) for one in memory.statements(id_))


def _content(statement: Statement) -> tuple[float, bool, str, str]:
    """Return what is said, the context as it is kept: true is no 1."""
    context = json.dumps(statement.context, sort_keys=True)
    return statement.confidence, statement.is_causal, statement.cue, context
