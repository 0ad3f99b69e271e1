"""The nine tools of the memory server that the protocol has as its reference."""

from collections.abc import Iterable, Sequence
from itertools import count
from typing import Annotated

import numpy as np
from pydantic import AfterValidator, Field

from corpusgraph.schemas import memory as ops
from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError
from corpusgraph.schemas.evidence import CAUSAL
from corpusgraph.schemas.graph import Entity, EntityRef
from corpusgraph.schemas.ports import GraphView, Ints, Memory, Vectors
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.graph.columnar import values_of
from corpusgraph.tasks.graph.compiled import compiled, distinct, node_of, per_graph
from corpusgraph.tasks.graph.names import (
    BETWEEN,
    aliases_of,
    held_by,
    is_hand_made,
    observations_of,
    short_id_of,
)
from corpusgraph.tasks.overlay.view import RememberedGraph
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import (
    ENDS,
    Known,
    Name,
    Ref,
    Sentence,
    Shape,
    Type,
    as_kept,
    as_operation,
    is_id_of,
    listed,
    lookup,
    named,
    noted,
    record,
    related,
    spelled,
    triple_id,
    unchanged,
)

REFERENCE = "Model Context Protocol reference servers: memory"
IN_WORDS = "Entity.name type attributes, Relationship.type"
"""What a tool can do without that tells of entities and relations by their names."""
LISTED = 100
"""Records named in one warning."""
MOST = 10_000
"""Rows of a call."""


class Outcome(Shape):
    """That something was done, and in words what."""

    success: bool
    message: str


def _outcome(message: str, why_not: str, *more: ToolWarning, wrote: object) -> Noted[Outcome]:
    data = Outcome(success=True, message=message)
    return Noted(data=data, warnings=(*unchanged(why_not, when=not wrote), *more))


# Entities


class Node(Shape):
    """An entity with what was noted of it."""

    name: str
    entityType: str = Field(description="empty where it has none")  # noqa: N815  the protocol's spelling
    observations: tuple[str, ...]


def as_node(entity: Entity) -> Node:
    """Return an entity as memory clients see it."""
    return Node(name=entity.name, entityType=entity.type or "", observations=observations_of(entity))


class NewEntity(Shape):
    """An entity as a client asks for it."""

    name: Name = Field(description="name of the entity")
    entity_type: Type = Field(alias="entityType", description="type of the entity")
    observations: tuple[Sentence, ...] = Field(default=(), description="what is known of it")


class CreateEntities(ToolInput):
    """What to make."""

    entities: list[NewEntity] = Field(max_length=MOST, description="the entities to make")


class CreatedEntities(Shape):
    """Those that were not there before."""

    entities: tuple[Node, ...]


@tool(writes="memory", cite=REFERENCE, effect="adds")
def create_entities(ask: CreateEntities, memory: Memory) -> Noted[CreatedEntities]:
    """Make entities with their observations; one whose name is there already is left as it is."""
    operations, made, there, seen = list[ops.Operation](), list[Node](), list[str](), set[str]()
    for new in ask.entities:
        contents, type_ = tuple(dict.fromkeys(new.observations)), new.entity_type.strip()
        steps = _making(new.name, type_, contents, memory)
        keys = {new.name, Entity.make_id(new.name, type_)}
        if not steps or seen & keys:
            there.append(new.name)
            continue
        seen |= keys
        operations += steps
        made.append(Node(name=new.name, entityType=new.entity_type, observations=contents))
    warnings = _there_already(there, memory)
    why_not = "every entity is there already" if there else "no entity was given"
    record(memory, ask, operations)
    data = CreatedEntities(entities=tuple(made))
    return Noted(data=data, warnings=(*warnings, *unchanged(why_not, when=not operations)))


