"""Dates written out, as ISO 8601, where they can be read in one way only."""

import re
from datetime import date

from corpusgraph.tasks.text.dates import MONTHS

_WEEKDAY = r"(?:[^\W\d_]{2,10}[.,]{1,2}\s*)?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.|º)?"
_MONTH = r"(?P<month>[^\W\d_]{3,10})\.?"
_YEAR = r"(?P<year>\d{4})"
_WRITTEN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<year>\d{4})(?:-(?P<number>\d{2})(?:-(?P<day>\d{2}))?)?",
        rf"{_YEAR}[./](?P<number>\d{{1,2}})[./](?P<day>\d{{1,2}})\.?",
        rf"{_YEAR}年(?:(?P<number>\d{{1,2}})月(?:(?P<day>\d{{1,2}})日)?)?",
        rf"{_WEEKDAY}(?:the\s+)?{_DAY}[\s-]*(?:of\s+|de\s+)?{_MONTH},?[\s-]*(?:de\s+|del\s+)?{_YEAR}",
        rf"{_WEEKDAY}{_MONTH}\s+(?:the\s+)?{_DAY},?\s+{_YEAR}",
        rf"{_MONTH},?\s+(?:of\s+|de\s+)?{_YEAR}",
    )
)
_NUMBERS = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")


def iso_date(text: str) -> str | None:
    """Return YYYY, YYYY-MM or YYYY-MM-DD; None when the text is no date, or one of two.

    "27.10.1787" is a day of October, "10/11/1787" may be October or November and is left alone.
    """
    plain = " ".join(text.split())
    if numbers := _NUMBERS.fullmatch(plain):
        return _from_numbers(int(numbers[1]), int(numbers[3]), int(numbers[4]))
    for pattern in _WRITTEN:
        if found := pattern.fullmatch(plain):
            parts = found.groupdict()
            month = MONTHS.get(parts["month"].lower()) if parts.get("month") else _int(parts.get("number"))
            if parts.get("month") and month is None:
                return None
            return _checked(int(parts["year"]), month, _int(parts.get("day")))
    return None


def _int(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _from_numbers(one: int, two: int, year: int) -> str | None:
    if one <= 12 and two <= 12 and one != two:
        return None
    day, month = (two, one) if two > 12 else (one, two)
    return _checked(year, month, day)


def _checked(year: int, month: int | None, day: int | None) -> str | None:
    """Return the ISO form of a date that the calendar has."""
    try:
        known = date(year, month or 1, day or 1).isoformat()
    except ValueError:
        return None
    return known[: 10 if day else 7 if month else 4]
