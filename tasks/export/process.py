"""The process bundle: log as CSV and XES, directly-follows graph, variants, spells, evidence tests."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.export.bundle import json_bytes
from corpusgraph.tasks.export.folder import Files, Folder, Sheet
from corpusgraph.tasks.export.xes import illegal_characters, xes
from corpusgraph.tasks.prepare._passage import Passage
from corpusgraph.tasks.prepare._process_nouns import ProcessTrace, TracedEvent

_OPENING = """`log.xes` opens in ProM, Disco, PM4Py and bupaR; `log.csv` is the same log as a table, one row
per event in order of time, with the passage behind it. `dfg.csv` is the directly-follows graph.
`spell.csv` is for TraMineR in R: `seqdef(spell, informat = "SPELL", var = c("case", "begin", "end",
"activity"), process = FALSE)`; a state lasts from its event to the next one of the case."""


def process_bundle(
    result: ProcessTrace, warnings: Sequence[ToolWarning] = (), *, name: str = "process", title: str = ""
) -> Files:
    """Return the bundle of a process trace: relative file name -> bytes, the same for the same input."""
    told = list(warnings)
    broken = illegal_characters(result)
    if broken:
        message = f"In log.xes, characters that XML cannot hold became U+FFFD in {len(broken)} events."
        told.append(ToolWarning(code="illegal_xml_character", message=message, records=broken))
    spells, omitted = _spells(result)
    return Folder(
        kind="process",
        name=name,
        title=title,
        opening=_OPENING,
        files={
            "log.xes": (xes(result, name), "the event log (IEEE 1849-2016)"),
            "trace.json": (
                json_bytes(result.model_dump(mode="json", exclude_none=True)),
                "everything: events, cases, ties, tests",
            ),
        },
        sheets=[
            _log(result),
            _follows(result),
            _cases(result),
            _variants(result),
            spells,
            *_optional(result),
        ],
        names={event.id: (event.activity, event.activity) for event in result.events},
        passages=_passages(result),
        facts={
            "events": len(result.events),
            "cases": len(result.cases),
            "variants": len(result.variants),
            "set_aside": len(result.set_aside),
            "temporal_resolution": result.temporal_resolution,
            "spells_omitted": omitted,
            "posteriors": result.posteriors,
        },
        warnings=told,
    ).close()


def _log(result: ProcessTrace) -> Sheet:
    columns = (
        ("case", "t", "case"),
        ("position", "n", "place in the case, from 1"),
        ("activity", "t", "what happened"),
        ("start", "t", "first instant it can mean, ISO 8601 in UTC"),
        ("until", "t", "the instant after the last it can mean"),
        ("finish", "t", "when it ended, where that was given"),
        ("bucket", "t", f"start, floored to {result.temporal_resolution}"),
        ("precision", "t", "how exact the text is: year to second"),
        ("timestamp", "t", "as stated"),
        ("actors", "t", "who took part, separated by semicolons"),
        ("event", "t", "id"),
        ("passage", "t", "sentence that states it"),
        ("document", "t", "title of its document"),
        ("page", "n", "page, where there are pages"),
    )
    rows = []
    for e in result.events:
        first = e.passages[0] if e.passages else None
        told = (first.text, first.title, first.page) if first else (None, None, None)
        when = (e.start, e.until, e.finish, e.bucket, e.precision, e.timestamp)
        rows.append((e.case, e.position, e.activity, *when, "; ".join(e.actors), e.id, *told))
    return Sheet("log.csv", "the events in order of time, with the passage behind each", columns, rows)


def _follows(result: ProcessTrace) -> Sheet:
    columns = (
        ("source", "t", "activity"),
        ("target", "t", "activity that directly follows"),
        ("count", "n", "how often"),
        ("n_certain", "n", "how often the order is certain: the intervals do not overlap"),
        ("mean_seconds", "x", "mean time from start to start, in seconds"),
        ("min_seconds", "x", "shortest"),
        ("max_seconds", "x", "longest"),
    )
    rows = [tuple(f.model_dump().values()) for f in result.directly_follows]
    return Sheet("dfg.csv", "the directly-follows graph", columns, rows)


def _cases(result: ProcessTrace) -> Sheet:
    columns = (
        ("case", "t", "case"),
        ("n_events", "n", "events"),
        ("start", "t", "first start"),
        ("finish", "t", "last finish, or last start"),
        ("duration_seconds", "x", "from start to finish, in seconds"),
        ("variant", "n", "number of its variant"),
    )
    return Sheet("cases.csv", "the cases", columns, [tuple(c.model_dump().values()) for c in result.cases])


def _variants(result: ProcessTrace) -> Sheet:
    columns = (
        ("variant", "n", "number"),
        ("n_cases", "n", "cases that took it"),
        ("activities", "t", "its activities in order"),
        ("cases", "t", "the cases"),
    )
    rows = [
        (n, len(v.cases), " > ".join(v.activities), "; ".join(v.cases))
        for n, v in enumerate(result.variants, start=1)
    ]
    return Sheet("variants.csv", "the distinct courses", columns, rows)


def _spells(result: ProcessTrace) -> tuple[Sheet, int]:
    """Return the states of each case in units of the resolution, from 1; and how many had no length."""
    unit = timedelta(**{result.temporal_resolution: 1})
    first = min(datetime.fromisoformat(e.bucket) for e in result.events).replace(tzinfo=None)
    rows = []
    for event, following in _with_next(result.events):
        begin = _step(event.bucket, first, unit)
        end = _step(following.bucket, first, unit) - 1 if following else begin
        if end >= begin:
            rows.append((event.case, begin, end, event.activity))
    columns = (
        ("case", "t", "case"),
        ("begin", "n", f"first of the {result.temporal_resolution} in this state, from 1"),
        ("end", "n", "last one"),
        ("activity", "t", "the state: what happened at its beginning"),
    )
    about = f"states and their lengths for TraMineR; 1 stands for {_date(first, result)}"
    return Sheet("spell.csv", about, columns, rows), len(result.events) - len(rows)


def _with_next(events: Sequence[TracedEvent]) -> Iterator[tuple[TracedEvent, TracedEvent | None]]:
    for event, following in zip(events, [*events[1:], None], strict=True):
        yield event, following if following and following.case == event.case else None


def _step(bucket: str, first: datetime, unit: timedelta) -> int:
    return (datetime.fromisoformat(bucket).replace(tzinfo=None) - first) // unit + 1


def _date(first: datetime, result: ProcessTrace) -> str:
    return first.date().isoformat() if result.temporal_resolution == "days" else first.isoformat() + "Z"


def _optional(result: ProcessTrace) -> list[Sheet]:
    sheets = []
    if result.evidence_tests:
        columns = (
            ("event", "t", "event that is the evidence"),
            ("hypothesis", "t", "what it speaks to"),
            ("observed", "b", "false: looked for and not found"),
            ("kind", "t", "straw_in_the_wind, hoop, smoking_gun or doubly_decisive"),
            ("p_e_given_h", "x", "P(E|H)"),
            ("p_e_given_not_h", "x", "P(E|not H)"),
            ("likelihood_ratio", "x", "of what was observed; empty: impossible if H is false"),
            ("prior", "x", "P(H) before"),
            ("posterior", "x", "P(H) after"),
        )
        rows = [tuple(test.model_dump().values()) for test in result.evidence_tests]
        sheets.append(Sheet("evidence.csv", "the process-tracing tests in order of time", columns, rows))
    if result.set_aside:
        aside = (("event", "t", "id"), ("code", "t", "why"), ("timestamp", "t", "as stated"))
        rows = [tuple(one.model_dump().values()) for one in result.set_aside]
        sheets.append(Sheet("set_aside.csv", "events that could not be placed in time", aside, rows))
    return sheets


def _passages(result: ProcessTrace) -> Iterator[tuple[str, Passage]]:
    for event in result.events:
        for passage in event.passages:
            yield event.id, passage
