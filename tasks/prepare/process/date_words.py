"""Dates in English words and in the looser notations of EDTF (Library of Congress 2019; ISO 8601-2)."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from corpusgraph.tasks.prepare.process.instants import DAY, date_start, day_number, midnight
from corpusgraph.tasks.prepare.process.moment import Moment, Precision, joined, on_date, onwards, spans, up_to

Found = Sequence[Moment]
Reader = Callable[[str], Found]

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_SPRING, _SUMMER, _AUTUMN, _WINTER = 3, 6, 9, 12
_SEASONS = {"spring": _SPRING, "summer": _SUMMER, "autumn": _AUTUMN, "fall": _AUTUMN, "winter": _WINTER}
_SEASON_CODES = {"21": _SPRING, "22": _SUMMER, "23": _AUTUMN, "24": _WINTER}

_NAME = r"(?P<name>[a-z]{3,9})\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_AD, _BC = r"(?:a\.?d\.?|c\.?e\.?)", r"b\.?c\.?(?:e\.?)?"


def in_words(text: str, read_date: Reader) -> Found:
    """Return every reading of words such as `circa 1854`, `before May 1854`, `44 BC`, `the 1850s`, `185X`.

    `read_date` reads the date inside: after "circa", or on either side of "between … and …".
    """
    text = text.lower().removeprefix("the ")
    for pattern, read in _ROUND:
        if match := re.fullmatch(pattern, text):
            return read(*match.groups())
    for pattern, inner in _BOUNDED:
        if match := re.fullmatch(pattern, text):
            return inner(read_date(match[1]))
    if match := re.fullmatch(r"(?:between|from) (.+?) (?:and|to) (.+)", text):
        return _between(read_date(match[1]), read_date(match[2]))
    return _calendar_words(text)


def _calendar_words(text: str) -> Found:
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
            return _maybe(on_date(f"{number:04d}", month, parts.get("day")))
    return ()


def _month(name: str) -> str | None:
    if name == "sept":
        return "9"
    found = [n for n, month in enumerate(_MONTHS, start=1) if month.startswith(name)]
    return str(found[0]) if len(found) == 1 and (len(name) == 3 or name in _MONTHS) else None


def _between(first: Found, last: Found) -> Found:
    return [joined(one, other) for one in first for other in last if spans(one, other)]


def _about(found: Found) -> Found:
    return [replace(one, approximate=True) for one in found if not one.open]


def _before(found: Found) -> Found:
    return [up_to(one.start, one) for one in found if not one.open]


def _by(found: Found) -> Found:
    return [up_to(one.until, one) for one in found if not one.open]


def _after(found: Found) -> Found:
    return [onwards(one.until, one) for one in found if not one.open]


def _since(found: Found) -> Found:
    return [onwards(one.start, one) for one in found if not one.open]


_BOUNDED: tuple[tuple[str, Callable[[Found], Found]], ...] = (
    (r"(?:c\.|ca\.?|circa|about|around|approximately|approx\.?|probably) ?(.+)", _about),
    (r"c(\d{4})", _about),
    (r"(.+?) ?[~?%]", _about),
    (r"(?:before|prior to|earlier than) (.+)", _before),
    (r"(?:by|not after|not later than|no later than) (.+)", _by),
    (r"(?:after|later than) (.+)", _after),
    (r"(?:since|not before|not earlier than|no earlier than) (.+)", _since),
)


def _maybe(moment: Moment | None) -> Found:
    return () if moment is None else (moment,)


def _years(first: int, count: int, precision: Precision) -> Moment:
    return Moment(midnight(first), midnight(first + count), precision)


def _decade(digits: str) -> Found:
    return (_years(int(digits) * 10, 10, "decade"),)


def _hundreds(digits: str) -> Found:
    """Read `1900s`: the first decade of a century, or all of it."""
    first = int(digits) * 100
    return (_years(first, 10, "decade"), _years(first, 100, "century"))


def _masked_century(digits: str) -> Found:
    return (_years(int(digits) * 100, 100, "century"),)


def _masked(year: str, month: str | None) -> Found:
    return _maybe(on_date(year, month if month and month != "xx" else None))


def _century(number: str, era: str | None) -> Found:
    """Read a century so that both usages are covered: the 19th, 1801-1900 or 1800-1899, is 1800 to 1900."""
    n = int(number)
    if not n:
        return ()
    if era and era.startswith("b"):
        return (_years(1 - 100 * n, 100, "century"),)
    first = max(1, 100 * (n - 1))
    return (_years(first, 100 * n + 1 - first, "century"),)


def _season(name: str, year: str) -> Found:
    return _season_of(_SEASONS[name], int(year))


def _season_code(year: str, code: str) -> Found:
    return _season_of(_SEASON_CODES[code], int(year))


def _season_of(month: int, year: int) -> Found:
    """Return the season of either hemisphere, in whole months; a northern winter lies in two years."""
    begins = [month, (month + 5) % 12 + 1, *([0] if month == _WINTER else [])]
    found = [_months(year, begin, 3) for begin in begins]
    return found if month != _SUMMER else [*found, _months(year, 0, 3)]


def _months(year: int, first: int, count: int) -> Moment:
    return Moment(midnight(year, first), midnight(year, first + count), "range")


def _quarter(year: str, number: str) -> Found:
    return (_months(int(year), 3 * int(number) - 2, 3),)


def _quarter_first(number: str, year: str) -> Found:
    return _quarter(year, number)


def _week(year: str, week: str, day: str | None) -> Found:
    try:
        first = date.fromisocalendar(int(year), int(week), int(day or 1))
    except ValueError:
        return ()
    start = day_number(first.year, first.month, first.day) * DAY
    return (Moment(start, start + DAY, "day") if day else Moment(start, start + 7 * DAY, "range"),)


def _day_of_year(year: str, number: str) -> Found:
    n, start = int(number), midnight(int(year)) + (int(number) - 1) * DAY
    legal = 1 <= n <= 365 + (date_start(int(year), 2, 29) is not None)
    return (Moment(start, start + DAY, "day"),) if legal else ()


def _two_years(first: str, last: str) -> Found:
    return _between(_maybe(on_date(first)), _maybe(on_date(last)))


def _east_asian(year: str, month: str | None, day: str | None) -> Found:
    return _maybe(on_date(year, month, day))


_ROUND: tuple[tuple[str, Callable[..., Found]], ...] = (
    (r"(\d\d[1-9])0['\u2019]?s", _decade),
    (r"(\d\d)00['\u2019]?s", _hundreds),
    (r"(\d{3})x", _decade),
    (r"(\d\d)xx", _masked_century),
    (r"(\d{4})-(\d\d|xx)-xx", _masked),
    (r"(\d{4})-(xx)", _masked),
    (rf"(\d{{1,2}})(?:st|nd|rd|th) (?:century|c\.)(?: ({_BC}|{_AD}))?", _century),
    (r"(spring|summer|autumn|fall|winter),?(?: of)? (\d{4})", _season),
    (r"(\d{4})-(2[1-4])", _season_code),
    (r"(\d{4})[- /]?q([1-4])", _quarter),
    (r"q([1-4])[- /]?(\d{4})", _quarter_first),
    (r"(\d{4})-?w(\d\d)(?:-?([1-7]))?", _week),
    (r"(\d{4})-(\d{3})", _day_of_year),
    (r"(\d{4}) ?[-\u2013\u2014] ?(\d{4})", _two_years),
    ("(\\d{4})\u5e74(?:(\\d{1,2})\u6708(?:(\\d{1,2})[\u65e5\u53f7\u865f])?)?", _east_asian),
)
