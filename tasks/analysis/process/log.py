"""From timed events to a log: order, ties, what follows what, variants, durations."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import compress, groupby, pairwise, starmap
from operator import itemgetter
from statistics import median
from typing import Any, get_args

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.analysis.process import models
from corpusgraph.tasks.analysis.process.timestamps import (
    LENGTH,
    SECOND,
    Moment,
    Unit,
    iso,
    label,
    ordinal,
    parse,
    readings,
)
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.progress import counted as each
from corpusgraph.tasks.table.values import warning

Bounds = tuple[float, float]
"""Where an instant can lie: first (included) and last (excluded)."""


@dataclass(frozen=True, slots=True)
class Span:
    """When an event began and, where that was given, when it ended; without an end it is one instant.

    Attributes
    ----------
    start : tuple of (float, float)
        Where the beginning can lie: first instant (included) and last (excluded), in microseconds from 1970,
        UTC; infinite where nothing bounds it.
    end : tuple of (float, float), optional
        Where the end can lie.

    """

    start: Bounds
    end: Bounds | None = None


# Orders of the ends, first to last; ends in one group coincide. a, A: start and end of the first event; b, B:
# of the second. The thirteen relations of Allen (1983), Communications of the ACM 26(11), 832-843. Instants
# relate to intervals as points do (Vilain 1982, AAAI, 197-201): a point that an interval begins with starts
# it, and so on; two points are before, equal or after. The names are Allen's.
_ORDERS: Mapping[str, Sequence[str]] = {
    "before": ("a A b B", "a A b", "a b B", "a b"),
    "meets": ("a Ab B",),
    "overlaps": ("a b A B",),
    "finished_by": ("a b AB", "a Ab"),
    "contains": ("a b B A", "a b A"),
    "starts": ("ab A B", "ab B"),
    "equals": ("ab AB", "ab"),
    "started_by": ("ab B A", "ab A"),
    "during": ("b a A B", "b a B"),
    "finishes": ("b a AB", "b aB"),
    "overlapped_by": ("b a B A",),
    "met_by": ("b Ba A",),
    "after": ("b B a A", "b a A", "b B a", "b a"),
}
"""Relation -> the order of the ends that there are: where neither event has one, of one of them, of both."""


def possible_relations(first: Span, second: Span) -> tuple[str, ...]:
    """Return the relations of the first event to the second that their bounds allow, in Allen's order.

    Parameters
    ----------
    first, second : Span
        Where their ends can lie, in microseconds from 1970, UTC.

    Returns
    -------
    tuple of str
        Names of Allen's relations.

    References
    ----------
    Allen (1983), Communications of the ACM 26(11), 832-843; Vilain (1982), AAAI, 197-201.

    """
    given = {"a": first.start, "A": first.end, "b": second.start, "B": second.end}
    ends = {name: bounds for name, bounds in given.items() if bounds}
    orders = ((name, order.split()) for name, orders in _ORDERS.items() for order in orders)
    fitting = ((name, groups) for name, groups in orders if set("".join(groups)) == ends.keys())
    return tuple(
        name for name, groups in fitting if _feasible([[ends[e] for e in group] for group in groups])
    )


def _feasible(groups: Sequence[Sequence[Bounds]]) -> bool:
    """Tell whether instants exist, one a group and each later than the one before, within all bounds.

    Taking each as early as it can be is enough: time is dense, so just after the last choice there is room
    whenever the group's end is still to come.
    """
    reached = float("-inf")
    for group in groups:
        reached = max(reached, *(low for low, _ in group))
        if reached >= min(high for _, high in group):
            return False
    return True


_OWN = tuple(sorted(set(models.TracedEvent.model_fields) - set(models.ProcessEvent.model_fields)))
"""Fields that the result adds."""
_GIVEN = (models.TracedEvent.model_fields.keys() & models.ProcessEvent.model_fields.keys()) - {"case"}
"""Fields that the result takes over."""


def _carried(extra: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields passed through; one with a name of ours is called `given_<name>`."""
    carried: dict[str, Any] = {}
    for name, value in extra.items():
        free = f"given_{name}" if name in _OWN else name
        while free != name and free in extra:
            free = f"given_{free}"
        carried[free] = value
    return carried


UNIT_OF: dict[models.Resolution, Unit] = dict(zip(get_args(models.Resolution), get_args(Unit), strict=True))
"""Resolution -> its unit."""


