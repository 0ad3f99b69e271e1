"""From timed events to a log: order, ties, what follows what, variants, durations."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from statistics import median

from corpusgraph.tasks._steps import counted as each
from corpusgraph.tasks.prepare.process.allen import Span, possible_relations
from corpusgraph.tasks.prepare.process.carried import traced_event
from corpusgraph.tasks.prepare.process.instants import SECOND, Unit, iso, label, ordinal
from corpusgraph.tasks.prepare.process.moment import Moment
from corpusgraph.tasks.prepare.process.nouns import (
    Case,
    Follows,
    ProcessEvent,
    Resolution,
    Tie,
    TracedEvent,
    UncertainOrder,
    Variant,
)

UNIT_OF: dict[Resolution, Unit] = {
    "seconds": "second",
    "minutes": "minute",
    "hours": "hour",
    "days": "day",
    "months": "month",
    "years": "year",
}


@dataclass(frozen=True, slots=True)
class Timed:
    """An event with the moments its timestamps mean."""

    event: ProcessEvent
    case: str
    at: Moment
    end: Moment | None = None

    @property
    def last(self) -> int:
        """When it ended, or began where no end is known; never before it began."""
        return max(self.end.last, self.at.start) if self.end else self.at.start

    @property
    def span(self) -> Span:
        """Where its beginning and its end can lie."""
        end = (self.end.earliest, self.end.latest) if self.end else None
        return Span((self.at.earliest, self.at.latest), end)


def surely_before(one: Timed, other: Timed) -> bool:
    """Tell whether one began before the other whatever their dates mean within their intervals."""
    return one.at.latest <= other.at.earliest


def in_cases(timed: Iterable[Timed]) -> list[list[Timed]]:
    """Group by case and order each by exact start (ties as given); cases by their first start, then name."""
    cases: dict[str, list[Timed]] = {}
    for one in timed:
        cases.setdefault(one.case, []).append(one)
    ordered = [sorted(events, key=lambda one: one.at.start) for events in cases.values()]
    return sorted(ordered, key=lambda events: (events[0].at.start, events[0].case))


def traced(cases: Sequence[Sequence[Timed]], resolution: Resolution) -> tuple[TracedEvent, ...]:
    """Return the events in order, each with its place and interval; unknown fields pass through."""
    unit = UNIT_OF[resolution]
    return tuple(
        traced_event(
            {
                "id": one.event.id,
                "case": one.case,
                "activity": one.event.activity,
                "position": position,
                "start": iso(at.start),
                "until": iso(at.until),
                "bucket": label(at.start, unit),
                "precision": at.precision,
                "open": at.open,
                "approximate": at.approximate,
                "finish": iso(one.last) if one.end else None,
                "timestamp": one.event.timestamp,
                "end": one.event.end,
                "actors": one.event.actors,
                "places": one.event.places,
                "passages": one.event.passages,
                "origin": one.event.origin,
            },
            one.event.model_extra,
        )
        for events in each(cases, "cases traced", every=64)
        for position, one in enumerate(events, start=1)
        for at in (one.at,)
    )


def ties(cases: Sequence[Sequence[Timed]], resolution: Resolution) -> tuple[Tie, ...]:
    """Return the groups of events of a case that share a bucket."""
    unit = UNIT_OF[resolution]
    found = []
    for events in cases:
        for _, group in groupby(events, key=lambda one: ordinal(one.at.start, unit)):
            members = list(group)
            if len(members) > 1:
                first, last = members[0].at.start, members[-1].at.start
                ids = tuple(one.event.id for one in members)
                found.append(
                    Tie(
                        case=members[0].case,
                        bucket=label(first, unit),
                        events=ids,
                        same_instant=first == last,
                    )
                )
    return tuple(found)


def uncertain_pairs(cases: Sequence[Sequence[Timed]]) -> Iterator[UncertainOrder]:
    """Yield the pairs of events of a case whose order the dates leave open, with what can hold."""
    for events in cases:
        unbounded = [j for j, one in enumerate(events) if one.at.earliest < one.at.start]
        for i, one in enumerate(events):
            j = i + 1
            while j < len(events) and events[j].at.start < one.at.latest:
                yield _pair(one, events[j])
                j += 1
            yield from (_pair(one, events[k]) for k in unbounded[bisect_left(unbounded, j) :])


def _pair(one: Timed, other: Timed) -> UncertainOrder:
    return UncertainOrder(
        case=one.case,
        first=one.event.id,
        second=other.event.id,
        relations=possible_relations(one.span, other.span),
    )


def directly_follows(cases: Sequence[Sequence[Timed]]) -> tuple[Follows, ...]:
    """Return the directly-follows graph, in order of its activities."""
    gaps: dict[tuple[str, str], list[int]] = {}
    certain: Counter[tuple[str, str]] = Counter()
    for events in cases:
        for one, following in pairwise(events):
            key = (one.event.activity, following.event.activity)
            gaps.setdefault(key, []).append(following.at.start - one.at.start)
            certain[key] += surely_before(one, following)
    return tuple(
        Follows(
            source=key[0],
            target=key[1],
            count=len(spans),
            n_certain=certain[key],
            mean_seconds=sum(spans) / (len(spans) * SECOND),
            min_seconds=min(spans) / SECOND,
            max_seconds=max(spans) / SECOND,
            median_seconds=median(spans) / SECOND,
        )
        for key, spans in sorted(gaps.items())
    )


def variants(cases: Sequence[Sequence[Timed]]) -> tuple[Variant, ...]:
    """Return the distinct sequences of activities, most frequent first."""
    found: dict[tuple[str, ...], list[str]] = {}
    for events in cases:
        found.setdefault(tuple(one.event.activity for one in events), []).append(events[0].case)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        Variant(activities=path, cases=tuple(names), share=len(names) / len(cases)) for path, names in ordered
    )


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
                duration_seconds=(last - first) / SECOND,
                variant=number[events[0].case],
                n_uncertain=sum(not surely_before(one, other) for one, other in pairwise(events)),
            )
        )
    return tuple(rows)


def counted(activities: Iterable[str]) -> dict[str, int]:
    """Count activities, most frequent first."""
    counts = Counter(activities)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
