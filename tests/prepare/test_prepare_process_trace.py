"""Tool 26: timestamps, order, ties, directly-follows graph, variants, evidence tests."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.analysis.process.models import PrepareProcessTrace, ProcessTrace
from corpusgraph.tasks.analysis.process.timestamps import Moment, iso, parse
from corpusgraph.tasks.tools.prepare import prepare_process_trace

Record = dict[str, object]


def run(*events: tuple[str, str, str], **more: object) -> Noted[ProcessTrace]:
    """Each event is (case, activity, timestamp); ids are e1, e2, …."""
    rows = [
        {"id": f"e{n}", "case": case, "activity": activity, "timestamp": at}
        for n, (case, activity, at) in enumerate(events, start=1)
    ]
    return prepare_process_trace(PrepareProcessTrace.model_validate({"events": rows, **more}))


def code(*events: Record, **more: object) -> str:
    with pytest.raises(CorpusgraphError) as error:
        prepare_process_trace(PrepareProcessTrace.model_validate({"events": events, **more}))
    return error.value.code


@pytest.mark.parametrize(
    ("text", "start", "until", "precision"),
    [
        ("1854", "1854-01-01T00:00:00Z", "1855-01-01T00:00:00Z", "year"),
        ("1854-02", "1854-02-01T00:00:00Z", "1854-03-01T00:00:00Z", "month"),
        ("1854-12", "1854-12-01T00:00:00Z", "1855-01-01T00:00:00Z", "month"),
        ("1852-02-29", "1852-02-29T00:00:00Z", "1852-03-01T00:00:00Z", "day"),
        ("18540908", "1854-09-08T00:00:00Z", "1854-09-09T00:00:00Z", "day"),
        ("1854/9/8", "1854-09-08T00:00:00Z", "1854-09-09T00:00:00Z", "day"),
        ("8 September 1854", "1854-09-08T00:00:00Z", "1854-09-09T00:00:00Z", "day"),
        ("Sept. 8th, 1854", "1854-09-08T00:00:00Z", "1854-09-09T00:00:00Z", "day"),
        ("May 1854", "1854-05-01T00:00:00Z", "1854-06-01T00:00:00Z", "month"),
        ("31/12/1999", "1999-12-31T00:00:00Z", "2000-01-01T00:00:00Z", "day"),
        ("12/31/1999", "1999-12-31T00:00:00Z", "2000-01-01T00:00:00Z", "day"),
        ("2020-01-01T00:30+02:00", "2019-12-31T22:30:00Z", "2019-12-31T22:31:00Z", "minute"),
        ("0800/0900", "0800-01-01T00:00:00Z", "0901-01-01T00:00:00Z", "range"),
        ("2020-01-01 10", "2020-01-01T10:00:00Z", "2020-01-01T11:00:00Z", "hour"),
        ("2020-01-01T10:00:00.25Z", "2020-01-01T10:00:00.250000Z", "2020-01-01T10:00:00.250001Z", "second"),
    ],
)
def test_a_timestamp_is_as_exact_as_its_text(text: str, start: str, until: str, precision: str) -> None:
    moment = parse(text)
    assert isinstance(moment, Moment)
    assert (iso(moment.start), iso(moment.until), moment.precision) == (start, until, precision)


@pytest.mark.parametrize(
    "text", ["", "soon", "1854-13", "1853-02-29", "25:00", "8 Foo 1854", "0000", "54", "1854/55", "1855/1854"]
)
def test_what_is_no_date_is_not_guessed(text: str) -> None:
    assert parse(text) == "unparsed_timestamp"


def test_two_readings_need_to_be_told_apart() -> None:
    assert parse("03/04/1854") == "ambiguous_date"
    for day_first, month in ((True, 4), (False, 3)):
        moment = parse("03/04/1854", day_first)
        assert isinstance(moment, Moment)
        assert iso(moment.start)[5:7] == f"{month:02d}"
    assert isinstance(parse("04.04.1854"), Moment)


@given(st.datetimes(min_value=datetime(1000, 1, 1), max_value=datetime(9000, 1, 1)))  # noqa: DTZ001
def test_iso_timestamps_come_back_as_they_were(when: datetime) -> None:
    moment = parse(when.replace(tzinfo=UTC).isoformat())
    assert isinstance(moment, Moment)
    assert datetime.fromisoformat(iso(moment.start)) == when.replace(tzinfo=UTC)
    assert moment.start < moment.until


def test_events_are_ordered_by_exact_instant_before_bucketing() -> None:
    noted = run(("c", "b", "2020-01-01T12:00Z"), ("c", "a", "2020-01-01T11:00Z"), ("c", "c", "2020-01-02"))
    assert [(e.activity, e.bucket, e.position) for e in noted.data.events] == [
        ("a", "2020-01-01", 1),
        ("b", "2020-01-01", 2),
        ("c", "2020-01-02", 3),
    ]
    assert [w.code for w in noted.warnings] == ["tied_after_bucketing"]
    assert noted.data.ties[0].events == ("e2", "e1")
    assert not noted.data.ties[0].same_instant


def test_ties_keep_the_order_given() -> None:
    trace = run(("c", "b", "2020-01-01"), ("c", "a", "2020-01-01")).data
    assert [e.activity for e in trace.events] == ["b", "a"]
    assert trace.ties[0].same_instant
    assert trace.directly_follows[0].n_certain == 0


def test_buckets_are_utc_floors() -> None:
    trace = run(("c", "a", "2020-01-01T00:59:59+02:00"), temporal_resolution="hours").data
    assert trace.events[0].bucket == "2019-12-31T22:00:00Z"


def test_partial_dates_stay_intervals() -> None:
    noted = run(("c", "outbreak", "1854"), ("c", "pump closed", "1854-09-08"))
    assert noted.data.events[0].until == "1855-01-01T00:00:00Z"
    assert [w.code for w in noted.warnings] == ["coarser_than_resolution"]
    assert noted.warnings[0].records == ("e1",)


def test_what_cannot_be_read_is_set_aside_with_its_text() -> None:
    noted = run(
        ("c", "a", "yesterday"), ("c", "b", "03/04/1854"), ("c", "c", "1854-04-05"), ("", "d", "1854")
    )
    assert [(s.id, s.code, s.timestamp) for s in noted.data.set_aside] == [
        ("e1", "unparsed_timestamp", "yesterday"),
        ("e2", "ambiguous_date", "03/04/1854"),
        ("e4", "missing_case", "1854"),
    ]
    assert {w.code for w in noted.warnings} == {"unparsed_timestamp", "ambiguous_date", "missing_case"}


def test_a_clock_without_zone_is_taken_for_utc_and_said_to_be() -> None:
    assert [w.code for w in run(("c", "a", "2020-01-01T10:00")).warnings] == ["assumed_utc"]
    assert not run(("c", "a", "2020-01-01T10:00Z")).warnings
    assert not run(("c", "a", "2020-01-01")).warnings


def test_directly_follows_variants_and_durations() -> None:
    trace = run(
        ("1", "register", "2020-01-01"), ("1", "check", "2020-01-03"), ("1", "pay", "2020-01-04"),
        ("2", "register", "2020-01-02"), ("2", "check", "2020-01-03"), ("2", "pay", "2020-01-07"),
        ("3", "register", "2020-01-02"), ("3", "reject", "2020-01-03"),
    ).data  # fmt: skip
    day = 86_400
    assert [(f.source, f.target, f.count, f.mean_seconds / day) for f in trace.directly_follows] == [
        ("check", "pay", 2, 2.5),
        ("register", "check", 2, 1.5),
        ("register", "reject", 1, 1.0),
    ]
    assert [(v.activities, v.cases) for v in trace.variants] == [
        (("register", "check", "pay"), ("1", "2")),
        (("register", "reject"), ("3",)),
    ]
    assert [(c.case, c.duration_seconds / day, c.variant) for c in trace.cases] == [
        ("1", 3, 1),
        ("2", 5, 1),
        ("3", 1, 2),
    ]
    assert trace.start_activities == {"register": 3}
    assert trace.end_activities == {"pay": 2, "reject": 1}


def test_an_end_before_the_start_is_left_out() -> None:
    event = {"id": "e", "case": "c", "activity": "a", "timestamp": "2020-01-02", "end": "2019"}
    noted = prepare_process_trace(PrepareProcessTrace.model_validate({"events": [event]}))
    assert [w.code for w in noted.warnings] == ["end_before_start"]
    assert noted.data.events[0].finish is None
    event["end"] = "2020-01-03"
    noted = prepare_process_trace(PrepareProcessTrace.model_validate({"events": [event]}))
    assert noted.data.events[0].finish == "2020-01-04T00:00:00Z"


EVENT: Record = {"id": "e", "case": "c", "activity": "a", "timestamp": "1854"}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([], "no_usable_events"),
        ([{**EVENT, "timestamp": "?"}], "no_usable_events"),
        ([{**EVENT, "case": None}], "no_case_notion"),
        ([EVENT, {**EVENT, "activity": "b"}], "duplicate_id"),
        ([{**EVENT, "id": ""}], "empty_id"),
        ([{**EVENT, "evidence": {"p_e_given_h": 0, "p_e_given_not_h": 0}}], "impossible_evidence"),
    ],
)
def test_bad_input_is_a_named_condition(events: list[Record], expected: str) -> None:
    assert code(*events) == expected


def test_a_prior_is_a_probability() -> None:
    assert code(EVENT, priors={"H": 1.5}) == "probability_out_of_range"


@pytest.mark.parametrize(
    ("if_true", "if_false", "kind", "posterior"),
    [
        (0.95, 0.6, "hoop", 0.95 / 1.55),
        (0.3, 0.02, "smoking_gun", 0.3 / 0.32),
        (0.98, 0.03, "doubly_decisive", 0.98 / 1.01),
        (0.6, 0.4, "straw_in_the_wind", 0.6),
    ],
)
def test_the_four_tests(if_true: float, if_false: float, kind: str, posterior: float) -> None:
    event = {**EVENT, "evidence": {"P(E|H)": if_true, "P(E|not H)": if_false}}
    trace = prepare_process_trace(PrepareProcessTrace.model_validate({"events": [event]})).data
    assert trace.evidence_tests[0].kind == kind
    assert trace.evidence_tests[0].posterior == pytest.approx(posterior)
    assert trace.evidence_tests[0].likelihood_ratio == pytest.approx(if_true / if_false)


def test_evidence_adds_up_in_order_of_time_and_a_failed_hoop_refutes() -> None:
    events = [
        {**EVENT, "id": "late", "timestamp": "1860",
         "evidence": {"p_e_given_h": 1.0, "p_e_given_not_h": 0.5, "observed": False}},
        {**EVENT, "id": "early", "evidence": {"p_e_given_h": 0.8, "p_e_given_not_h": 0.2}},
    ]  # fmt: skip
    asked = PrepareProcessTrace.model_validate({"events": events, "priors": {"H": 0.2}})
    trace = prepare_process_trace(asked).data
    assert [t.event for t in trace.evidence_tests] == ["early", "late"]
    assert trace.evidence_tests[0].posterior == pytest.approx(0.5)
    assert trace.posteriors == {"H": 0.0}


def test_actors_asked_for_and_not_seen_are_reported() -> None:
    noted = prepare_process_trace(
        PrepareProcessTrace.model_validate(
            {"events": [{**EVENT, "actors": ["Snow"]}], "entities": ["Snow", "Farr"]}
        )
    )
    assert noted.data.actors == {"Snow": ("e",), "Farr": ()}
    assert "entity_without_events" in [w.code for w in noted.warnings]
