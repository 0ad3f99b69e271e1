"""Tool 26: events in order of time, what follows what, and what the evidence says of a hypothesis."""

from collections.abc import Mapping, Sequence
from itertools import islice

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import Noted, ToolWarning
from corpusgraph.tasks.analysis.checks import check_writable, unique_records
from corpusgraph.tasks.analysis.process.evidence_tests import weigh
from corpusgraph.tasks.analysis.process.log import (
    Timed,
    case_table,
    counted,
    directly_follows,
    in_cases,
    read_times,
    tell_dates,
    tell_renamed,
    tell_shared_evidence,
    tell_ties,
    ties,
    traced,
    uncertain_pairs,
    variants,
)
from corpusgraph.tasks.analysis.process.models import (
    PrepareProcessTrace,
    ProcessTrace,
    TracedEvent,
    UncertainOrder,
)
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.table.values import warning

MOST_PAIRS = 10_000
"""Pairs of uncertain order that are listed."""


@tool(
    26,
    writes="process_trace",
    needs={"Event.id", "Event.case", "Event.activity", "Event.timestamp"},
    optional={"Event.actors", "Event.timestamp_end", "Event.evidence"},
    cite="van der Aalst 2016, Process Mining; Allen 1983; Van Evera 1997; Fairfield & Charman 2017",
)
def prepare_process_trace(ask: PrepareProcessTrace) -> Noted[ProcessTrace]:
    """Create temporal event sequences: an ordered log, its directly-follows graph, and evidence tests.

    Events are ordered by exact instant before times are floored to the resolution (in UTC); ties keep
    the order given and are reported; a partial date stays an interval, and pairs whose order it leaves
    open are listed with what can hold between them. A timestamp that cannot be read, or that has two
    readings, is set aside with its text, never guessed.
    Errors: `no_usable_events`, `no_case_notion`, `empty_id`, `duplicate_id`, `probability_out_of_range`,
    `priors_not_normalised`, `rivals_differ`, `impossible_evidence`.
    """
    check_writable({"events": ask.events, "entities": ask.entities, "priors": ask.priors})
    events, twins = unique_records(ask.events, "event")
    if events and not any((event.case or "").strip() for event in events):
        raise PreparationError(
            "No event has a case.",
            code="no_case_notion",
            hint="Say what an event belongs to: a document, a person, a place, a file number.",
        )
    timed, aside, read_notes = read_times(events, ask.day_first)
    if not timed:
        raise PreparationError(
            f"None of {len(events)} events has a case and a timestamp that can be read.",
            code="no_usable_events",
            hint="Give timestamps as ISO 8601, such as 1854-09-08.",
        )
    cases = in_cases(timed)
    by_time = sorted((one for one_case in cases for one in one_case), key=lambda one: one.at.start)
    pieces = [(o.event.id, o.event.passages, piece) for o in by_time for piece in o.event.evidence]
    tests, posteriors, log_odds = weigh(pieces, ask.priors)
    paths = variants(cases)
    actors = _actors(ask.entities, by_time)
    uncertain, cut = _uncertain(cases)
    trace = ProcessTrace(
        temporal_resolution=ask.temporal_resolution,
        events=traced(cases, ask.temporal_resolution),
        cases=case_table(cases, paths),
        variants=paths,
        directly_follows=directly_follows(cases),
        start_activities=counted(one_case[0].event.activity for one_case in cases),
        end_activities=counted(one_case[-1].event.activity for one_case in cases),
        activities=counted(one.event.activity for one in timed),
        actors=actors,
        ties=ties(cases, ask.temporal_resolution),
        uncertain_order=uncertain,
        set_aside=tuple(aside),
        evidence_tests=tests,
        posteriors=posteriors,
        log_odds=log_odds,
    )
    told = (
        *ask.notes,
        *twins,
        *read_notes,
        *tell_dates(timed, ask.temporal_resolution),
        *_tell_absent(actors),
        *tell_renamed(timed),
        *tell_ties(trace.ties),
        *cut,
        *tell_shared_evidence(tests),
    )
    return Noted(data=trace, warnings=told)


def _uncertain(
    cases: Sequence[Sequence[Timed]],
) -> tuple[tuple[UncertainOrder, ...], list[ToolWarning]]:
    found = tuple(islice(uncertain_pairs(cases), MOST_PAIRS + 1))
    if len(found) <= MOST_PAIRS:
        return found, []
    message = (
        f"More than {MOST_PAIRS} pairs of events have no certain order; the first {MOST_PAIRS} are listed."
    )
    return found[:MOST_PAIRS], [ToolWarning(code="list_cut", message=message)]


def _actors(entities: Sequence[str], by_time: Sequence[Timed]) -> dict[str, tuple[str, ...]]:
    seen: dict[str, list[str]] = {name: [] for name in entities}
    for one in by_time:
        for actor in dict.fromkeys(one.event.actors):
            seen.setdefault(actor, []).append(one.event.id)
    return {name: tuple(events) for name, events in seen.items()}


def _tell_absent(actors: Mapping[str, Sequence[str]]) -> list[ToolWarning]:
    absent = [name for name, events in actors.items() if not events]
    return warning("entity_without_events", f"In no event: {', '.join(absent)}.", absent)


__all__ = ["PrepareProcessTrace", "ProcessTrace", "TracedEvent", "prepare_process_trace"]
