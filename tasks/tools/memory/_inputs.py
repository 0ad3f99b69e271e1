"""How the memory tools are asked, what they answer in, how they follow relationships and record changes."""

import re
from collections.abc import Callable, Collection, Sequence
from datetime import UTC
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import AfterValidator, AliasChoices, BeforeValidator, ConfigDict, Field

from corpusgraph.schemas.base import JsonDict, Noun, nfc
from corpusgraph.schemas.errors import UnknownEntityError, UnknownItemError, did_you_mean
from corpusgraph.schemas.graph import DENIED, Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import Named, Operation
from corpusgraph.schemas.ports import GraphView, Ints, Memory
from corpusgraph.schemas.results import ToolInput, ToolWarning, warned
from corpusgraph.tasks.build.aggregate import CERTAIN, as_written
from corpusgraph.tasks.graph.columnar import values_of
from corpusgraph.tasks.graph.compiled import CompiledGraph, Doubles, compiled, distinct
from corpusgraph.tasks.graph.inputs import SPELLINGS, directions, not_blank, reference, references
from corpusgraph.tasks.graph.names import aliases_of, noted_of, observations_of, short_id_of
from corpusgraph.tasks.graph.paths import Direction, Hop, hop_from
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


# Relationships chosen and followed by columns, where the graph is kept as columns.

WAYS: dict[str, Direction] = {"in": "in", "out": "out", "both": "both", **SPELLINGS}
"""Each spelling of a direction."""
Types = Annotated[list[str] | None, Field(description="look at these types only")]
Least = Annotated[float, Field(ge=0, description="look at relationships of at least this weight")]


def spelt(into: str, out: str) -> BeforeValidator:
    """Return a validator that takes each spelling of a direction for that of a tool."""
    own = {"in": into, "out": out, "both": "both"}
    return BeforeValidator(directions({spelling: own[way] for spelling, way in WAYS.items()}))


def confidences(graph: GraphView, edges: Ints) -> Doubles:
    """Return how sure some relationships are, as memory clients know weights (k,)."""
    stated = np.asarray(values_of(graph.relationships, "confidence", edges), dtype=np.float64)
    return np.where(stated >= CERTAIN, 1.0, stated + 0.0)  # + 0.0: there is no -0.0


def no_entity_of_type(type_: str, known: Sequence[str]) -> tuple[ToolWarning, ...]:
    """Tell that no entity is of a type, with the nearest of those that there are, or the first of them."""
    hint = did_you_mean(type_, known) or (f"There are {listed(known)}." if known else "")
    return warned("unknown_type", f"No entity is of type {type_!r}. {hint}".strip(), (type_,))


def unknown_types(graph: GraphView, types: Collection[str] | None) -> tuple[ToolWarning, ...]:
    """Tell of types that no relationship has, with the nearest that there are."""
    known = compiled(graph).type_names
    wrong = sorted(set(types or ()) - set(known))
    hints = [hint for name in wrong[:5] if (hint := did_you_mean(name, known))]
    message = " ".join([f"No relationship is of type {', '.join(map(repr, wrong[:5]))}.", *hints])
    return warned("unknown_type", message, wrong, when=wrong)


def edges_among(graph: GraphView, places: Ints, *, both: bool) -> Ints:
    """Return the relationships with an end, or both, among some entities, those denied too, in order."""
    arrays = compiled(graph)
    edges = distinct(arrays.edges_at(places, denied=True)[0])
    if not both:
        return edges
    within: Ints = edges[np.isin(arrays.source[edges], places) & np.isin(arrays.target[edges], places)]
    return within


class Step(NamedTuple):
    """A relationship followed from the node `here` to the node `there`."""

    here: int
    there: int
    edge: int
    depth: int
    outward: bool
    """The relationship points to `there`."""
    confidence: float


class Around(NamedTuple):
    """The first steps, and how many more there are."""

    steps: list[Step]
    left_out: int


def around(
    graph: GraphView,
    start: int,
    *,
    way: Direction = "both",
    types: Collection[str] | None = None,
    least: float = 0.0,
    depth: int = 1,
    limit: int | None = None,
    own: bool = False,
) -> Around:
    """Follow relationships from a node to nodes that are not nearer, `depth` hops out (breadth first).

    A hop's steps come in order of confidence, then of weight, then of ids. At the first hop each of several
    relationships with one neighbour is a step of its own. `least` is the least confidence; with `own` the
    first hop also has the relationships of `start` with itself. One that texts only deny is no step, unless
    it is one of `start` and its type is named: then it is shown, and not followed further.
    """
    arrays = compiled(graph)
    seen = np.zeros(len(arrays.ids), dtype=bool)
    seen[start] = True
    frontier = np.array([start], dtype=np.int64)
    steps: list[Step] = []
    total = 0
    for hop in range(1, depth + 1):
        own = own and hop == 1
        step = hop_from(arrays, frontier, way, types, own=own, denied=hop == 1 and types is not None)
        sure = confidences(graph, step.edge)
        keep = (sure >= least) & (own | ~seen[step.there])
        step, sure = step.marked(keep), sure[keep]
        total += len(sure)
        outward = arrays.source[step.edge] == step.here
        for i in surest(arrays, step, sure)[: None if limit is None else limit - len(steps)].tolist():
            ends = int(step.here[i]), int(step.there[i]), int(step.edge[i])
            steps.append(Step(*ends, hop, bool(outward[i]), float(sure[i])))
        frontier = distinct(step.there[arrays.is_stated[step.edge]])
        seen[frontier] = True
    return Around(steps, total - len(steps))


def surest(arrays: CompiledGraph, hop: Hop, sure: Doubles) -> Ints:
    """Return the places of a hop's relationships: the surest first, of equals the weightiest."""
    return np.lexsort((-arrays.weight[hop.edge], -sure))