@dataclass(frozen=True, slots=True)
class Timed:
    """An event with the moments its timestamps mean.

    Attributes
    ----------
    event : ProcessEvent
    case : str
        Name of its case.
    at : Moment
        When it began.
    end : Moment, optional
        When it ended.

    """

    event: models.ProcessEvent
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
    """Tell whether one began before the other whatever their dates mean within their intervals.

    Parameters
    ----------
    one, other : Timed
        Events.

    Returns
    -------
    bool
        False where their intervals overlap, also if one of them probably came first.

    """
    return one.at.latest <= other.at.earliest


def in_cases(timed: Iterable[Timed]) -> list[list[Timed]]:
    """Group by case and order each by exact start (ties as given); cases by their first start, then name.

    Parameters
    ----------
    timed : iterable of Timed
        Events of all cases.

    Returns
    -------
    list of list of Timed
        A list of events for each case; no case is empty.

    """
    cases = grouped((one.case, one) for one in timed).values()
    ordered = [sorted(events, key=lambda one: one.at.start) for events in cases]
    return sorted(ordered, key=lambda events: (events[0].at.start, events[0].case))


def traced(cases: Sequence[Sequence[Timed]], resolution: models.Resolution) -> tuple[models.TracedEvent, ...]:
    """Return the events in order, each with its place and interval; unknown fields pass through.

    Parameters
    ----------
    cases : sequence of sequence of Timed
        Events of each case, in order.
    resolution : str
        seconds, minutes, hours, days, months or years: the unit of a bucket.

    Returns
    -------
    tuple of TracedEvent
        Positions count from 1 in each case; instants are ISO 8601, UTC.

    """
    unit = UNIT_OF[resolution]
    return tuple(
        models.TracedEvent(
            **{name: getattr(one.event, name) for name in _GIVEN},
            case=one.case,
            position=position,
            start=iso(one.at.start),
            until=iso(one.at.until),
            bucket=label(one.at.start, unit),
            precision=one.at.precision,
            open=one.at.open,
            approximate=one.at.approximate,
            finish=iso(one.last) if one.end else None,
            **_carried(one.event.model_extra or {}),
        )
        for events in each(cases, "cases traced", every=64)
        for position, one in enumerate(events, start=1)
    )


def ties(cases: Sequence[Sequence[Timed]], resolution: models.Resolution) -> tuple[models.Tie, ...]:
    """Return the groups of events of a case that share a bucket.

    Parameters
    ----------
    cases : sequence of sequence of Timed
        Events of each case, in order.
    resolution : str
        seconds, minutes, hours, days, months or years: the unit of a bucket.

    Returns
    -------
    tuple of Tie
        Only buckets (a day, month, year…) with two events or more.

    """
    unit = UNIT_OF[resolution]
    found = []
    for events in cases:
        for _, group in groupby(events, key=lambda one: ordinal(one.at.start, unit)):
            members = list(group)
            if len(members) > 1:
                first, last = members[0].at.start, members[-1].at.start
                ids, bucket = tuple(one.event.id for one in members), label(first, unit)
                found.append(
                    models.Tie(case=members[0].case, bucket=bucket, events=ids, same_instant=first == last)
                )
    return tuple(found)


def uncertain_pairs(cases: Sequence[Sequence[Timed]]) -> Iterator[models.UncertainOrder]:
    """Yield the pairs of events of a case whose order the dates leave open, with what can hold.

    Parameters
    ----------
    cases : sequence of sequence of Timed
        Events of each case, in order.

    Yields
    ------
    UncertainOrder
        With the relations of Allen (1983) that the dates allow.

    """
    for events in cases:
        unbounded = [j for j, one in enumerate(events) if one.at.earliest < one.at.start]
        for i, one in enumerate(events):
            j = i + 1
            while j < len(events) and events[j].at.start < one.at.latest:
                yield _pair(one, events[j])
                j += 1
            yield from (_pair(one, events[k]) for k in unbounded[bisect_left(unbounded, j) :])


def _pair(one: Timed, other: Timed) -> models.UncertainOrder:
    return models.UncertainOrder(
        case=one.case,
        first=one.event.id,
        second=other.event.id,
        relations=possible_relations(one.span, other.span),
    )


