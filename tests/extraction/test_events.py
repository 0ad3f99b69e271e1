"""Dated events: what, who, where, when."""

import pytest

from tests.extraction.given import found


def test_an_event_has_activity_actors_places_and_time() -> None:
    evidence = found("On 7 September 1854 John Snow met the Board of Guardians in Soho.")
    by_id = {m.id: m.surface for m in evidence.mentions}
    (event,) = evidence.events
    assert (event.timestamp, event.granularity, event.case) == ("1854-09-07", "day", "doc_1")
    assert event.activity == "met the Board of Guardians"
    assert [by_id[actor] for actor in event.actors] == ["John Snow"]
    assert [by_id[place] for place in event.places] == ["Soho"]


@pytest.mark.parametrize("when", ["from 1854 to 1856", "between 1854 and 1856", "1854–1856"])
def test_a_passive_event_and_a_range(when: str) -> None:
    (event,) = found(f"The pump was closed {when}.").events
    assert (event.activity, event.timestamp, event.timestamp_end) == ("was closed", "1854", "1856")


def test_each_dated_clause_is_an_event() -> None:
    events = found("The pump was closed on 8 September 1854, and it was opened in October 1854.").events
    assert [(e.activity, e.timestamp) for e in events] == [
        ("was closed", "1854-09-08"),
        ("was opened", "1854-10"),
    ]


def test_relative_dates_follow_the_date_before() -> None:
    text = "The pump was closed on 8 September 1854. The next day Whitehead walked round. Two weeks later he wrote."
    assert [e.timestamp for e in found(text).events] == ["1854-09-08", "1854-09-09", "1854-09-23"]


def test_a_sentence_without_a_known_year_is_no_event() -> None:
    assert found("On 8 September the pump was closed. The next day it rained.").events == ()
