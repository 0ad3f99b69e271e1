"""Types inferred from cells, numbers and dates read from text."""

from datetime import UTC, datetime
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.tasks.table.values import Moment, infer, moment, number
from tests.every import every


@every(
    "values, dtype",
    [
        ([1, 2, None], "integer"),
        ([1, 2.5], "numeric"),
        ([float("nan"), 2.0], "numeric"),
        ([True, False], "boolean"),
        (["1", "2", ""], "integer"),
        (["1", "2.5"], "numeric"),
        (["007", "008", "008"], "nominal"),
        (["1,5", "2,5"], "text"),
        ([1, "2"], "numeric"),
        (["true", "False"], "boolean"),
        (["1854-09", "1854-09-08"], "date"),
        (["1854", "1855"], "integer"),
        (["1854-09-08T10:00Z"], "datetime"),
        (["1854-13-01", "1854-01-01"], "text"),
        (["a", "b", "a"], "nominal"),
        (["a", "b", "c"], "text"),
        (["x" * 61] * 2, "text"),
        ([{"a": 1}, 3], "json"),
        ([], "text"),
        ([None], "text"),
        ([1, "many"], None),
        ([True, 3], None),
        ([datetime(1854, 9, 8, tzinfo=UTC)], "datetime"),
    ],
)
def test_types_are_inferred(values: list[Any], dtype: str | None) -> None:
    assert infer(values) == dtype


@every("text", ["007", "1,5", "nan", "inf", "", ".", "e5", "1 2", "0x10", "٣٤x"])
def test_what_is_no_number_is_not_read_as_one(text: str) -> None:
    assert number(text) is None


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_is_read_back_from_its_text(value: float) -> None:
    assert number(repr(value)) == value


@every(
    "text, iso, precision",
    [
        ("1854", "1854-01-01T00:00:00", "year"),
        ("1854-09", "1854-09-01T00:00:00", "month"),
        ("1854-09-08", "1854-09-08T00:00:00", "day"),
        ("1854-09-08T10:30", "1854-09-08T10:30:00", "instant"),
        ("2020-01-01T01:00:00+02:00", "2019-12-31T23:00:00", "instant"),
        ("2020-01-01T01:00:00Z", "2020-01-01T01:00:00", "instant"),
        ("13/04/1855", "1855-04-13T00:00:00", "day"),
        ("04/13/1855", "1855-04-13T00:00:00", "day"),
        ("4.4.1855", "1855-04-04T00:00:00", "day"),
    ],
)
def test_dates_are_read_as_precisely_as_they_are_given(text: str, iso: str, precision: str) -> None:
    found = moment(text)
    assert isinstance(found, Moment)
    assert (found.instant.isoformat(), found.precision) == (iso, precision)


def test_a_date_with_two_readings_is_never_guessed() -> None:
    assert moment("03/04/1855") == "ambiguous_date"


@every("text", ["1854-02-30", "1854-9-8", "about 1854", "", "0000-01-01"])
def test_what_is_no_date_is_not_read_as_one(text: str) -> None:
    assert moment(text) == "unparsed_timestamp"


@given(st.datetimes())
def test_every_instant_is_read_back_from_its_text(value: datetime) -> None:
    found = moment(value.isoformat())
    assert isinstance(found, Moment)
    assert found.instant == value