def directly_follows(cases: Sequence[Sequence[Timed]]) -> tuple[models.Follows, ...]:
    """Return the directly-follows graph, in order of its activities.

    Parameters
    ----------
    cases : sequence of sequence of Timed
        Events of each case in order.

    Returns
    -------
    tuple of Follows
        Counts, and seconds from start to start.

    References
    ----------
    van der Aalst (2016), Process Mining, 2nd edition, chapter 6.

    """
    pairs = (pair for events in cases for pair in pairwise(events))
    found = grouped(((one.event.activity, other.event.activity), (one, other)) for one, other in pairs)
    return tuple(
        models.Follows(
            source=key[0],
            target=key[1],
            count=len(followed),
            n_certain=sum(starmap(surely_before, followed)),
            mean_seconds=sum(spans) / (len(spans) * SECOND),
            min_seconds=min(spans) / SECOND,
            max_seconds=max(spans) / SECOND,
            median_seconds=median(spans) / SECOND,
        )
        for key, followed in sorted(found.items(), key=itemgetter(0))
        for spans in [[other.at.start - one.at.start for one, other in followed]]
    )


def variants(cases: Sequence[Sequence[Timed]]) -> tuple[models.Variant, ...]:
    """Return the distinct sequences of activities, most frequent first.

    Parameters
    ----------
    cases : sequence of sequence of Timed
        Events of each case in order.

    Returns
    -------
    tuple of Variant
        With their share of all cases, 0 to 1.

    """
    found = grouped((tuple(one.event.activity for one in events), events[0].case) for events in cases)
    ordered = sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(
        models.Variant(activities=path, cases=tuple(names), share=len(names) / len(cases))
        for path, names in ordered
    )


