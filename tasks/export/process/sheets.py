"""The tables of a process trace: log, cases, variants, durations, what follows what, order, evidence."""

from collections.abc import Sequence
from itertools import pairwise, starmap

from corpusgraph.tasks.export.folder import Sheet
from corpusgraph.tasks.export.process.long_sheet import LongSheet
from corpusgraph.tasks.export.process.when import read_all
from corpusgraph.tasks.prepare.passage import Passage
from corpusgraph.tasks.prepare.process.instants import SECOND
from corpusgraph.tasks.prepare.process.nouns import ProcessTrace, TracedEvent

_PASSAGE = (
    ("passage", "t", "sentence that states it"),
    ("document", "t", "title of its document"),
    ("page", "n", "page, where there are pages"),
)

_AS_THEY_ARE = (
    *("case", "position", "activity", "start", "until", "finish", "bucket", "precision", "open"),
    *("approximate", "timestamp"),
)
Dated = tuple[TracedEvent, int, int]
"""An event with the first instant it can mean, and the one after the last."""
_NOTHING = (None, None, None)


def sheets(result: ProcessTrace) -> list[Sheet]:
    """Return the tables that every trace has, and those it has something for."""
    made = [_log(result), _follows(result), _cases(result), _variants(result), _durations(result)]
    for rows, sheet in (
        (result.uncertain_order, _order),
        (result.evidence_tests, _evidence),
        (result.posteriors, _hypotheses),
        (result.set_aside, _aside),
    ):
        if rows:
            made.append(sheet(result))
    return made


def _log(result: ProcessTrace) -> Sheet:
    columns = (
        ("case", "t", "case"),
        ("position", "n", "place in the case, from 1"),
        ("activity", "t", "what happened"),
        ("start", "t", "first instant it can mean, ISO 8601 in UTC"),
        ("until", "t", "the instant after the last it can mean"),
        ("finish", "t", "when it ended, where that was given"),
        ("bucket", "t", f"start, floored to {result.temporal_resolution}"),
        ("precision", "t", "how exact the text is: century to second, or a range"),
        ("open", "t", "side that the text leaves open (before, after): the bound there is the one it gives"),
        ("approximate", "b", "circa: it may lie on either side of its interval"),
        ("timestamp", "t", "as stated"),
        ("actors", "t", "who took part, separated by semicolons"),
        ("places", "t", "where, separated by semicolons"),
        ("event", "t", "id"),
        *_PASSAGE,
    )
    events = result.events
    told = [_told(event.passages) for event in events]
    cells = (
        *([getattr(event, name) for event in events] for name in _AS_THEY_ARE),
        ["; ".join(event.actors) for event in events],
        ["; ".join(event.places) for event in events],
        [event.id for event in events],
        *([of_event[at] for of_event in told] for at in range(3)),
    )
    about = "the events in order of time, with the passage behind each"
    return LongSheet("log.csv", about, columns, cells)


def _told(passages: Sequence[Passage]) -> tuple[str | None, str | None, int | None]:
    first = passages[0] if passages else None
    return (first.text, first.title, first.page) if first else _NOTHING


def _follows(result: ProcessTrace) -> Sheet:
    columns = (
        ("source", "t", "activity"),
        ("target", "t", "activity that directly follows"),
        ("count", "n", "how often"),
        ("n_certain", "n", "how often the order is certain: the intervals do not overlap"),
        ("mean_seconds", "x", "mean time from start to start, in seconds"),
        ("min_seconds", "x", "shortest"),
        ("max_seconds", "x", "longest"),
        ("median_seconds", "x", "median"),
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
        ("n_uncertain", "n", "successions whose order is not certain"),
    )
    cells = [[getattr(case, name) for case in result.cases] for name, _, _ in columns]
    return LongSheet("cases.csv", "the cases", columns, cells)


