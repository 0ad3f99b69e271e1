"""Units of analysis: the rows of a dataset, each with the sentences that are about it."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.results import Column
from corpusgraph.schemas.study import TableDataset, UnitOfAnalysis
from corpusgraph.tasks.dataset.reading import Reading, Sentence

SCOPES: dict[UnitOfAnalysis, str] = {
    "entity": "the sentences that mention the entity",
    "document": "the document's sentences",
    "chunk": "the sentences that begin in the chunk",
    "event": "the sentence that tells the event",
    "community": "the sentences that mention a member",
    "pair": "the sentences that mention both",
    "entity_period": "the sentences of the period that mention the entity",
}


@dataclass(frozen=True)
class Unit:
    """A row to be: id, leading cells, sentences, the entities it stands for, the chunks behind it."""

    id: str
    lead: tuple[Any, ...]
    sentences: Sequence[Sentence]
    chunks: tuple[str, ...]
    attributes: JsonDict
    entities: tuple[str, ...] = ()


_SHOWN: dict[UnitOfAnalysis, tuple[str, ...]] = {
    "entity": ("id", "name"),
    "document": ("id", "title"),
    "chunk": ("id", "title"),
    "event": ("id", "title"),
    "community": ("id", "title"),
    "pair": ("id", "source", "target"),
    "entity_period": ("id", "name", "period"),
}
_FORMULAS = {
    "id": "identifier in the index; of a pair and of a panel two parts joined by |",
    "name": "name of the entity",
    "title": "title, of a chunk that of its document, of an event its activity; else the identifier",
    "source": "name of the entity whose identifier comes first",
    "target": "name of the entity whose identifier comes second",
    "period": "year, month or day, ISO 8601",
}


def leads(dataset: TableDataset) -> tuple[Column, ...]:
    """Return the leading columns, which say what a row is."""
    return tuple(_lead(name, dataset) for name in _SHOWN[dataset.unit])


def _lead(name: str, dataset: TableDataset) -> Column:
    """Describe a leading column."""
    unit = dataset.unit.replace("_", " by ")
    told = "Identifier" if name == "id" else name.capitalize()
    return Column(
        name=name,
        dtype="text",
        label=f"{told} of the {unit}",
        unit={"id": "identifier", "period": dataset.period}.get(name, "text"),
        formula=_FORMULAS[name],
        source="index",
        role={"id": "id", "period": "time"}.get(name),
    )


def units_of(reading: Reading, dataset: TableDataset) -> list[Unit]:
    """Return the units in id order; those of a panel are made by `panel`."""
    return sorted(_MAKERS[dataset.unit](reading, dataset), key=lambda unit: unit.id)


def chosen_entities(reading: Reading, dataset: TableDataset) -> list[Entity]:
    """Return the entities of the wanted types with enough mentions."""
    types = {name.casefold() for name in dataset.entity_types}
    kept = [e for e in reading.corpus.graph.entities if not types or (e.type or "").casefold() in types]
    if not dataset.min_mentions:
        return kept
    counts = {e.id: sum(map(len, reading.by_entity.get(e.id, {}).values())) for e in kept}
    return [e for e in kept if counts[e.id] >= dataset.min_mentions]


def entity_attributes(entity: Entity) -> JsonDict:
    """Return the entity's own attributes and fields; a field wins over an attribute of its name."""
    fields = entity.model_dump(exclude={"attributes"})
    return {**(entity.attributes or {}), **fields}


def document_attributes(document: Document) -> JsonDict:
    """Return the document's metadata and fields, without its text."""
    fields = document.model_dump(include={"id", "title", "source", "language"})
    return {**document.metadata, **{key: value for key, value in fields.items() if value is not None}}


def _entities(reading: Reading, dataset: TableDataset) -> list[Unit]:
    chunks = reading.corpus.graph.entity_chunks()
    return [
        Unit(
            e.id,
            (e.id, e.name),
            list(reading.by_entity.get(e.id, {})),
            tuple(chunks.get(e.id, ())),
            entity_attributes(e),
            (e.id,),
        )
        for e in chosen_entities(reading, dataset)
    ]


def _documents(reading: Reading, _: TableDataset) -> list[Unit]:
    chunks: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for chunk in reading.corpus.graph.chunks:
        chunks[chunk.source_doc].append((chunk.position, chunk.id))
    return [
        Unit(
            d.id,
            (d.id, d.title or d.id),
            reading.sentences(d.id),
            tuple(id_ for _, id_ in sorted(chunks[d.id])),
            document_attributes(d),
        )
        for d in reading.corpus.documents
    ]


