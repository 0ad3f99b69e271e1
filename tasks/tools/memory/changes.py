"""Changes by hand: relationships stated and taken out, entities renamed, merged and split, changes undone."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Annotated, Self

from pydantic import AfterValidator, BeforeValidator, Field, NonNegativeInt, PositiveInt, model_validator

from corpusgraph.schemas import memory as ops
from corpusgraph.schemas.base import Confidence, JsonDict, nfc
from corpusgraph.schemas.errors import AmbiguousEntityError, InvalidInputError, UnknownItemError, did_you_mean
from corpusgraph.schemas.evidence import CAUSAL
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, one_of, warned
from corpusgraph.tasks.build.aggregate import shorten
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.overlay.state import names_in
from corpusgraph.tasks.progress import heard
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import (
    ENHANCED,
    Known,
    Name,
    Ref,
    Shape,
    ShortId,
    Success,
    as_kept,
    as_list,
    as_operation,
    is_id_of,
    lookup,
    named,
    noted,
    record,
    related,
    spelled,
    stamp,
    triple_id,
    unchanged,
    weight_of,
)

# Relationships

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


RelationType = Annotated[str, Field(max_length=200), AfterValidator(_snake)]


class AddEntityRelationship(ToolInput):
    """What is related to what, how, and how surely."""

    client_context: JsonDict | None = Field(
        default=None, description="anything the caller wants back; read by no tool"
    )
    source_id: Ref = Field(description="the entity it starts from: short id, id or name")
    target_id: Ref = Field(description="the entity it leads to: short id, id or name")
    relation_type: RelationType = spelled(
        *("relation_type", "type"),
        description="relates_to, causes, part_of, implements, extends, uses, depends_on, or any other words "
        "in lower case joined by _",
    )
    weight: Confidence = Field(1.0, description="how sure it is, 0 to 1")
    is_causal: bool = Field(
        False, description="whether one brings the other about; causes and prevents are, unless this says not"
    )
    context: ops.Context | None = Field(
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
    statement = ops.Relate(
        **as_kept(source, type_, target),
        type=type_,
        confidence=max(ask.weight, LEAST),
        is_causal=ask.is_causal if "is_causal" in ask.model_fields_set else type_ in CAUSAL,
        context=ask.context,
    )
    id_, before = triple_id(source, type_, target), related(memory, source, type_, target)
    # the context is compared as it is kept: true is no 1
    is_stated = before is not None and _content(statement) in map(_content, memory.statements(id_))
    number = record(memory, ask, [] if is_stated else [statement])
    now = related(memory, source, type_, target)
    data = AddedRelationship(
        relationship_id=now.short_id if now else None,
        id=id_,
        source_id=source.short_id,
        target_id=target.short_id,
        relation_type=type_,
        weight=statement.confidence,
        is_causal=statement.is_causal,
        change=number,
    )
    warnings = (
        *unchanged("exactly this is stated already", when=is_stated),
        *(() if is_stated else _joined(before, now, statement)),
        *warned("weight_raised", f"weight {ask.weight} was raised to {LEAST}.", when=ask.weight < LEAST),
    )
    return Noted(data=data, warnings=warnings)


def _content(statement: ops.Statement) -> tuple[float, bool, str, str]:
    context = json.dumps(statement.context, sort_keys=True)
    return statement.confidence, statement.is_causal, statement.cue, context


def _joined(
    before: Relationship | None, now: Relationship | None, said: ops.Relate
) -> tuple[ToolWarning, ...]:
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
    source_id: Ref | None = Field(None, description="or the entity it starts from: short id, id or name")
    target_id: Ref | None = Field(None, description="and the entity it leads to")
    relation_type: Name | None = spelled("relation_type", "type", default=None, description="and its type")

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
    number = record(memory, ask, [ops.Unrelate(**as_operation(held, memory.find))])
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


# Corrections

_NAME = ("name", "new_name")
_TYPE = ("type", "new_type", "entity_type")


class RenameEntity(ToolInput):
    """Which entity, and what it is to be called."""

    entity: Ref = Field(description="the entity: name, id or short id")
    name: Name | None = spelled(
        *_NAME, default=None, description="its new name; the old one stays another name of it"
    )
    type: Name | None = spelled(*_TYPE, default=None, description="its new type")

    _said = one_of("name", "type", otherwise="give a name, a type or both")


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
    operations = [] if is_so else [ops.Rename(entity=named(before), name=name, type=ask.type)]
    number = record(memory, ask, operations)
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
    operation = ops.MergeEntities(sources=tuple(map(named, sources)), into=named(into))
    number = record(memory, ask, [operation])
    merged = tuple(entity.id for entity in sources)
    data = MergedEntities(id=into.id, entity_id=into.short_id, name=into.name, merged=merged, change=number)
    others = {entity.type for entity in sources if entity.type} - {into.type}
    message = f"Entities of type {', '.join(sorted(others))} were merged into one of type {into.type}."
    return Noted(data=data, warnings=warned("types_differ", message, when=into.type and others))


class SplitEntity(ToolInput):
    """Which entity, what the new one is called, and what goes to it."""

    entity: Ref = Field(description="the entity that is two: name, id or short id")
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

    _given = one_of(
        *("names", "documents", "relationships", "observations"),
        otherwise="say what goes to the new entity: names, documents, relationships or observations",
    )


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
    new = ops.Named(id=Entity.make_id(ask.name, type_ or "", ask.qualifier), name=ask.name, type=type_)
    _check_new(memory, entity, new)
    notes = _known(ask.observations, noted(memory, entity), "{!r} is not noted of {!r}.", entity)
    names = [entity.name, *aliases_of(entity)]
    by_hand = set(memory.observations(entity.id))
    operations: list[ops.Operation] = [
        ops.SplitEntity(
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
            ops.Unobserve(entity=named(entity), contents=imported),
            ops.Observe(entity=new, contents=imported),
        ]
    number = record(memory, ask, operations)
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


def _check_new(memory: Memory, entity: Entity, new: ops.Named) -> None:
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

    limit: PositiveInt = Field(50, description="how many at most: the last ones")
    before: PositiveInt | None = Field(
        None, description="only changes with a smaller number: the next page of a long list"
    )
    entity: Ref | None = Field(None, description="only changes that name this entity: name, id or short id")
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
            **change.model_dump(include={"at", "by", "request_id", "undoes"}),
            change=change.number,
            what=in_words(change),
            operations=len(change.operations),
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


def _concerned(change: ops.Change) -> dict[str, str]:
    """Return the entities that a change names: id -> name."""
    return {named.id: named.name for operation in change.operations for named in names_in(operation)}


def in_words(change: ops.Change) -> tuple[str, ...]:
    """Return a short line on each of the first 20 operations; of an undoing, what it undid."""
    if change.undoes is not None:
        return (f"undid change {change.undoes}",)
    return tuple(shorten(_line(operation), 200) for operation in islice(change.operations, 20))


def _line(operation: ops.Operation) -> str:
    match operation:
        case ops.CreateEntity(name=name, type=type_):
            words = f"made {name!r}" + (f" ({type_})" if type_ else "")
        case ops.Observe(entity=entity, contents=contents):
            words = f"noted of {entity.name!r}: " + "; ".join(contents)
        case ops.Unobserve(entity=entity, contents=contents):
            words = f"took back of {entity.name!r}: " + "; ".join(contents)
        case ops.Relate(confidence=confidence, cue=cue):
            words = f"stated {_relation(operation)}, confidence {confidence:g}, {cue}"
        case ops.Unrelate():
            words = f"took out {_relation(operation)}"
        case ops.Reweigh(weight=weight, confidence=confidence):
            values = {"weight": weight, "confidence": confidence}
            shown = ", ".join(f"{name} {value:g}" for name, value in values.items() if value is not None)
            words = f"set {shown} of {_relation(operation)}"
        case ops.Rename(entity=entity, name=name, type=type_):
            words = f"called {entity.name!r} {name!r}" + (f" ({type_})" if type_ else "")
        case ops.MergeEntities(sources=sources, into=into):
            words = f"took {', '.join(repr(source.name) for source in sources)} for {into.name!r}"
        case ops.SplitEntity(entity=entity, into=into):
            words = f"split {into.name!r} from {entity.name!r}"
        case ops.DeleteEntity(entity=entity):
            words = f"deleted {entity.name!r}"
        case ops.Extracted(entity=entity, found=n):
            words = f"searched the texts about {entity.name!r}: {n} found"
    return words


def _relation(operation: ops.OfRelationship) -> str:
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