def _making(name: str, type_: str, contents: tuple[str, ...], memory: Memory) -> list[ops.Operation]:
    """Return what makes an entity, if anything; of one that a relation named before, the type is filled in.

    A name that is only like another's, or another name of an entity of another type, can be given; an id
    cannot: whoever gave it would find the entity of that id.
    """
    try:
        held = lookup(memory, name)
    except AmbiguousEntityError as error:  # all of them fit equally well: by this very name, or none
        if f"{name!r} (" in error.message:
            return []
        held = None
    is_stub = held is not None and (held.is_stub or (held.attributes or {}).get("is_stub"))
    first: ops.Operation
    if held is not None and held.name == name and is_stub and type_ and not held.type:
        entity = named(held)
        first = ops.Rename(entity=entity, name=name, type=type_)
    elif held is not None and _goes_by(held, name, type_):
        return []
    else:
        entity = ops.Named(id=_free_id(memory, name, type_), name=name, type=type_ or None)
        first = ops.CreateEntity(**dict(entity))
    return [first, ops.Observe(entity=entity, contents=contents)] if contents else [first]


def _goes_by(entity: Entity, name: str, type_: str) -> bool:
    """Tell whether an entity has the name, or one like it and the type; or whether the name is its id."""
    folded = {other.casefold() for other in (entity.name, *aliases_of(entity))}
    is_like = name.casefold() in folded and (entity.type or "") == type_
    return entity.name == name or is_like or is_id_of(entity, name)


def _free_id(memory: Memory, name: str, type_: str) -> str:
    """Return the id of a new entity: that of indexing, or where another entity has it, one beside it."""
    ids = (Entity.make_id(name, type_, f"{ops.HAND} {n}" if n else "") for n in count())
    return next(id_ for id_ in ids if lookup(memory, id_) is None)


def _there_already(names: Sequence[str], memory: Memory) -> tuple[ToolWarning, ...]:
    """Tell of names that are taken, and of which entities they are other names, as after a renaming."""
    other = _other_names((name, _unique(memory, name)) for name in names[:LISTED])
    words = "; ".join(list(other.values())[:5])
    message = f"{listed(names)}: there already, and left as it is; add_observations notes more of an entity."
    message += f" {words}." if words else ""
    return warned("entity_exists", message, names[:LISTED], when=names)


def _unique(memory: Memory, name: str) -> Entity | None:
    """Return the one entity that is called so, or None where none is, or several are."""
    try:
        return lookup(memory, name)
    except AmbiguousEntityError:
        return None


def _other_names(held: Iterable[tuple[EntityRef, Entity | None]]) -> dict[str, str]:
    """Return what to tell of names that entities have beside their own, as after merging or renaming."""
    return {
        name: f"{name!r} is another name of {entity.name!r}"
        for name, entity in held
        if entity is not None
        and isinstance(name, str)
        and name.strip().casefold() != entity.name.strip().casefold()
        and short_id_of(name) is None
        and not is_id_of(entity, name)
    }


class DeleteEntities(ToolInput):
    """Which entities to take out."""

    entity_names: list[Ref] = spelled(
        "entityNames", max_length=MOST, description="the entities to delete, by name, id or short id"
    )


@tool(writes="memory", cite=REFERENCE, effect="removes")
def delete_entities(ask: DeleteEntities, memory: Memory) -> Noted[Outcome]:
    """Take entities out with their relations and observations; one that is not there is told, no error."""
    held = [(name, lookup(memory, name)) for name in ask.entity_names]
    missing = [str(name) for name, entity in held if entity is None]
    gone = {entity.id: entity for _, entity in held if entity is not None}
    operations = [ops.DeleteEntity(entity=named(entity)) for entity in gone.values()]
    record(memory, ask, operations)
    message, n = "Entities deleted successfully", len(ask.entity_names)
    if missing:
        message = f"Deleted {n - len(missing)} of {n} entities. Not found: {', '.join(missing)}"
    other = _other_names(held)
    words = f"{'; '.join(list(other.values())[:5])}: that was deleted. undo_change brings it back."
    told = warned("other_name", words, list(other)[:LISTED], when=other)
    return _outcome(message, "none of the entities is there", *told, wrote=gone)


