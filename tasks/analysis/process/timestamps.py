"""Points in time as exact as their text: the interval of UTC instants they can mean."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache, partial
from itertools import product
from typing import Literal, get_args

import numpy as np

from corpusgraph.tasks.text.dates import MONTH_NAMES

Unit = Literal["second", "minute", "hour", "day", "month", "year"]

SECOND = 1_000_000
MINUTE, HOUR, DAY = 60 * SECOND, 3_600 * SECOND, 86_400 * SECOND
_LONGEST = (SECOND, MINUTE, HOUR, DAY, 31 * DAY, 366 * DAY)
LENGTH: dict[Unit, int] = dict(zip(get_args(Unit), _LONGEST, strict=True))
"""The longest that each unit lasts, in microseconds."""


def day_number(year: int, month: int, day: int) -> int:
    """Count the days from 1970-01-01; a month of 13 is January of the next year.

    Parameters
    ----------
    year, month, day : int
        Of the proleptic Gregorian calendar, with a year 0.

    Returns
    -------
    int
        Negative before 1970.

    """
    first = (np.datetime64(year - 1970, "Y").astype("M8[M]") + (month - 1)).astype("M8[D]")
    return int(first.astype(np.int64)) + day - 1


@lru_cache(maxsize=65_536)
def civil(day: int) -> tuple[int, int, int]:
    """Return year, month and day of a day number: the inverse of `day_number`.

    Parameters
    ----------
    day : int
        Days from 1970-01-01.

    Returns
    -------
    tuple of (int, int, int)
        In the proleptic Gregorian calendar; the year 0 is 1 BC.

    """
    year, month, of_month = str(np.datetime64(day, "D")).rsplit("-", 2)
    return int(year), int(month), int(of_month)


def midnight(year: int, month: int = 1, day: int = 1) -> int:
    """Return the first instant of a day; a month of 13 is January of the next year.

    Parameters
    ----------
    year, month, day : int
        Of the proleptic Gregorian calendar, with a year 0.

    Returns
    -------
    int
        Microseconds from 1970, UTC.

    """
    return day_number(year, month, day) * DAY


@lru_cache(maxsize=65_536)
def date_start(year: int, month: int, day: int) -> int | None:
    """Return the first instant of a day; None where the calendar has no such day.

    Parameters
    ----------
    year, month, day : int
        Of the proleptic Gregorian calendar, with a year 0.

    Returns
    -------
    int or None
        Microseconds from 1970, UTC.

    """
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    number = day_number(year, month, day)
    return number * DAY if civil(number) == (year, month, day) else None


def floor(instant: int, unit: Unit) -> int:
    """Return the beginning of the unit that an instant lies in.

    Parameters
    ----------
    instant : int
        Microseconds from 1970, UTC.
    unit : str
        second, minute, hour, day, month or year.

    Returns
    -------
    int
        Microseconds from 1970, UTC.

    """
    if unit in ("month", "year"):
        year, month, _ = civil(instant // DAY)
        return midnight(year, month if unit == "month" else 1)
    return instant - instant % LENGTH[unit]


def ordinal(instant: int, unit: Unit) -> int:
    """Return the number of the unit that an instant lies in; neighbours differ by 1.

    Parameters
    ----------
    instant : int
        Microseconds from 1970, UTC.
    unit : str
        second, minute, hour, day, month or year.

    Returns
    -------
    int
        Since 1970 for days and shorter units, since the year 0 for months and years; below 0 before it.

    """
    if unit in ("month", "year"):
        year, month, _ = civil(instant // DAY)
        return year if unit == "year" else 12 * year + month - 1
    return instant // LENGTH[unit]


def iso(instant: int) -> str:
    """Return ISO 8601 in UTC: fractions only where there are some, signed years outside 0 to 9999.

    Parameters
    ----------
    instant : int
        Microseconds from 1970, UTC.

    Returns
    -------
    str
        Such as 1854-09-08T10:30:00Z.

    """
    day, rest = divmod(instant, DAY)
    seconds, part = divmod(rest, SECOND)
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{_date(day)}T{clock}.{part:06d}Z" if part else f"{_date(day)}T{clock}Z"


def label(instant: int, unit: Unit) -> str:
    """Return the unit that an instant lies in: a year, a month, a date, or a UTC time.

    Parameters
    ----------
    instant : int
        Microseconds from 1970, UTC.
    unit : str
        second, minute, hour, day, month or year.

    Returns
    -------
    str
        ISO 8601, such as 1854, 1854-09, 1854-09-08 or 1854-09-08T10:00:00Z.

    """
    if unit in ("second", "minute", "hour"):
        return iso(floor(instant, unit))
    date = _date(instant // DAY)
    return date if unit == "day" else date[:-3] if unit == "month" else date[:-6]


def read_iso(text: str) -> int:
    """Return the instant of what `iso` wrote, or of a date's midnight.

    Parameters
    ----------
    text : str
        ISO 8601 in UTC.

    Returns
    -------
    int
        Microseconds from 1970, UTC.

    """
    date, _, clock = text.removesuffix("Z").partition("T")
    start = _midnight_of(date)
    if not clock:
        return start
    seconds = int(clock[:2]) * 3600 + int(clock[3:5]) * 60 + int(clock[6:8])
    return start + seconds * SECOND + int(clock[9:] or 0)


def in_common_calendar(text: str) -> bool:
    """Tell whether an instant that `iso` wrote lies in the years 1 to 9999, which programs can read.

    Parameters
    ----------
    text : str
        ISO 8601 in UTC.

    Returns
    -------
    bool
        False for a year before 1 or of more than four digits.

    """
    return text[0] not in "+-" and not text.startswith("0000")


@lru_cache(maxsize=65_536)
def _midnight_of(date: str) -> int:
    year, month, day = date.rsplit("-", 2)
    return midnight(int(year), int(month), int(day))


@lru_cache(maxsize=65_536)
def _date(day: int) -> str:
    year, month, of_month = civil(day)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{month:02d}-{of_month:02d}"


Precision = Literal["century", "decade", "year", "month", "day", "hour", "minute", "second", "range"]
Open = Literal["start", "until"]

CLOCK: tuple[Precision, ...] = ("hour", "minute", "second")


@dataclass(frozen=True, slots=True)
class Moment:
    """The instants that a text can mean, from `start` (included) to `until` (excluded).

    Attributes
    ----------
    start, until : int
        Microseconds from 1970, UTC.
    precision : str
        century, decade, year, month, day, hour, minute, second or range.
    assumed_utc : bool
        Whether a clock time had no zone, and was taken for UTC.
    has_offset : bool
        Whether a clock time had another zone than UTC.
    open : {"start", "until"}, optional
        A side that the text leaves open ("before 1854"): the bound on that side is then the one the text does
        give.
    approximate : bool
        Whether it is a date with "circa", which can lie on either side of its interval.

    """

    start: int
    until: int
    precision: Precision
    assumed_utc: bool = False
    has_offset: bool = False
    open: Open | None = None
    approximate: bool = False

    @property
    def earliest(self) -> float:
        """The first instant it can mean; minus infinity where the text sets no bound."""
        return -math.inf if self.approximate or self.open == "start" else self.start

    @property
    def latest(self) -> float:
        """The instant after the last it can mean; infinity where the text sets no bound."""
        return math.inf if self.approximate or self.open == "until" else self.until

    @property
    def last(self) -> int:
        """Where something that lasted to this moment ended: a clock time itself, a date at its close."""
        return self.start if self.precision in CLOCK or self.open == "until" else self.until


def on_date(year_: str, month_: str | None = None, day_: str | None = None) -> Moment | None:
    """Return a year, a month or a day as a moment.

    Parameters
    ----------
    year_ : str
        Digits, perhaps with a sign, or `Y` before them.
    month_, day_ : str, optional
        Digits.

    Returns
    -------
    Moment or None
        None where the calendar has no such date.

    """
    year = int(year_.lstrip("Y"))
    if year_.startswith("-") and not year:  # ISO 8601 has no year -0000
        return None
    if not month_:
        return Moment(midnight(year), midnight(year + 1), "year")
    month = int(month_)
    if not day_:
        return Moment(midnight(year, month), midnight(year, month + 1), "month") if 1 <= month <= 12 else None
    start = date_start(year, month, int(day_))
    return None if start is None else Moment(start, start + DAY, "day")


def up_to(bound: int, like: Moment) -> Moment:
    """Return some instant before a bound: its last microsecond stands for it in order.

    Parameters
    ----------
    bound : int
        Microseconds from 1970, UTC; excluded.
    like : Moment
        Where its other fields are from.

    Returns
    -------
    Moment
        One microsecond long; `open` is "start": how long before is not known.

    """
    return replace(like, start=bound - 1, until=bound, precision="range", open="start")


def onwards(bound: int, like: Moment) -> Moment:
    """Return some instant from a bound on: its first microsecond stands for it in order.

    Parameters
    ----------
    bound : int
        Microseconds from 1970, UTC; included.
    like : Moment
        Where its other fields are from.

    Returns
    -------
    Moment
        One microsecond long; `open` is "until": how long after is not known.

    """
    return replace(like, start=bound, until=bound + 1, precision="range", open="until")


Moments = Sequence[Moment]
_Maybe = Sequence[Moment | None]

_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_SEASONS |= {"21": 3, "22": 6, "23": 9, "24": 12}
"""The month in which a season of the northern year begins, by its name and its code in EDTF."""
_SUMMER, _WINTER = 6, 12

_NAME = r"(?P<name>[a-z]{3,9})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_AD, _BC = r"(?:a\.?d\.?|c\.?e\.?)", r"b\.?c\.?(?:e\.?)?"


def in_words(text: str, read_date: Callable[[str], Moments]) -> Moments:
    """Return every reading of words such as `circa 1854`, `before May 1854`, `44 BC`, `the 1850s`, `185X`.

    Parameters
    ----------
    text : str
        English words, a decade, quarter, week, season or day of a year, or a Chinese date.
    read_date : callable
        Reads the date inside: after "circa", or on either side of "between … and …".

    Returns
    -------
    sequence of Moment
        None where it is no date.

    """
    text = text.lower().removeprefix("the ")
    for pattern, read in _ROUND:
        if match := re.fullmatch(pattern, text):
            return [moment for moment in read(*match.groups()) if moment]
    for pattern, bounded in _BOUNDED:
        if match := re.fullmatch(pattern, text):
            return [bounded(moment) for moment in read_date(match[1]) if not moment.open]
    if match := re.fullmatch(r"(?:between|from) (.+?) (?:and|to) (.+)", text):
        return _between(read_date(match[1]), read_date(match[2]))
    return _calendar_words(text)


def _calendar_words(text: str) -> Moments:
    """Return a day, month or year in words, with its era."""
    before_christ = re.fullmatch(rf"(.+?) ?{_BC}", text)
    era = before_christ or re.fullmatch(rf"{_AD} ?(.+)", text) or re.fullmatch(rf"(.+?) ?{_AD}", text)
    year = r"(?P<year>\d{1,9})" if era else r"(?P<year>\d{4})"
    shapes = (rf"{_DAY}(?: of)? {_NAME},? {year}", rf"{_NAME} {_DAY},? {year}", rf"{_NAME},? {year}")
    for shape in (*shapes, year) if era else shapes:
        if match := re.fullmatch(shape, era[1] if era else text):
            parts = match.groupdict()
            month = _month(parts["name"]) if "name" in parts else ""
            number = 1 - int(parts["year"]) if before_christ else int(parts["year"])
            if month is None or (era and not int(parts["year"])):
                return ()
            moment = on_date(f"{number:04d}", month, parts.get("day"))
            return (moment,) if moment else ()
    return ()


def _month(name: str) -> str | None:
    """Return the number of a month, of its whole name or its first three letters."""
    numbers = [n for n, month in enumerate(MONTH_NAMES, start=1) if name in (month, month[:3])]
    return str(numbers[0]) if numbers else "9" if name == "sept" else None


def _between(first: Moments, last: Moments) -> Moments:
    """Return some instant between two moments, for each pair that can begin and end an interval."""
    return [
        replace(
            a,
            until=b.until,
            precision="range",
            assumed_utc=a.assumed_utc or b.assumed_utc,
            has_offset=a.has_offset or b.has_offset,
            approximate=a.approximate or b.approximate,
        )
        for a, b in product(first, last)
        if a.open is b.open is None and a.start <= b.start and a.until <= b.until
    ]


def _circa(moment: Moment) -> Moment:
    return replace(moment, approximate=True)


_BOUNDED: tuple[tuple[str, Callable[[Moment], Moment]], ...] = (
    (r"(?:c\.|ca\.?|circa|about|around|approximately|approx\.?|probably) ?(.+)", _circa),
    (r"c(\d{4})", _circa),
    (r"(.+?) ?[~?%]", _circa),
    (r"(?:before|prior to|earlier than) (.+)", lambda moment: up_to(moment.start, moment)),
    (r"(?:by|not after|not later than|no later than) (.+)", lambda moment: up_to(moment.until, moment)),
    (r"(?:after|later than) (.+)", lambda moment: onwards(moment.until, moment)),
    (r"(?:since|not before|not earlier than|no earlier than) (.+)", lambda m: onwards(m.start, m)),
)


def _years(first: int, count: int, precision: Precision) -> Moment:
    return Moment(midnight(first), midnight(first + count), precision)


def _months(year: int, first: int, count: int) -> Moment:
    return Moment(midnight(year, first), midnight(year, first + count), "range")


def _century(number: str, era: str | None) -> _Maybe:
    """Read a century so that both usages are covered: the 19th, 1801-1900 or 1800-1899, is 1800 to 1900."""
    n = int(number)
    if not n:
        return ()
    if era and era.startswith("b"):
        return (_years(1 - 100 * n, 100, "century"),)
    first = max(1, 100 * (n - 1))
    return (_years(first, 100 * n + 1 - first, "century"),)


def _season(name: str, year: str) -> _Maybe:
    """Return the season of either hemisphere, in whole months; a northern winter lies in two years."""
    month = _SEASONS[name]
    begins = [month, (month + 5) % 12 + 1, *([0] if month in {_SUMMER, _WINTER} else [])]
    return [_months(int(year), begin, 3) for begin in begins]


def _week(year: str, week: str, day: str | None) -> _Maybe:
    try:
        first = date.fromisocalendar(int(year), int(week), int(day or 1))
    except ValueError:
        return ()
    start = midnight(first.year, first.month, first.day)
    return (Moment(start, start + DAY, "day") if day else Moment(start, start + 7 * DAY, "range"),)


def _day_of_year(year: str, number: str) -> _Maybe:
    start = midnight(int(year), 1, int(number))
    legal = int(number) and start < midnight(int(year) + 1)
    return (Moment(start, start + DAY, "day"),) if legal else ()


_ROUND: tuple[tuple[str, Callable[..., _Maybe]], ...] = (
    (r"(\d\d[1-9])0['\u2019]?s", lambda digits: [_years(int(digits) * 10, 10, "decade")]),
    (
        r"(\d\d)00['\u2019]?s",  # the first decade of a century, or all of it
        lambda d: [_years(int(d) * 100, 10, "decade"), _years(int(d) * 100, 100, "century")],
    ),
    (r"(\d{3})x", lambda digits: [_years(int(digits) * 10, 10, "decade")]),
    (r"(\d\d)xx", lambda digits: [_years(int(digits) * 100, 100, "century")]),
    (r"(\d{4})-(?:(\d\d)-xx|xx-xx|xx)", lambda year, month: [on_date(year, month)]),
    (rf"(\d{{1,2}})(?:st|nd|rd|th) (?:century|c\.)(?: ({_BC}|{_AD}))?", _century),
    (r"(spring|summer|autumn|fall|winter),?(?: of)? (\d{4})", _season),
    (r"(\d{4})-(2[1-4])", lambda year, code: _season(code, year)),
    (r"(\d{4})[- /]?q([1-4])", lambda year, number: [_months(int(year), 3 * int(number) - 2, 3)]),
    (r"q([1-4])[- /]?(\d{4})", lambda number, year: [_months(int(year), 3 * int(number) - 2, 3)]),
    (r"(\d{4})-?w(\d\d)(?:-?([1-7]))?", _week),
    (r"(\d{4})-(\d{3})", _day_of_year),
    (
        r"(\d{4}) ?[-\u2013\u2014] ?(\d{4})",
        lambda first, last: _between([_years(int(first), 1, "year")], [_years(int(last), 1, "year")]),
    ),
    ("(\\d{4})\u5e74(?:(\\d{1,2})\u6708(?:(\\d{1,2})[\u65e5\u53f7\u865f])?)?", lambda *d: [on_date(*d)]),
)

Problem = Literal["unparsed_timestamp", "ambiguous_date"]
_CLOCK = r"(?:[T ](\d\d(?::?\d\d(?::?\d\d(?:[.,]\d+)?)?)?)\s*(Z|z|[+-]\d\d(?::?\d\d)?)?)?"
_ISO = re.compile(rf"(\d{{4}}|-\d{{4,9}}|\+\d{{5,9}}|Y-?\d{{5,9}})(?:-(\d\d)(?:-(\d\d){_CLOCK})?)?$")
_BASIC = re.compile(rf"(\d{{4}})(\d\d)(\d\d){_CLOCK}$")
_YEAR_FIRST = re.compile(rf"(\d{{4}})[/.](\d{{1,2}})[/.](\d{{1,2}}){_CLOCK}$")
_YEAR_LAST = re.compile(rf"(\d{{1,2}})([/.-])(\d{{1,2}})\2(\d{{4}}){_CLOCK}$")


def parse(text: str, day_first: bool | None = None) -> Moment | Problem:
    """Read a date of ISO 8601-1 and -2 (EDTF levels 0 and 1), of numbers, or of English words.

    An interval such as `1854-09-01/1854-09-08` means some instant between its two ends. A date with two
    readings (`03/04/1854` without `day_first`, `1900s`, `1854-21` for a spring of either hemisphere) is
    `ambiguous_date`, never guessed. A clock time without a zone is taken for UTC, and the moment says so.
    Dates are taken for Gregorian ones, whatever calendar was in use.

    Parameters
    ----------
    text : str
        A date or interval.
    day_first : bool, optional
        How to read 03/04/1854; None: not at all.

    Returns
    -------
    Moment or str
        The instants it can mean, in microseconds from 1970, UTC; or `ambiguous_date`, `unparsed_timestamp`.

    References
    ----------
    ISO 8601-1:2019 and 8601-2:2019.

    """
    moments = candidates(text, day_first)
    if len(moments) == 1:
        return moments[0]
    return "ambiguous_date" if moments else "unparsed_timestamp"


def readings(text: str) -> tuple[str, ...]:
    """Return what a text can mean, each as an ISO date or interval; one where there is no doubt.

    Parameters
    ----------
    text : str
        A date or interval.

    Returns
    -------
    tuple of str
        Two for 03/04/1854; empty for what is no date.

    """
    return tuple(dict.fromkeys(stated(moment) for moment in candidates(text, None)))


def candidates(text: str, day_first: bool | None) -> Sequence[Moment]:
    """Return every reading of a text; none where it is no date.

    Parameters
    ----------
    text : str
        A date or interval.
    day_first : bool or None
        How to read 03/04/1854; None: both ways.

    Returns
    -------
    sequence of Moment
        Where `day_first` is None and both are dates, with the day first, then with the month first.

    """
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


def _range(first: str, last: str, day_first: bool | None) -> Sequence[Moment]:
    """Return an interval of EDTF; a side of `..` or nothing is open."""
    if first in ("", "..") and last not in ("", ".."):
        return [up_to(m.until, m) for m in candidates(last, day_first)]
    if last in ("", "..") and first not in ("", ".."):
        return [onwards(m.start, m) for m in candidates(first, day_first)]
    return _between(candidates(first, day_first), candidates(last, day_first))


def stated(moment: Moment) -> str:
    """Return a moment as a date, or as an interval of its first and last day or instant.

    Parameters
    ----------
    moment : Moment
        A moment.

    Returns
    -------
    str
        Such as 1854-09-08, 1854-09-01/1854-09-30 or ../1854-09-08.

    """
    if moment.precision in CLOCK:
        return iso(moment.start)
    first, last = (iso(instant).partition("T")[0] for instant in (moment.start, moment.until - 1))
    if moment.open:
        return f"../{last}" if moment.open == "start" else f"{first}/.."
    return first if first == last else f"{first}/{last}"


def _written(
    year_: str, month_: str | None = None, day_: str | None = None, clock: str = "", zone: str | None = None
) -> Moment | None:
    """Return the moment that the fields of a date mean; None where the calendar or clock has none."""
    if not clock:
        return None if year_ == "0000" and not day_ else on_date(year_, month_, day_)
    offset = _offset(zone)
    midnight = date_start(int(year_.lstrip("Y")), int(month_ or 1), int(day_ or 1))
    digits, part = clock.replace(":", "")[:6], clock.replace(":", "")[7:]
    hour, minute, second = (int(digits[at : at + 2] or 0) for at in (0, 2, 4))
    ends_day = hour == 24 and not (minute or second or int(part or 0))  # 24:00 of ISO 8601-1
    if offset is None or midnight is None or not (ends_day or (hour < 24 and minute < 60 and second < 60)):
        return None
    start = midnight + hour * HOUR + minute * MINUTE + second * SECOND - offset + int((part + "000000")[:6])
    precision = CLOCK[len(digits) // 2 - 1]
    until = start + (1 if part else {"hour": HOUR, "minute": MINUTE, "second": SECOND}[precision])
    return Moment(start, until, precision, assumed_utc=not zone, has_offset=offset != 0)


def _offset(zone: str | None) -> int | None:
    """Return microseconds east of UTC; None where no clock is so far from it."""
    if not zone or zone in "Zz":
        return 0
    hours, minutes = int(zone[1:3]), int(zone[3:].replace(":", "") or 0)
    if hours > 23 or minutes > 59:
        return None
    return (-1 if zone[0] == "-" else 1) * (hours * HOUR + minutes * MINUTE)
