"""Corrections of the memory: renaming, merging and splitting entities, and taking changes back."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Annotated, Self

from pydantic import BeforeValidator, Field, PositiveInt, model_validator

from corpusgraph.schemas.errors import AmbiguousEntityError, InvalidInputError, UnknownItemError, did_you_mean
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import (
    Change,
    CreateEntity,
    DeleteEntity,
    Extracted,
    Named,
    Observe,
    Operation,
    Relate,
    Rename,
    Reweigh,
    Unobserve,
    Unrelate,
)
from corpusgraph.schemas.memory import MergeEntities as Merged
from corpusgraph.schemas.memory import SplitEntity as Split
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.build.aggregate import shorten
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.overlay.state import names_in
from corpusgraph.tasks.progress import heard
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import (
    Known,
    Name,
    Ref,
    Shape,
    ShortId,
    Success,
    as_list,
    entity_field,
    is_id_of,
    lookup,
    named,
    noted,
    record,
    spelled,
    stamp,
    unchanged,
)

_NAME = ("name", "new_name", "newName")
_TYPE = ("type", "new_type", "entityType", "entity_type")


class RenameEntity(ToolInput):
    """Which entity, and what it is to be called."""

    entity: Ref = entity_field("entity")
    name: Name | None = spelled(
        *_NAME, default=None, description="its new name; the old one stays another name of it"
    )
    type: Name | None = spelled(*_TYPE, default=None, description="its new type")

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.name is None and self.type is None:
            raise ValueError("give a name, a type or both")
        return self


class RenamedEntity(Success):
    """The entity as it is now."""

    id: str
    entity_id: ShortId
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
        other = lookup(memory, name)
    except AmbiguousEntityError as error:
        return warned("name_shared", f"{error.message} One more has the name now.")
    if other is None or other.id == entity.id:
        return ()
    is_id = is_id_of(other, name)
    message = f"{other.name!r} ({other.id}) has that name too; merge_entities makes one of the two."
    if is_id:
        message = f"{name!r} is an id of {other.name!r}: calls that give it mean that one."
    return warned("name_shared", message, [other.id], when=is_id or other.name == name)


class MergeEntities(ToolInput):
    """Which entities are which one."""

    sources: Annotated[list[Ref], BeforeValidator(as_list)] = spelled(
        *("sources", "source", "entities", "source_ids"),
        min_length=1,
        max_length=1000,
        description="the entities that are the other one: names, ids or short ids",
    )
    into: Ref = spelled(
        *("into", "target", "target_id"),
        description="the entity that they are, which stays: name, id or short id",
    )


class MergedEntities(Success):
    """The entity that stays."""

    id: str
    entity_id: ShortId
    name: str
    merged: tuple[str, ...] = Field(description="ids of the entities that are this one now")
    change: int = Field(description="number to undo it by")


@tool(writes="memory", effect="changes", idempotent=False)
def merge_entities(ask: MergeEntities, memory: Memory) -> Noted[MergedEntities]:
    """Take entities for one: their names, observations, mentions and relations become that one's."""
    into = memory.find(ask.into)
    by_id = {entity.id: entity for entity in (memory.find(ref) for ref in ask.sources)}
    sources = [entity for entity in by_id.values() if entity.id != into.id]
    if not sources:
        names = [repr(ref) for ref in ask.sources if ref not in {into.name, into.id, into.short_id}]
        known = f" {', '.join(dict.fromkeys(names))} names it already." if names else ""
        raise InvalidInputError(
            f"{into.name!r} cannot be merged into itself.{known}", hint="Name another entity, by its id."
        )
    operation = Merged(sources=tuple(map(named, sources)), into=named(into))
    number = record(memory, ask, "merge_entities", [operation])
    merged = tuple(entity.id for entity in sources)
    data = MergedEntities(id=into.id, entity_id=into.short_id, name=into.name, merged=merged, change=number)
    others = {entity.type for entity in sources if entity.type} - {into.type}
    message = f"Entities of type {', '.join(sorted(others))} were merged into one of type {into.type}."
    return Noted(data=data, warnings=warned("types_differ", message, when=into.type and others))


