"""Take a relationship out."""

from typing import Literal, Self

from pydantic import AliasChoices, Field, model_validator

from corpusgraph.schemas.errors import UnknownItemError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import Unrelate
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._evidence import kept_type
from corpusgraph.tasks.tools.memory._inputs import Held, Name, Ref, Shape, as_kept, named, record, related


class RemoveEntityRelationship(ToolInput):
    """Which relationship: by its own id, or by its ends and type."""

    relationship_id: Ref | None = Field(
        None,
        validation_alias=AliasChoices("relationship_id", "id", "relationship"),
        description="the relationship: short id or id",
    )
    source_id: Ref | None = Field(
        None,
        validation_alias=AliasChoices("source_id", "source", "from", "from_entity_id"),
        description="or the entity it starts from: short id, id or name",
    )
    target_id: Ref | None = Field(
        None,
        validation_alias=AliasChoices("target_id", "target", "to", "to_entity_id"),
        description="and the entity it leads to",
    )
    relation_type: Name | None = Field(
        None,
        validation_alias=AliasChoices("relation_type", "relationType", "type"),
        description="and its type",
    )

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        ends = (self.source_id, self.target_id, self.relation_type)
        by_ends = all(end is not None for end in ends)
        if by_ends == (self.relationship_id is not None) or (not by_ends and ends != (None, None, None)):
            raise ValueError("give either relationship_id, or source_id, target_id and relation_type")
        return self


class RemovedRelationship(Shape):
    """The relationship that is out."""

    success: Literal[True] = True
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
    first, second = as_kept(source, held.type, target)
    operation = Unrelate(source=named(first), target=named(second), type=held.type)
    number = record(memory, ask, "remove_entity_relationship", [operation])
    return RemovedRelationship(
        relationship_id=held.relationship.short_id,
        id=held.relationship.id,
        source_id=source.short_id,
        target_id=target.short_id,
        relation_type=held.relationship.type,
        change=number,
    )


def _asked(ask: RemoveEntityRelationship, memory: Memory) -> tuple[Entity, Entity, Held]:
    """Return the ends and the relationship; one that is not there is UnknownItemError."""
    if ask.relationship_id is not None:
        relationship = memory.relationship(ask.relationship_id)
        ends = memory.find(relationship.source_id), memory.find(relationship.target_id)
        return *ends, Held(relationship, kept_type(relationship))
    # the validator saw to it that all three are given
    source, target = memory.find(ask.source_id or ""), memory.find(ask.target_id or "")
    type_ = ask.relation_type or ""
    held = related(memory, source, type_, target)
    if held is None:
        back = related(memory, target, type_, source)
        raise UnknownItemError(
            f"There is no relationship {source.name!r} {type_} {target.name!r}.",
            hint="It runs the other way." if back else "get_entity_neighbors lists those there are.",
        )
    return source, target, held
