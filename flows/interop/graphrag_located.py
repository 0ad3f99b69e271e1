"""Where in the texts the entities and relationships of a GraphRAG index stand: their evidence."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence

from corpusgraph.flows.interop.graphrag_texts import Units
from corpusgraph.flows.interop.parcel import Parcel
from corpusgraph.flows.interop.report import Notes
from corpusgraph.schemas.base import JsonDict, stable_id
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.evidence import Assertion
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.index.aggregate import Passage, doubt, noisy_or
from corpusgraph.tasks.index.layout import Layout

EXTRACTOR = "graphrag"
MAX_CHUNKS = 50
"""Chunks kept with a relationship, as indexing does; every one has an assertion."""


class Located:
    """Adds mentions, incidence and assertions to a parcel, by the units that the tables name."""

    def __init__(self, parcel: Parcel, units: Units, notes: Notes) -> None:
        self._parcel, self._units, self._notes = parcel, units, notes
        chunks: dict[str, list[Chunk]] = defaultdict(list)
        for chunk in parcel.chunks:
            chunks[chunk.source_doc].append(chunk)
        self._layouts = {document.id: Layout(document, chunks[document.id]) for document in parcel.documents}
        self._first: dict[tuple[str, str], JsonDict] = {}
        """First mention of an entity in a unit's chunk."""
        self._counts: dict[str, int] = defaultdict(int)
        self._seen: set[str] = set()

    def mentions(self, entities: Sequence[tuple[Entity, Sequence[str], Sequence[str]]]) -> None:
        """Find each entity, by its titles, in the units that name it."""
        present: dict[str, dict[str, None]] = defaultdict(dict)
        source: dict[str, str] = {}
        for entity, titles, units in entities:
            pattern = _pattern(titles)
            for unit in dict.fromkeys(units):
                chunk = self._units.get(str(unit))
                if chunk is None:
                    self._notes.add("unknown_reference", f"entity {entity.name}: text unit {unit}")
                    continue
                self._in_chunk(entity, chunk, pattern)
                present[chunk.id][entity.id] = None
                source.setdefault(entity.id, chunk.id)
        self._parcel.chunks = [
            chunk.model_copy(update={"entities": tuple(sorted(present[chunk.id], key=self._in_text(chunk)))})
            if chunk.entities is None
            else chunk
            for chunk in self._parcel.chunks
        ]
        self._parcel.entities = [
            entity.model_copy(
                update={
                    "source_ref": entity.source_ref or source.get(entity.id),
                    "n_mentions": entity.n_mentions or self._counts[entity.id],
                }
            )
            for entity in self._parcel.entities
        ]

    def _in_chunk(self, entity: Entity, chunk: Chunk, pattern: re.Pattern[str] | None) -> None:
        hits = [match.span() for match in pattern.finditer(chunk.content)] if pattern else []
        spans = [(chunk.start + start, chunk.start + end) for start, end in hits]
        rows = [self._mention(entity, chunk, *span) for span in spans or [(chunk.start, chunk.start)]]
        self._first[entity.id, chunk.id] = rows[0]
        for row in rows:
            if row["id"] not in self._seen:
                self._seen.add(row["id"])
                self._counts[entity.id] += 1
                self._parcel.mentions.append(row)
        self._parcel.incidence.append(
            {
                "entity_id": entity.id,
                "chunk_id": chunk.id,
                "count": len(rows),
                "first_start": rows[0]["start"],
            }
        )
        if spans and entity.id not in self._parcel.passages:
            start, end = rows[0]["sentence_start"], rows[0]["sentence_end"]
            self._parcel.passages[entity.id] = self._passage(chunk, start, end)

    def _in_text(self, chunk: Chunk) -> Callable[[str], tuple[int, str]]:
        return lambda entity_id: (self._first[entity_id, chunk.id]["start"], entity_id)

    def _passage(self, chunk: Chunk, start: int, end: int) -> Passage:
        text = self._layouts[chunk.source_doc].document.text[start:end]
        return Passage(chunk.source_doc, chunk.id, start, end, chunk.page, text)

    def _mention(self, entity: Entity, chunk: Chunk, start: int, end: int) -> JsonDict:
        layout = self._layouts[chunk.source_doc]
        sentence = layout.sentence_of(start, end) if end > start else (start, end)
        return {
            "document_id": chunk.source_doc,
            "chunk_id": chunk.id,
            "start": start,
            "end": end,
            "page": chunk.page,
            "id": stable_id("men", chunk.source_doc, start, end, entity.id, EXTRACTOR),
            "extractor": EXTRACTOR,
            "confidence": 1.0,
            "cue": "title" if end > start else "text unit",
            "sentence_start": sentence[0],
            "sentence_end": sentence[1],
            "surface": layout.document.text[start:end],
            "name": entity.name,
            "type": entity.type or "",
            "description": None,
            "attributes": {},
            "entity_id": entity.id,
        }

    def first(self, entity: Entity, chunk: Chunk) -> JsonDict:
        """Return the first mention of an entity in a chunk; one that no table has there is made."""
        at = (entity.id, chunk.id)
        if at not in self._first:
            row = self._first[at] = self._mention(entity, chunk, chunk.start, chunk.start)
            if row["id"] not in self._seen:
                self._seen.add(row["id"])
                self._parcel.mentions.append(row)
        return self._first[at]

    def assertions(self, relationships: Sequence[tuple[Relationship, Sequence[str]]]) -> list[Relationship]:
        """Add an assertion for each relationship and unit; return the relationships with their chunks."""
        entities = {entity.id: entity for entity in self._parcel.entities}
        stated: dict[str, dict[str, None]] = defaultdict(dict)
        made = []
        for relationship, units in relationships:
            ends = entities[relationship.source_id], entities[relationship.target_id]
            chunks: list[str] = []
            for unit in dict.fromkeys(units):
                chunk = self._units.get(unit)
                if chunk is None:
                    self._notes.add(
                        "unknown_reference",
                        f"relationship {ends[0].name} -> {ends[1].name}: text unit {unit}",
                    )
                    continue
                self._parcel.assertions.append(self._assertion(relationship, ends, chunk))
                stated[chunk.id][relationship.id] = None
                chunks.append(chunk.id)
            made.append(_with_chunks(relationship, chunks))
        self._parcel.chunks = [
            chunk.model_copy(update={"relationships": tuple(stated[chunk.id])})
            if chunk.relationships is None
            else chunk
            for chunk in self._parcel.chunks
        ]
        return made

    def _assertion(self, relationship: Relationship, ends: tuple[Entity, Entity], chunk: Chunk) -> JsonDict:
        tail, head = self.first(ends[0], chunk), self.first(ends[1], chunk)
        located = [row for row in (tail, head) if row["end"] > row["start"]]
        start, end = (
            (located[0]["sentence_start"], located[0]["sentence_end"]) if located else (chunk.start,) * 2
        )
        near = [row for row in located if start <= row["start"] and row["end"] <= end]
        span = (
            min((row["start"] for row in near), default=start),
            max((row["end"] for row in near), default=end),
        )
        text = self._layouts[chunk.source_doc].document.text[start:end]
        if located and relationship.id not in self._parcel.passages:
            self._parcel.passages[relationship.id] = self._passage(chunk, start, end)
        return {
            "document_id": chunk.source_doc,
            "chunk_id": chunk.id,
            "start": span[0],
            "end": span[1],
            "page": chunk.page,
            "id": Assertion.make_id(
                tail["id"], f"{relationship.type}:{relationship.id}", head["id"], chunk.id
            ),
            "extractor": EXTRACTOR,
            "confidence": relationship.confidence,
            "cue": None,
            "sentence_start": start,
            "sentence_end": end,
            "source_mention": tail["id"],
            "target_mention": head["id"],
            "source": ends[0].name,
            "target": ends[1].name,
            "type": relationship.type,
            "is_causal": relationship.is_causal,
            "negated": False,
            "description": relationship.description or text,
            "source_id": ends[0].id,
            "target_id": ends[1].id,
            "relationship_id": relationship.id,
        }


