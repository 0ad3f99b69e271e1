"""Where others speak: between quotation marks, over sentences and paragraphs, and in the lines of a chat."""

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


class Turn(NamedTuple):
    """What one speaker says in a chat or a transcript; `name` are the characters that name the speaker.

    The label, with the time and the name, begins the line at `label` and ends where the words start.
    """

    label: int
    start: int
    end: int
    name: tuple[int, int]


_CLOCK = (
    r"(?:[\[(](?=[^\n]{0,14}\d)[^\])\n]{4,40}[\])]"
    r"|\d[\d:./T-]{3,20}(?:,? \d[\d:.]{3,10})?(?: ?[ap]\.?m\.?)?)"
)
_WORD = r"[A-Z][\w.'’-]{0,30}"
_TURN = re.compile(
    rf"^(?P<clock>{_CLOCK}[^\S\n]{{1,4}}(?:-[^\S\n])?)?<?(?P<name>{_WORD}(?:[^\S\n]{_WORD}){{0,3}})>?"
    r"(?:[^\S\n]\([^()\n]{1,40}\))?(?::|(?<=>)|[^\S\n][-–—])[^\S\n]{1,4}(?=\S)",
    re.MULTILINE,
)


def turns(text: str) -> list[Turn]:
    """Return who speaks in which lines, "Ruth: valve's fine"; none where "Note:" and the like begin lines.

    Lines are told for turns by the time before each, or by speakers who come back.
    """
    heads = list(_TURN.finditer(text))
    names = [head["name"].strip() for head in heads]
    lines = sum(bool(line.strip()) for line in text.splitlines())
    recurring = {name for name in names if names.count(name) > 1}
    timed = sum(bool(head["clock"]) for head in heads)
    several = len(recurring) > 1 or (len(set(names)) > len(recurring) > 0 and len(heads) == lines)
    if len(heads) < 2 or (timed < len(heads) and (not several or 2 * len(heads) < lines)):
        return []
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return [
        Turn(head.start(), head.end(), end, (head.start("name"), head.start("name") + len(name)))
        for head, end, name in zip(heads, ends, names, strict=True)
    ]
