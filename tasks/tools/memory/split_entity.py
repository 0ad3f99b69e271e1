"""Make two of an entity."""

from typing import Literal, Self

from pydantic import AliasChoices, Field, model_validator

from corpusgraph.schemas.errors import InvalidInputError, UnknownItemError, did_you_mean
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import Named, Observe, Operation, Unobserve
from corpusgraph.schemas.memory import SplitEntity as Split
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks.graph.names import aliases_of, noted_of
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import Name, Ref, Shape, Told, found, named, record


class SplitEntity(ToolInput):
    """Which entity, what the new one is called, and what goes to it."""

    entity: Ref = Field(
        validation_alias=AliasChoices("entity", "entity_id", "entityName", "entity_name"),
        description="the entity that is two: name, id or short id",
    )
    name: Name = Field(
        validation_alias=AliasChoices("name", "new_name", "newName"), description="name of the new entity"
    )
    type: Name | None = Field(
        None,
        validation_alias=AliasChoices("type", "new_type", "entityType", "entity_type"),
        description="type of the new entity; that of the old one, unless given",
    )
    qualifier: str = Field(
        "", max_length=1000, description="tells it from the old one where name and type are the same"
    )
    names: list[Name] = Field(
        default_factory=list, max_length=1000, description="spellings whose mentions go to the new entity"
    )
    documents: list[Name] = Field(
        default_factory=list,
        max_length=100_000,
        description="ids of documents whose mentions go to the new entity",
    )
    relationships: list[Ref] = Field(
        default_factory=list,
        max_length=100_000,
        description="relationships that go to the new entity, by id or short id",
    )
    observations: list[Told] = Field(
        default_factory=list, max_length=100_000, description="observations that go to the new entity"
    )

    @model_validator(mode="after")
    def _gives_something(self) -> Self:
        if not (self.names or self.documents or self.relationships or self.observations):
            raise ValueError(
                "say what goes to the new entity: names, documents, relationships or observations"
            )
        return self


class SplitResult(Shape):
    """The two entities."""

    success: Literal[True] = True
    id: str = Field(description="id of the entity that was split")
    name: str
    new_id: str
    new_entity_id: int | None = Field(description="short id")
    new_name: str
    new_type: str | None
    change: int = Field(description="number to undo it by")


@tool(writes="memory", effect="changes", idempotent=False)
def split_entity(ask: SplitEntity, memory: Memory) -> SplitResult:
    """Make two of an entity: mentions by spelling or document, relations and notes go to the new one."""
    entity = memory.find(ask.entity)
    type_ = ask.type or entity.type
    new = Named(id=Entity.make_id(ask.name, type_ or "", ask.qualifier), name=ask.name, type=type_)
    _check_new(memory, entity, new)
    noted = _observations(memory, entity, ask.observations)
    by_hand = set(memory.observations(entity.id))
    split = Split(
        entity=named(entity),
        into=new,
        names=tuple(_names(entity, ask.names)),
        documents=tuple(dict.fromkeys(ask.documents)),
        relationships=tuple(_relationships(memory, entity, ask.relationships)),
        observations=tuple(one for one in noted if one in by_hand),
    )
    imported = tuple(one for one in noted if one not in by_hand)
    operations = [split, *_handed_over(entity, new, imported)]
    number = record(memory, ask, "split_entity", operations)
    made = memory.find(new.id)
    return SplitResult(
        id=entity.id,
        name=entity.name,
        new_id=new.id,
        new_entity_id=made.short_id,
        new_name=made.name,
        new_type=made.type,
        change=number,
    )


def _handed_over(entity: Entity, new: Named, noted: tuple[str, ...]) -> list[Operation]:
    """Return what gives the new entity what an imported memory, not the journal, notes of the old."""
    if not noted:
        return []
    return [Unobserve(entity=named(entity), contents=noted), Observe(entity=new, contents=noted)]


def _check_new(memory: Memory, entity: Entity, new: Named) -> None:
    """Refuse an id that another entity has; one that was merged into this one may come back."""
    held = found(memory, new.id)
    if new.id == entity.id:
        raise InvalidInputError(
            "The new entity would have the name and type of the old one.",
            hint="Give it another name or type, or a qualifier.",
        )
    if held is not None and held.id != entity.id:
        raise InvalidInputError(
            f"There is an entity {held.name!r} ({held.id}) already.",
            hint="Give the new one another name or type, or a qualifier.",
        )


def _names(entity: Entity, names: list[str]) -> list[str]:
    """Return the spellings asked for; one that the entity does not go by is an error."""
    known = [entity.name, *aliases_of(entity)]
    folded = {name.casefold() for name in known}
    for name in names:
        if name.casefold() not in folded:
            raise InvalidInputError(
                f"{entity.name!r} does not go by {name!r}.", hint=did_you_mean(name, known)
            )
    return list(dict.fromkeys(names))


def _relationships(memory: Memory, entity: Entity, refs: list[str | int]) -> list[str]:
    """Return the ids; a relationship without the entity at an end is an error."""
    found_ = {held.id: held for held in (memory.relationship(ref) for ref in refs)}
    for held in found_.values():
        if entity.id not in (held.source_id, held.target_id):
            raise UnknownItemError(f"Relationship {held.id!r} is none of {entity.name!r}.")
    return list(found_)


def _observations(memory: Memory, entity: Entity, sentences: list[str]) -> list[str]:
    known = list(dict.fromkeys((*memory.observations(entity.id), *noted_of(entity))))
    for sentence in sentences:
        if sentence not in known:
            raise InvalidInputError(
                f"{sentence!r} is not noted of {entity.name!r}.", hint=did_you_mean(sentence, known)
            )
    return list(dict.fromkeys(sentences))
