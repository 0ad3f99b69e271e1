"""Units of analysis: the rows of a dataset, each with the sentences that are about it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.results import Column, ToolWarning
from corpusgraph.schemas.study import TableDataset, UnitOfAnalysis
from corpusgraph.tasks.dataset.periods import periods
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


Units = tuple[tuple[Column, ...], list[Unit], list[ToolWarning]]


def units_of(reading: Reading, dataset: TableDataset) -> Units:
    """Return the leading columns, the units in id order, and warnings."""
    leads = {
        "entity": ("id", "name"),
        "document": ("id", "title"),
        "chunk": ("id", "title"),
        "event": ("id", "title"),
        "community": ("id", "title"),
        "pair": ("id", "source", "target"),
        "entity_period": ("id", "name", "period"),
    }[dataset.unit]
    columns = tuple(_lead(name, dataset) for name in leads)
    found: list[Unit] = []
    warnings: list[ToolWarning] = []
    if dataset.unit == "entity_period":
        found, warnings = _entity_periods(reading, dataset)
    else:
        found = _MAKERS[dataset.unit](reading, dataset)
    return columns, sorted(found, key=lambda unit: unit.id), warnings


def _lead(name: str, dataset: TableDataset) -> Column:
    """Describe a leading column."""
    unit = dataset.unit.replace("_", " by ")
    label = f"Identifier of the {unit}" if name == "id" else f"{name.capitalize()} of the {unit}"
    return Column(name=name, dtype="text", label=label, role="id" if name == "id" else None)


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
        spans = reading.spans(document.id)
        inside = [
            (document.id, at) for at, (start, _) in enumerate(spans) if chunk.start <= start < chunk.end
        ]
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
    """Pair entities that a sentence names together or a relationship joins; the smaller id first."""
    entities = {e.id: e for e in chosen_entities(reading, dataset)}
    shared: dict[tuple[str, str], list[Sentence]] = defaultdict(list)
    for sentence in sorted(reading.mentions):
        named = {reading.entity_ids.get(m.id, "") for m in reading.mentions[sentence]} & set(entities)
        for pair in combinations(sorted(named), 2):
            shared[pair].append(sentence)
    for r in reading.corpus.graph.relationships:
        if r.source_id in entities and r.target_id in entities and r.source_id != r.target_id:
            shared.setdefault((min(r.source_id, r.target_id), max(r.source_id, r.target_id)), [])
    return [_pair(reading, entities[a], entities[b], sentences) for (a, b), sentences in shared.items()]


def _pair(reading: Reading, a: Entity, b: Entity, sentences: Sequence[Sentence]) -> Unit:
    ends = (("source", a), ("target", b))
    attributes = {f"{end}.{key}": value for end, e in ends for key, value in entity_attributes(e).items()}
    chunks = mention_chunks(reading, (a.id, b.id), sentences)
    return Unit(
        f"{a.id}|{b.id}", (f"{a.id}|{b.id}", a.name, b.name), sentences, chunks, attributes, (a.id, b.id)
    )


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


def _entity_periods(reading: Reading, dataset: TableDataset) -> tuple[list[Unit], list[ToolWarning]]:
    """Make a balanced panel: every entity in every period that the corpus has sentences of."""
    dated, warnings = periods(reading, dataset.period)
    every = sorted(set(dated.values()))
    made = []
    for entity in chosen_entities(reading, dataset):
        by_period: dict[str, list[Sentence]] = defaultdict(list)
        for sentence in reading.by_entity.get(entity.id, {}):
            if sentence in dated:
                by_period[dated[sentence]].append(sentence)
        for period in every:
            sentences = by_period[period]
            id_ = f"{entity.id}|{period}"
            attributes = {**entity_attributes(entity), "entity_id": entity.id, "period": period}
            chunks = mention_chunks(reading, (entity.id,), sentences)
            made.append(Unit(id_, (id_, entity.name, period), sentences, chunks, attributes, (entity.id,)))
    return made, warnings


_MAKERS = {
    "entity": _entities,
    "document": _documents,
    "chunk": _chunks,
    "event": _events,
    "community": _communities,
    "pair": _pairs,
}