def _chunks(reading: Reading, _: TableDataset) -> list[Unit]:
    made = []
    for chunk in reading.corpus.graph.chunks:
        document = reading.documents[chunk.source_doc]
        first, after = (bisect_left(reading.spans(document.id), (at,)) for at in (chunk.start, chunk.end))
        inside = [(document.id, at) for at in range(first, after)]
        fields = chunk.model_dump(exclude={"metadata", "entities", "relationships"})
        attributes = {**document_attributes(document), **(chunk.metadata or {}), **fields}
        made.append(
            Unit(chunk.id, (chunk.id, document.title or document.id), inside, (chunk.id,), attributes)
        )
    return made


def _events(reading: Reading, _: TableDataset) -> list[Unit]:
    made = []
    for event in reading.corpus.events:
        document = reading.documents[event.document_id]
        fields = event.model_dump(exclude={"actors", "places"})
        named = tuple(
            reading.entity_ids[m] for m in (*event.actors, *event.places) if m in reading.entity_ids
        )
        made.append(
            Unit(
                event.id,
                (event.id, event.activity),
                [reading.at(document.id, event.start)],
                (event.chunk_id,),
                {**document_attributes(document), **fields},
                tuple(dict.fromkeys(named)),
            )
        )
    return made


def _communities(reading: Reading, _: TableDataset) -> list[Unit]:
    chunks = reading.corpus.graph.entity_chunks()
    made = []
    for community in reading.corpus.graph.communities:
        sentences = {s for member in community.entity_ids for s in reading.by_entity.get(member, {})}
        behind = (chunk for member in community.entity_ids for chunk in chunks.get(member, ()))
        made.append(
            Unit(
                community.id,
                (community.id, community.title or community.id),
                sorted(sentences),
                community.chunk_ids or tuple(dict.fromkeys(behind)),
                community.model_dump(exclude={"entity_ids", "relationship_ids", "chunk_ids", "children"}),
                community.entity_ids,
            )
        )
    return made


def _pairs(reading: Reading, dataset: TableDataset) -> list[Unit]:
    """Pair entities that a sentence names together or a stated relationship joins; the smaller id first."""
    entities = {e.id: e for e in chosen_entities(reading, dataset)}
    shared: dict[tuple[str, str], list[Sentence]] = defaultdict(list)
    for sentence in sorted(reading.mentions):
        named = {reading.entity_ids.get(m.id, "") for m in reading.mentions[sentence]} & entities.keys()
        for pair in combinations(sorted(named), 2):
            shared[pair].append(sentence)
    stated: dict[tuple[str, str], list[str]] = defaultdict(list)
    known = {chunk.id for chunk in reading.corpus.graph.chunks}
    for r in reading.corpus.graph.relationships:
        ends_known = r.source_id in entities and r.target_id in entities
        if ends_known and r.source_id != r.target_id and r.is_stated:
            ends = min(r.source_id, r.target_id), max(r.source_id, r.target_id)
            shared.setdefault(ends, [])
            stated[ends] += [chunk for chunk in r.chunk_ids or () if chunk in known]
    held = {id_: entity_attributes(entity) for id_, entity in entities.items()}
    made = []
    for (a, b), sentences in shared.items():
        id_ = f"{a}|{b}"
        attributes = {f"source.{key}": value for key, value in held[a].items()}
        attributes |= {f"target.{key}": value for key, value in held[b].items()}
        chunks = (*mention_chunks(reading, (a, b), sentences), *stated[a, b])
        lead = (id_, entities[a].name, entities[b].name)
        made.append(Unit(id_, lead, sentences, tuple(dict.fromkeys(chunks)), attributes, (a, b)))
    return made


def mention_chunks(
    reading: Reading, entities: Iterable[str], sentences: Sequence[Sentence]
) -> tuple[str, ...]:
    """Return the chunks in which these sentences mention these entities, in text order."""
    found = (
        mention
        for sentence in sentences
        for entity in entities
        for mention in reading.by_entity[entity].get(sentence, ())
    )
    return tuple(dict.fromkeys(mention.chunk_id for mention in found))


_MAKERS = {
    "entity": _entities,
    "document": _documents,
    "chunk": _chunks,
    "event": _events,
    "community": _communities,
    "pair": _pairs,
}
