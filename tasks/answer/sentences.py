"""The sentences of passages, as candidates for an answer, and those that state what a graph holds."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from itertools import islice

from corpusgraph.schemas.answer import Citation
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.errors import UnknownEntityError, UnknownItemError
from corpusgraph.schemas.graph import Community, Entity, Relationship, ReportFinding
from corpusgraph.schemas.ports import Corpus, GraphView
from corpusgraph.tasks.answer.turns import turns_of
from corpusgraph.tasks.extract.rules.verbs import VERBS
from corpusgraph.tasks.graph.communities import chunks_of
from corpusgraph.tasks.graph.compiled import per_graph, relationship_chunks
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.text.sentences import sentence_spans
from corpusgraph.tasks.text.tokens import count_tokens
from corpusgraph.tasks.text.words import STOP_WORDS, spaced, stem, words

HEADING_WORDS = 12
"""A line of fewer words that no mark ends is a heading: it names a topic and says nothing."""
TITLE_WORDS = 2
"""A line that begins with a title of more words, and that no mark ends, is a heading however long."""
SHORT = 100
"""Characters of a value of metadata that may name somebody, at most."""
LONG_ENOUGH = 5
"""Words of a sentence that can be understood alone, at least."""
_LEANS = re.compile(
    r"\W*(it|its|he|his|him|she|her|hers|they|their|them|this|these|that|those|such|but|and|so|yet|however|then"
    r"|therefore|thus|hence|moreover|nor|or|the (former|latter))\b",
    re.IGNORECASE,
)
"""How an English sentence begins that leans on the one before it."""
_ENDED = re.compile(r"""[.!?…。！？؟۔।][\"'”’»)\]]*$""")


@dataclass(frozen=True)
class Sentence:
    """A sentence where it stands: characters `start` to `end` of its document.

    Attributes
    ----------
    text : str
        As it stands.
    chunk : Chunk
        Where it stands.
    start, end : int
        Offsets in the document.
    passage : int
    place : int
    title : str
        Of the document.
    page : int or None
        Where there are pages.
    about : str, default ""
    metadata : str, default ""
    speaker : str, default ""
    said_at : str, default ""
        When, in a chat.
    share : float, default 1.0

    """

    text: str
    chunk: Chunk
    start: int
    end: int
    passage: int
    """Rank of its passage, from 0."""
    place: int
    """Its ordinal in the passage, from 0."""
    title: str
    page: int | None
    about: str = ""
    """What the document's metadata says (author, publication): a name in it counts as named."""
    metadata: str = field(default="", repr=False)
    """All values of the document's metadata, dates and numbers too."""
    speaker: str = ""
    """Who says it, in a chat."""
    said_at: str = ""
    share: float = 1.0
    """How much of its document its passage is; all, where the document is not known."""

    @cached_property
    def stems(self) -> frozenset[str]:
        """The distinct stems of its words, stop words left out."""
        return stems_of(self.text)

    @cached_property
    def spaced(self) -> str:
        """The words of title, metadata, speaker and text between single spaces, to find whole words in."""
        return f"{name_words(self.title)}{name_words(self.about)}{self.spoken}"

    @cached_property
    def spoken(self) -> str:
        """The words of speaker and text between single spaces."""
        return f"{name_words(self.speaker)}{name_words(self.text)}" if self.speaker else name_words(self.text)

    @property
    def source(self) -> str:
        """The document that `start` and `end` count in, or the chunk where it does not tell its place."""
        placed = self.chunk.end - self.chunk.start == len(self.chunk.content)
        return self.chunk.source_doc if placed and self.chunk.source_doc else self.chunk.id

    @cached_property
    def line(self) -> str:
        """The text on one line; of a chat, after who says it and when."""
        said_by = ", ".join(filter(None, (self.speaker, self.said_at)))
        return one_line(f"{said_by}: {self.text}" if said_by else self.text)

    @property
    def ends(self) -> bool:
        """Tell whether a mark ends it: what none ends may be a heading or a line of a title page."""
        return bool(_ENDED.search(self.text))

    @property
    def is_fragment(self) -> bool:
        """Tell whether it looks cut off by its chunk, or says too little to stand alone."""
        begins_low = self.start == self.chunk.start and self.text[:1].islower()
        cut_off = self.end == self.chunk.start + len(self.chunk.content) and not self.ends
        return begins_low or cut_off or len(words(self.text)) < LONG_ENOUGH

    @property
    def leans(self) -> bool:
        """Tell whether it begins with a word that points back: He, This, However."""
        return bool(_LEANS.match(self.text))

    def names(self, spellings: Sequence[str]) -> bool:
        """Tell whether the text, or title or metadata above it, holds one of the spellings as whole words.

        Parameters
        ----------
        spellings : sequence of str
            Of one name.

        Returns
        -------
        bool
            Case does not count.

        """
        return any(name_words(name) in self.spaced for name in spellings)

    def cite(self, score: float = 0.0) -> Citation:
        """Return a citation of the sentence: its text and where that stands.

        Parameters
        ----------
        score : float, default 0.0
            How well it answers.

        Returns
        -------
        Citation
            Characters count in its document.

        """
        return Citation(
            text=self.text,
            chunk_id=self.chunk.id,
            document_id=self.chunk.source_doc,
            document_title=self.title,
            start=self.start,
            end=self.end,
            page=self.page,
            score=round(float(score), 6),
        )