# Observations


Subject = Annotated[
    Ref,
    spelled(
        *("entityName", "entity", "entity_id", "entity_name"), description="the entity: name, id or short id"
    ),
]


class NewObservations(Shape):
    """What to note of an entity."""

    entity: Subject
    contents: tuple[Sentence, ...] = Field(description="sentences to note of it")


class AddObservations(ToolInput):
    """What to note of which entities."""

    observations: list[NewObservations] = Field(max_length=MOST, description="what to note")


class AddedObservations(Shape):
    """What was noted of an entity that had not been noted before."""

    entityName: str  # noqa: N815  the protocol's spelling
    addedObservations: tuple[str, ...]  # noqa: N815


class AddedToEach(Shape):
    """One row for each row asked."""

    results: tuple[AddedObservations, ...]


@tool(writes="memory", cite=REFERENCE, effect="adds")
def add_observations(ask: AddObservations, memory: Memory) -> Noted[AddedToEach]:
    """Note sentences about entities; a sentence that is noted already is not noted twice."""
    entities = [memory.find(new.entity) for new in ask.observations]
    known = {entity.id: set(noted(memory, entity)) for entity in entities}
    operations, results = list[ops.Operation](), list[AddedObservations]()
    for entity, new in zip(entities, ask.observations, strict=True):
        fresh = tuple(s for s in dict.fromkeys(new.contents) if s not in known[entity.id])
        known[entity.id].update(fresh)
        # by the name that the caller gave: that is what it looks for in the answer
        name = new.entity if isinstance(new.entity, str) else entity.name
        results.append(AddedObservations(entityName=name, addedObservations=fresh))
        operations += [ops.Observe(entity=named(entity), contents=fresh)] if fresh else []
    record(memory, ask, operations)
    warnings = unchanged("all of it is noted already", when=not operations)
    return Noted(data=AddedToEach(results=tuple(results)), warnings=warnings)


class Deletion(Shape):
    """What to take back of an entity."""

    entity: Subject
    observations: tuple[Known, ...] = Field(description="the sentences to delete, as they were noted")


class DeleteObservations(ToolInput):
    """What to take back of which entities."""

    deletions: list[Deletion] = Field(max_length=MOST, description="what to delete")


@tool(writes="memory", cite=REFERENCE, effect="removes")
def delete_observations(ask: DeleteObservations, memory: Memory) -> Noted[Outcome]:
    """Take back what was noted of entities; the sentences of a corpus that describe them stay."""
    operations, missing, known = list[ops.Unobserve](), list[str](), dict[str, set[str]]()
    for deletion in ask.deletions:
        entity = lookup(memory, deletion.entity)
        if entity is None:
            missing.append(str(deletion.entity))
            continue
        left = known.setdefault(entity.id, set(noted(memory, entity)))
        gone = tuple(s for s in dict.fromkeys(deletion.observations) if s in left)
        left.difference_update(gone)
        operations += [ops.Unobserve(entity=named(entity), contents=gone)] if gone else []
    record(memory, ask, operations)
    n_gone = sum(len(operation.contents) for operation in operations)
    n_asked = sum(len(deletion.observations) for deletion in ask.deletions)
    message = "Observations deleted successfully"
    if n_gone < n_asked:
        also = f" Entities not found: {', '.join(missing)}" if missing else ""
        message = f"Deleted {n_gone} of {n_asked} observations.{also}"
    return _outcome(message, "none of the sentences is noted", wrote=operations)


# Relations


class Relation(Shape):
    """A relation between two entities, by their names."""

    from_: str = Field(alias="from", description="name of the entity where the relation starts")
    to: str = Field(description="name of the entity where the relation ends")
    relationType: str = Field(description="type of the relation")  # noqa: N815


_FROM = "the entity where the relation starts: name, id or short id"
_TO = "the entity where the relation ends"


class NewRelation(Shape):
    """A relation as a client asks for it."""

    from_: Name = Field(alias="from", description=_FROM)
    to: Name = Field(description=_TO)
    relation_type: Name = Field(alias="relationType", description="type of the relation, in active voice")


