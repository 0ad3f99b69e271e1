"""Where a text quotes: the stretches between quotation marks, over sentences and paragraphs."""

import re
from typing import NamedTuple

_MARK = re.compile(r"[\"“”«»„]|``|''|\n[^\S\n]*\n\s*")
_OPENING = frozenset({"“", "«", "„", "``"})
_CLOSING = frozenset({"”", "»", "''"})


class Quotation(NamedTuple):
    """Characters between two marks, half-open, the marks left out."""

    start: int
    end: int


def quotations(text: str) -> list[Quotation]:
    """Return what stands in quotation marks, in text order.

    A quotation ends with its paragraph unless the next one opens with a mark again, as is the custom for
    quotations of several paragraphs; then it goes on. A mark that is never closed quotes nothing.
    """
    spans: list[Quotation] = []
    start: int | None = None
    for match in _MARK.finditer(text):
        mark = match[0]
        if "\n" in mark:
            if start is not None and text[match.end() : match.end() + 1] not in ('"', "“", "«"):
                start = None
            elif start is not None:
                spans.append(Quotation(start, match.start()))
                start = None
        elif start is None and mark not in _CLOSING and not _measures(text, match.start(), mark):
            start = match.end()
        elif start is not None and mark not in _OPENING:
            if text[start : match.start()].strip():
                spans.append(Quotation(start, match.start()))
            start = None
    return spans


def _measures(text: str, at: int, mark: str) -> bool:
    """Tell inches and seconds of arc, a straight mark right after a digit, from an opening mark."""
    return mark == '"' and at > 0 and text[at - 1].isdigit()
