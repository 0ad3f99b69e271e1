"""Relationships between entities, stated and taken out by hand."""

import json
import re
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, NonNegativeInt, model_validator

from corpusgraph.schemas.base import Confidence, JsonDict, nfc
from corpusgraph.schemas.errors import InvalidInputError, UnknownItemError
from corpusgraph.schemas.evidence import CAUSAL
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.memory import Context, Relate, Statement, Unrelate
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import (
    ENHANCED,
    Name,
    Ref,
    ShortId,
    Success,
    as_kept,
    as_operation,
    record,
    related,
    spelled,
    triple_id,
    unchanged,
    weight_of,
)

LEAST = 1e-6
"""Evidence counts in millionths: less than one would be none."""


_SNAKE = re.compile(r"[^\W\d_]\w*")
_BREAKS = re.compile(r"[\W_]+")


def _snake(text: str) -> str:
    name = nfc(text).strip()
    if not _SNAKE.fullmatch(name) or name != name.lower():
        better = _BREAKS.sub("_", name).strip("_").lower()
        hint = f"; write {better!r}" if _SNAKE.fullmatch(better) else ""
        raise ValueError(f"must be words in lower case joined by '_', not {text!r}{hint}")
    return name


def end_field(end: Literal["source", "target"], description: str, *, default: Any = ...) -> Any:
    """Return the field that names an end of a relationship."""
    way = "from" if end == "source" else "to"
    return spelled(f"{end}_id", end, way, f"{way}_entity_id", description=description, default=default)


RelationType = Annotated[str, Field(max_length=200), AfterValidator(_snake)]


class AddEntityRelationship(ToolInput):
    """What is related to what, how, and how surely."""

    client_context: JsonDict | None = Field(
        default=None, description="anything the caller wants back; read by no tool"
    )
    source_id: Ref = end_field("source", "the entity it starts from: short id, id or name")
    target_id: Ref = end_field("target", "the entity it leads to: short id, id or name")
    relation_type: RelationType = spelled(
        *("relation_type", "relationType", "type"),
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


class AddedRelationship(Success):
    """The relationship that the statement is evidence for."""

    relationship_id: ShortId
    id: str
    source_id: ShortId
    target_id: ShortId
    relation_type: str
    weight: float
    is_causal: bool
    change: NonNegativeInt = Field(description="number to undo it by; 0 where nothing was written")


@tool(writes="memory", cite=ENHANCED, effect="adds")
def add_entity_relationship(ask: AddEntityRelationship, memory: Memory) -> Noted[AddedRelationship]:
    """State a relationship by hand: evidence for it that every tool sees, until it is removed or undone."""
    source, target, type_ = memory.find(ask.source_id), memory.find(ask.target_id), ask.relation_type
    if source.id == target.id:
        raise InvalidInputError(
            f"{source.name!r} cannot have a relationship with itself.", hint="Name two different entities."
        )
    statement = Relate(
        **as_kept(source, type_, target),
        type=type_,
        confidence=max(ask.weight, LEAST),
        is_causal=ask.is_causal if "is_causal" in ask.model_fields_set else type_ in CAUSAL,
        context=ask.context,
    )
    id_, before = triple_id(source, type_, target), related(memory, source, type_, target)
    # the context is compared as it is kept: true is no 1
    is_stated = before is not None and _content(statement) in map(_content, memory.statements(id_))
    number = record(memory, ask, "add_entity_relationship", [] if is_stated else [statement])
    now = related(memory, source, type_, target)
    return Noted(
        data=AddedRelationship(
            relationship_id=now.short_id if now else None,
            id=id_,
            source_id=source.short_id,
            target_id=target.short_id,
            relation_type=type_,
            weight=statement.confidence,
            is_causal=statement.is_causal,
            change=number,
        ),
        warnings=(
            *unchanged("exactly this is stated already", when=is_stated),
            *(() if is_stated else _joined(before, now, statement)),
            *warned("weight_raised", f"weight {ask.weight} was raised to {LEAST}.", when=ask.weight < LEAST),
        ),
    )


def _content(statement: Statement) -> tuple[float, bool, str, str]:
    context = json.dumps(statement.context, sort_keys=True)
    return statement.confidence, statement.is_causal, statement.cue, context


def _joined(before: Relationship | None, now: Relationship | None, said: Relate) -> tuple[ToolWarning, ...]:
    """Tell where the relationship was there, and is other than said now because all that is said counts."""
    if before is None or now is None:
        return ()
    had, has = weight_of(before), weight_of(now)
    causal = "" if now.is_causal == said.is_causal else ", and is causal"
    message = (
        f"The relationship was there with weight {had:.6g}. Both count: it has weight {has:.6g} now{causal}. "
        "To have only what was said now, remove_entity_relationship first."
    )
    is_other = abs(has - said.confidence) >= LEAST or causal
    return warned("evidence_joined", message, [now.id], when=is_other)


class RemoveEntityRelationship(ToolInput):
    """Which relationship: by its own id, or by its ends and type."""

    relationship_id: Ref | None = spelled(
        *("relationship_id", "id", "relationship"),
        default=None,
        description="the relationship: short id or id",
    )
    source_id: Ref | None = end_field(
        "source", "or the entity it starts from: short id, id or name", default=None
    )
    target_id: Ref | None = end_field("target", "and the entity it leads to", default=None)
    relation_type: Name | None = spelled(
        *("relation_type", "relationType", "type"), default=None, description="and its type"
    )

    @model_validator(mode="after")
    def _names_it_in_one_way(self) -> Self:
        ends = (self.source_id, self.target_id, self.relation_type)
        by_ends = all(end is not None for end in ends)
        if by_ends == (self.relationship_id is not None) or (not by_ends and ends != (None, None, None)):
            raise ValueError("give either relationship_id, or source_id, target_id and relation_type")
        return self


class RemovedRelationship(Success):
    """The relationship that is out."""

    relationship_id: int | None = Field(description="short id that it had")
    id: str
    source_id: int | None
    target_id: int | None
    relation_type: str
    change: int = Field(description="number to undo it by")


@tool(writes="memory", effect="removes", idempotent=False)
def remove_entity_relationship(ask: RemoveEntityRelationship, memory: Memory) -> RemovedRelationship:
    """Take a relationship out, whatever states it; what a corpus says of it no longer counts."""
    source, target, held = _asked(ask, memory)
    number = record(
        memory,
        ask,
        "remove_entity_relationship",
        [Unrelate(**as_operation(held, memory.find(held.source_id), memory.find(held.target_id)))],
    )
    return RemovedRelationship(
        relationship_id=held.short_id,
        id=held.id,
        source_id=source.short_id,
        target_id=target.short_id,
        relation_type=held.type,
        change=number,
    )


def _asked(ask: RemoveEntityRelationship, memory: Memory) -> tuple[Entity, Entity, Relationship]:
    """Return the ends and the relationship; one that is not there is UnknownItemError."""
    if ask.relationship_id is not None:
        held = memory.relationship(ask.relationship_id)
        return memory.find(held.source_id), memory.find(held.target_id), held
    # the validator saw to it that all three are given
    source, target = memory.find(ask.source_id or ""), memory.find(ask.target_id or "")
    type_ = ask.relation_type or ""
    between = related(memory, source, type_, target)
    if between is None:
        back = related(memory, target, type_, source)
        raise UnknownItemError(
            f"There is no relationship {source.name!r} {type_} {target.name!r}.",
            hint="It runs the other way." if back else "get_entity_neighbors lists those there are.",
        )
    return source, target, between