class CreateRelations(ToolInput):
    """What to state."""

    relations: list[NewRelation] = Field(max_length=MOST, description="the relations to make")


class CreatedRelations(Shape):
    """Those that were not there before."""

    relations: tuple[Relation, ...]


@tool(writes="memory", cite=REFERENCE, effect="adds")
def create_relations(ask: CreateRelations, memory: Memory) -> Noted[CreatedRelations]:
    """State relations, each with full confidence; an entity that is not there yet is made as a stub."""
    made: dict[str, Entity] = {}
    new: dict[str, tuple[ops.Relate, Relation]] = {}
    for asked in ask.relations:
        source, target = (_found_or_made(name, made, memory) for name in (asked.from_, asked.to))
        id_, type_ = triple_id(source, asked.relation_type, target), asked.relation_type
        if id_ not in new and not related(memory, source, type_, target):
            operation = ops.Relate(**as_kept(source, type_, target), type=type_, is_causal=type_ in CAUSAL)
            new[id_] = operation, Relation(from_=source.name, to=target.name, relationType=type_)
    stubs = [
        ops.CreateEntity(id=stub.id, name=stub.name, attributes={"is_stub": True}) for stub in made.values()
    ]
    operations: list[ops.Operation] = [*stubs, *(operation for operation, _ in new.values())]
    record(memory, ask, operations)
    there = len(ask.relations) - len(new)
    names = list(made)
    untyped = f"{listed(names)} did not exist and was made without a type; create_entities gives it one."
    data = CreatedRelations(relations=tuple(relation for _, relation in new.values()))
    warnings = (
        *warned("stub_entities", untyped, names[:LISTED], when=names),
        *warned("relation_exists", f"There already, or given twice: {there} of the relations.", when=there),
        *unchanged("no relation is new", when=not operations),
    )
    return Noted(data=data, warnings=warnings)


def _found_or_made(name: str, made: dict[str, Entity], memory: Memory) -> Entity:
    """Return the entity of a name; one that is not there is made without a type, once."""
    entity = made.get(name) or lookup(memory, name)
    if entity is None:
        entity = made[name] = Entity(id=_free_id(memory, name, ""), name=name, is_stub=True)
    return entity


class KnownRelation(Shape):
    """A relation that is there, as a client tells of it."""

    from_: Known = Field(alias="from", description=_FROM)
    to: Known = Field(description=_TO)
    relation_type: Known = Field(alias="relationType", description="type of the relation")


class DeleteRelations(ToolInput):
    """Which relations to take out."""

    relations: list[KnownRelation] = Field(max_length=MOST, description="the relations to delete")


@tool(writes="memory", cite=REFERENCE, effect="removes")
def delete_relations(ask: DeleteRelations, memory: Memory) -> Noted[Outcome]:
    """Take relations out, whatever states them; one that is not there is told, no error."""
    gone: dict[str, ops.Unrelate] = {}
    for asked in ask.relations:
        source, target = lookup(memory, asked.from_), lookup(memory, asked.to)
        held = related(memory, source, asked.relation_type, target) if source and target else None
        if held is not None:
            gone[held.id] = ops.Unrelate(**as_operation(held, memory.find))
    record(memory, ask, list(gone.values()))
    message = "Relations deleted successfully"
    if len(gone) < len(ask.relations):
        message = f"Deleted {len(gone)} of {len(ask.relations)} relations. The rest matched nothing."
    return _outcome(message, "none of the relations is there", wrote=gone)


# Reading


class KnowledgeGraph(Shape):
    """Entities, and the relations that have an end among them."""

    entities: tuple[Node, ...]
    relations: tuple[Relation, ...]


MOST_RELATIONS = 2_000
"""Relations in one answer: more would flood a client."""


