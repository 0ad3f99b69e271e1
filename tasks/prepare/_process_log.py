"""From timed events to a log: order, ties, what follows what, variants, durations."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby, pairwise

from corpusgraph.tasks.prepare._process_nouns import (
    Case,
    Follows,
    ProcessEvent,
    Resolution,
    Tie,
    TracedEvent,
    Variant,
)
from corpusgraph.tasks.prepare._timestamps import Moment, Precision, floor, iso

PRECISION_OF: dict[Resolution, Precision] = {
    "seconds": "second",
    "minutes": "minute",
    "hours": "hour",
    "days": "day",
}


@dataclass(frozen=True)
class Timed:
    """An event with the moments its timestamps mean."""

    event: ProcessEvent
    case: str
    at: Moment
    finish: datetime | None

    @property
    def last(self) -> datetime:
        """When it ended, or began where no end is known."""
        return self.finish or self.at.start


def in_cases(timed: Iterable[Timed]) -> list[list[Timed]]:
    """Group by case and order each by exact start (ties as given); cases by their first start, then name."""
    cases: dict[str, list[Timed]] = {}
    for one in timed:
        cases.setdefault(one.case, []).append(one)
    ordered = [sorted(events, key=lambda one: one.at.start) for events in cases.values()]
    return sorted(ordered, key=lambda events: (events[0].at.start, events[0].case))


def bucket(one: Timed, resolution: Resolution) -> str:
    """Return the start floored to the resolution: a date, or a UTC time."""
    text = iso(floor(one.at.start, PRECISION_OF[resolution]))
    return text[:10] if resolution == "days" else text


def traced(cases: Sequence[Sequence[Timed]], resolution: Resolution) -> tuple[TracedEvent, ...]:
    """Return the events in order, each with its place and interval; unknown fields pass through."""
    return tuple(
        TracedEvent(
            id=one.event.id,
            case=one.case,
            activity=one.event.activity,
            position=position,
            start=iso(one.at.start),
            until=iso(one.at.until),
            bucket=bucket(one, resolution),
            precision=one.at.precision,
            finish=iso(one.finish) if one.finish else None,
            timestamp=one.event.timestamp,
            end=one.event.end,
            actors=one.event.actors,
            passages=one.event.passages,
            **(one.event.model_extra or {}),
        )
        for events in cases
        for position, one in enumerate(events, start=1)
    )


def ties(cases: Sequence[Sequence[Timed]], resolution: Resolution) -> tuple[Tie, ...]:
    """Return the groups of events of a case that share a bucket."""
    found = []
    for events in cases:
        for label, group in groupby(events, key=lambda one: bucket(one, resolution)):
            members = list(group)
            if len(members) > 1:
                starts = {one.at.start for one in members}
                ids = tuple(one.event.id for one in members)
                found.append(
                    Tie(case=members[0].case, bucket=label, events=ids, same_instant=len(starts) == 1)
                )
    return tuple(found)


def directly_follows(cases: Sequence[Sequence[Timed]]) -> tuple[Follows, ...]:
    """Return the directly-follows graph, in order of its activities."""
    gaps: dict[tuple[str, str], list[float]] = {}
    certain: Counter[tuple[str, str]] = Counter()
    for events in cases:
        for one, following in pairwise(events):
            key = (one.event.activity, following.event.activity)
            gaps.setdefault(key, []).append((following.at.start - one.at.start).total_seconds())
            certain[key] += one.at.until <= following.at.start
    return tuple(
        Follows(
            source=key[0],
            target=key[1],
            count=len(seconds),
            n_certain=certain[key],
            mean_seconds=sum(seconds) / len(seconds),
            min_seconds=min(seconds),
            max_seconds=max(seconds),
        )
        for key, seconds in sorted(gaps.items())
    )


def variants(cases: Sequence[Sequence[Timed]]) -> tuple[Variant, ...]:
    """Return the distinct sequences of activities, most frequent first."""
    found: dict[tuple[str, ...], list[str]] = {}
    for events in cases:
        found.setdefault(tuple(one.event.activity for one in events), []).append(events[0].case)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(Variant(activities=path, cases=tuple(names)) for path, names in ordered)


def case_table(cases: Sequence[Sequence[Timed]], known: Sequence[Variant]) -> tuple[Case, ...]:
    """Return a row for each case."""
    number = {name: n for n, variant in enumerate(known, start=1) for name in variant.cases}
    rows = []
    for events in cases:
        first, last = events[0].at.start, max(one.last for one in events)
        rows.append(
            Case(
                case=events[0].case,
                n_events=len(events),
                start=iso(first),
                finish=iso(last),
                duration_seconds=(last - first).total_seconds(),
                variant=number[events[0].case],
            )
        )
    return tuple(rows)


def counted(activities: Iterable[str]) -> dict[str, int]:
    """Count activities, most frequent first."""
    counts = Counter(activities)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
