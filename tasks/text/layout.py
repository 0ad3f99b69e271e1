"""Where a character of a document lies: in which chunks, on which page, in which sentence."""

from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.tasks.text.sentences import sentence_spans


class Layout:
    """The chunks, pages and sentences of one document, by offset."""

    def __init__(self, document: Document, chunks: Sequence[Chunk]) -> None:
        self.document = document
        ordered = sorted(chunks, key=lambda chunk: (chunk.start, chunk.end))
        self.chunk_ids = [chunk.id for chunk in ordered]
        self._starts = [chunk.start for chunk in ordered]
        self._ends = [chunk.end for chunk in ordered]
        self._pages = [page.start for page in document.pages]

    def chunks_of(self, start: int, end: int) -> list[str]:
        """Return the ids of all chunks that hold a span whole, in text order: chunks overlap.

        A span that no chunk holds whole belongs to the chunk it begins in.

        Parameters
        ----------
        start, end : int
            Characters of the document's text, `end` excluded.

        Returns
        -------
        list of str
            Empty only for a document without chunks.

        """
        last = at = bisect_right(self._starts, start)
        while at and self._ends[at - 1] >= end:
            at -= 1
        return self.chunk_ids[at:last] or self.chunk_ids[max(0, last - 1) : last]

    def page_of(self, offset: int) -> int | None:
        """Return the page of a character, or None for a document without pages.

        Parameters
        ----------
        offset : int
            Place in the document's text, from 0.

        Returns
        -------
        int or None
            Number of the page as the file counts; a place between two pages belongs to the first.

        """
        if not self._pages:
            return None
        return self.document.pages[max(0, bisect_right(self._pages, offset) - 1)].page

    @cached_property
    def _sentences(self) -> tuple[list[int], list[int]]:
        spans = sentence_spans(self.document.text)
        return [start for start, _ in spans], [end for _, end in spans]

    def sentence_of(self, start: int, end: int) -> tuple[int, int]:
        """Return the sentence around a span; the span itself where it lies in none.

        Parameters
        ----------
        start, end : int
            Characters of the document's text, `end` excluded.

        Returns
        -------
        tuple of int and int
            Start and end, reaching at least to the end of the span.

        """
        starts, ends = self._sentences
        at = bisect_right(starts, start) - 1
        return (starts[at], max(ends[at], end)) if at >= 0 and ends[at] > start else (start, end)

    def where(self, span: tuple[int, int], sentence: tuple[int, int], extractor: str) -> JsonDict:
        """Return the fields that every finding has.

        Parameters
        ----------
        span, sentence : (int, int)
            First character, from 0, and the one after the last: of the finding, and of its sentence.
        extractor : str
            What found it.

        Returns
        -------
        JsonDict
            Place, chunk, page, extractor and sentence; the first chunk where none holds the span.

        """
        start, end = span
        return {
            "document_id": self.document.id,
            "chunk_id": next(iter(self.chunks_of(start, end) or self.chunk_ids), ""),
            "start": start,
            "end": end,
            "page": self.page_of(start),
            "extractor": extractor,
            "sentence_start": sentence[0],
            "sentence_end": sentence[1],
        }