def in_order(entities: Iterable[Entity]) -> Sequence[Entity]:
    """Return what was made by hand in the order in which it was made, then the rest by name."""
    return sorted(
        entities, key=lambda e: (not is_hand_made(e), is_hand_made(e) and (e.short_id or 0), e.name, e.id)
    )


def shown(
    graph: GraphView, nodes: Sequence[int], *, both: bool = False, as_given: bool = False
) -> tuple[KnowledgeGraph, int]:
    """Return entities and the relations with an end (or both) among them, and how many are left out.

    What was made by hand comes first and in the order in which it was made, unless the order given is to
    stay; of too many relations the weightiest are shown.
    """
    arrays = compiled(graph)
    edges = edges_among(graph, np.array(sorted(set(nodes)), dtype=np.int64), both=both)
    first = np.sort(edges[np.lexsort((edges, -arrays.weight[edges]))[:MOST_RELATIONS]])
    relationships = sorted(
        (graph.relationships[i] for i in first.tolist()), key=lambda r: (r.short_id or 0, r.id)
    )
    ends = distinct(np.concatenate([arrays.source[first], arrays.target[first]]))
    names = {arrays.ids[i]: graph.entities[i].name for i in ends.tolist()}
    entities = [graph.entities[i] for i in dict.fromkeys(nodes)]
    part = KnowledgeGraph(
        entities=tuple(as_node(entity) for entity in (entities if as_given else in_order(entities))),
        relations=tuple(
            Relation(from_=names[r.source_id], to=names[r.target_id], relationType=r.type)
            for r in relationships
        ),
    )
    return part, len(edges) - len(first)


def edges_among(graph: GraphView, places: Ints, *, both: bool) -> Ints:
    """Return the relationships with an end, or both, among some entities, those denied too, in order."""
    arrays = compiled(graph)
    edges = distinct(arrays.edges_at(places, denied=True)[0])
    if not both:
        return edges
    within: Ints = edges[np.isin(arrays.source[edges], places) & np.isin(arrays.target[edges], places)]
    return within


def _left_out(n: int) -> tuple[ToolWarning, ...]:
    """Tell of relations that did not fit the answer."""
    message = f"{n:,} relations were left out, those with the least evidence; get_related lists them."
    return warned("graph_truncated", message, when=n)


class ReadGraph(ToolInput):
    """How much to read."""

    limit: int = Field(
        500, ge=1, le=100_000, description="entities at most; more than this is told in a warning"
    )


@tool(writes="memory", needs=ENDS, optional=IN_WORDS, cite=REFERENCE)
def read_graph(ask: ReadGraph, graph: GraphView, memory: Memory | None) -> Noted[KnowledgeGraph]:
    """Return all entities and relations; of a large graph what was added by hand, then the best connected."""
    n = len(graph.entities)
    nodes = list(range(n)) if n <= ask.limit else _foremost(graph, memory, ask.limit)
    part, left_out = shown(graph, nodes, both=True)
    message = (
        f"Shown are {len(part.entities):,} of {n:,} entities and {len(part.relations):,} of "
        f"{len(graph.relationships):,} relations; search_nodes and open_nodes find the others."
    )
    return Noted(data=part, warnings=warned("graph_truncated", message, when=n > ask.limit or left_out))


def _foremost(graph: GraphView, memory: Memory | None, limit: int) -> list[int]:
    """Return what was made or noted by hand, then those with most relationships, ties by id."""
    arrays = compiled(graph)
    by_hand = (arrays.ids.find(id_) for id_ in (memory.handled() if memory is not None else ()))
    order = np.argsort(-arrays.degrees, kind="stable").tolist()
    return list(dict.fromkeys([*(at for at in by_hand if at is not None), *order]))[:limit]


class OpenNodes(ToolInput):
    """Which entities."""

    names: list[Ref] = spelled(
        *("names", "entityNames", "entity_names", "entities"),
        max_length=1000,
        description="the entities, by name, id or short id",
    )


