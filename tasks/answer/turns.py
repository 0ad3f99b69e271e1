"""The turns of a chat: who says what when, and what of it tells something."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from corpusgraph.tasks.text.dates import MONTH_NAMES
from corpusgraph.tasks.text.sentences import sentence_spans
from corpusgraph.tasks.text.wordlist import words as lexicon
from corpusgraph.tasks.text.words import words

FEWEST = 3
"""Turns that make a chat."""
MOST_LINES = 0.5
"""Share of the lines of a chat that begin a turn, at least: a turn may have more lines than one."""

_MONTH = rf"(?:{'|'.join(name[:3] for name in MONTH_NAMES)})[a-z]*\.?"
_TIME = rf"(?:\d[\d.:/T+Z-]*|{_MONTH}|[ap]\.?m\.?)(?:,?[ ](?:\d[\d.:/T+Z-]*|{_MONTH}|[ap]\.?m\.?))*"
_HEAD = re.compile(
    rf"^[ \t>*_-]*+(?:[(\[]?(?P<before>{_TIME})[)\]]?[ \t]*[|,–-]?[ \t]*)?"
    r"(?P<mark><)?(?P<name>(?!\d)\w[\w.'’-]*(?: \w[\w.'’-]*){0,3}?)"
    rf"(?:,?[ \t]*[(\[]?(?P<after>{_TIME})[)\]]?)?(?(mark)>[ \t]*:?|[ \t*_]*:)(?=[\s*_])[ \t*_]*",
    re.IGNORECASE | re.MULTILINE,
)
"""[2024-03-11 09:02] Anna: …, 11/03/24, 9:02 - Anna: …, Anna (09:02): …, Anna, 12 March: …, <anna> …"""
_LINE = re.compile(r"^.*\S.*$", re.MULTILINE)
_GREETING = lexicon("answers.greetings")
"""Words that greetings, thanks and consents are made of."""
_ASKS = re.compile(r"[?？؟][\"'”’»)\]]*$")
_OPENERS = lexicon("answers.openers")
"""Words that a question begins with."""
BEFORE_TAG = 4
"""Words of a statement that a short question is hung on, at least."""


@dataclass(frozen=True)
class Utterance:
    """A stretch of a turn that states something, or asks or greets.

    Attributes
    ----------
    start, end : int
        Characters of the text, from 0.
    turn : int
        Where the turn begins, which may have several.
    speaker : str
        Who says it.
    said_at : str
        When, as written; blank where it is not said.
    asks : bool
        Whether it is a question.
    tells : bool
        Whether it states something: no greeting, and no question but one hung on a statement.

    """

    start: int
    end: int
    turn: int
    speaker: str
    said_at: str
    asks: bool
    tells: bool


def is_question(text: str) -> bool:
    """Tell whether a sentence asks, by its mark.

    Parameters
    ----------
    text : str
        A sentence.

    Returns
    -------
    bool
        A mark of any script.

    """
    return bool(_ASKS.search(text))


def is_greeting(text: str, names: frozenset[str] = frozenset()) -> bool:
    """Tell whether a sentence is made of words of greeting, thanks or consent, and of lower-case `names`.

    Parameters
    ----------
    text : str
        A sentence.
    names : frozenset of str, optional
        Words of names, in lower case.

    Returns
    -------
    bool
        False for a text without words.

    """
    said = words(text)
    return bool(said) and all(word in _GREETING or word in names for word in said)


def _is_tagged(question: str) -> bool:
    """Tell whether a question is hung on a statement: "My aunt sells hers, shall I ask?"."""
    statement, _, tag = question.rpartition(",")
    said = words(statement)
    return len(said) >= BEFORE_TAG and said[0] not in _OPENERS and not _OPENERS.isdisjoint(words(tag)[:3])


@lru_cache(maxsize=1000)
def utterances_of(text: str) -> tuple[Utterance, ...]:
    """Return what is said in a chat, in order; nothing where the text is no chat.

    A text is a chat where at least half of its lines begin with a name and a colon (or a name in angle
    brackets), times and dates beside it left aside, and one name at least comes back: lists of fields do not.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    tuple of Utterance
        Who says what, in order.

    """
    heads = list(_HEAD.finditer(text))
    names = [head["name"] for head in heads]
    n_lines = sum(1 for _ in _LINE.finditer(text))
    if len(heads) < FEWEST or len(heads) < MOST_LINES * n_lines or len(set(names)) in {1, len(names)}:
        return ()
    known = frozenset(word for name in names for word in words(name))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return tuple(
        utterance
        for head, end in zip(heads, ends, strict=True)
        for utterance in _said(text, head, end, known)
    )


def _said(text: str, head: re.Match[str], end: int, names: frozenset[str]) -> Iterator[Utterance]:
    """Yield the questions and greetings of a turn, a sentence each, and the stretches between them."""
    time = " ".join((head["before"] or head["after"] or "").split())
    start = head.end()
    telling: list[int] = []

    def utterance(first: int, last: int, *, asks: bool, tells: bool) -> Utterance:
        return Utterance(first, last, head.start(), head["name"], time, asks, tells)

    for begin, stop in sentence_spans(text[start:end]):
        sentence = text[start + begin : start + stop]
        asks = is_question(sentence)
        if not asks and not is_greeting(sentence, names):
            telling = [telling[0] if telling else start + begin, start + stop]
            continue
        if telling:
            yield utterance(*telling, asks=False, tells=True)
        telling = []
        yield utterance(start + begin, start + stop, asks=asks, tells=asks and _is_tagged(sentence))
    if telling:
        yield utterance(*telling, asks=False, tells=True)


def turns_of(text: str) -> list[Utterance]:
    """Return what is stated in a chat, questions and greetings left out; nothing where the text is no chat.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    list of Utterance
        In order.

    """
    return [utterance for utterance in utterances_of(text) if utterance.tells]
