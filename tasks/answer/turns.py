"""The turns of a chat that is written line by line: who says something, when, and in reply to what."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from corpusgraph.tasks.graph.words import words
from corpusgraph.tasks.index.rules.wordlist import wordset
from corpusgraph.tasks.index.sentences import sentence_spans

FEWEST = 3
"""Turns that make a chat."""
MOST_LINES = 0.5
"""Share of the lines of a chat that begin a turn, at least: a turn may have more lines than one."""
BEFORE = 2
"""Turns before one that it may reply to."""

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_TIME = rf"(?:\d[\d.:/T+Z-]*|{_MONTH}|[ap]\.?m\.?)(?:,?[ ](?:\d[\d.:/T+Z-]*|{_MONTH}|[ap]\.?m\.?))*"
_HEAD = re.compile(
    rf"^[ \t>*_-]*+(?:[(\[]?(?P<before>{_TIME})[)\]]?[ \t]*[|,–-]?[ \t]*)?"
    r"(?P<mark><)?(?P<name>(?!\d)\w[\w.'’-]*(?: \w[\w.'’-]*){0,3}?)"
    rf"(?:,?[ \t]*[(\[]?(?P<after>{_TIME})[)\]]?)?(?(mark)>[ \t]*:?|[ \t*_]*:)(?=[\s*_])[ \t*_]*",
    re.IGNORECASE | re.MULTILINE,
)
"""[2024-03-11 09:02] Anna: …, 11/03/24, 9:02 - Anna: …, Anna (09:02): …, Anna, 12 March: …, <anna> …"""
_LINE = re.compile(r"^.*\S.*$", re.MULTILINE)
_GREETING = wordset("""
    hello hi hey hiya morning evening afternoon night good dear bye goodbye thanks thank you cheers welcome
    everyone everybody all both there team folks guys again very much so lovely nice great perfect wonderful
    fine cool ok okay yes no yep nope sure please lol haha see later soon have day weekend a the and to well
    right got it oh done same here too sounds
""")
"""Words that greetings, thanks and consents are made of."""
_ASKS = re.compile(r"[?？؟][\"'”’»)\]]*$")


@dataclass(frozen=True)
class Turn:
    """A stretch of a chat that one person says without a break, questions and greetings left out."""

    start: int
    end: int
    speaker: str
    said_at: str
    prompt: str
    """What was said just before."""


def is_question(text: str) -> bool:
    """Tell whether a sentence asks, by its mark."""
    return bool(_ASKS.search(text))


def is_greeting(text: str, names: frozenset[str] = frozenset()) -> bool:
    """Tell whether a sentence is made of words of greeting, thanks or consent, and of lower-case `names`."""
    said = words(text)
    return bool(said) and all(word in _GREETING or word in names for word in said)


def turns_of(text: str) -> list[Turn]:
    """Return the turns of a chat, in order; none where the text is no chat.

    A text is a chat where at least half of its lines begin with a name and a colon (or a name in angle
    brackets), times and dates beside it left aside, and one name at least comes back: lists of fields do not.
    """
    heads = list(_HEAD.finditer(text))
    names = [head["name"] for head in heads]
    n_lines = sum(1 for _ in _LINE.finditer(text))
    if len(heads) < FEWEST or len(heads) < MOST_LINES * n_lines or len(set(names)) in {1, len(names)}:
        return []
    known = frozenset(word for name in names for word in words(name))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    said = [text[head.end() : end].strip() for head, end in zip(heads, ends, strict=True)]
    turns = []
    for place, (head, end) in enumerate(zip(heads, ends, strict=True)):
        earlier = range(max(0, place - BEFORE), place)
        prompt = " ".join(said[i] for i in earlier)
        time = " ".join((head["before"] or head["after"] or "").split())
        for first, last in _telling(text, head.end(), end, known):
            turns.append(Turn(first, last, head["name"], time, prompt))
    return turns


def _telling(text: str, start: int, end: int, names: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a turn between its questions and greetings."""
    first = last = -1
    for begin, stop in sentence_spans(text[start:end]):
        sentence = text[start + begin : start + stop]
        if is_question(sentence) or is_greeting(sentence, names):
            if first >= 0:
                yield first, last
            first = -1
            continue
        first, last = (start + begin if first < 0 else first), start + stop
    if first >= 0:
        yield first, last