@tool(writes="memory", needs=ENDS, optional=IN_WORDS, cite=REFERENCE)
def open_nodes(ask: OpenNodes, graph: GraphView) -> Noted[KnowledgeGraph]:
    """Return entities and their relations; a name that is not there is told in a warning, no error."""
    nodes, warnings = list[int](), list[ToolWarning]()
    for name in ask.names:
        try:
            nodes.append(node_of(graph, name))
        except (UnknownEntityError, AmbiguousEntityError) as error:
            warnings += warned(error.code, str(error), [str(name)])
    part, left_out = shown(graph, nodes)
    return Noted(data=part, warnings=(*warnings, *_left_out(left_out)))


class SearchNodes(ToolInput):
    """What to look for."""

    query: Annotated[str, AfterValidator(nfc)] = Field(
        max_length=2048, description="part of a name, a type or an observation, in any case of letters"
    )
    limit: int = Field(
        100, ge=1, le=10_000, description="entities at most; more than this is told in a warning"
    )


@tool(writes="memory", needs=ENDS, optional=f"{IN_WORDS}, Entity.description", cite=REFERENCE)
def search_nodes(
    ask: SearchNodes, graph: GraphView, vectors: Vectors | None, memory: Memory | None
) -> Noted[KnowledgeGraph]:
    """Return the entities that hold a text, with their relations; without any, those that share its words."""
    holding_it = _foremost_holding(ask.query, graph, memory)
    nodes = holding_it or _by_words(ask, graph, vectors)
    by_words = f"No entity holds {ask.query!r}; {len(nodes)} share words with it (full-text search)."
    many = f"Shown are {ask.limit:,} of {len(nodes):,} entities that hold {ask.query!r}."
    part, left_out = shown(graph, nodes[: ask.limit], as_given=True)
    warnings = (
        *warned("matched_by_words", by_words, when=nodes and not holding_it),
        *warned("graph_truncated", many, when=len(nodes) > ask.limit),
        *_left_out(left_out),
        *warned("nothing_found", f"No entity holds {ask.query!r}.", when=not nodes),
    )
    return Noted(data=part, warnings=warnings)


def _foremost_holding(query: str, graph: GraphView, memory: Memory | None) -> list[int]:
    """Return the entities that hold the text: those by hand first, then those with it in their names."""
    nodes, wanted, ids = holding(graph, query), query.casefold(), compiled(graph).ids
    order = {id_: n for n, id_ in enumerate(memory.handled())} if memory is not None and nodes else {}
    names = values_of(graph.entities, "name", np.array(nodes, dtype=np.int64))
    by_hand = (order.get(ids[at], -1) for at in nodes)
    rows = zip(by_hand, names, nodes, strict=True)
    return [at for *_, at in sorted((n < 0, wanted not in name.casefold(), n, at) for n, name, at in rows)]


def _by_words(ask: SearchNodes, graph: GraphView, vectors: Vectors | None) -> list[int]:
    if vectors is None or not ask.query.strip():
        return []
    ids = compiled(graph).ids
    places = (ids.find(id_) for id_, _ in vectors.match("entity", ask.query, ask.limit))
    return [at for at in places if at is not None]


def holding(graph: GraphView, wanted: str) -> list[int]:
    """Return the entities that hold a text (without regard to case), in order."""
    wanted = wanted.casefold()
    if not isinstance(graph, RememberedGraph):
        texts = () if BETWEEN in wanted else _texts(graph)
        return [at for at, text in enumerate(texts) if wanted in text]
    here, touched = graph.entity_rows.to_here, graph.state.touched
    below = [int(here[at]) for at in holding(graph.base.graph, wanted) if here[at] >= 0]
    there = filter(graph.state.is_there, () if BETWEEN in wanted else touched)
    by_hand = [graph.node(id_) for id_ in there if wanted in held_by(graph.entity_now(id_))]
    return sorted([*by_hand, *(at for at in below if graph.entity_rows.ids[at] not in touched)])


@per_graph
def _texts(graph: GraphView) -> list[str]:
    return [held_by(entity) for entity in graph.entities]
