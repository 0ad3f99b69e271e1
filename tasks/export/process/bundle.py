"""The process bundle: log as CSV, XES and OCEL 2.0, directly-follows graph, variants, spells, evidence."""

from collections.abc import Iterator, Sequence

from pydantic import TypeAdapter

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.export.folder import Files, Folder
from corpusgraph.tasks.export.pictures.process import process_picture
from corpusgraph.tasks.export.process.objects import by_objects, counts
from corpusgraph.tasks.export.process.ocel import ocel
from corpusgraph.tasks.export.process.sheets import sheets
from corpusgraph.tasks.export.process.states import states
from corpusgraph.tasks.export.process.xes import beyond_calendar, illegal_characters, xes
from corpusgraph.tasks.prepare.passage import Passage
from corpusgraph.tasks.prepare.process.collection import collection_paused
from corpusgraph.tasks.prepare.process.nouns import ProcessTrace

_OPENING = """`log.xes` opens in ProM, Disco, PM4Py and bupaR; `log.ocel.json` and `log.ocel.xml` are the same
events with the cases, actors, places and documents they belong to, for tools that read OCEL 2.0; `log.csv`
is the log as a table, one row per event in order of time, with the passage behind it. `dfg.csv` and
`dfg.dot` are the directly-follows graph.
`spell.csv` is for TraMineR in R: `seqdef(spell, informat = "SPELL", var = c("case", "begin", "end",
"activity"), process = FALSE)`; a state lasts from its event to the next one of the case.

A date is kept as the instants that it can mean, `start` to `until` (excluded), in UTC and the Gregorian
calendar: "September 1854" is a month, and a time of day without its zone is taken for UTC. Programs that
know instants alone see `start`. Where two dates overlap, the order of their events is not certain:
`uncertain_order.csv` lists such pairs, and `n_certain` of `dfg.csv` counts what does not depend on it."""
_EVIDENCE = """

`evidence.csv` has the tests in order of time. A hoop must be passed if the hypothesis is true (P(E|H) from
0.9), so failing it speaks against; a smoking gun is hardly found otherwise (P(E|not H) up to 0.1), so finding
it speaks for; a doubly decisive test is both, a straw in the wind neither. The numbers are the researcher's
own judgements, and the tests are taken as independent given each hypothesis: clues that share a source count
twice. `hypotheses.csv` has the posteriors: they say how far these numbers lead, not how far to trust them."""


def process_bundle(
    result: ProcessTrace, warnings: Sequence[ToolWarning] = (), *, name: str = "process", title: str = ""
) -> Files:
    """Return the bundle of a process trace: relative file name -> bytes, the same for the same input."""
    with collection_paused(result.events):
        return _bundle(result, warnings, name, title)


def _bundle(result: ProcessTrace, warnings: Sequence[ToolWarning], name: str, title: str) -> Files:
    by_object = by_objects(result)
    as_json, as_xml = ocel(by_object)
    state_sheets, told_states, omitted = states(result)
    return Folder(
        kind="process",
        name=name,
        title=title,
        opening=_OPENING + (_EVIDENCE if result.evidence_tests else ""),
        files={
            "log.xes": (xes(result, name), "the event log (IEEE 1849-2016)"),
            "log.ocel.json": (as_json, "the event log by objects (OCEL 2.0)"),
            "log.ocel.xml": (as_xml, "the same in XML"),
            "dfg.dot": (_dot(result), "the directly-follows graph for Graphviz: dot -Tsvg dfg.dot"),
            "trace.json": (trace_json(result), "everything: events, cases, ties, tests"),
        },
        sheets=[*sheets(result), *state_sheets],
        names={event.id: (event.activity, event.activity) for event in result.events},
        passages=_passages(result),
        facts={
            "events": len(result.events),
            "cases": len(result.cases),
            "variants": len(result.variants),
            "set_aside": len(result.set_aside),
            "temporal_resolution": result.temporal_resolution,
            "ocel": counts(by_object),
            "spells_omitted": omitted,
            "posteriors": result.posteriors,
        },
        warnings=[*warnings, *_told(result), *told_states],
        picture=process_picture(result),
        read=("event",),
    ).close()


def _told(result: ProcessTrace) -> list[ToolWarning]:
    notes = []
    if broken := illegal_characters(result):
        message = (
            f"In log.xes and log.ocel.xml, U+FFFD stands for what XML cannot hold in {len(broken)} events."
        )
        notes.append(ToolWarning(code="illegal_xml_character", message=message, records=broken))
    if beyond := beyond_calendar(result):
        message = (
            f"{len(beyond)} events lie outside the years 1 to 9999, which no reader of XES and OCEL takes; "
            "they are left out of log.xes, log.ocel.json and log.ocel.xml, and are in every other file."
        )
        notes.append(ToolWarning(code="beyond_calendar", message=message, records=beyond))
    return notes


def trace_json(result: ProcessTrace) -> bytes:
    """Return the whole trace as JSON; what is missing is left out."""
    return b"".join((TypeAdapter(ProcessTrace).dump_json(result, indent=1, exclude_none=True), b"\n"))


def _dot(result: ProcessTrace) -> bytes:
    """Return the graph with counts; a dashed arrow is never certain in its order."""
    number = {activity: n for n, activity in enumerate(result.activities, start=1)}
    lines = ["digraph dfg {", "  rankdir=LR;", "  node [shape=box];"]
    lines += [f'  a{number[a]} [label="{_quoted(a)}\\n{count}"];' for a, count in result.activities.items()]
    for shape, counted, ends in (
        ("circle", result.start_activities, "start -> a{}"),
        ("doublecircle", result.end_activities, "a{} -> end"),
    ):
        lines.append(f'  {"start" if shape == "circle" else "end"} [shape={shape}, label=""];')
        lines += [f'  {ends.format(number[a])} [label="{count}"];' for a, count in counted.items()]
    for f in result.directly_follows:
        style = "" if f.n_certain else ", style=dashed"
        lines.append(f'  a{number[f.source]} -> a{number[f.target]} [label="{f.count}"{style}];')
    return "\n".join([*lines, "}", ""]).encode()


def _quoted(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace('"', '\\"').replace("\0", "\ufffd").split())


def _passages(result: ProcessTrace) -> Iterator[tuple[str, Passage]]:
    for event in result.events:
        for passage in event.passages:
            yield event.id, passage
    for test in result.evidence_tests:
        for passage in test.passages:
            yield f"{test.event}: {test.hypothesis}", passage
