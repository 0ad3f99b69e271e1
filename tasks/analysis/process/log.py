"""From timed events to a log: order, ties, what follows what, variants, durations."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise
from statistics import median
from typing import Any

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.analysis.process.models import (
    Case,
    EvidenceTest,
    Follows,
    ProcessEvent,
    Resolution,
    SetAside,
    Tie,
    TracedEvent,
    UncertainOrder,
    Variant,
)
from corpusgraph.tasks.analysis.process.timestamps import (
    LENGTH,
    SECOND,
    Moment,
    Problem,
    Unit,
    iso,
    label,
    ordinal,
    parse,
    readings,
)
from corpusgraph.tasks.progress import counted as each

Bounds = tuple[float, float]
"""Where an instant can lie: first (included) and last (excluded)."""


@dataclass(frozen=True, slots=True)
class Span:
    """When an event began and, where that was given, when it ended; without an end it is one instant."""

    start: Bounds
    end: Bounds | None = None


# Orders of the four ends, first to last; ends in one group coincide. a, A: start and end of the first event;
# b, B: of the second. The thirteen relations of Allen (1983), Communications of the ACM 26(11), 832-843.
_RELATIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("before", ("a", "A", "b", "B")),
    ("meets", ("a", "Ab", "B")),
    ("overlaps", ("a", "b", "A", "B")),
    ("finished_by", ("a", "b", "AB")),
    ("contains", ("a", "b", "B", "A")),
    ("starts", ("ab", "A", "B")),
    ("equals", ("ab", "AB")),
    ("started_by", ("ab", "B", "A")),
    ("during", ("b", "a", "A", "B")),
    ("finishes", ("b", "a", "AB")),
    ("overlapped_by", ("b", "a", "B", "A")),
    ("met_by", ("b", "Ba", "A")),
    ("after", ("b", "B", "a", "A")),
)

# Instants relate to intervals as points do (Vilain 1982, AAAI, 197-201): a point that an interval begins with
# starts it, and so on; two points are before, equal or after. The names are Allen's.
_POINT_FIRST = (
    ("before", ("a", "b", "B")),
    ("starts", ("ab", "B")),
    ("during", ("b", "a", "B")),
    ("finishes", ("b", "aB")),
    ("after", ("b", "B", "a")),
)
_POINT_SECOND = (
    ("before", ("a", "A", "b")),
    ("finished_by", ("a", "Ab")),
    ("contains", ("a", "b", "A")),
    ("started_by", ("ab", "A")),
    ("after", ("b", "a", "A")),
)
_POINTS = (("before", ("a", "b")), ("equals", ("ab",)), ("after", ("b", "a")))


def possible_relations(first: Span, second: Span) -> tuple[str, ...]:
    """Return the relations of the first event to the second that their bounds allow, in Allen's order."""
    ends = {"a": first.start, "b": second.start}
    if first.end:
        ends["A"] = first.end
    if second.end:
        ends["B"] = second.end
    orders = _orders(first.end is not None, second.end is not None)
    return tuple(name for name, order in orders if _feasible([[ends[e] for e in group] for group in order]))


@cache
def _orders(first: bool, second: bool) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if first and second:
        return _RELATIONS
    return _POINT_SECOND if first else _POINT_FIRST if second else _POINTS


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


_FIELDS = set(TracedEvent.model_fields)
_OWN = tuple(sorted(_FIELDS - set(ProcessEvent.model_fields)))
"""Fields that the result adds."""


def traced_event(values: dict[str, Any], extra: Mapping[str, Any] | None) -> TracedEvent:
    """Return an event of which every field is given and was checked; a million share one set of names.

    What `model_construct` does, in a fifth of its time: there are no aliases and defaults to look for.
    """
    made = TracedEvent.__new__(TracedEvent)
    put = object.__setattr__
    put(made, "__dict__", values)
    carried = _carried(extra) if extra else {}
    put(made, "__pydantic_fields_set__", _FIELDS | carried.keys() if carried else _FIELDS)
    put(made, "__pydantic_extra__", carried)
    put(made, "__pydantic_private__", None)
    return made