def case_table(cases: Sequence[Sequence[Timed]], known: Sequence[models.Variant]) -> tuple[models.Case, ...]:
    """Return a row for each case.

    Parameters
    ----------
    cases : sequence of sequence of Timed
        Events of each case, in order.
    known : sequence of Variant
        The variants of these cases, in order.

    Returns
    -------
    tuple of Case
        Durations in seconds.

    """
    number = {name: n for n, variant in enumerate(known, start=1) for name in variant.cases}
    rows = []
    for events in cases:
        first, last = events[0].at.start, max(one.last for one in events)
        rows.append(
            models.Case(
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
    """Count activities, most frequent first.

    Parameters
    ----------
    activities : iterable of str
        Names of activities.

    Returns
    -------
    dict of str to int
        Ties in order of name.

    """
    counts = Counter(activities)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


NAMED = 5
"""Records that a message names; all are in its `records`."""


def shortened(said: Sequence[str]) -> str:
    """Join the first few.

    Parameters
    ----------
    said : sequence of str
        Records.

    Returns
    -------
    str
        At most five of them.

    """
    return ", ".join(said[:NAMED]) + (" …" if len(said) > NAMED else "")


def tell_dates(timed: Sequence[Timed], resolution: models.Resolution) -> list[ToolWarning]:
    """Return a warning for each way in which dates are less, or other, than an exact UTC instant.

    Parameters
    ----------
    timed : sequence of Timed
        Events.
    resolution : str
        seconds, minutes, hours, days, months or years.

    Returns
    -------
    list of ToolWarning
        `assumed_utc`, `offset_dropped`, `approximate_date`, `open_interval`, `coarser_than_resolution`.

    """
    unit = LENGTH[UNIT_OF[resolution]]
    by_code: dict[str, list[str]] = {code: [] for code in _DATES}
    for one in timed:
        at, end = one.at, one.end or one.at
        flags = (
            at.assumed_utc or end.assumed_utc,
            at.has_offset or end.has_offset,
            at.approximate or end.approximate,
            at.open is not None,
            at.open is None and at.until - at.start > unit,
        )
        for ids in compress(by_code.values(), flags):
            ids.append(one.event.id)
    notes: list[ToolWarning] = []
    for code, ids in by_code.items():
        message = _DATES[code].format(n=len(ids), resolution=resolution, ids=shortened(ids))
        notes += warning(code, message, ids)
    return notes


_DATES = {
    "assumed_utc": "{n} events have a clock time without a zone, taken for UTC: {ids}.",
    "offset_dropped": "{n} events have an offset; their instants are given in UTC: {ids}.",
    "approximate_date": "{n} events have a date with 'circa' or '?': no order with them is certain: {ids}.",
    "open_interval": "{n} events are dated before or after something; placed at that bound: {ids}.",
    "coarser_than_resolution": "{n} events are less exact than {resolution}; kept as intervals: {ids}.",
}


def tell_renamed(timed: Sequence[Timed]) -> list[ToolWarning]:
    """Return a warning where fields that are passed through have the name of one that the result adds.

    Parameters
    ----------
    timed : sequence of Timed
        Events.

    Returns
    -------
    list of ToolWarning
        `names_mapped`, or none.

    """
    own = set(_OWN)
    clashes = {one.event.id: names for one in timed if (names := own & (one.event.model_extra or {}).keys())}
    renamed = sorted({name for names in clashes.values() for name in names})
    listed = ", ".join(f"{name} as given_{name}" for name in renamed)
    message = f"{len(clashes)} events have fields that a trace names so itself; passed through: {listed}."
    return warning("names_mapped", message, clashes)


def tell_ties(ties: Sequence[models.Tie]) -> list[ToolWarning]:
    """Return a warning that names the groups of events in one bucket.

    Parameters
    ----------
    ties : sequence of Tie
        Groups of events.

    Returns
    -------
    list of ToolWarning
        `tied_after_bucketing`, or none.

    """
    message = (
        f"{len(ties)} groups of events share a bucket; their exact order, or the order given, is kept: "
        f"{shortened([f'{tie.case}: {shortened(tie.events)}' for tie in ties])}."
    )
    return warning("tied_after_bucketing", message, (f"{tie.case}: {', '.join(tie.events)}" for tie in ties))


def tell_shared_evidence(tests: Sequence[models.EvidenceTest]) -> list[ToolWarning]:
    """Return a warning where pieces about a hypothesis share a passage, so are hardly independent.

    Parameters
    ----------
    tests : sequence of EvidenceTest
        All tests.

    Returns
    -------
    list of ToolWarning
        `shared_evidence`, or none.

    """
    by_source = grouped(
        ((test.hypothesis, source), test.event)
        for test in tests
        for source in {p.evidence_id for p in test.passages} or {test.event}
    )
    events = sorted({event for shared in by_source.values() if len(shared) > 1 for event in shared})
    message = (
        "Pieces of evidence about one hypothesis rest on the same passage or event, and are weighed as if "
        f"they were independent: {shortened(events)}."
    )
    return warning("shared_evidence", message, events)


_ASIDE = {
    "unparsed_timestamp": "Set aside {n} timestamps that cannot be read",
    "ambiguous_date": "Set aside {n} dates with two readings (for 03/04/1854, say day_first)",
    "missing_case": "Set aside {n} events without a case",
}
_ENDS = {
    "unparsed_timestamp": "Ends that cannot be read were left out of {n} events",
    "ambiguous_date": "Ends with two readings were left out (for 03/04/1854, say day_first) of {n} events",
    "end_before_start": "Ends before the start were left out of {n} events",
}


def read_times(
    events: Sequence[models.ProcessEvent], day_first: bool | None
) -> tuple[list[Timed], list[models.SetAside], list[ToolWarning]]:
    """Return the events with a case and a time, those set aside, and what to tell.

    Parameters
    ----------
    events : sequence of ProcessEvent
        As given.
    day_first : bool or None
        How to read 03/04/1854.

    Returns
    -------
    timed : list of Timed
        Events with a case and a time.
    aside : list of SetAside
        The others, with their text.
    notes : list of ToolWarning
        What to tell.

    """
    read = cache(partial(parse, day_first=day_first))  # logs repeat their dates
    timed, aside = [], []
    told: dict[tuple[str, str], dict[str, str]] = {said: {} for said in (*_ASIDE.items(), *_ENDS.items())}
    for event in events:
        at = read(event.timestamp)
        if not isinstance(at, Moment) or event.case is None or not event.case.strip():
            why = "missing_case" if isinstance(at, Moment) else at
            meant = readings(event.timestamp) if why == "ambiguous_date" else ()
            aside.append(models.SetAside(id=event.id, code=why, timestamp=event.timestamp, readings=meant))
            either = f" ({' or '.join(meant)})" if meant else ""
            told[why, _ASIDE[why]][event.id] = f"{event.timestamp!r}{either}"
            continue
        end = read(event.end) if event.end else None
        if isinstance(end, Moment) and end.open != "until" and end.until <= at.start:
            code = "end_before_start"
            told[code, _ENDS[code]][event.id] = f"{event.end!r} before {iso(at.start)}"
            end = None
        elif isinstance(end, str):
            told[end, _ENDS[end]][event.id] = repr(event.end)
            end = None
        timed.append(Timed(event, event.case, at, end))
    notes = []
    for (code, message), texts in told.items():
        listed = shortened([f"{event_id} {text}" for event_id, text in texts.items()])
        notes += warning(code, f"{message.format(n=len(texts))}: {listed}.", texts)
    return timed, aside, notes
