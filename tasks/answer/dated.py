"""Which sentences state when something happened, or what happened at a time: the dated events in them."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

import numpy as np

from corpusgraph.schemas.evidence import Event
from corpusgraph.tasks.answer.extractive import compares, expected, without_names
from corpusgraph.tasks.answer.sentences import Sentence, stems_of
from corpusgraph.tasks.graph.compiled import Doubles

_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"  # in order
_MONTH_AT: Mapping[str, int] = {name: n for n, name in enumerate(_MONTHS.casefold().split("|"), start=1)}
_HAPPENED = re.compile(
    r"^\W*what\b.{0,30}?\b(?:happen(?:s|ed)?|occurr?(?:s|ed)?|(?:takes?|took) place)\s+(?:in|on|during)\s+"
    rf"(?:the year\s+)?(?:(?P<month>{_MONTHS})\s+)?(?:(?P<day>\d\d?),?\s+)?(?P<year>\d{{4}})\W*$",
    re.IGNORECASE,
)
_ASKING = re.compile(r"\b(when|year|date|day|month|decade|century|time)\b", re.IGNORECASE)
"""Words of a question that say that it asks for a time, not of what."""


class DatedEvents(Protocol):
    """Finds events by the chunks that state them, or by the beginning of their ISO timestamps."""

    def __call__(self, *, chunks: Collection[str] = (), time: str = "") -> Sequence[Event]:
        """Return the events of some chunks, and those of a time."""
        ...


def time_asked_about(query: str) -> str:
    """Return the time of "What happened in September 1786?" as ISO 8601; blank for other questions."""
    asked = _HAPPENED.search(query)
    if asked is None:
        return ""
    month = f"-{_MONTH_AT[asked['month'].casefold()]:02}" if asked["month"] else ""
    day = f"-{int(asked['day']):02}" if month and asked["day"] else ""
    return f"{asked['year']}{month}{day}"


def asks_when(query: str) -> bool:
    """Tell whether a question asks for the time of one thing."""
    return expected(query) == "date" and not compares(query)


def happened_by(
    dated: DatedEvents, query: str, names: Sequence[Collection[str]], sentences: Sequence[Sentence]
) -> Doubles:
    """Return how much of a question of when, or of what happened then, each sentence's events state (n,).

    An event must do what the question asks about, in its own words; the names may stand in its sentence or in
    the title: the share of the question's words in these is what it states. Of a time that is asked about,
    any event of it states all.
    """
    time, strengths = time_asked_about(query), np.zeros(len(sentences))
    if not sentences or not (time or asks_when(query)):
        return strengths
    asked, heads = (stems_of(_ASKING.sub(" ", text)) for text in (query, without_names(query, names)))
    for event in dated(chunks={sentence.chunk.id for sentence in sentences}):
        does = time or stems_of(f"{event.activity} {event.text}") & (heads or asked)
        if not does or not event.timestamp.startswith(time):
            continue
        for at, sentence in enumerate(sentences):
            if sentence.chunk.source_doc == event.document_id and _in(event, sentence):
                words = sentence.stems | stems_of(f"{event.activity} {sentence.title}")
                share = 1.0 if time else len(asked & words) / len(asked)
                strengths[at] = max(strengths[at], share)
    return strengths


def _in(event: Event, sentence: Sentence) -> bool:
    """Tell whether a sentence holds the beginning of an event."""
    return sentence.start <= event.start < sentence.end
