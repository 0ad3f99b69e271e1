"""A text as a document, and what the extractor finds in it, in forms easy to compare."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from corpusgraph.flows.annotate.english import EnglishReader, english_reader
from corpusgraph.flows.annotate.offline import default_extractor, load_patterns
from corpusgraph.schemas.annotation import Annotation
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk, Document, PageSpan
from corpusgraph.schemas.evidence import Evidence, Mention
from corpusgraph.tasks.extract.offline import OfflineExtractor

Triple = tuple[str, str, str]


def document(
    text: str,
    *,
    title: str = "",
    language: str | None = "en",
    metadata: JsonDict | None = None,
    pages: tuple[PageSpan, ...] = (),
) -> Document:
    return Document(
        id="doc_1",
        title=title,
        text=text,
        source="a.txt",
        content_hash="",
        language=language,
        metadata=metadata or {},
        pages=pages,
    )


def chunk(text: str, start: int, end: int) -> Chunk:
    return Chunk(id=f"chk_{start}_{end}", content=text[start:end], source_doc="doc_1", start=start, end=end)


class WithoutArcs(EnglishReader):
    """The reader that ships, without the relations that it sees."""

    def annotate(self, texts: Sequence[str], language: str = "en") -> list[Annotation]:
        return [replace(read, arcs=None) for read in english_reader().annotate(texts, language)]


@cache
def by_patterns() -> OfflineExtractor:
    """Return the extractor without the trained reader of relations: what the patterns alone read."""
    return OfflineExtractor(WithoutArcs(), load_patterns())


def found(text: str, *, title: str = "", language: str | None = "en") -> Evidence:
    return by_patterns().extract(document(text, title=title, language=language), [])


def names(text: str, language: str | None = "en") -> dict[str, str]:
    """Return surface -> type of the names in a text; noun phrases, dates and quantities left out."""
    return {m.surface: m.type for m in mentions(text, language) if m.type not in ("date", "quantity")}


def mentions(text: str, language: str | None = "en") -> list[Mention]:
    return [m for m in found(text, language=language).mentions if not m.attributes.get("noun_phrase")]


def relations(text: str, language: str | None = "en") -> set[Triple]:
    """Return (source, type, target), a "!" after the type of what is denied."""
    return _triples(found(text, language=language))


def shipped(text: str) -> Evidence:
    """Return what users get: what the patterns and the trained reader of relations find together."""
    return default_extractor().extract(document(text), [])


def shipped_relations(text: str) -> set[Triple]:
    """Return the relations that the extractor that ships reads, as `relations` returns those of patterns."""
    return _triples(shipped(text))


def _triples(evidence: Evidence) -> set[Triple]:
    return {
        (a.source, a.type + "!" * a.negated, a.target)
        for a in evidence.assertions
        if a.type != "co_occurs_with"
    }
