"""How the memory tools are asked, and how they put a change on record."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC
from itertools import count
from typing import Annotated, Any, NamedTuple

import numpy as np
from pydantic import AfterValidator, AliasChoices, BeforeValidator, ConfigDict, Field

from corpusgraph.schemas.base import JsonDict, Noun, nfc
from corpusgraph.schemas.errors import (
    AmbiguousEntityError,
    InvalidInputError,
    UnknownEntityError,
    UnknownItemError,
)
from corpusgraph.schemas.graph import DENIED, Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import HAND, Named, Operation
from corpusgraph.schemas.ports import GraphView, Ints, Memory
from corpusgraph.schemas.results import ToolInput, ToolWarning, warned
from corpusgraph.tasks.build.aggregate import as_written
from corpusgraph.tasks.graph.compiled import compiled, distinct
from corpusgraph.tasks.graph.inputs import reference, references
from corpusgraph.tasks.graph.names import aliases_of, is_hand_made, observations_of, short_id_of
from corpusgraph.tasks.overlay.evidence import checked_context
from corpusgraph.tasks.progress import heard
from corpusgraph.tasks.registry import Reads

LISTED = 100
"""Records named in one warning."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SNAKE = re.compile(r"[^\W\d_]\w*")
_BREAKS = re.compile(r"[\W_]+")