def one_line(text: str) -> str:
    """Return a text with single spaces for all white space in it.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        Without a line feed.

    """
    return " ".join(text.split())


REMEMBERED = 20_000
"""Sentences whose words and tokens are remembered: methods read the same passages again and again."""
name_words = lru_cache(maxsize=REMEMBERED)(spaced)
_tokens = lru_cache(maxsize=REMEMBERED)(count_tokens)


@lru_cache(maxsize=REMEMBERED)
def stems_of(text: str) -> frozenset[str]:
    """Return the distinct stems of a text, stop words left out; of irregular verbs of the base: rang, ring.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    frozenset of str
        Numbers included.

    """
    said = (word for word in words(text) if word not in STOP_WORDS)
    return frozenset(stem(VERBS[w][0] if w in VERBS and VERBS[w][1] in "AEF" else w) for w in said)


def sentences_of(
    chunks: Sequence[Chunk], documents: Mapping[str, Document], max_tokens: int
) -> tuple[list[Sentence], list[str]]:
    """Return the sentences of the chunks until the token budget is spent, and ids of chunks left out or cut.

    Chunks overlap: a sentence that stands in two is taken once, and one that a chunk cuts gives way to the
    whole one.

    Parameters
    ----------
    chunks : sequence of Chunk
        Best first.
    documents : mapping of str to Document
        By id.
    max_tokens : int
        Of all sentences.

    Returns
    -------
    (list of Sentence, list of str)
        In order of chunk and place; ids of chunks.

    """
    found: list[Sentence] = []
    left, cut = max_tokens, []
    for passage, chunk in enumerate(chunks):
        for sentence in sentences_in(chunk, passage, documents.get(chunk.source_doc)):
            left -= _tokens(sentence.text)
            if left < 0:
                cut.append(chunk.id)
                break
            found.append(sentence)
    return distinct(found), cut


def sentences_in(chunk: Chunk, passage: int = 0, document: Document | None = None) -> Iterator[Sentence]:
    """Yield the sentences of a chunk, headings left out.

    Parameters
    ----------
    chunk : Chunk
        The chunk.
    passage : int, default 0
        Its rank, from 0.
    document : Document, optional
        Where it is from.

    Yields
    ------
    Sentence
        In order; of a chat, the turns.

    """
    turns = enumerate(turns_of(chunk.content))
    said = [(place, turn.start, turn.end, turn.speaker, turn.said_at) for place, turn in turns]
    if not said:
        by = _said_by(document)
        said = [(*where, *by) for where in _saying(chunk.content, title_of(chunk, document))]
    for place, start, end, speaker, said_at in said:
        stated = stretch(chunk, start, end, passage=passage, place=place, document=document)
        yield replace(stated, speaker=speaker, said_at=said_at) if speaker else stated


def _said_by(document: Document | None) -> tuple[str, str]:
    """Return speaker and time where a document is one message of a chat, by its metadata."""
    known = document.metadata if document else {}
    speaker = next((known[key] for key in ("speaker", "sender") if known.get(key)), "")
    said_at = next((known[key] for key in ("time", "timestamp", "date") if known.get(key)), "")
    return (str(speaker), str(said_at)) if speaker else ("", "")


@lru_cache(maxsize=1000)
def _saying(content: str, title: str) -> tuple[tuple[int, int, int], ...]:
    """Return ordinal, start and end of the sentences of a text that are no headings.

    Where all look like headings they are what the text says: a line of a memory needs no full stop.
    """
    head = one_line(title).casefold()
    long_head = len(head.split()) > TITLE_WORDS
    lines, found = [], []
    for place, (start, end) in enumerate(sentence_spans(content)):
        line = one_line(content[start:end]).casefold()
        if line in head:
            continue
        lines.append((place, start, end))
        open_ended = not _ENDED.search(line)
        titled = long_head and line.startswith(head)
        if not (open_ended and (titled or len(words(line)) < HEADING_WORDS)):
            found.append((place, start, end))
    return tuple(found or lines)


