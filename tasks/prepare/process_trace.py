"""Tool 26: events in order of time, what follows what, and what the evidence says of a hypothesis."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import Noted, ToolWarning
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.prepare._checks import unique_records
from corpusgraph.tasks.prepare._evidence_tests import weigh
from corpusgraph.tasks.prepare._process_log import (
    Timed,
    case_table,
    counted,
    directly_follows,
    in_cases,
    ties,
    traced,
    variants,
)
from corpusgraph.tasks.prepare._process_nouns import (
    PrepareProcessTrace,
    ProcessEvent,
    ProcessTrace,
    SetAside,
)
from corpusgraph.tasks.prepare._timestamps import Moment, iso, parse


@tool(
    26,
    writes="process_trace",
    needs={"Event.id", "Event.case", "Event.activity", "Event.timestamp"},
    optional={"Event.actors", "Event.timestamp_end", "Event.evidence"},
    cite="van der Aalst 2016, Process Mining; Van Evera 1997; Humphreys & Jacobs 2015",
)
def prepare_process_trace(ask: PrepareProcessTrace) -> Noted[ProcessTrace]:
    """Create temporal event sequences: an ordered log, its directly-follows graph, and evidence tests.

    Events are ordered by exact instant before times are floored to the resolution (in UTC); ties keep
    the order given and are reported; a partial date stays an interval. A timestamp that cannot be read,
    or that has two readings, is set aside with its text, never guessed.
    Errors: `no_usable_events`, `no_case_notion`, `empty_id`, `duplicate_id`, `probability_out_of_range`,
    `impossible_evidence`.
    """
    events, twins = unique_records(ask.events, "event")
    notes = [*ask.notes, *twins]
    if events and not any(event.case for event in events):
        raise PreparationError(
            "No event has a case.",
            code="no_case_notion",
            hint="Say what an event belongs to: a document, a person, a place, a file number.",
        )
    timed, aside = _timed(events, ask.day_first, notes)
    _tell_set_aside(aside, notes)
    if not timed:
        raise PreparationError(
            f"None of {len(events)} events has a case and a timestamp that can be read.",
            code="no_usable_events",
            hint="Give timestamps as ISO 8601, such as 1854-09-08.",
        )
    cases = in_cases(timed)
    _tell_precision(ask, cases, notes)
    pieces = [(one.event.id, piece) for one in _by_time(cases) for piece in one.event.evidence]
    tests, posteriors = weigh(pieces, ask.priors)
    paths = variants(cases)
    trace = ProcessTrace(
        temporal_resolution=ask.temporal_resolution,
        events=traced(cases, ask.temporal_resolution),
        cases=case_table(cases, paths),
        variants=paths,
        directly_follows=directly_follows(cases),
        start_activities=counted(events[0].event.activity for events in cases),
        end_activities=counted(events[-1].event.activity for events in cases),
        activities=counted(one.event.activity for one in timed),
        actors=_actors(ask, cases, notes),
        ties=ties(cases, ask.temporal_resolution),
        set_aside=tuple(aside),
        evidence_tests=tests,
        posteriors=posteriors,
    )
    return Noted(data=trace, warnings=(*notes, *_tied(trace)))


def _timed(
    events: Sequence[ProcessEvent], day_first: bool | None, notes: list[ToolWarning]
) -> tuple[list[Timed], list[SetAside]]:
    timed, aside, assumed = [], [], []
    for event in events:
        at = parse(event.timestamp, day_first)
        if not isinstance(at, Moment) or not event.case:
            code = "missing_case" if isinstance(at, Moment) else at
            aside.append(SetAside(id=event.id, code=code, timestamp=event.timestamp))
            continue
        end = parse(event.end, day_first) if event.end else None
        timed.append(Timed(event, event.case, at, _finish(event, at, end, notes)))
        if at.assumed_utc or (isinstance(end, Moment) and end.assumed_utc):
            assumed.append(event.id)
    if assumed:
        message = f"{len(assumed)} events have a clock time without a zone; taken for UTC."
        notes.append(ToolWarning(code="assumed_utc", message=message, records=tuple(assumed)))
    return timed, aside


def _finish(
    event: ProcessEvent, at: Moment, end: Moment | str | None, notes: list[ToolWarning]
) -> datetime | None:
    if end is None:
        return None
    if not isinstance(end, Moment):
        message = f"The end of event {event.id!r}, {event.end!r}, was left out."
        notes.append(ToolWarning(code=end, message=message, records=(event.id,)))
        return None
    if end.last < at.start:
        message = f"Event {event.id!r} ends ({iso(end.last)}) before it starts; the end was left out."
        notes.append(ToolWarning(code="end_before_start", message=message, records=(event.id,)))
        return None
    return end.last


_ASIDE = {
    "unparsed_timestamp": "timestamps that cannot be read",
    "ambiguous_date": "dates with two readings (say day_first)",
    "missing_case": "events without a case",
}


def _tell_set_aside(aside: Sequence[SetAside], notes: list[ToolWarning]) -> None:
    for code, what in _ASIDE.items():
        found = [one for one in aside if one.code == code]
        if found:
            said = ", ".join(f"{one.id} {one.timestamp!r}" for one in found[:5])
            message = f"Set aside {len(found)} {what}: {said}{' …' if len(found) > 5 else ''}."
            notes.append(ToolWarning(code=code, message=message, records=tuple(one.id for one in found)))


def _by_time(cases: Sequence[Sequence[Timed]]) -> list[Timed]:
    return sorted((one for events in cases for one in events), key=lambda one: one.at.start)


def _tell_precision(
    ask: PrepareProcessTrace, cases: Sequence[Sequence[Timed]], notes: list[ToolWarning]
) -> None:
    unit = timedelta(**{ask.temporal_resolution: 1})
    coarse = [one.event.id for events in cases for one in events if one.at.is_coarser_than(unit)]
    if coarse:
        message = (
            f"{len(coarse)} events are known less exactly than {ask.temporal_resolution}; kept as intervals."
        )
        notes.append(ToolWarning(code="coarser_than_resolution", message=message, records=tuple(coarse)))


def _tied(trace: ProcessTrace) -> list[ToolWarning]:
    if not trace.ties:
        return []
    records = tuple(f"{tie.case}: {', '.join(tie.events)}" for tie in trace.ties)
    message = (
        f"{len(records)} groups of events share a bucket; their exact order, or the order given, is kept."
    )
    return [ToolWarning(code="tied_after_bucketing", message=message, records=records)]


def _actors(
    ask: PrepareProcessTrace, cases: Sequence[Sequence[Timed]], notes: list[ToolWarning]
) -> dict[str, tuple[str, ...]]:
    seen: dict[str, list[str]] = {name: [] for name in ask.entities}
    for one in _by_time(cases):
        for actor in one.event.actors:
            seen.setdefault(actor, []).append(one.event.id)
    absent = tuple(name for name, events in seen.items() if not events)
    if absent:
        message = f"In no event: {', '.join(absent)}."
        notes.append(ToolWarning(code="entity_without_events", message=message, records=absent))
    return {name: tuple(events) for name, events in seen.items()}
