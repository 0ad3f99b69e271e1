"""The process bundle: log as CSV, XES and OCEL 2.0, directly-follows graph, variants, spells, evidence."""

from collections.abc import Sequence
from itertools import pairwise
from operator import attrgetter

from pydantic import TypeAdapter

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.analysis.process.log import UNIT_OF
from corpusgraph.tasks.analysis.process.models import (
    Case,
    EvidenceTest,
    Follows,
    ProcessTrace,
    SetAside,
    TracedEvent,
    UncertainOrder,
)
from corpusgraph.tasks.analysis.process.timestamps import SECOND, Unit, label, ordinal, read_iso
from corpusgraph.tasks.export.files import Files, rendered
from corpusgraph.tasks.export.folder import Described, Sheet, fields, folder, of_first
from corpusgraph.tasks.export.process import event_logs
from corpusgraph.tasks.export.process.figure import process_picture
from corpusgraph.tasks.table.values import warning

_PASSAGE: tuple[Described, ...] = (
    ("passage", "t", "sentence that states it", of_first("text")),
    ("document", "t", "title of its document", of_first("title")),
    ("page", "n", "page, where there are pages", of_first("page")),
)
_LOG = (
    *("case", "position", "activity", "start", "until", "finish", "bucket"),
    *("precision", "open", "approximate", "timestamp", "actors", "places"),
)
_TEST = tuple(name for name in EvidenceTest.model_fields if name != "passages")
_EVENT: Described = ("event", "t", "id", attrgetter("id"))


def sheets(result: ProcessTrace) -> list[Sheet]:
    """Return the tables that every trace has, and those it has something for.

    Parameters
    ----------
    result : ProcessTrace
        The trace.

    Returns
    -------
    list of Sheet
        The log, the directly-follows graph, cases, variants and durations always.

    """
    always = [
        Sheet.of(
            "log.csv",
            "the events in order of time, with the passage behind each",
            result.events,
            *fields(TracedEvent, *_LOG),
            _EVENT,
            *_PASSAGE,
        ),
        Sheet.of("dfg.csv", "the directly-follows graph", result.directly_follows, *fields(Follows)),
        Sheet.of("cases.csv", "the cases", result.cases, *fields(Case)),
        Sheet.of(
            "variants.csv",
            "the distinct courses",
            enumerate(result.variants, start=1),
            ("variant", "n", "number", lambda pair: pair[0]),
            ("n_cases", "n", "cases that took it", lambda pair: len(pair[1].cases)),
            ("share", "x", "of all cases, 0 to 1", lambda pair: pair[1].share),
            ("activities", "t", "its activities in order", lambda pair: " > ".join(pair[1].activities)),
            ("cases", "t", "the cases", lambda pair: pair[1].cases),
        ),
        _durations(result),
    ]
    told = ProcessTrace.model_fields["log_odds"].description or ""
    where_any = [
        Sheet.of(
            "uncertain_order.csv",
            "pairs of events that may have come in another order",
            result.uncertain_order,
            *fields(UncertainOrder),
        ),
        Sheet.of(
            "evidence.csv",
            "the process-tracing tests in order of time",
            result.evidence_tests,
            *fields(EvidenceTest, *_TEST),
            *_PASSAGE,
        ),
        Sheet.of(
            "hypotheses.csv",
            "the hypotheses after the evidence",
            result.posteriors,
            ("hypothesis", "t", "hypothesis", str),
            ("posterior", "x", "its probability after all the evidence", result.posteriors.get),
            ("log_odds", "x", told, result.log_odds.get),
        ),
        Sheet.of(
            "set_aside.csv",
            "events that could not be placed in time",
            result.set_aside,
            _EVENT,
            *fields(SetAside, "code", "timestamp", "readings"),
        ),
    ]
    return [*always, *(sheet for sheet in where_any if sheet.rows)]


