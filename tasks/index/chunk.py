"""Cut a document into chunks whose offsets are exact: `document.text[start:end] == content`."""

import re
from collections.abc import Iterator

from corpusgraph.tasks.index.sentences import sentence_spans

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.study import Chunking
from corpusgraph.tasks.index.tokens import count_tokens, token_spans

Spans = list[tuple[int, int]]

_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")


def paragraph_spans(text: str) -> Spans:
    """Return the half-open spans of the paragraphs: what stands between blank lines, without outer spaces."""
    spans, start = [], 0
    for gap in [*_BLANK_LINES.finditer(text), None]:
        end = gap.start() if gap else len(text)
        inside = text[start:end]
        if inside.strip():
            spans.append((start + len(inside) - len(inside.lstrip()), start + len(inside.rstrip())))
        start = gap.end() if gap else end
    return spans


_UNITS = {"tokens": token_spans, "sentences": sentence_spans, "paragraphs": paragraph_spans}


def windows(n: int, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield half-open windows of `size` over `range(n)`, each beginning `overlap` before the last one's end."""
    start = 0
    while start < n:
        end = min(start + size, n)
        yield start, end
        if end == n:
            return
        start = end - overlap


def chunk_document(document: Document, chunking: Chunking) -> list[Chunk]:
    """Return the document's chunks in order; a document without a single unit has none."""
    spans = _UNITS[chunking.unit](document.text)
    cuts = [
        whole_words(document.text, spans[first][0], spans[last - 1][1])
        for first, last in windows(len(spans), chunking.size, chunking.overlap)
    ]
    return [_chunk(document, position, start, end) for position, (start, end) in enumerate(cuts)]


def whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a span so that it cuts no word (a long word is several tokens)."""
    while start > 0 and text[start - 1].isalpha() and text[start].isalpha() and not _is_cjk(text[start]):
        start -= 1
    while end < len(text) and text[end - 1].isalpha() and text[end].isalpha() and not _is_cjk(text[end]):
        end += 1
    return start, end


def _is_cjk(character: str) -> bool:
    return "\u3040" <= character <= "\ud7af"


def _chunk(document: Document, position: int, start: int, end: int) -> Chunk:
    content = document.text[start:end]
    return Chunk(
        id=Chunk.make_id(document.id, start, end, content),
        content=content,
        source_doc=document.id,
        position=position,
        start=start,
        end=end,
        page=document.page_of(start),
        n_tokens=count_tokens(content),
    )