def stretch(
    chunk: Chunk, start: int, end: int, *, passage: int = 0, place: int = 0, document: Document | None = None
) -> Sentence:
    """Return characters `start` to `end` of a chunk as a sentence.

    Parameters
    ----------
    chunk : Chunk
        The chunk.
    start, end : int
        Offsets in its content.
    passage : int, default 0
        Its rank, from 0.
    place : int, default 0
        Ordinal of the sentence, from 0.
    document : Document, optional
        Where the chunk is from.

    Returns
    -------
    Sentence
        With the title and metadata of its document.

    """
    at = chunk.start + start
    known: JsonDict = document.metadata if document else {}
    texts = [str(value) for value in known.values() if isinstance(value, str) and len(value) <= SHORT]
    plain = (str(value)[:SHORT] for value in known.values() if isinstance(value, str | int | float))
    return Sentence(
        text=chunk.content[start:end],
        chunk=chunk,
        start=at,
        end=chunk.start + end,
        passage=passage,
        place=place,
        title=title_of(chunk, document),
        page=document.page_of(at) if document and document.pages else chunk.page,
        about=" / ".join(texts),
        metadata=" / ".join(plain),
        share=min(1.0, len(chunk.content) / len(document.text)) if document else 1.0,
    )


def title_of(chunk: Chunk, document: Document | None = None) -> str:
    """Return the title of a chunk's document, or in its metadata, or the id of its document, or its own.

    Parameters
    ----------
    chunk : Chunk
        A chunk.
    document : Document, optional
        Its document.

    Returns
    -------
    str
        Never empty for a chunk that has an id.

    """
    title = document.title if document else (chunk.metadata or {}).get("title")
    return str(title) if title or document else chunk.source_doc or chunk.id


