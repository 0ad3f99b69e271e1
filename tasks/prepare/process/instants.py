"""Instants as whole microseconds from 1970 in UTC, for any year of the proleptic Gregorian calendar.

`datetime` ends at the years 1 and 9999; antiquity and far futures do not. Year 0 is 1 BCE (ISO 8601).
"""

from functools import lru_cache
from typing import Literal

Unit = Literal["second", "minute", "hour", "day", "month", "year"]

SECOND = 1_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3_600 * SECOND, 86_400 * SECOND
LENGTH: dict[Unit, int] = {
    "second": SECOND,
    "minute": MINUTE,
    "hour": HOUR,
    "day": DAY,
    "month": 31 * DAY,
    "year": 366 * DAY,
}
"""The longest that each unit lasts, in microseconds."""

_ERA = 146_097  # days in 400 years


def day_number(year: int, month: int, day: int) -> int:
    """Count the days from 1970-01-01 (Hinnant 2013, chrono-compatible low-level date algorithms)."""
    year -= month <= 2
    era, of_era = divmod(year, 400)
    of_year = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return era * _ERA + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


@lru_cache(maxsize=65_536)
def civil(day: int) -> tuple[int, int, int]:
    """Return year, month and day of a day number: the inverse of `day_number`."""
    era, of_era = divmod(day + 719_468, _ERA)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return year + era * 400 + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1


def midnight(year: int, month: int = 1, day: int = 1) -> int:
    """Return the first instant of a day; a month of 13 is January of the next year."""
    return day_number(year + (month - 1) // 12, (month - 1) % 12 + 1, day) * DAY


@lru_cache(maxsize=65_536)
def date_start(year: int, month: int, day: int) -> int | None:
    """Return the first instant of a day; None where the calendar has no such day."""
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    number = day_number(year, month, day)
    return number * DAY if civil(number) == (year, month, day) else None


def floor(instant: int, unit: Unit) -> int:
    """Return the beginning of the unit that an instant lies in."""
    if unit in ("month", "year"):
        year, month, _ = civil(instant // DAY)
        return midnight(year, month if unit == "month" else 1)
    return instant - instant % LENGTH[unit]


def ordinal(instant: int, unit: Unit) -> int:
    """Return the number of the unit that an instant lies in; neighbours differ by 1."""
    if unit in ("month", "year"):
        year, month, _ = civil(instant // DAY)
        return year if unit == "year" else 12 * year + month - 1
    return instant // LENGTH[unit]


def iso(instant: int) -> str:
    """Return ISO 8601 in UTC: fractions only where there are some, signed years outside 0 to 9999."""
    day, rest = divmod(instant, DAY)
    if not rest:
        return _midnight_text(day)
    seconds, part = divmod(rest, SECOND)
    return f"{_date(day)}T{_clock(seconds)}.{part:06d}Z" if part else f"{_date(day)}T{_clock(seconds)}Z"


def label(instant: int, unit: Unit) -> str:
    """Return the unit that an instant lies in: a year, a month, a date, or a UTC time."""
    if unit in ("second", "minute", "hour"):
        return iso(floor(instant, unit))
    date = _date(instant // DAY)
    return date if unit == "day" else date[:-3] if unit == "month" else date[:-6]


def read_iso(text: str) -> int:
    """Return the instant of what `iso` wrote, or of a date's midnight."""
    if len(text) == 20:  # whole seconds of a year of four digits
        return _midnight_of(text[:10]) + _since_midnight(text[10:])
    date, _, clock = text.partition("T")
    start = _midnight_of(date)
    if not clock:
        return start
    seconds = int(clock[:2]) * 3600 + int(clock[3:5]) * 60 + int(clock[6:8])
    return start + seconds * SECOND + int(clock[9:15] if len(clock) > 9 else 0)


def in_common_calendar(text: str) -> bool:
    """Tell whether an instant that `iso` wrote lies in the years 1 to 9999, which programs can read."""
    return text[0] not in "+-" and not text.startswith("0000")


@lru_cache(maxsize=65_536)
def _midnight_of(date: str) -> int:
    year, month, day = date.rsplit("-", 2)
    return midnight(int(year), int(month), int(day))


@lru_cache(maxsize=86_400)
def _since_midnight(clock: str) -> int:
    return int(clock[1:3]) * HOUR + int(clock[4:6]) * MINUTE + int(clock[7:9]) * SECOND


@lru_cache(maxsize=86_400)
def _clock(seconds: int) -> str:
    return f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


@lru_cache(maxsize=65_536)
def _midnight_text(day: int) -> str:
    return f"{_date(day)}T00:00:00Z"


@lru_cache(maxsize=65_536)
def _date(day: int) -> str:
    year, month, of_month = civil(day)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{of_month:02d}"
