"""Stretches of a text that are read at a time, on one line each."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from corpusgraph.tasks.text.sentences import sentence_spans

LONGEST = 20_000
"""Characters read at a time: a longer paragraph is a table or noise and is cut at the end of a sentence."""
LONGEST_SENTENCE = 4_000
"""Characters after which a sentence is cut: what is longer is a table or noise."""
_PARAGRAPH = re.compile(r"\S(?:.*?\S)??(?=\s*\n[^\S\n]*\n|\s*\Z)", re.DOTALL)
_BREAK = re.compile(r"\s+|(?<=\S{400})(?=\S)")
"""White space, and a place to cut what has none for long: tokenizers take the square of its length."""


class Paragraph(NamedTuple):
    """A stretch of a text on one line, with what it takes to find its characters in the text again."""

    text: str
    places: list[int]
    """Characters of the line at which a run of white space ended."""
    offsets: list[int]
    """What to add, from each such place on, to get the character of the text."""

    def offset(self, place: int) -> int:
        """Return the character of the text at a place of the line."""
        return place + self.offsets[bisect_right(self.places, place) - 1]


def paragraphs(text: str) -> Iterator[Paragraph]:
    """Yield the stretches between blank lines, white space inside them made single spaces."""
    for stretch in _PARAGRAPH.finditer(text):
        begin, end = stretch.span()
        while end - begin > LONGEST:
            cut = max(
                (last for _, last in sentence_spans(text[begin : begin + LONGEST])[:-1]),
                default=text.rfind(" ", begin, begin + LONGEST) - begin,
            )
            cut = begin + (cut if cut > 0 else LONGEST)
            yield _line(text, begin, cut)
            begin = cut
        yield _line(text, begin, end)


def _line(text: str, begin: int, end: int) -> Paragraph:
    pieces, places, offsets, length, last = [], [0], [begin], 0, begin
    for gap in _BREAK.finditer(text, begin, end):
        pieces.append(text[last : gap.start()])
        length += gap.start() - last + 1
        last = gap.end()
        if last - gap.start() != 1:
            places.append(length)
            offsets.append(last - length)
    pieces.append(text[last:end])
    return Paragraph(" ".join(pieces), places, offsets)
