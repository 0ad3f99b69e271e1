"""Titles of works in quotation marks, and the document's own title."""

import re

from corpusgraph.tasks.index.rules.lexicon import FUNCTION_WORDS
from corpusgraph.tasks.index.rules.name_span import NameSpan
from corpusgraph.tasks.index.rules.tagger import Sentence

_QUOTED = re.compile(
    r"[\"“«„]([^\"”»“\n]{2,80}(?:\n[^\"”»“\n]{1,60})?)[\"”»“]|``([^`']{2,80})''|《([^》]{1,40})》|(?<!\*)\*([^*\n]{3,80})\*(?!\*)|(?<!\w)_([^_\n]{3,80})_(?!\w)"
)


_OPENING = re.compile(r"[\"“«„`《*_]")


def find_title(sentence: Sentence, at: int, title: str) -> list[NameSpan]:
    """Return where the document's own title stands in a sentence: a name even with commas in it."""
    wanted = title.split()
    if len(wanted) < 2 or not any(word[0].isupper() for word in wanted[1:]):
        return []
    pieces = [word for part in wanted for word in ([part[:-1], ","] if part[-1] == "," else [part])]
    size = len(pieces)
    return [
        NameSpan(at, first, first + size, title)
        for first in range(len(sentence.words) - size + 1)
        if sentence.words[first] == pieces[0] and sentence.words[first : first + size] == pieces
    ]


def find_quoted(sentence: Sentence, at: int, source: str) -> list[NameSpan]:
    """Return titles of works in quotation marks: short, and capitalised but for little words."""
    found: list[NameSpan] = []
    if not _OPENING.search(source, sentence.start, sentence.end):
        return found
    for match in _QUOTED.finditer(source, sentence.start, sentence.end):
        group = next(number for number in range(1, 6) if match[number])
        start, end = match.span(group)
        inside = source[start:end]
        if not _is_title(inside.split()):
            continue
        inner = [
            k for k in range(len(sentence.words)) if start <= sentence.starts[k] and sentence.ends[k] <= end
        ]
        while inner and sentence.words[inner[-1]] in ",.":
            inner.pop()
        if inner:
            text = " ".join(source[sentence.starts[inner[0]] : sentence.ends[inner[-1]]].split())
            found.append(
                NameSpan(
                    at, inner[0], inner[-1] + 1, text, kind="concept", confidence=0.8, cue="quoted title"
                )
            )
    return found


def _is_title(words: list[str]) -> bool:
    if not words or len(words) > 9 or (words[-1][-1] in ".?!," and len(words) > 4):
        return False
    content = [word for word in words if word.lower().strip(",.!?'") not in FUNCTION_WORDS]
    first = words[0][0]
    if first in ",.;:)":
        return False
    cased = first.isupper() or not (first.islower() or (first.isalpha() and first.lower() != first.upper()))
    return cased and bool(content) and all(not word[0].islower() for word in content)
