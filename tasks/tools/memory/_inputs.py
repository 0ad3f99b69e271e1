"""How the memory tools are asked, what they answer in, and how they put a change on record."""

import re
from collections.abc import Sequence
from datetime import UTC
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasChoices, BeforeValidator, ConfigDict, Field

from corpusgraph.schemas.base import JsonDict, Noun, nfc
from corpusgraph.schemas.errors import UnknownEntityError, UnknownItemError
from corpusgraph.schemas.graph import DENIED, Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import Named, Operation
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import ToolInput, ToolWarning, warned
from corpusgraph.tasks.build.aggregate import CERTAIN, as_written
from corpusgraph.tasks.graph.inputs import not_blank, reference, references
from corpusgraph.tasks.graph.names import aliases_of, noted_of, observations_of, short_id_of
from corpusgraph.tasks.progress import heard
from corpusgraph.tasks.registry import Reads

ENHANCED = "GraphRAG tools for an enhanced memory server, 2025"
PROPOSED = "Proposed tools of a memory graph server, 2026"
ENDS = "Entity.id, Relationship.source_id target_id"
"""What a tool needs that follows relationships."""
IN_WORDS = "Entity.name type attributes, Relationship.type"
"""What a tool can do without that tells of entities and relations by their names."""
LISTED = 100
"""Records named in one warning."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

# Arguments


def _by_id(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("must be an id, a short id or a name")  # noqa: TRY004  pydantic tells it
    return reference(value)


def _legible(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("must not hold control characters")
    return nfc(text)


def as_list(value: Any) -> Any:
    """Return one reference as a list of it."""
    return [value] if isinstance(value, str | int) else references(value)


Ref = Annotated[EntityRef, BeforeValidator(_by_id), AfterValidator(not_blank)]
"""An entity or relationship as a caller names it; a noun or a scored one is taken by its id."""
Name = Annotated[str, Field(max_length=1000), AfterValidator(not_blank), AfterValidator(_legible)]
Type = Annotated[str, Field(max_length=1000), AfterValidator(_legible)]
Sentence = Annotated[str, Field(max_length=100_000), AfterValidator(not_blank), AfterValidator(_legible)]
"""An observation."""
Known = Annotated[str, AfterValidator(nfc)]
"""What is looked for as it is known: an imported memory may hold what is blank, very long or not legible."""
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


def spelled(*names: str, description: str | None = None, default: Any = ..., **limits: Any) -> Any:
    """Return a field that takes each of the names, by the first of which the schema knows it."""
    return Field(default, validation_alias=AliasChoices(*names), description=description, **limits)


_ENTITY = ("entity", "entity_id", "entityName", "entity_name")


def entity_field(
    name: str, description: str = "the entity: name, id or short id", *, default: Any = ...
) -> Any:
    """Return the field that names the entity a tool is about."""
    return spelled(name, *(n for n in _ENTITY if n != name), description=description, default=default)


def clamped_depth(asked: int, most: int = 3) -> tuple[int, tuple[ToolWarning, ...]]:
    """Return a depth from 1 to `most`, and a warning where another was asked for."""
    depth = max(1, min(asked, most))
    message = f"depth {asked} was changed to {depth}: it is from 1 to {most}."
    return depth, warned("depth_clamped", message, when=depth != asked)


# Answers


class Shape(Noun):
    """A part of an answer, written by the names that clients know."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True)


class Success(Shape):
    """An answer that says that it is one."""

    success: Literal[True] = True


class Done(Noun):
    """The same of tools that answer in nouns."""

    success: Literal[True] = True


ShortId = Annotated[int | None, Field(description="short id")]


def maybe(description: str | None = None) -> Any:
    """Return a field of an answer that is left out where it is None."""
    return Field(None, exclude_if=lambda value: value is None, description=description)


class Node(Shape):
    """An entity with what was noted of it."""

    name: str
    entityType: str = Field(description="empty where it has none")  # noqa: N815  the protocol's spelling
    observations: tuple[str, ...]


def as_node(entity: Entity) -> Node:
    """Return an entity as memory clients see it."""
    return Node(name=entity.name, entityType=entity.type or "", observations=observations_of(entity))


def weight_of(relationship: Relationship) -> float:
    """Return how sure a relationship is, as memory clients know weights: 0 to 1."""
    return 1.0 if relationship.confidence >= CERTAIN else relationship.confidence + 0.0


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return names for a sentence, the first few of many."""
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


# What there is in the memory


def lookup(memory: Memory, ref: EntityRef) -> Entity | None:
    """Return the entity as it is now, or None where no entity is called so."""
    try:
        return memory.find(ref)
    except UnknownEntityError:
        return None


def is_id_of(held: Entity, name: str) -> bool:
    """Tell whether an entity was found by its id, or by that of an entity merged into it."""
    folded = {other.strip().casefold() for other in (held.name, *aliases_of(held))}
    return name.strip().casefold() not in folded and short_id_of(name) is None


def noted(memory: Memory, entity: Entity) -> list[str]:
    """Return all that is noted of an entity, each once: by hand, then in an imported memory."""
    return list(dict.fromkeys((*memory.observations(entity.id), *noted_of(entity))))


def related(memory: Memory, source: Entity, type_: str, target: Entity) -> Relationship | None:
    """Return the relationship of that type between two entities, or None; a denial by what it denies."""
    for kept in dict.fromkeys((type_, type_.removeprefix(DENIED))):
        now = held(memory, triple_id(source, kept, target)) if kept or not type_ else None
        if now is not None and now.type == type_:
            return now
    return None


def held(memory: Memory, id_: str) -> Relationship | None:
    """Return the relationship as it is now, or None where there is none."""
    try:
        return memory.relationship(id_)
    except UnknownItemError:
        return None


def triple_id(source: Entity, type_: str, target: Entity) -> str:
    """Return the id of the relationship of that type between two entities."""
    return Relationship.make_id(*as_written(source.id, type_, target.id))


# Changes


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


def as_kept(source: Entity, type_: str, target: Entity) -> dict[str, Named]:
    """Return the ends of a relationship as operations name them: those of a type without direction by id."""
    first, _, _ = as_written(source.id, type_, target.id)
    ends = (source, target) if first == source.id else (target, source)
    return {"source": named(ends[0]), "target": named(ends[1])}


def kept_type(relationship: Relationship) -> str:
    """Return the type that changes name a relationship by: by its id, that which is denied."""
    denied = relationship.type.removeprefix(DENIED)
    of_denied = Relationship.make_id(relationship.source_id, denied, relationship.target_id)
    return denied if of_denied == relationship.id else relationship.type


def as_operation(relationship: Relationship, source: Entity, target: Entity) -> JsonDict:
    """Return how operations name a relationship, by its two ends."""
    return {"source": named(source), "target": named(target), "type": kept_type(relationship)}


def unchanged(message: str, *, when: object = True) -> tuple[ToolWarning, ...]:
    """Return the warning of a writing tool that wrote nothing."""
    return warned("nothing_changed", f"Nothing was written: {message}.", when=when)