def _durations(result: ProcessTrace) -> Sheet:
    columns = (
        ("case", "t", "case"),
        ("event", "t", "id of an event"),
        ("next_event", "t", "id of the one that directly follows"),
        ("activity", "t", "what happened"),
        ("next_activity", "t", "what followed"),
        ("seconds", "x", "from start to start"),
        ("least_seconds", "x", "least that the dates allow, 0 or more; empty: no bound is stated"),
        ("most_seconds", "x", "most that the dates allow; empty: no bound is stated"),
    )
    about = "the time from each event to the next of its case, with its bounds"
    rows = [
        (one.case, one.id, other.id, one.activity, other.activity, *_gap(one, other))
        for one, other in pairwise(result.events)
        if one.case == other.case
    ]
    return Sheet("durations.csv", about, columns, rows)


def _gap(one: TracedEvent, other: TracedEvent) -> tuple[float, float | None, float | None]:
    """Return the time from start to start in seconds, and the least and the most that it can have been."""
    start, until, later, last = map(read_iso, (one.start, one.until, other.start, other.until))
    vague = one.approximate or other.approximate
    no_least = vague or one.open == "until" or other.open == "start"
    no_most = vague or one.open == "start" or other.open == "until"
    least = None if no_least else max(0, later - until) / SECOND
    most = None if no_most else (last - start) / SECOND
    return (later - start) / SECOND, least, most


MOST_CELLS = 500_000
"""Cases times units of time up to which states.csv is written; spell.csv says the same in less."""

Spell = tuple[str, int, int, str]


def states(result: ProcessTrace) -> tuple[list[Sheet], list[ToolWarning], int]:
    """Return the sheets of states, what to tell of them, and how many events last no unit of time.

    A state lasts from its event to the next one of the case, the last for one unit; time counts in units of
    the resolution from 1, the earliest unit of the log (Gabadinho et al. 2011, Journal of Statistical
    Software 40(4), on the formats).

    Parameters
    ----------
    result : ProcessTrace
        A trace with at least one event.

    Returns
    -------
    (list of Sheet, list of ToolWarning, int)
        `spell.csv`, and `states.csv` unless it would have more than `MOST_CELLS` cells (a warning then:
        `too_many_states`).

    References
    ----------
    Gabadinho et al. 2011.

    """
    unit = UNIT_OF[result.temporal_resolution]
    starts = [read_iso(event.start) for event in result.events]
    origin = min(starts)
    spells = _spells(result.events, starts, ordinal(origin, unit), unit)
    about = f"states and their lengths for TraMineR; 1 stands for {label(origin, unit)}"
    columns = (
        ("case", "t", "case"),
        ("begin", "n", f"first of the {result.temporal_resolution} in this state, from 1"),
        ("end", "n", "last one"),
        ("activity", "t", "the state: what happened at its beginning"),
    )
    sheets = [Sheet("spell.csv", about, columns, spells)]
    length = max(end for _, _, end, _ in spells)
    notes = []
    if length * len(result.cases) <= MOST_CELLS:
        sheets.append(_sts(result, spells, length, label(origin, unit)))
    else:
        message = (
            f"states.csv would have {len(result.cases)} rows of {length} {result.temporal_resolution}: it is "
            "left out. spell.csv has the same states, and a coarser resolution makes them fewer."
        )
        notes.append(ToolWarning(code="too_many_states", message=message))
    return sheets, notes, len(result.events) - len(spells)


def _spells(events: Sequence[TracedEvent], starts: Sequence[int], first: int, unit: Unit) -> list[Spell]:
    rows = []
    steps = [ordinal(start, unit) - first + 1 for start in starts]
    for n, event in enumerate(events):
        following = n + 1 < len(events) and events[n + 1].case == event.case
        end = steps[n + 1] - 1 if following else steps[n]
        if end >= steps[n]:
            rows.append((event.case, steps[n], end, event.activity))
    return rows