def _variants(result: ProcessTrace) -> Sheet:
    columns = (
        ("variant", "n", "number"),
        ("n_cases", "n", "cases that took it"),
        ("share", "x", "of all cases, 0 to 1"),
        ("activities", "t", "its activities in order"),
        ("cases", "t", "the cases"),
    )
    cells = (
        range(1, len(result.variants) + 1),
        [len(variant.cases) for variant in result.variants],
        [variant.share for variant in result.variants],
        [" > ".join(variant.activities) for variant in result.variants],
        ["; ".join(variant.cases) for variant in result.variants],
    )
    return LongSheet("variants.csv", "the distinct courses", columns, cells)


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
    spans = zip(result.events, *_bounds(result), strict=True)
    pairs = [pair for pair in pairwise(spans) if pair[0][0].case == pair[1][0].case]
    cells = (
        [one.case for (one, *_), _ in pairs],
        [one.id for (one, *_), _ in pairs],
        [other.id for _, (other, *_) in pairs],
        [one.activity for (one, *_), _ in pairs],
        [other.activity for _, (other, *_) in pairs],
        *zip(*starmap(_gap, pairs), strict=True),
    )
    return LongSheet("durations.csv", about, columns, cells if pairs else [()] * len(columns))


def _bounds(result: ProcessTrace) -> tuple[list[int], list[int]]:
    return read_all([event.start for event in result.events]), read_all([e.until for e in result.events])


def _gap(first: Dated, second: Dated) -> tuple[float, float | None, float | None]:
    """Return the time from start to start in seconds, and the least and the most that it can have been."""
    (one, start, until), (other, later, last) = first, second
    vague = one.approximate or other.approximate
    no_least = vague or one.open == "until" or other.open == "start"
    no_most = vague or one.open == "start" or other.open == "until"
    least = None if no_least else max(0, later - until) / SECOND
    most = None if no_most else (last - start) / SECOND
    return (later - start) / SECOND, least, most


def _order(result: ProcessTrace) -> Sheet:
    columns = (
        ("case", "t", "case"),
        ("first", "t", "id of the event that is put first"),
        ("second", "t", "id of the other"),
        ("relations", "t", "relations of the first to the second that the dates allow (Allen 1983)"),
    )
    rows = [(o.case, o.first, o.second, "; ".join(o.relations)) for o in result.uncertain_order]
    return Sheet("uncertain_order.csv", "pairs of events that may have come in another order", columns, rows)


def _evidence(result: ProcessTrace) -> Sheet:
    columns = (
        ("event", "t", "event that is the evidence"),
        ("hypothesis", "t", "what it speaks to"),
        ("clue", "t", "what was looked for"),
        ("observed", "b", "false: looked for and not found"),
        ("kind", "t", "straw_in_the_wind, hoop, smoking_gun or doubly_decisive"),
        ("p_e_given_h", "x", "P(E|H)"),
        ("p_e_given_not_h", "x", "P(E|not H); among rivals their mean, as probable as they were"),
        ("likelihood_ratio", "x", "of what was observed; empty: impossible if H is false"),
        ("weight_db", "x", "weight of evidence, 10 log10 of the ratio; empty: infinite"),
        ("prior", "x", "P(H) before"),
        ("posterior", "x", "P(H) after"),
        *_PASSAGE,
    )
    plain = [name for name, _, _ in columns[:-3]]
    rows = [(*(getattr(t, name) for name in plain), *_told(t.passages)) for t in result.evidence_tests]
    return Sheet("evidence.csv", "the process-tracing tests in order of time", columns, rows)


def _hypotheses(result: ProcessTrace) -> Sheet:
    columns = (
        ("hypothesis", "t", "hypothesis"),
        ("posterior", "x", "its probability after all the evidence"),
        ("log_odds", "x", "natural logarithm of the posterior odds; empty: certain or refuted"),
    )
    rows = [(name, p, result.log_odds.get(name)) for name, p in result.posteriors.items()]
    return Sheet("hypotheses.csv", "the hypotheses after the evidence", columns, rows)


def _aside(result: ProcessTrace) -> Sheet:
    columns = (
        ("event", "t", "id"),
        ("code", "t", "why"),
        ("timestamp", "t", "as stated"),
        ("readings", "t", "what an ambiguous date can mean"),
    )
    rows = [(one.id, one.code, one.timestamp, "; ".join(one.readings)) for one in result.set_aside]
    return Sheet("set_aside.csv", "events that could not be placed in time", columns, rows)
