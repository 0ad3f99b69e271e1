"""Searching the texts of entities for relationships; on record go those that are new, and the search."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import UnknownItemError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.memory import Change, Extracted, Operation, Relate, Unrelate
from corpusgraph.schemas.ports import GraphView, Memory
from corpusgraph.tasks._tool import F, tool
from corpusgraph.tasks.graph.noted import is_hand_made, noted_of
from corpusgraph.tasks.memory._asked import in_force, named
from corpusgraph.tasks.memory._reading import Reader, Stated
from corpusgraph.tasks.memory.get_entity_neighbors import ENHANCED
from corpusgraph.tasks.remember.evidence import ORIGIN

CONFIDENCE = 0.5
"""Of what a pattern finds."""


def extracting(*, idempotent: bool = True) -> Callable[[F], F]:
    """Register a tool that reads what `Texts` reads of one entity or of all."""
    return tool(
        writes="memory",
        needs={"Entity.id"},
        optional={
            "Entity.name",
            "Entity.description",
            "Entity.attributes",
            "Chunk.content",
            "Chunk.entities",
        },
        cite=ENHANCED,
        effect="adds",
        idempotent=idempotent,
    )


class Searched(NamedTuple):
    """What the texts of an entity state, and the hash of these texts."""

    entity: Entity
    digest: str
    stated: Mapping[str, Stated]


class Texts:
    """What there is to read about entities: what was noted of them, what describes them, their chunks."""

    def __init__(self, graph: GraphView, memory: Memory, fingerprint: str) -> None:
        self._graph, self._memory, self._fingerprint = graph, memory, fingerprint
        self._chunks = graph.entity_chunks()

    def digest(self, entity: Entity) -> str:
        """Return a hash of all that there is to read: of chunks their ids, which change with their texts."""
        parts = (self._fingerprint, entity.name, *self._own(entity), "", *self._chunk_ids(entity))
        return hashlib.blake2b("\x1f".join(parts).encode(), digest_size=8).hexdigest()

    def noted(self, entity: Entity) -> list[str]:
        """Return what was noted of it, or describes it; without a subject, with its name before it."""
        return [_with_subject(entity.name, text) for text in self._own(entity)]

    def chunks(self, entity: Entity) -> list[str]:
        """Return the texts that it occurs in."""
        return [self._graph.chunk(id_).content for id_ in self._chunk_ids(entity)]

    def _own(self, entity: Entity) -> tuple[str, ...]:
        noted = dict.fromkeys((*noted_of(entity), *self._memory.observations(entity.id)))
        return (*noted, *self._described(entity))

    def _described(self, entity: Entity) -> tuple[str, ...]:
        """Return what describes it; of an entity with chunks it is a sentence of one of them."""
        told = entity.description
        return (told,) if told and not self._chunks.get(entity.id, ()) and not is_hand_made(entity) else ()

    def _chunk_ids(self, entity: Entity) -> Iterable[str]:
        ids = self._chunks.get(entity.id, ())
        return [id_ for id_ in ids if not self._by_hand(id_)]

    def _by_hand(self, chunk_id: str) -> bool:
        """Tell a line of the memory: what was noted is read as it was, and a statement is there already."""
        chunk = self._graph.chunk(chunk_id)
        metadata = chunk.metadata or {}
        return all(metadata.get(key) == value for key, value in ORIGIN.items()) or self._states(chunk)

    def _states(self, chunk: Chunk) -> bool:
        """Tell a line that puts a relation of an imported memory in words, which may be another type's."""
        states = chunk.relationships or ()
        if len(states) != 1:
            return False
        try:
            stated = self._graph.relationship(states[0])
        except UnknownItemError:
            return False
        return stated.description == chunk.content and is_hand_made(self._graph.entity(stated.source_id))


def _with_subject(name: str, text: str) -> str:
    begins_low = text[:1].islower()
    return f"{name} {text}" if begins_low and name.casefold() not in text.casefold() else text


def search(entity: Entity, texts: Texts, reader: Reader) -> Searched:
    """Read all there is about an entity."""
    noted = reader.stated(texts.noted(entity), entity.id, others=True)
    about = reader.stated(texts.chunks(entity), entity.id)
    return Searched(entity, texts.digest(entity), {**noted, **about})


def fresh(found: Iterable[Searched], memory: Memory) -> dict[str, Stated]:
    """Return by id what the texts state and the index does not have, each once; not what was taken out."""
    new: dict[str, Stated] = {}
    gone = _taken_out(memory)
    for searched in found:
        for id_, stated in searched.stated.items():
            if id_ not in new and id_ not in gone and not _is_there(memory, id_):
                new[id_] = stated
    return new


def _taken_out(memory: Memory) -> frozenset[str]:
    """Return the ids of relationships that changes in force took out: they are not found again."""
    found = (op for op in in_force(memory) if isinstance(op, Unrelate))
    return frozenset(Relationship.make_id(op.source.id, op.type, op.target.id) for op in found)


def _is_there(memory: Memory, id_: str) -> bool:
    try:
        memory.relationship(id_)
    except UnknownItemError:
        return False
    return True


def operations(found: Sequence[Searched], new: Mapping[str, Stated]) -> list[Operation]:
    """Return what records a search: the new relationships, then a line of the log for each entity."""
    said: list[Operation] = [
        Relate(
            source=named(stated.source),
            target=named(stated.target),
            type=stated.type,
            confidence=CONFIDENCE,
            is_causal=stated.is_causal,
            cue=stated.cue,
        )
        for stated in new.values()
    ]
    return [
        *said,
        *(Extracted(entity=named(one.entity), found=len(one.stated), digest=one.digest) for one in found),
    ]


def searched_before(memory: Memory) -> dict[str, Extracted]:
    """Return entity -> the last line of the log about it."""
    return {line.entity.id: line for _, line in memory.extractions()}


def last_search(memory: Memory, entity_id: str) -> tuple[Change, Extracted] | None:
    """Return the last line of the log about an entity."""
    lines = (pair for pair in reversed(memory.extractions()) if pair[1].entity.id == entity_id)
    return next(lines, None)