def distinct(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Drop what lies inside another sentence of the same document; of equals keep the first.

    Parameters
    ----------
    sentences : sequence of Sentence
        Of any documents.

    Returns
    -------
    list of Sentence
        In order of passage and place.

    """
    kept: list[Sentence] = []
    by_document: dict[str, list[Sentence]] = {}
    for sentence in sorted(sentences, key=lambda s: (s.start - s.end, s.passage, s.place)):
        same = by_document.setdefault(sentence.source, [])
        if not any(other.start <= sentence.start and sentence.end <= other.end for other in same):
            same.append(sentence)
            kept.append(sentence)
    return sorted(kept, key=lambda s: (s.passage, s.place))


CUT = " …"
"""What marks a description that was shortened."""
LOOK_IN = 3
"""Chunks read for the sentences of one item."""
KEEP = 2
"""Sentences kept of each."""
ALIKE = 0.75
"""A second sentence must fit so well beside the first."""


@per_graph
def documents_by_id(corpus: Corpus) -> Mapping[str, Document]:
    """Return the documents of a corpus by id.

    Parameters
    ----------
    corpus : Corpus
        The corpus.

    Returns
    -------
    mapping of str to Document
        In id order.

    """
    return {document.id: document for document in corpus.documents}


def chunks_there(graph: GraphView, chunk_ids: Iterable[str]) -> Iterator[Chunk]:
    """Yield the chunks that a graph has: a filter may hide some, and a caller's record may cite others.

    Parameters
    ----------
    graph : GraphView
        Has the chunks.
    chunk_ids : iterable of str
        Their ids.

    Yields
    ------
    Chunk
        In the order of the ids.

    """
    for id_ in chunk_ids:
        with suppress(UnknownItemError):
            yield graph.chunk(id_)


Grounds = tuple[list[Sentence], Sentence | None]
"""The sentences that state an item, at most two; the passage it comes from, where there are none."""


class Provenance:
    """Finds sentences by description and names.

    Parameters
    ----------
    graph : GraphView
        Has the chunks.
    corpus : Corpus, optional
        Has the documents: titles, pages and metadata.

    """

    def __init__(self, graph: GraphView, corpus: Corpus | None = None) -> None:
        self.graph = graph
        self._documents = documents_by_id(corpus) if corpus is not None else {}

    def of_chunk(self, chunk: Chunk, passage: int) -> list[Sentence]:
        """Return the sentences of a chunk, headings left out.

        Parameters
        ----------
        chunk : Chunk
            The chunk.
        passage : int
            Its rank, from 0.

        Returns
        -------
        list of Sentence
            In order.

        """
        return list(sentences_in(chunk, passage, self._documents.get(chunk.source_doc)))

    def whole(self, chunk: Chunk, passage: int) -> Sentence | None:
        """Return all of a chunk as one stretch, or None for a blank one.

        Parameters
        ----------
        chunk : Chunk
            The chunk.
        passage : int
            Its rank, from 0.

        Returns
        -------
        Sentence or None
            Without blanks at its ends.

        """
        inside = chunk.content.strip()
        start, document = chunk.content.find(inside), self._documents.get(chunk.source_doc)
        end = start + len(inside)
        return stretch(chunk, start, end, passage=passage, document=document) if inside else None

    def of_entity(self, entity: Entity, rank: int) -> Grounds:
        """Return the sentences that describe or name an entity, the one that describes it first.

        Parameters
        ----------
        entity : Entity
            The entity.
        rank : int
            Of the piece, from 0.

        Returns
        -------
        Grounds
            Of the first three chunks that mention it.

        """
        chunk_ids = self.graph.entity_chunks().get(entity.id, ())
        return self._stating(chunk_ids, entity.description, [entity], rank)

    def of_relationship(self, relationship: Relationship, rank: int) -> Grounds:
        """Return the sentences that state a relationship, the one it is described by first.

        Parameters
        ----------
        relationship : Relationship
            The relationship.
        rank : int
            Of the piece, from 0.

        Returns
        -------
        Grounds
            Of the first three chunks that state it, or that it lists where the graph does not tell.

        """
        chunk_ids = relationship_chunks(self.graph).get(relationship.id) or relationship.chunk_ids or ()
        ends = [self.entity(relationship.source_id), self.entity(relationship.target_id)]
        return self._stating(chunk_ids, relationship.description, ends, rank)

    def of_community(self, community: Community, rank: int) -> list[Sentence]:
        """Return the sentences of the first chunks a community is in.

        Parameters
        ----------
        community : Community
            The community.
        rank : int
            Of the piece, from 0.

        Returns
        -------
        list of Sentence
            Of at most three chunks.

        """
        chunks = chunks_there(self.graph, chunks_of(self.graph, community))
        first = sorted(chunks, key=lambda chunk: (chunk.source_doc, chunk.position, chunk.id))[:LOOK_IN]
        sentences = [sentence for chunk in first for sentence in self.of_chunk(chunk, rank)]
        return [replace(sentence, place=n) for n, sentence in enumerate(sentences)]

    def of_finding(self, finding: ReportFinding, passage: int, place: int) -> Sentence:
        """Return the sentence of a report's finding.

        Parameters
        ----------
        finding : ReportFinding
            Of a report.
        passage : int
            Rank of the report, from 0.
        place : int
            Ordinal of the finding, from 0.

        Returns
        -------
        Sentence
            Also where a filter hides its chunk.

        """
        itself = Chunk(
            id=finding.chunk_id,
            content=finding.text,
            source_doc=finding.document_id,
            start=finding.start,
            end=finding.end,
            page=finding.page,
        )
        document = self._documents.get(finding.document_id)
        stated = stretch(itself, 0, len(finding.text), passage=passage, place=place, document=document)
        chunk = next(chunks_there(self.graph, [finding.chunk_id]), itself)
        return replace(stated, chunk=chunk, end=finding.end, title=title_of(chunk, document), share=1.0)

    def entity(self, id_: str) -> Entity:
        """Return an entity of the graph, or one that has no more than the id.

        Parameters
        ----------
        id_ : str
            Of the entity.

        Returns
        -------
        Entity
            Marked as a stub in that case.

        """
        try:
            return self.graph.entity(id_)
        except UnknownEntityError:
            return Entity(id=id_, is_stub=True)

    def title(self, chunk: Chunk) -> str:
        """Return the title of a chunk's document.

        Parameters
        ----------
        chunk : Chunk
            The chunk.

        Returns
        -------
        str
            As `title_of` has it where the document is not there.

        """
        return title_of(chunk, self._documents.get(chunk.source_doc))

    def _stating(
        self, chunk_ids: Iterable[str], told: str | None, named: Sequence[Entity], rank: int
    ) -> Grounds:
        names = [[entity.name, *aliases_of(entity)] for entity in named]
        chunks = list(islice(chunks_there(self.graph, chunk_ids), LOOK_IN))
        fits = [(_fit(s, told, names), s) for chunk in chunks for s in self.of_chunk(chunk, rank)]
        best = sorted((pair for pair in fits if pair[0] > 0), key=lambda pair: -pair[0])[:KEEP]
        stating = [sentence for fit, sentence in best if fit >= ALIKE * best[0][0]]
        passage = self.whole(chunks[0], rank) if chunks and not stating else None
        return [replace(sentence, place=place) for place, sentence in enumerate(stating)], passage


def _fit(sentence: Sentence, told: str | None, names: Sequence[Sequence[str]]) -> float:
    """Return how well a sentence fits: the share of names in it, and 2 where it is the description."""
    line = (told or "").removesuffix(CUT)
    said = sum(sentence.names(spellings) for spellings in names) / len(names)
    return said + (2.0 if line and (line in sentence.line or sentence.line in line) else 0.0)
