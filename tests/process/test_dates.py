"""Every date of ISO 8601 and EDTF that has one reading is an interval; the others are never guessed."""

from datetime import UTC, date, datetime, timedelta, timezone

from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.tasks.analysis.process.timestamps import (
    Moment,
    civil,
    date_start,
    day_number,
    floor,
    iso,
    label,
    parse,
    read_iso,
    readings,
)
from tests.every import every
from tests.process.records import event, trace_of

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
INSTANTS = st.integers(-(10**19), 10**19)


def read(text: str) -> Moment:
    moment = parse(text)
    assert isinstance(moment, Moment), (text, moment)
    return moment


@every(
    "text, start, until, precision",
    [
        ("44 BC", "-0043-01-01T00:00:00Z", "-0042-01-01T00:00:00Z", "year"),
        ("15 March 44 BCE", "-0043-03-15T00:00:00Z", "-0043-03-16T00:00:00Z", "day"),
        ("1 BC", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "year"),
        ("AD 79", "0079-01-01T00:00:00Z", "0080-01-01T00:00:00Z", "year"),
        ("-0043-03-15", "-0043-03-15T00:00:00Z", "-0043-03-16T00:00:00Z", "day"),
        ("Y12000", "+12000-01-01T00:00:00Z", "+12001-01-01T00:00:00Z", "year"),
        ("the 1850s", "1850-01-01T00:00:00Z", "1860-01-01T00:00:00Z", "decade"),
        ("185X", "1850-01-01T00:00:00Z", "1860-01-01T00:00:00Z", "decade"),
        ("18XX", "1800-01-01T00:00:00Z", "1900-01-01T00:00:00Z", "century"),
        ("19th century", "1800-01-01T00:00:00Z", "1901-01-01T00:00:00Z", "century"),
        ("5th century BC", "-0499-01-01T00:00:00Z", "-0399-01-01T00:00:00Z", "century"),
        ("1854-XX", "1854-01-01T00:00:00Z", "1855-01-01T00:00:00Z", "year"),
        ("1854-09-XX", "1854-09-01T00:00:00Z", "1854-10-01T00:00:00Z", "month"),
        ("1854-Q3", "1854-07-01T00:00:00Z", "1854-10-01T00:00:00Z", "range"),
        ("between 1854 and May 1856", "1854-01-01T00:00:00Z", "1856-06-01T00:00:00Z", "range"),
        ("1854–1856", "1854-01-01T00:00:00Z", "1857-01-01T00:00:00Z", "range"),
        ("1854年9月8日", "1854-09-08T00:00:00Z", "1854-09-09T00:00:00Z", "day"),
        ("2020-01-01T24:00Z", "2020-01-02T00:00:00Z", "2020-01-02T00:01:00Z", "minute"),
        ("9999-12-31", "9999-12-31T00:00:00Z", "+10000-01-01T00:00:00Z", "day"),
    ],
)
def test_a_date_with_one_reading_is_an_interval(text: str, start: str, until: str, precision: str) -> None:
    moment = read(text)
    assert (iso(moment.start), iso(moment.until), moment.precision) == (start, until, precision)


@every(
    "text, open_side, bound",
    [
        ("before 1854", "start", "1854-01-01T00:00:00Z"),
        ("by 1854", "start", "1855-01-01T00:00:00Z"),
        ("../1854", "start", "1855-01-01T00:00:00Z"),
        ("after May 1854", "until", "1854-06-01T00:00:00Z"),
        ("1854/..", "until", "1854-01-01T00:00:00Z"),
        ("since 1854", "until", "1854-01-01T00:00:00Z"),
    ],
)
def test_before_and_after_leave_a_side_open(text: str, open_side: str, bound: str) -> None:
    moment = read(text)
    assert moment.open == open_side
    assert iso(moment.until if open_side == "start" else moment.start) == bound
    assert (moment.earliest == float("-inf")) == (open_side == "start")
    assert (moment.latest == float("inf")) == (open_side == "until")


@every("text", ["circa 1854", "c. 1854", "ca 1854", "1854~", "1854?", "1854%", "about 1854"])
def test_circa_keeps_the_interval_and_promises_no_bounds(text: str) -> None:
    moment = read(text)
    assert (iso(moment.start), moment.approximate) == ("1854-01-01T00:00:00Z", True)
    assert (moment.earliest, moment.latest) == (float("-inf"), float("inf"))