def _one(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("must be an id, a short id or a name")  # noqa: TRY004  pydantic tells it
    return reference(value)


def _said(value: EntityRef) -> EntityRef:
    if isinstance(value, str) and not value.strip():
        raise ValueError("must not be blank")
    return nfc(value) if isinstance(value, str) else value


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return _legible(text)


def _legible(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("must not hold control characters")
    return nfc(text)


def _snake(text: str) -> str:
    name = nfc(text).strip()
    if not _SNAKE.fullmatch(name) or name != name.lower():
        better = _BREAKS.sub("_", name).strip("_").lower()
        hint = f"; write {better!r}" if _SNAKE.fullmatch(better) else ""
        raise ValueError(f"must be words in lower case joined by '_', not {text!r}{hint}")
    return name


Ref = Annotated[EntityRef, BeforeValidator(_one), AfterValidator(_said)]
"""An entity or relationship as a caller names it; a noun or a scored one is taken by its id."""
Name = Annotated[str, Field(max_length=1000), AfterValidator(_not_blank)]
RelationType = Annotated[str, Field(max_length=200), AfterValidator(_snake)]
Type = Annotated[str, Field(max_length=1000), AfterValidator(_legible)]
Context = Annotated[JsonDict, AfterValidator(checked_context)]
Sentence = Annotated[str, Field(max_length=100_000), AfterValidator(_not_blank)]
"""An observation."""
Told = Annotated[str, AfterValidator(nfc)]
"""What is looked for as it is known: an imported memory may hold what is blank, very long or not legible."""


def record(memory: Memory, ask: ToolInput, by: str, operations: Sequence[Operation]) -> int:
    """Put the operations of one call on record as a change and return its number; 0 where there are none.

    Once begun, that is not ended between two of its writes.
    """
    if not operations:
        return 0
    with heard(None):
        return memory.record(operations, by=by, request_id=ask.request_id, at=stamp(ask)).number


def stamp(ask: ToolInput) -> str:
    """Return when it was asked: UTC, ISO 8601, to the second; a time without a zone is UTC."""
    when = ask.timestamp if ask.timestamp.tzinfo else ask.timestamp.replace(tzinfo=UTC)
    return when.astimezone(UTC).isoformat(timespec="seconds")


def named(entity: Entity) -> Named:
    """Return the entity as an operation names it."""
    return Named(id=entity.id, name=entity.name, type=entity.type)


def ordered(source: Entity, type_: str, target: Entity) -> tuple[Entity, Entity]:
    """Return the ends of a relationship of two entities, as they are kept; one with itself is refused."""
    if source.id == target.id:
        raise InvalidInputError(
            f"{source.name!r} cannot have a relationship with itself.", hint="Name two different entities."
        )
    return as_kept(source, type_, target)


def as_kept(source: Entity, type_: str, target: Entity) -> tuple[Entity, Entity]:
    """Return the ends of a relationship as they are kept: those of a type without direction by id."""
    first, _, _ = as_written(source.id, type_, target.id)
    return (source, target) if first == source.id else (target, source)


def triple_id(source: Entity, type_: str, target: Entity) -> str:
    """Return the id of the relationship of that type between two entities."""
    return Relationship.make_id(*as_written(source.id, type_, target.id))


def unchanged(message: str, *, when: object = True) -> tuple[ToolWarning, ...]:
    """Return the warning of a writing tool that wrote nothing."""
    return warned("nothing_changed", f"Nothing was written: {message}.", when=when)


def clamped_depth(asked: int, most: int = 3) -> tuple[int, tuple[ToolWarning, ...]]:
    """Return a depth from 1 to `most`, and a warning where another was asked for."""
    depth = max(1, min(asked, most))
    message = f"depth {asked} was changed to {depth}: it is from 1 to {most}."
    return depth, warned("depth_clamped", message, when=depth != asked)


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return names for a sentence, the first few of many."""
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def in_force(memory: Memory) -> Iterator[Operation]:
    """Yield the operations of all changes that were not undone, in order."""
    undone = memory.undone()
    for change in memory.changes():
        if change.number not in undone:
            yield from change.operations


class Shape(Noun):
    """A part of an answer, written by the names that clients know."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True)


def is_none(value: object) -> bool:
    """Tell a field that is left out of the answer."""
    return value is None


class Node(Shape):
    """An entity with what was noted of it."""

    name: str
    entityType: str = Field(description="empty where it has none")  # noqa: N815  the protocol's spelling
    observations: tuple[str, ...]


class Relation(Shape):
    """A relation between two entities, by their names."""

    from_: str = Field(alias="from", description="name of the entity where the relation starts")
    to: str = Field(description="name of the entity where the relation ends")
    relationType: str = Field(description="type of the relation")  # noqa: N815


class KnowledgeGraph(Shape):
    """Entities, and the relations that have an end among them."""

    entities: tuple[Node, ...]
    relations: tuple[Relation, ...]


class NewRelation(Shape):
    """A relation as a client asks for it."""

    from_: Name = Field(
        alias="from", description="the entity where the relation starts: name, id or short id"
    )
    to: Name = Field(description="the entity where the relation ends")
    relation_type: Name = Field(alias="relationType", description="type of the relation, in active voice")


class KnownRelation(Shape):
    """A relation that is there, as a client tells of it."""

    from_: Told = Field(
        alias="from", description="the entity where the relation starts: name, id or short id"
    )
    to: Told = Field(description="the entity where the relation ends")
    relation_type: Told = Field(alias="relationType", description="type of the relation")


class NewEntity(Shape):
    """An entity as a client asks for it."""

    name: Name = Field(description="name of the entity")
    entity_type: Type = Field(alias="entityType", description="type of the entity")
    observations: tuple[Sentence, ...] = Field(default=(), description="what is known of it")


class Outcome(Shape):
    """That something was done, and in words what."""

    success: bool
    message: str


def node_of(entity: Entity) -> Node:
    """Return an entity as memory clients see it."""
    return Node(name=entity.name, entityType=entity.type or "", observations=observations_of(entity))


def relation_of(relationship: Relationship, names: dict[str, str]) -> Relation:
    """Return a relationship by the names of its ends."""
    source, target = names[relationship.source_id], names[relationship.target_id]
    return Relation(from_=source, to=target, relationType=relationship.type)


def in_order(entities: Iterable[Entity]) -> Sequence[Entity]:
    """Return what was made by hand in the order in which it was made, then the rest by name."""
    return sorted(
        entities,
        key=lambda e: (0, e.short_id or 0, e.name, e.id) if is_hand_made(e) else (1, 0, e.name, e.id),
    )


def found(memory: Memory, ref: EntityRef) -> Entity | None:
    """Return the entity as it is now, or None where no entity is called so."""
    try:
        return memory.find(ref)
    except UnknownEntityError:
        return None


def is_taken(memory: Memory, name: str, type_: str) -> bool:
    """Tell whether an entity goes by a name already: exactly so, or otherwise and with the same type.

    A name that is only like another's, or another name of an entity of another type, can be given; an id
    cannot: whoever gave it would find the entity of that id.
    """
    try:
        held = memory.find(name)
    except UnknownEntityError:
        return False
    except AmbiguousEntityError as error:  # all of them fit equally well: by this very name, or none
        return f"{name!r} (" in error.message
    folded = {other.casefold() for other in (held.name, *aliases_of(held))}
    taken = held.name == name or (name.casefold() in folded and (held.type or "") == type_)
    return taken or is_id_of(held, name)


def is_id_of(held: Entity, name: str) -> bool:
    """Tell whether an entity was found by its id, or by that of one merged into it."""
    folded = {other.strip().casefold() for other in (held.name, *aliases_of(held))}
    return name.strip().casefold() not in folded and short_id_of(name) is None


def free_id(memory: Memory, name: str, type_: str) -> str:
    """Return the id of a new entity: that of indexing, or where another entity has it, one beside it."""
    ids = (Entity.make_id(name, type_, f"{HAND} {n}" if n else "") for n in count())
    return next(id_ for id_ in ids if found(memory, id_) is None)


class Held(NamedTuple):
    """A relationship that is there, and the type it is kept under: that of what a denial denies."""

    relationship: Relationship
    type: str


def related(memory: Memory, source: Entity, type_: str, target: Entity) -> Held | None:
    """Return the relationship of that type between two entities, or None."""
    for kept in dict.fromkeys((type_, type_.removeprefix(DENIED))):
        if not kept and type_:
            continue
        first, second = as_kept(source, kept, target)
        try:
            held = memory.relationship(Relationship.make_id(first.id, kept, second.id))
        except UnknownItemError:
            continue
        if held.type == type_:
            return Held(held, kept)
    return None


def is_stub(entity: Entity) -> bool:
    """Tell an entity that is there because a relation names it."""
    return entity.is_stub or bool((entity.attributes or {}).get("is_stub"))


MOST_RELATIONS = 2_000
"""Relations in one answer: more would flood a client."""


def shown(
    graph: GraphView, nodes: Sequence[int], *, both: bool = False, as_given: bool = False
) -> tuple[KnowledgeGraph, int]:
    """Return entities and the relations with an end (or both) among them, and how many are left out.

    What was made by hand comes first and in the order in which it was made, unless the order given is to
    stay; of too many relations the weightiest are shown.
    """
    places = np.array(sorted(set(nodes)), dtype=np.int64)
    edges = edges_among(graph, places, both=both)
    arrays = compiled(graph)
    left_out = max(0, len(edges) - MOST_RELATIONS)
    if left_out:
        order = np.lexsort((edges, -arrays.weight[edges]))
        edges = np.sort(edges[order[:MOST_RELATIONS]])
    relationships = sorted(
        (graph.relationships[i] for i in edges.tolist()), key=lambda r: (r.short_id or 0, r.id)
    )
    ends = distinct(np.concatenate([arrays.source[edges], arrays.target[edges]]))
    names = {arrays.ids[i]: graph.entities[i].name for i in ends.tolist()}
    found = [graph.entities[i] for i in dict.fromkeys(nodes)]
    entities = found if as_given else in_order(found)
    made = KnowledgeGraph(
        entities=tuple(node_of(entity) for entity in entities),
        relations=tuple(relation_of(relationship, names) for relationship in relationships),
    )
    return made, left_out


def edges_among(graph: GraphView, places: Ints, *, both: bool) -> Ints:
    """Return the relationships with an end, or both, among some entities, those denied too, in order."""
    arrays = compiled(graph)
    edges = distinct(arrays.edges_at(places, denied=True)[0])
    if not both:
        return edges
    inside = np.zeros(len(arrays.ids), dtype=bool)
    inside[places] = True
    within: Ints = edges[inside[arrays.source[edges]] & inside[arrays.target[edges]]]
    return within


def as_list(value: Any) -> Any:
    """Return one reference as a list of it."""
    return [value] if isinstance(value, str | int) else references(value)


_Some = Annotated[list[EntityRef], Field(min_length=1)]

MaybeEntities = Annotated[
    _Some | None,
    BeforeValidator(as_list),
    Reads("entities"),
    Field(
        validation_alias=AliasChoices("entities", "entity_ids", "entity_id", "entity"),
        description="entities by id, short id or name; unless given, all",
    ),
]
MaybeRelationships = Annotated[
    _Some | None,
    BeforeValidator(as_list),
    Reads("relationships"),
    Field(
        validation_alias=AliasChoices("relationships", "relationship_ids", "relationship_id", "relationship"),
        description="relationships by id or short id; unless given, all",
    ),
]