def _with_chunks(relationship: Relationship, chunks: list[str]) -> Relationship:
    """Return a relationship with its chunks; its pieces of evidence add up to its confidence."""
    sure = (
        noisy_or(len(chunks) * doubt(relationship.confidence)) if len(chunks) > 1 else relationship.confidence
    )
    known = relationship.chunk_ids is not None
    return relationship.model_copy(
        update={
            "chunk_ids": relationship.chunk_ids if known else tuple(sorted(chunks)[:MAX_CHUNKS]),
            "confidence": relationship.confidence if known else sure,
        }
    )


def _pattern(titles: Sequence[str]) -> re.Pattern[str] | None:
    """Return what finds a title in a text in any case: as whole words, where its script has spaces."""
    parts = []
    for title in titles:
        words = title.split()
        if words:
            body = r"\s+".join(map(re.escape, words))
            parts.append(f"{_edge(words[0][0], before=True)}{body}{_edge(words[-1][-1], before=False)}")
    return re.compile("|".join(parts), re.IGNORECASE) if parts else None


def _edge(character: str, *, before: bool) -> str:
    """Return what keeps a word from being found in a longer one; letters of Chinese stand side by side."""
    if not (character.isalnum() or character == "_") or unicodedata.category(character) == "Lo":
        return ""
    return r"(?<!\w)" if before else r"(?!\w)"
