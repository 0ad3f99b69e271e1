"""Dated events in order of time: each date is the interval of instants that its text can mean."""

import calendar
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pydantic import Field

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.evidence import Event
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.dataset.cited import Cited
from corpusgraph.tasks.table.cells import MOST_RECORDS
from corpusgraph.tasks.table.values import sure_moment

_OPEN = re.compile(
    r"\b(?:before|after|since|until|till|by|prior to)\s+(?:(?:the|about|around|circa|early|late)\s+)*$",
    re.IGNORECASE,
)
"""What stands before a date that bounds an event and does not date it."""
_LAST = datetime(9999, 12, 31, 23, 59, 59)  # noqa: DTZ001 (intervals have no zone)


@dataclass(frozen=True, order=True)
class Interval:
    """Instants from `start` (included) to `until` (excluded), without zone."""

    start: datetime
    until: datetime


class TimelineEvent(Event):
    """An event with the interval its date means, and the names of who and where."""

    begins: str = Field(description="first instant it can have begun, ISO 8601")
    until: str = Field(description="instant by which it is over, ISO 8601; not part of the interval")
    actor_names: tuple[str, ...] = ()
    place_names: tuple[str, ...] = ()


class Timeline(Noun):
    """Dated events, in order of the first instant each can mean, then of the last."""

    events: tuple[TimelineEvent, ...] = ()


def interval(text: str) -> Interval | None:
    """Return the instants an ISO date can mean: a year, a month, a day, a minute or a second.

    None for text that is no date, or could be two.
    """
    found = sure_moment(text)
    if found is None:
        return None
    start = found.instant
    days = {
        "year": 366 if calendar.isleap(start.year) else 365,
        "month": calendar.monthrange(start.year, start.month)[1],
        "day": 1,
    }
    fine = timedelta(seconds=1 if text.count(":") > 1 else 60)
    length = timedelta(days=days[found.precision]) if found.precision in days else fine
    return Interval(start, start + min(length, _LAST - start))


def limit(text: str | None) -> Interval | None:
    """Read a bound of the timeline. Raises InvalidInputError for what is no date."""
    found = None if text is None else interval(text)
    if text is not None and found is None:
        raise InvalidInputError(f"{text!r} is no date.", hint="Write 1854, 1854-09 or 1854-09-08.")
    return found


def period_of(start: str | None, end: str | None) -> tuple[Interval | None, Interval | None]:
    """Read the bounds of the timeline. Raises InvalidInputError where the end is before the start."""
    first, last = limit(start), limit(end)
    if first and last and last.until <= first.start:
        raise InvalidInputError(f"The timeline would end ({end}) before it starts ({start}).")
    return first, last


def bounded(corpus: Corpus) -> set[str]:
    """Return the events whose date stands after "before", "since" and the like in their sentence."""
    texts = {document.id: document.text for document in corpus.documents}
    dates = {
        (one.document_id, one.sentence_start, one.attributes.get("iso"))
        for one in corpus.mentions
        if one.type == "date" and _OPEN.search(texts[one.document_id][one.sentence_start : one.start])
    }
    return {
        event.id
        for event in corpus.events
        if event.timestamp_end is None and (event.document_id, event.sentence_start, event.timestamp) in dates
    }


def timeline_of(
    corpus: Corpus, cited: Cited, *, start: str | None, end: str | None, most: int | None
) -> tuple[Timeline, tuple[ToolWarning, ...]]:
    """Order the events whose interval reaches into the period; name those that are left out.

    The period is from the first instant of `start` to the last of `end`: an `end` of 1855 has all of 1855.
    An event "before 1860" is placed at 1860, and named.
    """
    first, last = period_of(start, end)
    placed: list[tuple[Interval, str, int, str, TimelineEvent]] = []
    unread, outside = [], []
    for event in corpus.events:
        found = _interval(event)
        if found is None:
            unread.append(f"{event.id}: {event.timestamp}")
        elif (first and found.until <= first.start) or (last and found.start >= last.until):
            outside.append(event.id)
        else:
            placed.append((found, event.document_id, event.start, event.id, _told(event, found, cited)))
    ordered = [entry[-1] for entry in sorted(placed, key=lambda entry: entry[:4])]
    cut = [event.id for event in ordered[most:]] if most else []
    return Timeline(events=tuple(ordered[:most])), (
        *_open(ordered[:most], bounded(corpus)),
        *_left_out(unread, outside, cut),
    )


def _open(events: Sequence[Event], bounds: Collection[str]) -> tuple[ToolWarning, ...]:
    found = tuple(event.id for event in events if event.id in bounds)
    message = f"{len(found)} events are dated before or after something; they are placed at that bound."
    return (ToolWarning(code="open_interval", message=message, records=found),) if found else ()


def _left_out(unread: Sequence[str], outside: Sequence[str], cut: Sequence[str]) -> tuple[ToolWarning, ...]:
    told = (
        ("unparsed_timestamp", "have a time that cannot be read", unread),
        ("outside_period", "are outside the period", outside),
        ("list_cut", "come after the most that are asked for", cut),
    )
    return tuple(_warning(code, what, records) for code, what, records in told if records)


def _warning(code: str, what: str, records: Sequence[str]) -> ToolWarning:
    return ToolWarning(
        code=code,
        message=f"{len(records)} events {what}; they are left out.",
        records=tuple(records[:MOST_RECORDS]),
    )


def _interval(event: Event) -> Interval | None:
    begun = interval(event.timestamp)
    ended = interval(event.timestamp_end) if event.timestamp_end else begun
    if begun is None or ended is None:
        return None
    return Interval(begun.start, max(begun.until, ended.until))


def _told(event: Event, found: Interval, cited: Cited) -> TimelineEvent:
    return TimelineEvent(
        **event.model_dump(),
        begins=found.start.isoformat(),
        until=found.until.isoformat(),
        actor_names=cited.names(event.actors),
        place_names=cited.names(event.places),
    )
