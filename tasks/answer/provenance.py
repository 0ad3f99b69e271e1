"""Which sentences of which documents state an entity, a relationship or a finding."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.errors import UnknownEntityError, UnknownItemError
from corpusgraph.schemas.graph import Community, Entity, Relationship, ReportFinding
from corpusgraph.schemas.ports import Corpus, GraphView
from corpusgraph.tasks.answer.extractive import CUT, stated_by
from corpusgraph.tasks.answer.sentences import Sentence, about, sentences_in, stretch, title_of, values_of
from corpusgraph.tasks.graph.communities import chunks_of
from corpusgraph.tasks.graph.compiled import Doubles, per_graph, relationship_chunks
from corpusgraph.tasks.graph.names import aliases_of

LOOK_IN = 3
"""Chunks read for the sentences of one item."""
KEEP = 2
"""Sentences kept of each."""
ALIKE = 0.75
"""A second sentence must fit so well beside the first."""


@per_graph
def documents_by_id(corpus: Corpus) -> Mapping[str, Document]:
    """Return the documents of a corpus by id."""
    return {document.id: document for document in corpus.documents}


class Provenance:
    """Finds sentences by description and names; a chunk's sentences are split once."""

    def __init__(self, graph: GraphView, corpus: Corpus | None = None) -> None:
        self.graph = graph
        self._documents = documents_by_id(corpus) if corpus is not None else {}
        self._split: dict[str, list[Sentence]] = {}

    def of_chunk(self, chunk: Chunk, passage: int) -> list[Sentence]:
        """Return the sentences of a chunk, headings left out."""
        return list(sentences_in(chunk, passage, self._documents.get(chunk.source_doc)))

    def whole(self, chunk: Chunk, passage: int) -> Sentence | None:
        """Return all of a chunk as one stretch, or None for a blank one."""
        inside = chunk.content.strip()
        start, document = chunk.content.find(inside), self._documents.get(chunk.source_doc)
        end = start + len(inside)
        return stretch(chunk, start, end, passage=passage, document=document) if inside else None

    def of_entity(self, entity: Entity, rank: int) -> list[Sentence]:
        """Return the sentences that describe or name an entity, the one that describes it first."""
        chunks = self.chunks_of_entity(entity)
        spellings = [[entity.name, *aliases_of(entity)]]
        return self._stating(chunks, entity.description, spellings, rank)

    def of_relationship(self, relationship: Relationship, rank: int) -> list[Sentence]:
        """Return the sentences that state a relationship, the one it is described by first."""
        chunks = self.chunks_of_relationship(relationship)
        ends = (self.entity(relationship.source_id), self.entity(relationship.target_id))
        spellings = [[end.name, *aliases_of(end)] for end in ends]
        return self._stating(chunks, relationship.description, spellings, rank)

    def chunks_of_entity(self, entity: Entity) -> Sequence[str]:
        """Return the ids of the chunks that mention an entity."""
        return self.graph.entity_chunks().get(entity.id, ())

    def chunks_of_relationship(self, relationship: Relationship) -> Sequence[str]:
        """Return the ids of the chunks that state a relationship."""
        return relationship_chunks(self.graph).get(relationship.id) or relationship.chunk_ids or ()

    def first_passage(self, chunk_ids: Iterable[str], rank: int) -> Sentence | None:
        """Return all of the first chunk there is."""
        chunks = (self.chunk(id_) for id_ in chunk_ids)
        return next((self.whole(chunk, rank) for chunk in chunks if chunk is not None), None)

    def of_community(self, community: Community, rank: int) -> list[Sentence]:
        """Return the sentences of the first chunks a community is in."""
        found = [c for id_ in chunks_of(self.graph, community) if (c := self.chunk(id_)) is not None]
        first = sorted(found, key=lambda chunk: (chunk.source_doc, chunk.position, chunk.id))[:LOOK_IN]
        sentences = [sentence for chunk in first for sentence in self._sentences(chunk)]
        return [replace(sentence, passage=rank, place=n) for n, sentence in enumerate(sentences)]

    def of_finding(self, finding: ReportFinding, passage: int, place: int) -> Sentence:
        """Return the sentence of a report's finding."""
        document = self._documents.get(finding.document_id)
        chunk = self.chunk(finding.chunk_id) or Chunk(
            id=finding.chunk_id,
            content=finding.text,
            source_doc=finding.document_id,
            start=finding.start,
            end=finding.end,
        )
        return Sentence(
            text=finding.text,
            chunk=chunk,
            start=finding.start,
            end=finding.end,
            passage=passage,
            place=place,
            title=document.title if document else title_of(chunk),
            page=document.page_of(finding.start) if document and document.pages else finding.page,
            about=about(document),
            metadata=values_of(document.metadata) if document else "",
        )

    def entity(self, id_: str) -> Entity:
        """Return an entity of the graph, or one that has no more than the id."""
        try:
            return self.graph.entity(id_)
        except UnknownEntityError:
            return Entity(id=id_, is_stub=True)

    def stated(self, query: str, names: Sequence[Collection[str]], sentences: Sequence[Sentence]) -> Doubles:
        """Return how much of a question the causal arrows of each sentence state (n,)."""
        return stated_by(self.graph, query, names, sentences)

    def title(self, chunk: Chunk) -> str:
        """Return the title of a chunk's document."""
        document = self._documents.get(chunk.source_doc)
        return document.title if document else title_of(chunk)

    def chunk(self, id_: str) -> Chunk | None:
        """Return a chunk of the graph, or None where it is not there (a filter hides it)."""
        try:
            return self.graph.chunk(id_)
        except UnknownItemError:
            return None

    def _stating(
        self, chunk_ids: Iterable[str], told: str | None, names: Sequence[Sequence[str]], rank: int
    ) -> list[Sentence]:
        chunks = [chunk for id_ in chunk_ids if (chunk := self.chunk(id_)) is not None][:LOOK_IN]
        found = [(_fit(s, told, names), s) for chunk in chunks for s in self._sentences(chunk)]
        best = sorted((pair for pair in found if pair[0] > 0), key=lambda pair: -pair[0])[:KEEP]
        kept = [sentence for fit, sentence in best if fit >= ALIKE * best[0][0]]
        return [replace(sentence, passage=rank, place=place) for place, sentence in enumerate(kept)]

    def _sentences(self, chunk: Chunk) -> list[Sentence]:
        if chunk.id not in self._split:
            self._split[chunk.id] = self.of_chunk(chunk, 0)
        return self._split[chunk.id]


def _fit(sentence: Sentence, told: str | None, names: Sequence[Sequence[str]]) -> float:
    """Return how well a sentence fits: the share of names in it, and 2 where it is the description."""
    line = (told or "").removesuffix(CUT)
    said = sum(sentence.names(spellings) for spellings in names) / len(names)
    return said + (2.0 if line and (line in sentence.line or sentence.line in line) else 0.0)
