"""Find names known from anywhere in the corpus where a document's own extraction missed them."""

from collections.abc import Iterator, Sequence

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.index.gazetteer import Gazetteer
from corpusgraph.tasks.index.layout import Layout
from corpusgraph.tasks.index.resolve import EntityKey, Resolved
from corpusgraph.tasks.index.survey import split_title

CONFIDENCE = 0.8
"""Of a mention found by its name alone: another entity may bear it."""

Spotted = tuple[JsonDict, EntityKey]
"""A row of the table of mentions and the entity it means."""


class Spotter:
    """Looks for the names that `resolved` knows."""

    def __init__(self, resolved: Resolved) -> None:
        self._resolved = resolved
        self._gazetteer = Gazetteer({name: name for name in resolved.names()})

    def spot(self, layout: Layout, mentions: Sequence[Mention], present: set[str]) -> list[Spotted]:
        """Return mentions of known names at spans that no name found by the extractor touches.

        `present` holds the ids of entities that the document mentions for certain: of two entities of one
        name, one of these is meant.
        """
        document = layout.document
        if not layout.chunk_ids:
            return []
        covered = sorted((m.start, m.end) for m in mentions if not _leaves_free(m))
        phrases = {(m.start, m.end) for m in mentions}
        spotted = []
        for start, end, name in _free(self._gazetteer.find(document.text), covered):
            entity = self._resolved.entity_named(name, document.id, start, present)
            if entity is not None and (start, end) not in phrases:
                spotted.append((_row(layout, (start, end), name, entity, "gazetteer"), entity))
        return spotted

    def title(self, layout: Layout, present: set[str]) -> Spotted | None:
        """Return a mention, of no length at the very start, of what the document is titled after."""
        name, _ = split_title(layout.document.title)
        entity = self._resolved.entity_named(name, layout.document.id, 0, present)
        if entity is None or entity.id in present or not layout.chunk_ids:
            return None
        return _row(layout, (0, 0), name, entity, "title"), entity


def _leaves_free(mention: Mention) -> bool:
    """Tell a noun phrase, which may hold a name, and what is nowhere in the text, whose span is all of it."""
    return bool(mention.attributes.get("noun_phrase")) or not mention.attributes.get("located", True)


def _free(
    hits: Sequence[tuple[int, int, str]], covered: list[tuple[int, int]]
) -> Iterator[tuple[int, int, str]]:
    """Yield the hits that overlap no covered span; both are in order of their start."""
    at = reach = 0
    for start, end, name in hits:
        while at < len(covered) and covered[at][0] < end:
            reach = max(reach, covered[at][1])
            at += 1
        if reach <= start:
            yield start, end, name


def _row(layout: Layout, span: tuple[int, int], name: str, entity: EntityKey, extractor: str) -> JsonDict:
    document: Document = layout.document
    start, end = span
    sentence = layout.sentence_of(start, end) if end > start else span
    chunks = layout.chunks_of(start, end) or layout.chunk_ids
    return {
        "document_id": document.id,
        "chunk_id": chunks[0],
        "start": start,
        "end": end,
        "page": layout.page_of(start),
        "id": Mention.make_id(document.id, start, end, entity.type, extractor),
        "extractor": extractor,
        "confidence": CONFIDENCE,
        "cue": "known name" if end > start else "document title",
        "sentence_start": sentence[0],
        "sentence_end": sentence[1],
        "surface": document.text[start:end],
        "name": name,
        "type": entity.type,
        "description": None,
        "attributes": {},
        "entity_id": entity.id,
    }
