"""Dates as ISO 8601, and what is left open when the text leaves it open."""

from corpusgraph.tasks.text.dates import find_dates
from tests.every import every
from tests.extraction.given import found


@every(
    "text, first, last, granularity",
    [
        ("on 31 August 1854", "1854-08-31", None, "day"),
        ("September 8th, 1854", "1854-09-08", None, "day"),
        ("the 8th of September, 1854", "1854-09-08", None, "day"),
        ("Saturday, October 27, 1787", "1787-10-27", None, "day"),
        ("31 August to 9 September 1854", "1854-08-31", "1854-09-09", "day"),
        ("3–5 May 1849", "1849-05-03", "1849-05-05", "day"),
        ("in September 1854", "1854-09", None, "month"),
        ("1914–18", "1914", "1918", "year"),
        ("in the 1850s", "1850", "1859", "year"),
        ("the mid-16th century", "1500", "1599", "year"),
        ("the nineteenth century", "1800", "1899", "year"),
        ("in the summer of 1854", "1854", None, "year"),
        ("44 BC", "-0043", None, "year"),
        ("(died 159)", "0159", None, "year"),
        ("1854-09-08", "1854-09-08", None, "day"),
        ("1854-08-31T10:00", "1854-08-31T10:00", None, "minute"),
        ("31/08/1854", "1854-08-31", None, "day"),
        ("03/04/1854", None, None, "day"),
        ("8 September", "--09-08", None, "day"),
        ("am 8. September 1854", "1854-09-08", None, "day"),
        ("le 8 septembre 1854", "1854-09-08", None, "day"),
        ("8 de septiembre de 1854", "1854-09-08", None, "day"),
        ("1854年8月31日", "1854-08-31", None, "day"),
    ],
)
def test_a_date_is_read_as_an_interval(
    text: str, first: str | None, last: str | None, granularity: str
) -> None:
    (date,) = find_dates(text, 0, len(text))
    assert (date.first, date.last, date.granularity) == (first, last, granularity)


@every("text", ["from 1754 to 1763", "between 1754 and 1763", "until 1754 or 1763"])
def test_two_years_joined_by_words_are_two_dates(text: str) -> None:
    assert [date.first for date in find_dates(text, 0, len(text))] == ["1754", "1763"]


def test_the_days_of_a_life_are_two_dates() -> None:
    text = "Jagdish Mali (18 January 1954 – 13 May 2013) was a photographer."
    assert [date.first for date in find_dates(text, 0, len(text))] == ["1954-01-18", "2013-05-13"]


@every("text", ["1200 people", "in 1,854 cases", "May I go?", "Chapter 12", "616 deaths"])
def test_other_numbers_are_no_dates(text: str) -> None:
    assert find_dates(text, 0, len(text)) == []


def test_a_date_without_a_year_takes_the_nearest_year_before() -> None:
    marks = [
        m.attributes for m in found("It was 1854. On 8 September they acted.").mentions if m.type == "date"
    ]
    assert marks == [{"iso": "1854"}, {"iso": "1854-09-08", "year_inferred": True}]


def test_a_date_without_any_year_before_stays_open() -> None:
    (date,) = [m for m in found("On 8 September they acted.").mentions if m.type == "date"]
    assert date.attributes == {"iso": "--09-08"}


@every(
    "text, first, last, granularity",
    [
        ("29 February 1900", "1900-02", None, "month"),
        ("29 February 1904", "1904-02-29", None, "day"),
        ("29 February", "--02-29", None, "day"),
        ("31 April 1854", "1854-04", None, "month"),
        ("30 April to 31 June 1854", "1854-04-30", "1854-06", "day"),
        ("30.02.1854", "1854-02", None, "month"),
        ("1854-02-30T10:00", "1854-02", None, "month"),
        ("1854-13-01", None, None, "month"),
    ],
)
def test_of_a_day_that_no_calendar_has_the_month_is_left(
    text: str, first: str | None, last: str | None, granularity: str
) -> None:
    (date,) = find_dates(text, 0, len(text))
    assert (date.first, date.last, date.granularity) == (first, last, granularity)


@every(
    "text",
    [
        "29 February 1900. The next day he left.",
        "31 December 9999. The next day he left. Two years later he died.",
        "0000-01-01. The next day he left. A year earlier he came. One month before he wrote.",
    ],
)
def test_a_step_from_a_date_that_leaves_the_calendar_is_no_date(text: str) -> None:
    dates = [m.attributes.get("iso") for m in found(text).mentions if m.type == "date"]
    assert all(len(str(date)) <= 10 for date in dates)
