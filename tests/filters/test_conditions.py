"""What a condition means, and how a person types one."""

from contextlib import suppress
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import DocumentFilter, Excluded, Range
from corpusgraph.tasks.filter.conditions import allowed, parse_filters
from tests.every import every
from tests.filters.build import document

DAYS = st.dates(date(1500, 1, 1), date(2100, 12, 31))


def matches(value: Any, condition: Any) -> bool:
    """Ask for one document with one field, beside one without it."""
    asked = TypeAdapter(DocumentFilter).validate_python({"field": condition})
    one = document("one", "Text.", **({} if value is None else {"field": value}))
    other = document("other", "Text.", field="zz")
    return one.id in allowed([one, other], asked)


@every(
    "value, condition, is_allowed",
    [
        ("Jay", "jay", True),
        (" John  Jay ", "john jay", True),
        ("Jay", "Ja", False),
        ("Cafe\u0301", "CAFÉ", True),
        ("Huê", "Hue", False),
        (["Hamilton", "Madison"], "madison", True),
        (["Hamilton", "Madison"], "Jay", False),
        ("Jay", ["Hamilton", "Jay"], True),
        (72, 72, True),
        (72, "72", True),
        ("72", 72, True),
        (72.0, 72, True),
        ("007", "7", False),
        (True, True, True),
        (True, "true", True),
        (1, True, False),
        ("1788-02-03", 1788, True),
        ("1788-02-03", "1788-02", True),
        ("1788-02-03", "1788-03", False),
        ("3 February 1788", "1788-02-03", True),
        (1788, 1788, True),
        (None, "Jay", False),
        (None, {"from": 1}, False),
        (None, {"not": "Jay"}, True),
        ("Jay", {"not": "jay"}, False),
        ("Jay", {"not": ["Madison", "Jay"]}, False),
        (["Jay", "Madison"], {"not": "Jay"}, False),
        ("", {"not": "Jay"}, True),
        (5, {"from": 5, "to": 5}, True),
        (5, {"from": 5.5}, False),
        ("12", {"from": 9}, True),
        ("n.d.", {"from": 1700}, False),
        ("1788-12-31", {"to": 1788}, True),
        ("1788-12-31", {"to": "1788"}, True),
        ("1789-01-01", {"to": 1788}, False),
        ("1788-02-29", {"from": "1788-02", "to": "1788-02"}, True),
        ("1788-03-01", {"from": "1788-02", "to": "1788-02"}, False),
        ("1788", {"from": "1788-06"}, True),
        ("1787", {"from": "1788-06"}, False),
        ("27.10.1787", {"from": "1787-10-27", "to": "1787-10-27"}, True),
        ("10/11/1787", {"from": 1700}, False),
        ("9999", {"from": "9998-01-01"}, True),
        (1787, {"from": "1787-06"}, True),
    ],
)
def test_a_condition_means_what_it_says(value: Any, condition: Any, is_allowed: bool) -> None:
    assert matches(value, condition) is is_allowed


@given(DAYS, DAYS, DAYS)
def test_a_range_of_days_is_that_of_the_calendar(day: date, one: date, other: date) -> None:
    first, last = sorted((one, other))
    inside = {"from": first.isoformat(), "to": last.isoformat()}
    assert matches(day.isoformat(), inside) is (first <= day <= last)


@given(DAYS)
def test_a_partial_date_is_the_whole_of_it(day: date) -> None:
    for partial in (day.isoformat()[:4], day.isoformat()[:7]):
        assert matches(day.isoformat(), partial)
        assert matches(day.isoformat(), {"from": partial, "to": partial})
        assert matches(day.isoformat(), {"to": partial})
    before = (day.replace(day=1) - timedelta(days=1)).isoformat()
    assert not matches(before, {"from": day.isoformat()[:7]})


@given(
    st.one_of(st.integers(-5, 5), st.text(max_size=4), st.booleans(), st.none()),
    st.one_of(st.integers(-5, 5), st.text(max_size=4), st.booleans()),
)
def test_not_is_the_complement(value: Any, asked: Any) -> None:
    assert matches(value, {"not": asked}) is not matches(value, asked)


def test_a_document_has_fields_of_its_own() -> None:
    papers = [document("One", "Text.", id="p1"), document("Two", "Text.", title="Second")]
    assert allowed(papers, {"title": "one"}) == {papers[0].id}
    assert allowed(papers, {"title": "second"}) == {papers[1].id}
    assert allowed(papers, {"source": "two.txt"}) == {papers[1].id}
    assert allowed(papers, {"id": "p1"}) == {papers[0].id}
    assert allowed(papers, {"id": papers[1].id}) == {papers[1].id}


def test_all_conditions_must_hold() -> None:
    papers = [document(str(n), "Text.", author=who, n=n) for n, who in enumerate(("Jay", "Jay", "Madison"))]
    assert allowed(papers, {"author": "Jay", "n": Range.model_validate({"from": 1})}) == {papers[1].id}
    assert allowed(papers, {"author": "Nobody"}) == frozenset()


def test_an_unknown_field_is_refused_with_the_nearest() -> None:
    with pytest.raises(InvalidInputError, match="author"):
        allowed([document("One", "Text.", author="Jay")], {"auther": "Jay"})


@every("end", ["Jay", True, ""])
def test_a_range_to_no_number_and_no_date_is_refused(end: Any) -> None:
    with pytest.raises(InvalidInputError, match="range"):
        allowed([document("One", "Text.", author="Jay")], {"author": Range(to=end)})


@every(
    "texts, found",
    [
        ([], None),
        (["author=Jay"], {"author": "Jay"}),
        (["author = Jay | Madison"], {"author": ("Jay", "Madison")}),
        (["author!=Jay"], {"author": Excluded.model_validate({"not": "Jay"})}),
        (["author!=Jay|Madison"], {"author": Excluded.model_validate({"not": ("Jay", "Madison")})}),
        (["date>=1787", "date<=1788-03"], {"date": Range.model_validate({"from": "1787", "to": "1788-03"})}),
        (["note=a=b"], {"note": "a=b"}),
        (["date>=1787", "author=Jay"], {"date": Range.model_validate({"from": "1787"}), "author": "Jay"}),
    ],
)
def test_filters_are_read_as_typed(texts: list[str], found: Any) -> None:
    assert parse_filters(texts) == found


@every(
    "texts",
    [
        ["author"],
        ["=Jay"],
        ["author="],
        ["date>1788"],
        ["author=a||b"],
        ["a=1", "a=2"],
        ["a>=1", "a>=2"],
        ["a=1", "a>=2"],
        [""],
    ],
)
def test_what_is_no_filter_is_one_clear_error(texts: list[str]) -> None:
    with pytest.raises(InvalidInputError) as caught:
        parse_filters(texts)
    assert caught.value.hint


@given(st.lists(st.text(max_size=20), max_size=3))
def test_any_text_is_read_or_refused(texts: list[str]) -> None:
    with suppress(InvalidInputError):
        assert parse_filters(texts) or not texts
