"""Where a text quotes: the stretches between quotation marks, over sentences and paragraphs."""

import re
from collections.abc import Iterator
from typing import NamedTuple

_PARAGRAPH = re.compile(r"\n[^\S\n]*\n\s*")
_DOUBLE = re.compile(r"[\"“”«»„]|``|''")
_SINGLE = re.compile(r"(?<![\w'])['‘](?=\w)|(?<=[,.!?;:—-])['’](?!\w)")
"""A single mark closes a quotation only after another mark: else it is an apostrophe."""
_OPENING = frozenset({"“", "«", "„", "``", "‘"})
_CLOSING = frozenset({"”", "»", "''", "’"})


class Quotation(NamedTuple):
    """Characters between two marks, half-open, the marks left out."""

    start: int
    end: int


def quotations(text: str) -> list[Quotation]:
    """Return what stands in quotation marks, in text order; in single ones where a paragraph has no others.

    A quotation ends with its paragraph unless the next one opens with a mark again, as is the custom for
    quotations of several paragraphs; then it goes on. A mark that is never closed quotes nothing.
    """
    spans: list[Quotation] = []
    for begin, end in _paragraphs(text):
        double = _DOUBLE.search(text, begin, end) is not None
        start = _in_paragraph(text, begin, end, _DOUBLE if double else _SINGLE, spans)
        if start is not None and double and _OPENS_AGAIN.match(text, end):
            spans.append(Quotation(start, end))
    return spans


_OPENS_AGAIN = re.compile(r"\s*[\"“«„]")


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    begin = 0
    for gap in _PARAGRAPH.finditer(text):
        yield begin, gap.start()
        begin = gap.end()
    yield begin, len(text)


def _in_paragraph(
    text: str, begin: int, end: int, marks: re.Pattern[str], spans: list[Quotation]
) -> int | None:
    """Add the quotations of a paragraph; return where the one begins that it leaves open."""
    start: int | None = None
    for match in marks.finditer(text, begin, end):
        opens = match[0] in _OPENING or (match[0] not in _CLOSING and start is None)
        if start is None:
            start = match.end() if opens and not _measures(text, match.start()) else None
        elif not opens:
            if text[start : match.start()].strip():
                spans.append(Quotation(start, match.start()))
            start = None
    return start


def _measures(text: str, at: int) -> bool:
    """Tell inches and seconds of arc, a straight mark right after a digit, from an opening mark."""
    return text[at] in "\"'" and at > 0 and text[at - 1].isdigit()
