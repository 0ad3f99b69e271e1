"""Plain records as people have them, every resolution, and each code with the record it names."""

from datetime import UTC, date, datetime
from typing import Any

import pytest

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.analysis.process.models import PrepareProcessTrace
from corpusgraph.tasks.registry import TOOLS
from corpusgraph.tasks.tools.prepare import prepare_process_trace
from tests.process.records import event, trace_of


def test_the_published_call_with_plain_dicts_works() -> None:
    answer = TOOLS["prepare_process_trace"].call(
        {
            "events": [
                {"id": 1, "case": 7, "activity": "outbreak", "timestamp": 1854, "actors": "Snow"},
                {"id": 2, "case": 7, "activity": "report", "timestamp": "1855", "note": "kept"},
            ],
            "entities": ["Snow"],
            "temporal_resolution": "days",
        },
        {},
    )
    assert answer.success, answer.error
    assert [(e.id, e.case, e.timestamp) for e in answer.data.events] == [
        ("1", "7", "1854"),
        ("2", "7", "1855"),
    ]
    assert answer.data.actors == {"Snow": ("1",)}
    assert answer.data.events[1].model_extra == {"note": "kept"}


def test_a_field_with_a_name_of_the_result_is_passed_through_under_another() -> None:
    noted = trace_of([event(1, position=4, given_position=5, note="x"), event(2)])
    first = noted.data.events[0]
    assert first.position == 1
    assert first.model_extra == {"given_given_position": 4, "given_position": 5, "note": "x"}
    assert [w.records for w in noted.warnings if w.code == "names_mapped"] == [("e1",)]


def test_events_may_come_by_column() -> None:
    import pandas as pd
    import polars as pl

    columns = {"id": ["1", "2"], "case": ["c", "c"], "activity": ["a", "b"], "timestamp": ["1854", "1855"]}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    expected = trace_of(rows).data
    sparse = {**columns, "end": [None, "1856"]}
    table = Table(
        columns=tuple(Column(name=name, dtype="text") for name in columns),
        rows=tuple(tuple(row.values()) for row in rows),
    )
    alike: list[Any] = [columns, table, pl.DataFrame(columns), pd.DataFrame(columns)]
    for given in alike:
        assert prepare_process_trace(PrepareProcessTrace.model_validate({"events": given})).data == expected
    with_gaps: list[Any] = [sparse, pl.DataFrame(sparse), pd.DataFrame(sparse)]
    for given in with_gaps:
        ask = PrepareProcessTrace.model_validate({"events": given})
        assert [one.end for one in ask.events] == [None, "1856"]
    with pytest.raises(ValueError, match="different lengths"):
        PrepareProcessTrace.model_validate({"events": {**columns, "end": []}})


@pytest.mark.parametrize(
    ("given", "start"),
    [
        (date(1854, 9, 8), "1854-09-08T00:00:00Z"),
        (datetime(2020, 1, 1, 10, tzinfo=UTC), "2020-01-01T10:00:00Z"),
        (18540908, "1854-09-08T00:00:00Z"),
        (-43, None),
        (float("nan"), None),
        (None, None),
        ("", None),
    ],
)
def test_dates_of_python_are_read_and_what_is_none_is_set_aside(given: Any, start: str | None) -> None:
    noted = trace_of([event(1, at="2000", case="other"), {**event(2), "timestamp": given}])
    found = [e.start for e in noted.data.events if e.id == "e2"]
    assert found == ([start] if start else [])
    if start is None:
        assert [s.code for s in noted.data.set_aside] == ["unparsed_timestamp"]


@pytest.mark.parametrize(
    ("resolution", "bucket"),
    [
        ("seconds", "1854-09-08T10:20:30Z"),
        ("minutes", "1854-09-08T10:20:00Z"),
        ("hours", "1854-09-08T10:00:00Z"),
        ("days", "1854-09-08"),
        ("months", "1854-09"),
        ("years", "1854"),
    ],
)
def test_every_resolution_floors_in_utc(resolution: str, bucket: str) -> None:
    noted = trace_of([event(1, at="1854-09-08T12:20:30.5+02:00")], temporal_resolution=resolution)
    assert noted.data.events[0].bucket == bucket


def test_a_month_is_exact_in_months_and_coarse_in_days() -> None:
    for resolution, coarse in (("days", ("e1", "e2")), ("months", ("e2",)), ("years", ())):
        noted = trace_of([event(1, at="1854-12"), event(2, at="1852")], temporal_resolution=resolution)
        told = {w.code: w.records for w in noted.warnings}
        assert told.get("coarser_than_resolution", ()) == coarse


CODES: list[tuple[str, list[dict[str, Any]], tuple[str, ...]]] = [
    ("assumed_utc", [event(1, at="2020-01-01T10:00")], ("e1",)),
    ("assumed_utc", [event(1, at="2020-01-01", end="2020-01-02T10:00")], ("e1",)),
    ("offset_dropped", [event(1, at="2020-01-01T10:00+02:00"), event(2, at="2020-01-01T10:00Z")], ("e1",)),
    ("unparsed_timestamp", [event(1, at="yesterday"), event(2)], ("e1",)),
    ("unparsed_timestamp", [event(1, end="one day")], ("e1",)),
    ("ambiguous_date", [event(1, at="03/04/1855"), event(2)], ("e1",)),
    ("ambiguous_date", [event(1, end="03/04/1855")], ("e1",)),
    ("coarser_than_resolution", [event(1), event(2, at="1854-09-08")], ("e1",)),
    ("approximate_date", [event(1, at="circa 1854")], ("e1",)),
    ("open_interval", [event(1, at="before 1854")], ("e1",)),
    ("tied_after_bucketing", [event(1, at="1854-09-08"), event(2, at="1854-09-08")], ("c: e1, e2",)),
    ("missing_case", [event(1, case=""), event(2)], ("e1",)),
    ("end_before_start", [event(1, at="1854", end="1853")], ("e1",)),
    ("duplicate_identical", [event(1), event(1)], ("e1",)),
]


@pytest.mark.parametrize(("code", "events", "records"), CODES)
def test_each_warning_names_its_records(
    code: str, events: list[dict[str, Any]], records: tuple[str, ...]
) -> None:
    told = [w for w in trace_of(events).warnings if w.code == code]
    assert [w.records for w in told] == [records]
    assert all(record in told[0].message for record in records)


def test_an_end_may_lie_in_the_interval_of_its_beginning() -> None:
    noted = trace_of([event(1, at="1854", end="1854-03"), event(2, at="44 BC", end="30 BC")])
    finishes = {e.id: e.finish for e in noted.data.events}
    assert finishes == {"e1": "1854-04-01T00:00:00Z", "e2": "-0028-01-01T00:00:00Z"}
    assert "end_before_start" not in [w.code for w in noted.warnings]