def clashing(extra: Mapping[str, Any] | None) -> list[str]:
    """Return the fields passed through that have a name which the result gives to a field of its own."""
    return [name for name in _OWN if name in extra] if extra else []


def _carried(extra: Mapping[str, Any]) -> dict[str, Any]:
    return {_new_name(name, extra): value for name, value in extra.items()}


def _new_name(name: str, extra: Mapping[str, Any]) -> str:
    if name in _OWN:
        name = f"given_{name}"
        while name in extra:
            name = f"given_{name}"
    return name


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


NAMED = 5
"""Records that a message names; all are in its `records`."""


def shortened(said: Sequence[str]) -> str:
    """Join the first few."""
    return ", ".join(said[:NAMED]) + (" …" if len(said) > NAMED else "")


def tell_dates(timed: Sequence[Timed], resolution: Resolution) -> list[ToolWarning]:
    """Return a warning for each way in which dates are less, or other, than an exact UTC instant."""
    unit = LENGTH[UNIT_OF[resolution]]
    found: dict[str, list[str]] = {code: [] for code in _DATES}
    for one in timed:
        at, end = one.at, one.end
        if at.assumed_utc or (end and end.assumed_utc):
            found["assumed_utc"].append(one.event.id)
        if at.has_offset or (end and end.has_offset):
            found["offset_dropped"].append(one.event.id)
        if at.approximate or (end and end.approximate):
            found["approximate_date"].append(one.event.id)
        if at.open:
            found["open_interval"].append(one.event.id)
        elif at.is_coarser_than(unit):
            found["coarser_than_resolution"].append(one.event.id)
    return [
        ToolWarning(
            code=code,
            message=_DATES[code].format(n=len(ids), resolution=resolution, ids=shortened(ids)),
            records=tuple(ids),
        )
        for code, ids in found.items()
        if ids
    ]


_DATES = {
    "assumed_utc": "{n} events have a clock time without a zone, taken for UTC: {ids}.",
    "offset_dropped": "{n} events have an offset; their instants are given in UTC: {ids}.",
    "approximate_date": "{n} events have a date with 'circa' or '?': no order with them is certain: {ids}.",
    "open_interval": "{n} events are dated before or after something; placed at that bound: {ids}.",
    "coarser_than_resolution": "{n} events are less exact than {resolution}; kept as intervals: {ids}.",
}


def tell_renamed(timed: Sequence[Timed]) -> list[ToolWarning]:
    """Return a warning where fields that are passed through have the name of one that the result adds."""
    found = [(one.event.id, names) for one in timed if (names := clashing(one.event.model_extra))]
    if not found:
        return []
    renamed = sorted({name for _, names in found for name in names})
    said = ", ".join(f"{name} as given_{name}" for name in renamed)
    message = f"{len(found)} events have fields that a trace names so itself; passed through: {said}."
    return [ToolWarning(code="names_mapped", message=message, records=tuple(event for event, _ in found))]


def tell_ties(ties: Sequence[Tie]) -> list[ToolWarning]:
    """Return a warning that names the groups of events in one bucket."""
    if not ties:
        return []
    records = tuple(f"{tie.case}: {', '.join(tie.events)}" for tie in ties)
    message = (
        f"{len(records)} groups of events share a bucket; their exact order, or the order given, is kept: "
        f"{shortened([f'{tie.case}: {shortened(tie.events)}' for tie in ties[:NAMED]])}"
        f"{' …' if len(ties) > NAMED else ''}."
    )
    return [ToolWarning(code="tied_after_bucketing", message=message, records=records)]


