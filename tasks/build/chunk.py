"""Cut a document into chunks whose offsets are exact: `document.text[start:end] == content`."""

import re
from collections.abc import Iterator

from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.study import Chunking
from corpusgraph.tasks.text.sentences import add_trimmed, sentence_spans
from corpusgraph.tasks.text.tokens import CJK, MARKS, count_tokens, token_spans

Spans = list[tuple[int, int]]

_LONGEST_WORD = 100
_IN_WORD = re.compile(rf"(?:[^\W\d_{CJK}]|[{MARKS}]){{2}}")
_BLANK_LINES = re.compile(r"\n[^\S\n]*(?:\n[^\S\n]*)+")


def paragraph_spans(text: str) -> Spans:
    """Return the half-open spans of the paragraphs: what stands between blank lines, without outer spaces.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    list of (int, int)
        In order.

    """
    spans: Spans = []
    start = 0
    for gap in _BLANK_LINES.finditer(text):
        add_trimmed(spans, text, start, gap.start())
        start = gap.end()
    add_trimmed(spans, text, start, len(text))
    return spans


_UNITS = {"tokens": token_spans, "sentences": sentence_spans, "paragraphs": paragraph_spans}


def windows(n: int, size: int, overlap: int) -> Iterator[tuple[int, int]]:
    """Yield half-open windows of `size` over `range(n)`, each `overlap` before the end of the last.

    Parameters
    ----------
    n : int
        Length of the range.
    size : int
        At least 1.
    overlap : int
        From 0, less than `size`.

    Yields
    ------
    (int, int)
        Start and end.

    """
    for start in range(0, n, size - overlap):
        end = min(start + size, n)
        yield start, end
        if end == n:
            return


def chunk_document(document: Document, chunking: Chunking) -> list[Chunk]:
    """Return the document's chunks in order; a document without a single unit has none.

    Parameters
    ----------
    document : Document
        The document.
    chunking : Chunking
        Unit, size and overlap.

    Returns
    -------
    list of Chunk
        Of about `size` units each, the last `overlap` of which begin the next; words are whole.

    """
    spans = _UNITS[chunking.unit](document.text)
    cuts: Spans = []
    for first, last in windows(len(spans), chunking.size, chunking.overlap):
        # no word is cut, nor a letter from its marks (a long word is several tokens)
        start, end = _word(document.text, spans[first][0])[0], _word(document.text, spans[last - 1][1])[1]
        if not cuts or end > cuts[-1][1]:  # a long word may be several windows
            cuts.append((start, end))
    return [_chunk(document, position, start, end) for position, (start, end) in enumerate(cuts)]


def _word(text: str, at: int) -> tuple[int, int]:
    """Return the span of the word that an offset lies inside of; the empty span there if it cuts none."""
    first = last = at
    while 0 < first < len(text) and _joined(text, first) and at - first <= _LONGEST_WORD:
        first -= 1
    while 0 < last < len(text) and _joined(text, last) and last - at <= _LONGEST_WORD:
        last += 1
    return (first, last) if last - first <= _LONGEST_WORD else (at, at)


def _joined(text: str, at: int) -> bool:
    """Tell whether the characters before and after an offset are of one word."""
    return _IN_WORD.fullmatch(text, at - 1, at + 1) is not None


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