class SplitEntity(ToolInput):
    """Which entity, what the new one is called, and what goes to it."""

    entity: Ref = entity_field("entity", "the entity that is two: name, id or short id")
    name: Name = spelled(*_NAME, description="name of the new entity")
    type: Name | None = spelled(
        *_TYPE, default=None, description="type of the new entity; that of the old one, unless given"
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
    observations: list[Known] = Field(
        default_factory=list, max_length=100_000, description="observations that go to the new entity"
    )

    @model_validator(mode="after")
    def _gives_something(self) -> Self:
        if not (self.names or self.documents or self.relationships or self.observations):
            raise ValueError(
                "say what goes to the new entity: names, documents, relationships or observations"
            )
        return self


class SplitResult(Success):
    """The two entities."""

    id: str = Field(description="id of the entity that was split")
    name: str
    new_id: str
    new_entity_id: ShortId
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
    notes = _known(ask.observations, noted(memory, entity), "{!r} is not noted of {!r}.", entity)
    names = [entity.name, *aliases_of(entity)]
    by_hand = set(memory.observations(entity.id))
    operations: list[Operation] = [
        Split(
            entity=named(entity),
            into=new,
            names=_known(ask.names, names, "{1!r} does not go by {0!r}.", entity, key=str.casefold),
            documents=tuple(dict.fromkeys(ask.documents)),
            relationships=_relationships(memory, entity, ask.relationships),
            observations=tuple(note for note in notes if note in by_hand),
        )
    ]
    imported = tuple(note for note in notes if note not in by_hand)
    if imported:  # what an imported memory notes is in no journal: it is taken back there, and noted here
        operations += [
            Unobserve(entity=named(entity), contents=imported),
            Observe(entity=new, contents=imported),
        ]
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


def _check_new(memory: Memory, entity: Entity, new: Named) -> None:
    """Refuse an id that another entity has; an entity that was merged into this one may come back."""
    held = lookup(memory, new.id)
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


def _known(
    asked: Sequence[str],
    known: Sequence[str],
    problem: str,
    entity: Entity,
    key: Callable[[str], str] = lambda text: text,
) -> tuple[str, ...]:
    """Return the texts asked for, each once; one that the entity does not have is an error."""
    keys = {key(text) for text in known}
    for text in asked:
        if key(text) not in keys:
            raise InvalidInputError(problem.format(text, entity.name), hint=did_you_mean(text, known))
    return tuple(dict.fromkeys(asked))


def _relationships(memory: Memory, entity: Entity, refs: Iterable[str | int]) -> tuple[str, ...]:
    """Return the ids; a relationship without the entity at an end is an error."""
    held = {relationship.id: relationship for relationship in map(memory.relationship, refs)}
    for relationship in held.values():
        if entity.id not in (relationship.source_id, relationship.target_id):
            raise UnknownItemError(f"Relationship {relationship.id!r} is none of {entity.name!r}.")
    return tuple(held)


class ListChanges(ToolInput):
    """Which changes."""

    limit: PositiveInt = spelled("limit", "top_k", default=50, description="how many at most: the last ones")
    before: PositiveInt | None = Field(
        None, description="only changes with a smaller number: the next page of a long list"
    )
    entity: Ref | None = entity_field(
        "entity", "only changes that name this entity: name, id or short id", default=None
    )
    in_force: bool = Field(False, description="leave out changes that were undone, and undoings")


class ListedChange(Shape):
    """A change."""

    change: int = Field(description="its number, by which it is undone")
    at: str = Field(description="UTC, ISO 8601")
    by: str = Field(description="the tool that made it")
    request_id: str
    what: tuple[str, ...] = Field(description="what it did, in words; the first 20 lines")
    operations: int = Field(description="how many things it did")
    undoes: int | None = Field(description="number of the change that it took back")
    undone: bool = Field(description="it does not count any more")


class ListedChanges(Success):
    """Changes, the last first."""

    total: int = Field(description="changes that fit, listed or not")
    changes: tuple[ListedChange, ...]


@tool(writes="memory")
def list_changes(ask: ListChanges, memory: Memory) -> ListedChanges:
    """List what was added, changed and taken out by hand, the last first, with what was undone."""
    gone, wanted = memory.undone(), _wanted(ask, memory)
    fit = [
        change
        for change in memory.changes()
        if (ask.before is None or change.number < ask.before)
        and not (ask.in_force and (change.number in gone or change.undoes is not None))
        and (wanted is None or not wanted.isdisjoint(_concerned(change)))
    ]
    listed = (
        ListedChange(
            change=change.number,
            at=change.at,
            by=change.by,
            request_id=change.request_id,
            what=in_words(change),
            operations=len(change.operations),
            undoes=change.undoes,
            undone=change.number in gone,
        )
        for change in reversed(fit[-ask.limit :])
    )
    return ListedChanges(total=len(fit), changes=tuple(listed))


def _wanted(ask: ListChanges, memory: Memory) -> set[str] | None:
    """Return the ids that mean the entity; one that is not there any more is known by the names it had."""
    if ask.entity is None:
        return None
    entity, ref = lookup(memory, ask.entity), str(ask.entity)
    names = {id_: name for change in memory.changes() for id_, name in _concerned(change).items()}
    if entity is None:
        return {ref, *(id_ for id_, name in names.items() if name == ref)}
    now = ((id_, lookup(memory, id_)) for id_ in names)
    return {entity.id, *(id_ for id_, held in now if held is not None and held.id == entity.id)}


def _concerned(change: Change) -> dict[str, str]:
    """Return the entities that a change names: id -> name."""
    return {named.id: named.name for operation in change.operations for named in names_in(operation)}


def in_words(change: Change) -> tuple[str, ...]:
    """Return a short line on each of the first 20 operations; of an undoing, what it undid."""
    if change.undoes is not None:
        return (f"undid change {change.undoes}",)
    return tuple(shorten(_line(operation), 200) for operation in islice(change.operations, 20))


def _line(operation: Operation) -> str:
    match operation:
        case CreateEntity(name=name, type=type_):
            words = f"made {name!r}" + (f" ({type_})" if type_ else "")
        case Observe(entity=entity, contents=contents):
            words = f"noted of {entity.name!r}: " + "; ".join(contents)
        case Unobserve(entity=entity, contents=contents):
            words = f"took back of {entity.name!r}: " + "; ".join(contents)
        case Relate(confidence=confidence, cue=cue):
            words = f"stated {_relation(operation)}, confidence {confidence:g}, {cue}"
        case Unrelate():
            words = f"took out {_relation(operation)}"
        case Reweigh(weight=weight, confidence=confidence):
            values = {"weight": weight, "confidence": confidence}
            shown = ", ".join(f"{name} {value:g}" for name, value in values.items() if value is not None)
            words = f"set {shown} of {_relation(operation)}"
        case Rename(entity=entity, name=name, type=type_):
            words = f"called {entity.name!r} {name!r}" + (f" ({type_})" if type_ else "")
        case Merged(sources=sources, into=into):
            words = f"took {', '.join(repr(source.name) for source in sources)} for {into.name!r}"
        case Split(entity=entity, into=into):
            words = f"split {into.name!r} from {entity.name!r}"
        case DeleteEntity(entity=entity):
            words = f"deleted {entity.name!r}"
        case Extracted(entity=entity, found=n):
            words = f"searched the texts about {entity.name!r}: {n} found"
    return words


def _relation(operation: Relate | Unrelate | Reweigh) -> str:
    return f"{operation.source.name!r} {operation.type} {operation.target.name!r}"


class UndoChange(ToolInput):
    """Which change."""

    change: PositiveInt | None = spelled(
        *("change", "number", "change_id"),
        default=None,
        description="number of the change, of an undoing too; the last one in force that is no undoing, "
        "unless given",
    )


class UndoneChange(Success):
    """What does not count any more."""

    undone: int = Field(description="number of the change that was undone")
    what: tuple[str, ...] = Field(description="what it had done, in words; the first 20 lines")
    change: int = Field(description="number of the undoing: undo it to bring the change back")


@tool(writes="memory", effect="changes", idempotent=False)
def undo_change(ask: UndoChange, memory: Memory) -> UndoneChange:
    """Take a change back with all it did; what came after stays, and an undoing can be undone."""
    changes = memory.changes()
    number = ask.change or last_in_force(memory)
    with heard(None):
        done = memory.undo(number, by="undo_change", request_id=ask.request_id, at=stamp(ask))
    return UndoneChange(undone=number, what=in_words(changes[number - 1]), change=done.number)


def last_in_force(memory: Memory) -> int:
    """Return the last change in force that is no undoing; `nothing_to_undo` where there is none."""
    gone = memory.undone()
    for change in reversed(memory.changes()):
        if change.undoes is None and change.number not in gone:
            return change.number
    raise InvalidInputError(
        "There is no change to undo.", hint="list_changes shows what was done.", code="nothing_to_undo"
    )
