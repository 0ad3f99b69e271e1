"""Add a memory that another system kept to an index that is there: one change, which one undo takes back."""

from collections.abc import Sequence

from corpusgraph.flows.interop.parcel import (
    GivenEntity,
    GivenExtraction,
    GivenMemory,
    GivenRelation,
    beside_ours,
    entity_ids,
)
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import IMPORT, CreateEntity, Extracted, Named, Observe, Operation, Relate
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.names import aliases_of, texts_of
from corpusgraph.tasks.overlay.evidence import checked_context

BY = "import"


def operations(memory: GivenMemory, index: OpenIndex) -> list[Operation]:
    """Return what adds the memory to an index; what it holds already is not made again.

    An entity of the same name and type, whatever their case, is the same; so is one that only a relation
    names, where one entity of the index goes by that name. Relations and observations that are there already
    by an import are left out.
    """
    known, stated = _Known(index.graph), _stated(index)
    named, made = _named(memory, known)
    for stub, called in zip(memory.entities, named, strict=True):
        if stub.is_stub and called.id in known.ids:
            memory.notes.drop("missing_entity", stub.told)
    found: list[Operation] = list(made)
    for place, entity in enumerate(memory.entities):
        there = known.observations.get(named[place].id, frozenset())
        if new := tuple(text for text in entity.observations if text not in there):
            found.append(Observe(entity=named[place], contents=new))
    for relation in memory.relations:
        ends = named[relation.source], named[relation.target]
        if (ends[0].id, relation.type, ends[1].id) in stated:
            continue
        found.append(
            Relate(
                source=ends[0],
                target=ends[1],
                type=relation.type,
                confidence=relation.confidence,
                is_causal=relation.is_causal,
                context=_context(relation, memory),
                cue=IMPORT,
            )
        )
    return found


def _context(relation: GivenRelation, memory: GivenMemory) -> JsonDict | None:
    """Return what is kept with a relation; what no line of the journal may hold is told of and left out."""
    try:
        return None if relation.context is None else checked_context(relation.context)
    except ValueError as error:
        memory.notes.add("context_left_out", f"{relation.where}: the context {error}")
        return None


def extractions(memory: GivenMemory, graph: GraphView) -> list[tuple[str, Extracted]]:
    """Return the lines of the extraction log with their times."""
    named, _ = _named(memory, _Known(graph))
    return [(_instant(line), Extracted(entity=named[line.entity], found=line.found)) for line in memory.log]


def _instant(line: GivenExtraction) -> str:
    """Return a time of SQLite's (UTC, with a space) in ISO 8601."""
    at = line.at.strip().replace(" ", "T", 1)
    return f"{at}+00:00" if len(at) == len("2025-11-28T10:00:00") else at


class _Known:
    """What an index holds, by what a file may say of it."""

    def __init__(self, graph: GraphView) -> None:
        self.ids: set[str] = set()
        self.by_name: dict[tuple[str, str], Entity] = {}
        self.observations: dict[str, frozenset[str]] = {}
        for entity in graph.entities:
            self.ids.add(entity.id)
            self.by_name.setdefault(_key(entity.name, entity.type), entity)
            self.observations[entity.id] = frozenset(texts_of(entity.attributes or {}, "observations"))
        self._graph = graph

    def same_as(self, id_: str, given: GivenEntity) -> Entity | None:
        """Return the entity of the index that one of a file is, where that is not told by its id."""
        if id_ in self.ids:
            return None
        held = self.by_name.get(_key(given.name, given.type))
        return self._called(given.name) if held is None and given.is_stub else held

    def _called(self, name: str) -> Entity | None:
        """Return the one entity of that name, of whatever type; None where there is none, or several."""
        try:
            held = self._graph.entity(name)
        except (UnknownEntityError, AmbiguousEntityError):
            return None
        return (
            held
            if nfc(name).casefold() in {nfc(n).casefold() for n in (held.name, *aliases_of(held))}
            else None
        )


def _stated(index: OpenIndex) -> set[tuple[str, str, str]]:
    """Return the relationships that an import stated before."""
    of = {index.relationship_of(one.id) for one in index.assertions if one.cue == IMPORT}
    edges = index.graph.relationships if of else ()
    return {(edge.source_id, edge.type, edge.target_id) for edge in edges if edge.id in of}


def _key(name: str, type_: str | None) -> tuple[str, str]:
    return nfc(name).casefold(), (type_ or "").casefold()


def _named(memory: GivenMemory, known: _Known) -> tuple[list[Named], Sequence[CreateEntity]]:
    """Return how each entity is named in the index, and those that have to be made."""
    named, made = [], []
    for id_, entity in zip(entity_ids(memory.entities), memory.entities, strict=True):
        there = known.same_as(id_, entity)
        if there is not None:
            named.append(Named(id=there.id, name=there.name, type=there.type))
            continue
        named.append(Named(id=id_, name=entity.name, type=entity.type))
        if id_ not in known.ids:
            attributes = {**beside_ours(entity.attributes), **_beside(entity)}
            made.append(CreateEntity(id=id_, name=entity.name, type=entity.type, attributes=attributes))
    return named, made


def _beside(entity: GivenEntity) -> JsonDict:
    """Keep the number an entity had elsewhere (here it gets one of its own), and that it is a stub."""
    number = {} if entity.number is None else {"imported_id": entity.number}
    return {**number, "is_stub": True} if entity.is_stub else number