def tell_shared_evidence(tests: Sequence[EvidenceTest]) -> list[ToolWarning]:
    """Return a warning where pieces about a hypothesis share a passage, so are hardly independent."""
    seen: dict[tuple[str, str], set[str]] = {}
    counts: dict[tuple[str, str], int] = {}
    for test in tests:
        for source in sorted({p.evidence_id for p in test.passages} or {test.event}):
            key = (test.hypothesis, source)
            seen.setdefault(key, set()).add(test.event)
            counts[key] = counts.get(key, 0) + 1
    events = sorted({event for key, count in counts.items() if count > 1 for event in seen[key]})
    if not events:
        return []
    message = (
        "Pieces of evidence about one hypothesis rest on the same passage or event, and are weighed as if "
        f"they were independent: {shortened(events)}."
    )
    return [ToolWarning(code="shared_evidence", message=message, records=tuple(events))]


_ASIDE = {
    "unparsed_timestamp": "timestamps that cannot be read",
    "ambiguous_date": "dates with two readings (for 03/04/1854, say day_first)",
    "missing_case": "events without a case",
}
_ENDS = {
    "unparsed_timestamp": "Ends that cannot be read were left out",
    "ambiguous_date": "Ends with two readings were left out (for 03/04/1854, say day_first)",
    "end_before_start": "Ends before the start were left out",
}


class _Reader:
    """Reads each distinct text once: logs repeat their dates."""

    def __init__(self, day_first: bool | None) -> None:
        self._day_first = day_first
        self._known: dict[str, Moment | Problem] = {}

    def __call__(self, text: str) -> Moment | Problem:
        found = self._known.get(text)
        if found is None:
            found = self._known[text] = parse(text, self._day_first)
        return found


def read_times(
    events: Sequence[ProcessEvent], day_first: bool | None
) -> tuple[list[Timed], list[SetAside], list[ToolWarning]]:
    """Return the events with a case and a time, those set aside, and what to tell."""
    read = _Reader(day_first)
    timed, aside = [], []
    bad_ends: dict[str, list[tuple[str, str]]] = {code: [] for code in _ENDS}
    for event in events:
        at = read(event.timestamp)
        if not isinstance(at, Moment) or event.case is None or not event.case.strip():
            aside.append(_set_aside(event, "missing_case" if isinstance(at, Moment) else at))
            continue
        end = read(event.end) if event.end else None
        if isinstance(end, Moment) and end.open != "until" and end.until <= at.start:
            bad_ends["end_before_start"].append((event.id, f"{event.end!r} before {iso(at.start)}"))
            end = None
        elif isinstance(end, str):
            bad_ends[end].append((event.id, repr(event.end)))
            end = None
        timed.append(Timed(event, event.case, at, end))
    return timed, aside, [*_tell_aside(aside), *_tell_ends(bad_ends)]


def _set_aside(event: ProcessEvent, code: str) -> SetAside:
    meant = readings(event.timestamp) if code == "ambiguous_date" else ()
    return SetAside(id=event.id, code=code, timestamp=event.timestamp, readings=meant)


def _tell_aside(aside: Sequence[SetAside]) -> list[ToolWarning]:
    notes = []
    for code, what in _ASIDE.items():
        found = [one for one in aside if one.code == code]
        if found:
            said = shortened([_said(one) for one in found])
            message = f"Set aside {len(found)} {what}: {said}."
            notes.append(ToolWarning(code=code, message=message, records=tuple(one.id for one in found)))
    return notes


def _said(one: SetAside) -> str:
    meant = f" ({' or '.join(one.readings)})" if one.readings else ""
    return f"{one.id} {one.timestamp!r}{meant}"


def _tell_ends(bad: dict[str, list[tuple[str, str]]]) -> list[ToolWarning]:
    notes = []
    for code, found in bad.items():
        if found:
            said = shortened([f"{event} {what}" for event, what in found])
            message = f"{_ENDS[code]} of {len(found)} events: {said}."
            notes.append(ToolWarning(code=code, message=message, records=tuple(event for event, _ in found)))
    return notes
