"""The sentences of passages, as candidates for an answer."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.tasks.graph.words import stems, words
from corpusgraph.tasks.index.sentences import sentence_spans
from corpusgraph.tasks.index.tokens import count_tokens

HEADING_WORDS = 12
"""A line of fewer words that no mark ends is a heading: it names a topic and says nothing."""
_ENDED = re.compile(r"""[.!?…。！？؟۔।][\"'”’»)\]]*$""")


@dataclass(frozen=True)
class Sentence:
    """A sentence where it stands: characters `start` to `end` of its document."""

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

    @cached_property
    def stems(self) -> frozenset[str]:
        """The distinct stems of its words, stop words left out."""
        return frozenset(stems(self.text))

    @cached_property
    def spaced(self) -> str:
        """The words of title and text between single spaces, to find whole words in."""
        return f" {' '.join(words(f'{self.title} {self.text}'))} "

    @property
    def source(self) -> str:
        """The document that `start` and `end` count in, or the chunk where it does not tell its place."""
        placed = self.chunk.end - self.chunk.start == len(self.chunk.content)
        return self.chunk.source_doc if placed and self.chunk.source_doc else self.chunk.id


def sentences_of(
    chunks: Sequence[Chunk], documents: Mapping[str, Document], max_tokens: int
) -> tuple[list[Sentence], list[str]]:
    """Return the sentences of the chunks until the token budget is spent, and ids of chunks left out or cut.

    Chunks overlap: a sentence that stands in two is taken once, and one that a chunk cuts gives way to the
    whole one.
    """
    found: list[Sentence] = []
    left, cut = max_tokens, []
    for passage, chunk in enumerate(chunks):
        for sentence in _sentences(chunk, passage, documents.get(chunk.source_doc)):
            left -= count_tokens(sentence.text)
            if left < 0:
                cut.append(chunk.id)
                break
            found.append(sentence)
    return _whole(found), cut


def _sentences(chunk: Chunk, passage: int, document: Document | None) -> Iterable[Sentence]:
    for place, (start, end) in enumerate(sentence_spans(chunk.content)):
        text, at = chunk.content[start:end], chunk.start + start
        if len(words(text)) < HEADING_WORDS and not _ENDED.search(text):
            continue
        yield Sentence(
            text=text,
            chunk=chunk,
            start=at,
            end=chunk.start + end,
            passage=passage,
            place=place,
            title=document.title if document else title_of(chunk),
            page=document.page_of(at) if document and document.pages else chunk.page,
        )


def title_of(chunk: Chunk) -> str:
    """Return the title in a chunk's metadata, or the id of its document, or its own."""
    title = (chunk.metadata or {}).get("title")
    return str(title) if title else chunk.source_doc or chunk.id


def _whole(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Drop what lies inside another sentence of the same document; of equals keep the first."""
    kept: list[Sentence] = []
    by_document: dict[str, list[Sentence]] = {}
    for sentence in sorted(sentences, key=lambda s: (s.start - s.end, s.passage, s.place)):
        same = by_document.setdefault(sentence.source, [])
        if not any(other.start <= sentence.start and sentence.end <= other.end for other in same):
            same.append(sentence)
            kept.append(sentence)
    return sorted(kept, key=lambda s: (s.passage, s.place))