def _sts(result: ProcessTrace, spells: Sequence[Spell], length: int, origin: str) -> Sheet:
    unit = result.temporal_resolution.removesuffix("s")
    columns = (("case", "t", "case"), *((f"t{n}", "t", f"state in {unit} {n}") for n in range(1, length + 1)))
    about = f"the same as a sequence of states, a column per {unit} (STS); t1 is {origin}"
    by_case: dict[str, list[str | None]] = {case.case: [None] * length for case in result.cases}
    for case, begin, end, activity in spells:
        by_case[case][begin - 1 : end] = [activity] * (end - begin + 1)
    return Sheet("states.csv", about, columns, [(case, *row) for case, row in by_case.items()])


def process_bundle(
    result: ProcessTrace, warnings: Sequence[ToolWarning] = (), *, name: str = "process", title: str = ""
) -> Files:
    """Return the bundle of a process trace: relative file name -> bytes, the same for the same input.

    Parameters
    ----------
    result : ProcessTrace
        What `prepare_process_trace` returned.
    warnings : sequence of ToolWarning, optional
        Said in the README and the manifest, with `illegal_xml_character`, `beyond_calendar` and
        `too_many_states`.
    name : str, default "process"
        Name of the bundle.
    title : str, default ""
        Heading of the README; the name where it is empty.

    Returns
    -------
    dict of str to bytes
        With README, codebooks, provenance and manifest; every file is made in memory.

    """
    by_object = event_logs.by_objects(result)
    as_json, as_xml = event_logs.ocel(by_object)
    number = {activity: n for n, activity in enumerate(result.activities, start=1)}
    dot = rendered("dfg.dot", trace=result, number=number).encode()
    state_sheets, told_states, omitted = states(result)
    return folder(
        kind="process",
        name=name,
        title=title,
        opening=rendered("process.md", trace=result),
        files={
            "log.xes": (event_logs.xes(result, name), "the event log (IEEE 1849-2016)"),
            "log.ocel.json": (as_json, "the event log by objects (OCEL 2.0)"),
            "log.ocel.xml": (as_xml, "the same in XML"),
            "dfg.dot": (dot, "the directly-follows graph for Graphviz: dot -Tsvg dfg.dot"),
            "trace.json": (trace_json(result), "everything: events, cases, ties, tests"),
        },
        sheets=[*sheets(result), *state_sheets],
        names={event.id: (event.activity, event.activity) for event in result.events},
        passages=[
            *((event.id, passage) for event in result.events for passage in event.passages),
            *((f"{t.event}: {t.hypothesis}", p) for t in result.evidence_tests for p in t.passages),
        ],
        facts={
            "events": len(result.events),
            "cases": len(result.cases),
            "variants": len(result.variants),
            "set_aside": len(result.set_aside),
            "temporal_resolution": result.temporal_resolution,
            "ocel": event_logs.counts(by_object),
            "spells_omitted": omitted,
            "posteriors": result.posteriors,
        },
        warnings=[*warnings, *_warnings(result), *told_states],
        picture=process_picture(result),
        read=("event",),
    )


def _warnings(result: ProcessTrace) -> list[ToolWarning]:
    broken, beyond = event_logs.illegal_characters(result), event_logs.beyond_calendar(result)
    illegal = f"In log.xes and log.ocel.xml, U+FFFD stands for what XML cannot hold in {len(broken)} events."
    left_out = (
        f"{len(beyond)} events lie outside the years 1 to 9999, which no reader of XES and OCEL takes; "
        "they are left out of log.xes, log.ocel.json and log.ocel.xml, and are in every other file."
    )
    return [
        *warning("illegal_xml_character", illegal, broken),
        *warning("beyond_calendar", left_out, beyond),
    ]


def trace_json(result: ProcessTrace) -> bytes:
    """Return the whole trace as JSON; what is missing is left out.

    Parameters
    ----------
    result : ProcessTrace
        The trace.

    Returns
    -------
    bytes
        UTF-8.

    """
    return b"".join((TypeAdapter(ProcessTrace).dump_json(result, indent=1, exclude_none=True), b"\n"))
