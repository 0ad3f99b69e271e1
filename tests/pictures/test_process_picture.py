"""The picture of a process: a timeline of few cases, the directly-follows graph of many."""

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.tasks.analysis.process.models import PrepareProcessTrace
from corpusgraph.tasks.analysis.process.timestamps import DAY, HOUR, midnight
from corpusgraph.tasks.export.process.figure import MOST_EVENTS, SURE, UNSURE, TimeAxis, process_picture
from corpusgraph.tasks.tools.prepare import prepare_process_trace
from tests.pictures.look import look, overlaps
from tests.pictures.made import FLOW, SMALL, trace


def test_a_mark_for_a_day_and_a_bar_for_what_is_less_exact() -> None:
    drawn = look(process_picture(SMALL))
    order = {event.id: f"event-{at}" for at, event in enumerate(SMALL.events, 1)}
    assert drawn.numbered("event") == set(order.values())
    fills = {one: drawn.fill(gid) for one, gid in order.items()}
    assert fills == {"e0": SURE.fill, "e1": SURE.fill, "e2": UNSURE.fill, "e3": UNSURE.fill}
    assert drawn.of(f"{order['e2']}-text") == "report"
    assert drawn.hint(order["e3"]) == "1854-09: inquiry"
    assert drawn.of("case-text").split() == ["Soho", "Board"] or drawn.of("case-text").split() == [
        "Board",
        "Soho",
    ]


def test_bars_are_as_long_as_their_interval_and_stand_at_their_dates() -> None:
    made = trace(
        *[("c", f"a{year}", str(year)) for year in range(1850, 1860, 2)], ("c", "last", "1859-12-31")
    )
    drawn = look(process_picture(made))
    spans = [_span(drawn.groups[f"event-{at}"]) for at in range(1, 6)]
    lengths = [b - a for a, b in spans]
    assert max(lengths) == pytest.approx(min(lengths), rel=0.01)
    steps = [b[0] - a[0] for a, b in pairwise(spans)]
    assert max(steps) == pytest.approx(min(steps), rel=0.01)
    assert steps[0] == pytest.approx(2 * lengths[0], rel=0.01)


def _span(group: Any) -> tuple[float, float]:
    path = group.find(".//{http://www.w3.org/2000/svg}path").get("d")
    numbers = [float(word) for word in path.replace("M", " ").replace("L", " ").replace("z", " ").split()]
    return min(numbers[::2]), max(numbers[::2])


def test_crowded_dates_stretch_the_axis_and_the_caption_says_so() -> None:
    crowd = [("c", f"a{day}", f"1854-09-{day:02d}") for day in range(1, 20)]
    drawn = look(process_picture(trace(("c", "first", "1750"), *crowd, ("c", "last", "1950"))))
    assert "stretched" in drawn.caption()
    assert "stretched" not in look(process_picture(SMALL)).caption()


@given(st.lists(st.integers(-3_000 * 366, 3_000 * 366), min_size=1, max_size=60), st.data())
def test_the_axis_keeps_order_and_its_dates_do_not_touch(found: list[int], data: st.DataObject) -> None:
    starts = [day * DAY for day in found]
    axis = TimeAxis(starts, min(starts), max(starts) + DAY, 100.0, 700.0)
    places = [axis.at(instant) for instant in sorted(starts)]
    assert places == sorted(places)
    assert all(100.0 <= x <= 700.0 for x in places)
    ticks = [x for x, _ in axis.ticks()]
    assert all(b - a > 20 for a, b in pairwise(ticks))
    one = data.draw(st.sampled_from(starts))
    assert axis.at(one) <= axis.at(one + DAY)


def test_dates_of_an_axis_are_round() -> None:
    axis = TimeAxis((), midnight(1831), midnight(1885), 0.0, 600.0)
    assert [text for _, text in axis.ticks()][:4] == ["1835", "1840", "1845", "1850"]
    week = TimeAxis((), midnight(1854, 8, 28), midnight(1854, 9, 10), 0.0, 600.0)
    assert [text for _, text in week.ticks()][:3] == ["1854-08-29", "1854-08-31", "1854-09-02"]
    hour = TimeAxis((), midnight(1854, 9, 8), midnight(1854, 9, 8) + HOUR, 0.0, 600.0)
    assert "1854-09-08T00:15:00Z" in [text for _, text in hour.ticks()]


def test_many_cases_are_a_directly_follows_graph_with_its_counts() -> None:
    drawn = look(process_picture(FLOW))
    names = list(FLOW.activities)
    assert drawn.numbered("node") == {f"node-{at}" for at in range(1, len(names) + 1)}
    for at, name in enumerate(names, 1):
        assert drawn.of(f"node-{at}-text") == f"{name} {FLOW.activities[name]:,}"
    for at, one in enumerate(FLOW.directly_follows, 1):
        assert drawn.of(f"edge-{at}-text") == f"{one.count:,}"
        assert drawn.hint(f"edge-{at}").startswith(f"{one.source} → {one.target}: {one.count} times")
    assert drawn.of(f"start-{names.index('ask') + 1}-text") == "60"
    assert drawn.of(f"end-{names.index('end') + 1}-text") == "60"


def test_many_events_that_hardly_repeat_are_cut_and_counted() -> None:
    made = trace(*((f"case {at % 700}", f"deed {at}", f"18{at % 90 + 10}-01-01") for at in range(5_000)))
    files = process_picture(made)
    drawn = look(files)
    assert len(drawn.numbered("event")) <= MOST_EVENTS
    assert f"Left out of the picture: {5_000 - len(drawn.numbered('event')):,} events" in drawn.caption()
    assert len(files["figure.png"]) < 400_000


def test_what_the_evidence_does_is_told() -> None:
    events = [
        {
            "id": "1",
            "case": "c",
            "activity": "seen",
            "timestamp": "1854",
            "evidence": [{"hypothesis": "water", "p_e_given_h": 0.9, "p_e_given_not_h": 0.1}],
        }
    ]
    made = prepare_process_trace(PrepareProcessTrace.model_validate({"events": events})).data
    assert (
        "Hypothesis water: probability 0.5 before the evidence, 0.9 after it."
        in look(process_picture(made)).caption()
    )


@pytest.mark.parametrize("time", ["1854", "1854-09-08T10:00:00Z", "-0044-03-15"])
def test_one_event(time: str) -> None:
    drawn = look(process_picture(trace(("một ca 霍乱 " * 20, "x" * 200, time))))
    assert drawn.numbered("event") == {"event-1"}
    assert not overlaps(drawn)


def test_no_text_lies_over_another() -> None:
    assert overlaps(look(process_picture(SMALL))) == []
    busy = trace(
        *(
            (f"c{at % 5}", f"something that happened {at}", f"18{50 + at % 9}-0{1 + at % 9}")
            for at in range(90)
        )
    )
    assert overlaps(look(process_picture(busy))) == []


def test_no_events_at_all() -> None:
    empty = SMALL.model_copy(update={"events": (), "cases": (), "activities": {}, "ties": ()})
    assert "0 events in 0 cases" in look(process_picture(empty)).words
