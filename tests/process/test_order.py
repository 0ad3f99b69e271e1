"""Allen's relations against all placements on a small line; the log against an independent brute force."""

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from statistics import median

from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.tasks.analysis.process.log import Span, possible_relations
from corpusgraph.tasks.analysis.process.timestamps import read_iso
from tests.examples import tried
from tests.process.draws import logs
from tests.process.records import Record, event, trace_of

BOUNDS = st.tuples(st.integers(0, 3), st.integers(1, 2)).map(lambda b: (float(b[0]), float(b[0] + b[1])))
SPANS = st.builds(Span, BOUNDS, st.none() | BOUNDS)

ALLEN = {
    (-1, -1, -1, -1): "before", (-1, -1, 0, -1): "meets", (-1, -1, 1, -1): "overlaps",
    (-1, -1, 1, 0): "finished_by", (-1, -1, 1, 1): "contains", (0, -1, 1, -1): "starts",
    (0, -1, 1, 0): "equals", (0, -1, 1, 1): "started_by", (1, -1, 1, -1): "during",
    (1, -1, 1, 0): "finishes", (1, -1, 1, 1): "overlapped_by", (1, 0, 1, 1): "met_by",
    (1, 1, 1, 1): "after",
}  # fmt: skip
"""Signs of a-b, a-B, A-b, A-B (a to A and b to B) for each relation of two intervals."""

POINT_FIRST = {(-1, -1): "before", (0, -1): "starts", (1, -1): "during", (1, 0): "finishes", (1, 1): "after"}
INVERSE = {"before": "after", "starts": "started_by", "during": "contains", "finishes": "finished_by"}
INVERSE |= {"after": "before", "meets": "met_by", "overlaps": "overlapped_by", "equals": "equals"}
INVERSE |= {value: key for key, value in INVERSE.items()}


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def grid(bounds: tuple[float, float]) -> range:
    """Four points in each unit of time: enough for four ends one after the other."""
    return range(int(bounds[0]) * 4, int(bounds[1]) * 4)


def placements(span: Span) -> list[tuple[int, ...]]:
    if span.end is None:
        return [(start,) for start in grid(span.start)]
    return [(s, e) for s, e in product(grid(span.start), grid(span.end)) if s < e]


@cache
def named(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    if len(a) == len(b) == 1:
        return {-1: "before", 0: "equals", 1: "after"}[sign(a[0] - b[0])]
    if len(a) == 1:
        return POINT_FIRST[sign(a[0] - b[0]), sign(a[0] - b[1])]
    if len(b) == 1:
        return INVERSE[named(b, a)]
    return ALLEN[sign(a[0] - b[0]), sign(a[0] - b[1]), sign(a[1] - b[0]), sign(a[1] - b[1])]


@settings(max_examples=tried(60), deadline=None)
@given(SPANS, SPANS)
def test_the_relations_are_those_that_some_placement_shows(one: Span, other: Span) -> None:
    shown = {named(a, b) for a, b in product(placements(one), placements(other))}
    assert set(possible_relations(one, other)) == shown
    assert {INVERSE[name] for name in possible_relations(other, one)} == shown


def test_uncertain_pairs_say_what_can_hold() -> None:
    noted = trace_of(
        [
            event(1, at="1854"),
            event(2, at="1854-09-08", end="1854-09-10"),
            event(3, at="1856"),
            event(4, case="d", at="before 1854"),
            event(5, case="d", at="circa 1850"),
        ]
    )
    pairs = {(o.first, o.second): o.relations for o in noted.data.uncertain_order}
    assert pairs["e1", "e2"] == ("before", "starts", "during", "finishes", "after")
    assert pairs["e5", "e4"] == ("before", "equals", "after")
    assert len(pairs) == 2
    assert [(c.case, c.n_uncertain) for c in noted.data.cases] == [("d", 1), ("c", 1)]
    told = {w.code: w.records for w in noted.warnings}
    assert told["open_interval"] == ("e4",)
    assert told["approximate_date"] == ("e5",)


def test_more_uncertain_pairs_than_are_listed_are_told() -> None:
    noted = trace_of([event(n) for n in range(200)])
    assert len(noted.data.uncertain_order) == 10_000
    assert "list_cut" in [w.code for w in noted.warnings]


def brute_force(records: list[Record]) -> dict[str, list[tuple[int, int, str, str]]]:
    """Case -> (start, until, activity, id), sorted by start with a plain insertion that keeps ties."""
    traced = {e.id: e for e in trace_of(records).data.events}
    cases: dict[str, list[tuple[int, int, str, str]]] = defaultdict(list)
    for record in records:
        found = traced[record["id"]]
        row = (read_iso(found.start), read_iso(found.until), record["activity"], record["id"])
        rows = cases[record["case"]]
        rows.insert(sum(1 for other in rows if other[0] <= row[0]), row)
    return dict(cases)


EXACT = st.sampled_from(
    ["1854", "1854-09", "1854-09-08", "1854-09-08T10:00Z", "1850s", "1855-02-03", "44 BC"]
)


@settings(max_examples=tried(50))
@given(logs(EXACT), st.sampled_from(["seconds", "hours", "days", "months", "years"]))
def test_graph_variants_and_durations_are_those_of_a_brute_force(
    records: list[Record], resolution: str
) -> None:
    trace, cases = trace_of(records, temporal_resolution=resolution).data, brute_force(records)
    gaps: dict[tuple[str, str], list[Fraction]] = defaultdict(list)
    certain: Counter[tuple[str, str]] = Counter()
    for rows in cases.values():
        for (start, until, what, _), (later, _, then, _) in pairwise(rows):
            gaps[what, then].append(Fraction(later - start, 1_000_000))
            certain[what, then] += until <= later
    assert {(f.source, f.target): (f.count, f.n_certain) for f in trace.directly_follows} == {
        key: (len(seconds), certain[key]) for key, seconds in gaps.items()
    }
    for f in trace.directly_follows:
        seconds = gaps[f.source, f.target]
        assert f.mean_seconds == float(sum(seconds, Fraction()) / len(seconds))
        assert f.median_seconds == float(median(seconds))
        assert (f.min_seconds, f.max_seconds) == (float(min(seconds)), float(max(seconds)))
    paths = Counter(tuple(row[2] for row in rows) for rows in cases.values())
    assert {v.activities: len(v.cases) for v in trace.variants} == paths
    assert [v.share for v in trace.variants] == [len(v.cases) / len(cases) for v in trace.variants]
    for case in trace.cases:
        rows = cases[case.case]
        assert case.duration_seconds == (rows[-1][0] - rows[0][0]) / 1_000_000
        assert case.n_events == len(rows)
    assert [e.id for e in trace.events if e.case == "x"] == [row[3] for row in cases.get("x", [])]


@settings(max_examples=tried(50))
@given(logs())
def test_pairs_that_are_not_listed_are_certain(records: list[Record]) -> None:
    trace = trace_of(records).data
    listed = {(o.first, o.second) for o in trace.uncertain_order}
    for n, one in enumerate(trace.events):
        for other in trace.events[n + 1 :]:
            if one.case != other.case:
                continue
            vague = one.approximate or other.approximate or one.open == "until" or other.open == "start"
            sure = not vague and read_iso(one.until) <= read_iso(other.start)
            assert ((one.id, other.id) in listed) is not sure
