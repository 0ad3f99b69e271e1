"""Call an entity otherwise."""

from typing import Literal, Self

from pydantic import AliasChoices, Field, model_validator

from corpusgraph.schemas.errors import AmbiguousEntityError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import Rename
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import (
    Name,
    Ref,
    Shape,
    found,
    is_id_of,
    named,
    record,
    unchanged,
)


class RenameEntity(ToolInput):
    """Which entity, and what it is to be called."""

    entity: Ref = Field(
        validation_alias=AliasChoices("entity", "entity_id", "entityName", "entity_name"),
        description="the entity: name, id or short id",
    )
    name: Name | None = Field(
        None,
        validation_alias=AliasChoices("name", "new_name", "newName"),
        description="its new name; the old one stays another name of it",
    )
    type: Name | None = Field(
        None,
        validation_alias=AliasChoices("type", "new_type", "entityType", "entity_type"),
        description="its new type",
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.name is None and self.type is None:
            raise ValueError("give a name, a type or both")
        return self


class RenamedEntity(Shape):
    """The entity as it is now."""

    success: Literal[True] = True
    id: str
    entity_id: int | None = Field(description="short id")
    name: str
    entity_type: str | None
    previous_name: str
    previous_type: str | None
    change: int = Field(description="number to undo it by; 0 where nothing was written")


@tool(writes="memory", effect="changes")
def rename_entity(ask: RenameEntity, memory: Memory) -> Noted[RenamedEntity]:
    """Give an entity another name or type; its id, and what is said of it, stay."""
    before = memory.find(ask.entity)
    name, type_ = ask.name or before.name, ask.type or before.type
    is_so = (name, type_) == (before.name, before.type)
    warnings = unchanged("it is called so already", when=is_so)
    warnings += _shared(memory, before, name) if name != before.name else ()
    operations = [] if is_so else [Rename(entity=named(before), name=name, type=ask.type)]
    number = record(memory, ask, "rename_entity", operations)
    data = RenamedEntity(
        id=before.id,
        entity_id=before.short_id,
        name=name,
        entity_type=type_,
        previous_name=before.name,
        previous_type=before.type,
        change=number,
    )
    return Noted(data=data, warnings=warnings)


def _shared(memory: Memory, entity: Entity, name: str) -> tuple[ToolWarning, ...]:
    """Tell where another entity has that name: a call can then no longer name either by it."""
    try:
        other = found(memory, name)
    except AmbiguousEntityError as error:
        return warned("name_shared", f"{error.message} One more has the name now.")
    if other is None or other.id == entity.id:
        return ()
    is_id = is_id_of(other, name)
    message = f"{other.name!r} ({other.id}) has that name too; merge_entities makes one of the two."
    if is_id:
        message = f"{name!r} is an id of {other.name!r}: calls that give it mean that one."
    return warned("name_shared", message, [other.id], when=is_id or other.name == name)
