"""A corpus made in memory from a few texts: extracted, resolved and derived as an index would be."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, Field

from corpusgraph.schemas.base import JsonDict, Noun, nfc, stable_id
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.errors import DuplicateDocumentError
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Mention
from corpusgraph.schemas.graph import Community
from corpusgraph.schemas.stages import Extractor
from corpusgraph.schemas.study import Chunking, CommunityOptions, Resolution
from corpusgraph.tasks._steps import counted, step
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.index.chunk import chunk_document
from corpusgraph.tasks.index.derive import Derivation, Linked, settled
from corpusgraph.tasks.index.resolve import resolve
from corpusgraph.tasks.index.survey import survey

N = TypeVar("N", bound=BaseModel)


class TextDocument(Noun):
    """A text with what is known of it."""

    text: str
    id: str | None = Field(default=None, min_length=1, description="none: made from the text")
    title: str = ""
    date: str | int | None = Field(default=None, description="ISO date: 1854, 1854-09 or 1854-09-08")
    source: str = Field(default="", description="where the text is from")
    language: str | None = Field(default=None, description="such as en; none: as its words tell")
    metadata: JsonDict = Field(default_factory=dict, description="author, any field")


@dataclass(frozen=True)
class TextCorpus:
    """Implements ports.Corpus over the evidence of the texts."""

    graph: MemoryGraph
    documents: Sequence[Document]
    mentions: Sequence[Mention]
    assertions: Sequence[Assertion]
    claims: Sequence[Claim]
    arguments: Sequence[ArgumentRelation]
    events: Sequence[Event]
    resolved: Mapping[str, str]
    stated: Mapping[str, str]
    """Assertion id -> relationship id."""

    def entity_of(self, mention_id: str) -> str | None:
        """Return the entity a mention was resolved to."""
        return self.resolved.get(mention_id)


def documents_of(texts: Sequence[str | TextDocument]) -> list[Document]:
    """Make a document of each text, in id order; one given twice is one document.

    Raises DuplicateDocumentError where two different documents have one id.
    """
    made: dict[str, Document] = {}
    for one in texts:
        document = document_of(one)
        if made.setdefault(document.id, document) != document:
            raise DuplicateDocumentError(
                f"Two documents have the id {document.id!r}.", hint="Give each document an id of its own."
            )
    return sorted(made.values(), key=lambda document: document.id)


def document_of(given: str | TextDocument) -> Document:
    """Make a document; one without an id is identified by its text."""
    one = TextDocument(text=given) if isinstance(given, str) else given
    text = nfc(one.text)
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    id_ = one.id or stable_id("doc", digest)
    return Document(
        id=id_,
        title=one.title if one.title.strip() else id_,
        text=text,
        source=one.source,
        content_hash=digest,
        metadata=one.metadata if one.date is None else {**one.metadata, "date": one.date},
        language=one.language,
    )


def corpus_of(
    texts: Sequence[str | TextDocument],
    *,
    chunking: Chunking,
    resolution: Resolution,
    min_confidence: float = 0.0,
    with_communities: bool = False,
    extractor: Extractor,
) -> TextCorpus:
    """Extract, resolve and derive; the same texts give the same corpus in any order."""
    documents = documents_of(texts)
    chunks = {document.id: chunk_document(document, chunking) for document in documents}
    evidence = {
        d.id: extractor.extract(d, chunks[d.id]) for d in counted(documents, "documents read", every=1)
    }
    resolved = resolve(survey((document, evidence[document.id]) for document in documents), resolution)
    derivation = Derivation(resolved, min_confidence)
    in_turn = counted(documents, "documents linked", every=8)
    linked = [derivation.link(d, chunks[d.id], evidence[d.id]) for d in in_turn]
    step("graph: derived", len(documents))
    derived = derivation.finish()
    graph = MemoryGraph(
        derived.entities,
        derived.relationships,
        [chunk for document in documents for chunk in chunks[document.id]],
        _communities(derived.entities, derived.relationships) if with_communities else (),
        incidence=[row for one in linked for row in one.incidence],
    )
    return _corpus(graph, documents, linked, settled(_asserted(linked), derived))


def _communities(entities: Any, relationships: Any) -> list[Community]:
    from corpusgraph.tasks.index.communities import find_communities

    return find_communities(entities, relationships, CommunityOptions())


def _asserted(linked: Iterable[Linked]) -> Iterator[JsonDict]:
    return (row for one in linked for row in one.assertions)


def _corpus(
    graph: MemoryGraph,
    documents: Sequence[Document],
    linked: Sequence[Linked],
    asserted: Sequence[JsonDict],
) -> TextCorpus:
    rows = [row for one in linked for row in one.mentions]
    return TextCorpus(
        graph=graph,
        documents=documents,
        mentions=[_noun(Mention, row) for row in counted(rows, "mentions kept")],
        assertions=[_noun(Assertion, row) for row in counted(asserted, "assertions kept")],
        claims=[_noun(Claim, row) for one in linked for row in one.claims],
        arguments=[_noun(ArgumentRelation, row) for one in linked for row in one.arguments],
        events=[_noun(Event, row) for one in linked for row in one.events],
        resolved={row["id"]: row["entity_id"] for row in rows if row["entity_id"]},
        stated={row["id"]: row["relationship_id"] for row in asserted},
    )


def _noun(kind: type[N], row: Mapping[str, Any]) -> N:
    return kind.model_validate({name: row[name] for name in kind.model_fields})
