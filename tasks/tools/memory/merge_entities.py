"""Take entities for one."""

from typing import Annotated, Literal

from pydantic import AliasChoices, BeforeValidator, Field

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.memory import MergeEntities as Merged
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import Noted, ToolInput, warned
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import Ref, Shape, as_list, named, record


class MergeEntities(ToolInput):
    """Which entities are which one."""

    sources: Annotated[list[Ref], BeforeValidator(as_list)] = Field(
        min_length=1,
        max_length=1000,
        validation_alias=AliasChoices("sources", "source", "entities", "source_ids"),
        description="the entities that are the other one: names, ids or short ids",
    )
    into: Ref = Field(
        validation_alias=AliasChoices("into", "target", "target_id"),
        description="the entity that they are, which stays: name, id or short id",
    )


class MergedEntities(Shape):
    """The entity that stays."""

    success: Literal[True] = True
    id: str
    entity_id: int | None = Field(description="short id")
    name: str
    merged: tuple[str, ...] = Field(description="ids of the entities that are this one now")
    change: int = Field(description="number to undo it by")


@tool(writes="memory", effect="changes", idempotent=False)
def merge_entities(ask: MergeEntities, memory: Memory) -> Noted[MergedEntities]:
    """Take entities for one: their names, observations, mentions and relations become that one's."""
    into = memory.find(ask.into)
    given = {entity.id: entity for entity in (memory.find(ref) for ref in ask.sources)}
    sources = [entity for entity in given.values() if entity.id != into.id]
    if not sources:
        names = [repr(ref) for ref in ask.sources if ref not in {into.name, into.id, into.short_id}]
        known = f" {', '.join(dict.fromkeys(names))} names it already." if names else ""
        raise InvalidInputError(
            f"{into.name!r} cannot be merged into itself.{known}", hint="Name another entity, by its id."
        )
    operation = Merged(sources=tuple(named(entity) for entity in sources), into=named(into))
    number = record(memory, ask, "merge_entities", [operation])
    data = MergedEntities(
        id=into.id,
        entity_id=into.short_id,
        name=into.name,
        merged=tuple(entity.id for entity in sources),
        change=number,
    )
    others = {entity.type for entity in sources if entity.type} - {into.type}
    message = f"Entities of type {', '.join(sorted(others))} were merged into one of type {into.type}."
    return Noted(data=data, warnings=warned("types_differ", message, when=into.type and others))
