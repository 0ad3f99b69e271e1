"""Points in time as exact as their text: the interval of UTC instants they can mean."""

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from itertools import product
from typing import Literal

from corpusgraph.tasks.prepare.process.date_words import in_words
from corpusgraph.tasks.prepare.process.instants import HOUR, MINUTE, SECOND, date_start, iso
from corpusgraph.tasks.prepare.process.moment import (
    CLOCK,
    Moment,
    Precision,
    joined,
    on_date,
    onwards,
    spans,
    up_to,
)

Problem = Literal["unparsed_timestamp", "ambiguous_date"]
_CLOCK = (
    r"(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?"
    r"\s*(Z|z|[+-]\d\d(?::?\d\d)?)?)?"
)
_ISO = re.compile(rf"(\d{{4}}|-\d{{4,9}}|\+\d{{5,9}}|Y-?\d{{5,9}})(?:-(\d\d)(?:-(\d\d){_CLOCK})?)?$")
_BASIC = re.compile(rf"(\d{{4}})(\d\d)(\d\d){_CLOCK}$")
_YEAR_FIRST = re.compile(rf"(\d{{4}})[/.](\d{{1,2}})[/.](\d{{1,2}}){_CLOCK}$")
_YEAR_LAST = re.compile(rf"(\d{{1,2}})([/.-])(\d{{1,2}})\2(\d{{4}}){_CLOCK}$")


_EXACT = len("1854-09-08T10:30:00Z")


def parse(text: str, day_first: bool | None = None) -> Moment | Problem:
    """Read a date of ISO 8601-1 and -2 (EDTF levels 0 and 1), of numbers, or of English words.

    An interval such as `1854-09-01/1854-09-08` means some instant between its two ends. A date with two
    readings (`03/04/1854` without `day_first`, `1900s`, `1854-21` for a spring of either hemisphere) is
    `ambiguous_date`, never guessed. A clock time without a zone is taken for UTC, and the moment says so.
    Dates are taken for Gregorian ones, whatever calendar was in use.
    """
    found = candidates(text, day_first)
    if len(found) == 1:
        return found[0]
    return "ambiguous_date" if found else "unparsed_timestamp"


def readings(text: str) -> tuple[str, ...]:
    """Return what a text can mean, each as an ISO date or interval; one where there is no doubt."""
    return tuple(dict.fromkeys(stated(moment) for moment in candidates(text, None)))


def candidates(text: str, day_first: bool | None) -> Sequence[Moment]:
    """Return every reading of a text; none where it is no date."""
    if len(text) == _EXACT and (moment := _exact(text)):
        return (moment,)
    text = text if text.isalnum() else " ".join(text.split())
    match = _ISO.match(text) or _BASIC.match(text) or _YEAR_FIRST.match(text)
    if match and (moment := _written(*match.groups())):
        return (moment,)
    if match := _YEAR_LAST.match(text):
        a, _, b, year, *clock = match.groups()
        both = [(b, a), (a, b)] if day_first is None else [(b, a)] if day_first else [(a, b)]
        legal = [m for month, day in both if (m := _written(year, month.zfill(2), day.zfill(2), *clock))]
        if not legal and day_first is not None:  # 12/31/1999 has one reading, whatever is usual
            return candidates(text, not day_first) if max(int(a), int(b)) > 12 else ()
        return tuple(dict.fromkeys(legal))
    if text.count("/") == 1:
        first, _, last = text.partition("/")
        return _range(first.strip(), last.strip(), day_first)
    return in_words(text, partial(candidates, day_first=day_first))


def _exact(text: str) -> Moment | None:
    """Return an instant of whole seconds in UTC, the most frequent form, day and clock apart."""
    midnight, clock = _day(text[:10]), _seconds(text[10:])
    if midnight is None or clock is None:
        return None
    return Moment(midnight + clock, midnight + clock + SECOND, "second")


@lru_cache(maxsize=65_536)
def _day(text: str) -> int | None:
    """Return the first instant of a day; None where it is not written as one."""
    match = re.fullmatch(r"(\d{4})-(\d\d)-(\d\d)", text)
    return date_start(*map(int, match.groups())) if match else None


@lru_cache(maxsize=86_400)
def _seconds(text: str) -> int | None:
    """Return the time since midnight; None where no clock shows it."""
    match = re.fullmatch(r"[T ](\d\d):(\d\d):(\d\d)[Zz]", text)
    hour, minute, second = map(int, match.groups()) if match else (99, 99, 99)
    return hour * HOUR + minute * MINUTE + second * SECOND if _is_clock(hour, minute, second, None) else None


def _range(first: str, last: str, day_first: bool | None) -> Sequence[Moment]:
    """Return an interval of EDTF; a side of `..` or nothing is open."""
    if first in ("", "..") and last not in ("", ".."):
        return [up_to(m.until, m) for m in candidates(last, day_first)]
    if last in ("", "..") and first not in ("", ".."):
        return [onwards(m.start, m) for m in candidates(first, day_first)]
    pairs = product(candidates(first, day_first), candidates(last, day_first))
    return [joined(one, other) for one, other in pairs if spans(one, other)]


def stated(moment: Moment) -> str:
    """Return a moment as a date, or as an interval of its first and last day or instant."""
    if moment.precision in CLOCK:
        return iso(moment.start)
    first, last = (iso(instant).partition("T")[0] for instant in (moment.start, moment.until - 1))
    if moment.open:
        return f"../{last}" if moment.open == "start" else f"{first}/.."
    return first if first == last else f"{first}/{last}"


def _written(
    year_: str,
    month_: str | None = None,
    day_: str | None = None,
    hour_: str | None = None,
    minute_: str | None = None,
    second_: str | None = None,
    part: str | None = None,
    zone: str | None = None,
) -> Moment | None:
    """Return the moment that the fields of a date mean; None where the calendar or clock has none."""
    if not hour_:
        return None if year_ == "0000" and not day_ else on_date(year_, month_, day_)
    year, month, day = int(year_.lstrip("Y")), int(month_ or 1), int(day_ or 1)
    hour, minute, second = int(hour_), int(minute_ or 0), int(second_ or 0)
    offset, midnight = _offset(zone), date_start(year, month, day)
    if offset is None or midnight is None or not _is_clock(hour, minute, second, part):
        return None
    start = midnight + hour * HOUR + minute * MINUTE + second * SECOND - offset
    if part:
        start += int((part + "000000")[:6])
    until = start + (1 if part else SECOND if second_ else MINUTE if minute_ else HOUR)
    precision: Precision = "second" if second_ else "minute" if minute_ else "hour"
    return Moment(start, until, precision, assumed_utc=not zone, has_offset=offset != 0)


def _is_clock(hour: int, minute: int, second: int, part: str | None) -> bool:
    """Tell whether a clock shows it; 24:00 is the end of the day (ISO 8601-1)."""
    if hour == 24:
        return not (minute or second or int(part or 0))
    return hour < 24 and minute < 60 and second < 60


def _offset(zone: str | None) -> int | None:
    """Return microseconds east of UTC; None where no clock is so far from it."""
    if not zone or zone in "Zz":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[3:].replace(":", "") or 0)
    if hours > 23 or minutes > 59:
        return None
    return (-1 if zone[0] == "-" else 1) * (hours * HOUR + minutes * MINUTE)