@every(
    "text, meant",
    [
        ("03/04/1855", ("1855-04-03", "1855-03-04")),
        ("1900s", ("1900-01-01/1909-12-31", "1900-01-01/1999-12-31")),
        ("spring 1854", ("1854-03-01/1854-05-31", "1854-09-01/1854-11-30")),
        ("1854-21", ("1854-03-01/1854-05-31", "1854-09-01/1854-11-30")),
        ("03.04.1855/1856", ("1855-04-03/1856-12-31", "1855-03-04/1856-12-31")),
    ],
)
def test_a_date_with_several_readings_is_set_aside_with_all_of_them(
    text: str, meant: tuple[str, ...]
) -> None:
    assert parse(text) == "ambiguous_date"
    assert readings(text) == meant
    noted = trace_of([event(1, at=text), event(2)])
    assert [(s.id, s.timestamp, s.readings) for s in noted.data.set_aside] == [("e1", text, meant)]
    told = next(w for w in noted.warnings if w.code == "ambiguous_date")
    assert told.records == ("e1",)
    assert all(one in told.message for one in meant)


@every(
    "text",
    [
        "0000",
        "-0000",
        "0 BC",
        "2019-366",
        "1854-W54",
        "1854/55",
        "early 1854",
        "the other day",
        "..",
        "/",
        "before",
        "circa",
        "circa before 1854",
        "31/02/1999",
        "2020-01-01T10:00+99:00",
        "8 Mai 1854",
        "?",
        "~",
        "between 1856 and 1854",
        "2020-01-01T23:59:60Z",
        "20200230",
    ],
)
def test_what_has_no_reading_is_not_guessed(text: str) -> None:
    assert parse(text) == "unparsed_timestamp"


@given(INSTANTS)
def test_an_instant_written_is_the_instant_read(instant: int) -> None:
    assert read_iso(iso(instant)) == instant
    if not iso(instant).startswith("0000-01-01T00:00:00"):
        moment = read(iso(instant))
        assert moment.start == instant < moment.until


@given(st.dates())
def test_days_are_those_of_the_standard_library(day: date) -> None:
    number = (day - date(1970, 1, 1)).days
    assert day_number(day.year, day.month, day.day) == number
    assert civil(number) == (day.year, day.month, day.day)
    week = day.isocalendar()
    assert read(f"{week.year:04d}-W{week.week:02d}-{week.weekday}") == read(day.isoformat())
    assert read(f"{day.year:04d}-{day.timetuple().tm_yday:03d}") == read(day.isoformat())


@given(st.integers(-9999, 9999), st.integers(0, 13), st.integers(0, 32))
def test_a_day_that_no_calendar_has_is_no_date(year: int, month: int, day: int) -> None:
    try:
        expected = (date(2000 + year % 400, month, day) - date(1970, 1, 1)).days  # the calendar repeats
    except ValueError:
        assert date_start(year, month, day) is None
        return
    shift = (year - (2000 + year % 400)) // 400 * 146_097
    assert date_start(year, month, day) == (expected + shift) * 86_400_000_000


@given(
    st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)),  # noqa: DTZ001
    st.integers(-14 * 60, 14 * 60),
    st.sampled_from(["minutes", "seconds", "microseconds", "hours"]),
)
def test_the_interval_contains_the_instant_in_any_zone(when: datetime, minutes: int, exact: str) -> None:
    local = when.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    moment = read(local.isoformat(timespec=exact))
    instant = (local - EPOCH) // timedelta(microseconds=1)
    assert moment.start <= instant < moment.until
    assert moment.has_offset == (minutes != 0)


@given(INSTANTS, st.sampled_from(["second", "minute", "hour", "day", "month", "year"]))
def test_a_label_names_the_unit_that_holds_the_instant(instant: int, unit: str) -> None:
    begins = floor(instant, unit)  # type: ignore[arg-type]
    assert begins <= instant
    assert label(begins, unit) == label(instant, unit)  # type: ignore[arg-type]
    assert label(begins - 1, unit) != label(instant, unit)  # type: ignore[arg-type]


@given(st.text(max_size=25))
def test_no_text_breaks_the_reader(text: str) -> None:
    found = parse(text)
    assert found in ("unparsed_timestamp", "ambiguous_date") or found.start < found.until  # type: ignore[union-attr]
