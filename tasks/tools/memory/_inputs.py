"""How the memory tools are asked, what they answer in and how they record changes."""

import re
from collections.abc import Callable, Collection, Sequence
from datetime import UTC
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasChoices, BeforeValidator, ConfigDict, Field

from corpusgraph.schemas.base import JsonDict, Noun, nfc
from corpusgraph.schemas.errors import UnknownEntityError, UnknownItemError, did_you_mean
from corpusgraph.schemas.graph import DENIED, Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import Named, Operation
from corpusgraph.schemas.ports import GraphView, Memory
from corpusgraph.schemas.results import ToolInput, ToolWarning, warned
from corpusgraph.tasks.build.aggregate import CERTAIN, as_written
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.graph.inputs import not_blank, reference, references
from corpusgraph.tasks.graph.names import aliases_of, noted_of, short_id_of
from corpusgraph.tasks.progress import heard
from corpusgraph.tasks.registry import Reads

ENHANCED = "GraphRAG tools for an enhanced memory server, 2025"
ENDS = "Entity.id, Relationship.source_id target_id"
"""What a tool needs that follows relationships."""
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
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


Depth = Annotated[
    int,
    spelled(
        *("depth", "max_hops", "max_depth"),
        description="hops, 1 to 3; any other number is changed to the nearest of these",
    ),
]


def clamped_depth(asked: int) -> tuple[int, tuple[ToolWarning, ...]]:
    """Return a depth from 1 to 3, and a warning where another was asked for."""
    depth = max(1, min(asked, 3))
    message = f"depth {asked} was changed to {depth}: it is from 1 to 3."
    return depth, warned("depth_clamped", message, when=depth != asked)


# Answers


class Shape(Noun):
    """A part of an answer, written by the names that clients know."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, serialize_by_alias=True)


class Success(Shape):
    """An answer that says that it is one."""

    success: Literal[True] = True


ShortId = Annotated[int | None, Field(description="short id")]


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


def record(memory: Memory, ask: ToolInput, operations: Sequence[Operation]) -> int:
    """Put the operations of one call on record as a change and return its number; 0 where there are none.

    Once begun, that is not ended between two of its writes. The input of a tool is named after it.
    """
    if not operations:
        return 0
    by = _HUMP.sub("_", type(ask).__name__).lower()
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


def as_operation(relationship: Relationship, find: Callable[[EntityRef], Entity]) -> JsonDict:
    """Return how operations name a relationship, by its two ends."""
    source, target = (named(find(end)) for end in (relationship.source_id, relationship.target_id))
    return {"source": source, "target": target, "type": kept_type(relationship)}


def unchanged(message: str, *, when: object = True) -> tuple[ToolWarning, ...]:
    """Return the warning of a writing tool that wrote nothing."""
    return warned("nothing_changed", f"Nothing was written: {message}.", when=when)


# Relationships of some types

Types = Annotated[list[str] | None, Field(description="look at these types only")]


def unknown_types(graph: GraphView, types: Collection[str] | None) -> tuple[ToolWarning, ...]:
    """Tell of types that no relationship has, with the nearest that there are."""
    known = compiled(graph).type_names
    wrong = sorted(set(types or ()) - set(known))
    hints = [hint for name in wrong[:5] if (hint := did_you_mean(name, known))]
    message = " ".join([f"No relationship is of type {', '.join(map(repr, wrong[:5]))}.", *hints])
    return warned("unknown_type", message, wrong, when=wrong)
