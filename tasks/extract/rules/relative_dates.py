"""Dates that the text reckons from another one: "the next day", "two weeks later", "last spring".

All of them are approximate. Where the words leave days open the result is an interval: of "three weeks later"
three days to either side, of "a few days later" the second to the ninth day; the result is never finer than
the unit that the words count in, nor than the date they count from.
"""

import calendar
import re
from dataclasses import replace
from datetime import date, timedelta
from typing import NamedTuple

from corpusgraph.tasks.extract.rules.quantities import number
from corpusgraph.tasks.text.dates import WEEKDAYS, FoundDate
from corpusgraph.tasks.text.wordlist import entry

_SEASON = "spring|summer|autumn|fall|winter"
_UNIT = rf"day|morning|afternoon|evening|night|week|month|year|{_SEASON}"
_WEEKDAY = "|".join(WEEKDAYS)
_COUNT = (
    r"an?|(?:(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[-\s])?(?:one|two|three|four|five|six|seven|eight|nine)|"
    r"ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|\d{1,3}|"
    r"(?P<few>(?:(?:only|just)\s+)?(?:a\s+few|several|some|many|a\s+couple\s+of))"
)
_ALONE = r"(?=\s*(?:[.,;:)!?]|$)|\s+(?:he|she|it|they|we|I)\b)"
"""After "before" and "after" that count from the date before: not in "two days after the battle"."""
_RELATIVE = re.compile(
    rf"\b(?:the\s+|that\s+)?(?P<which>next|following|same|very\s+same|very\s+next|previous|preceding)\s+(?P<unit>{_UNIT})\b"
    rf"|\bthe\s+(?P<unit_after>day|night|evening|morning|week|month|year)\s+(?P<side>after|before|following){_ALONE}"
    rf"|\b(?P<that>that|this|last)\s+(?P<that_unit>{_UNIT})\b"
    rf"|(?<![\w-])(?P<count>{_COUNT})\s+(?P<units>day|week|month|year)s?\s+(?:(?P<way>later|afterwards?|earlier|previously|ago)\b"
    rf"|(?P<alone>before|after){_ALONE})"
    rf"|\b(?P<yesterday>yesterday)\b(?!,?\s+(?:and\s+)?to-?day)"
    r"|\b(?:on|before|after|until|till|since|by)\s+the\s+(?P<nth>[12]?\d|3[01])(?:st|nd|rd|th)\b"
    r"(?:\s+(?P<which_month>inst|ult)(?:ant|imo|\b)\.?)?"
    r"(?=\s*(?:[.,;:)!?]|$)|\s+(?:I|he|she|it|we|they|the|an?|my|our|his|her|their|and|at|after|in|with|from|to|by|Mrs?|Dr)\b)"
    rf"|\b(?P<on>on|last|next|the\s+(?:following|next)|the\s+previous)\s+(?P<weekday>{_WEEKDAY})\b(?!,?\s+(?:the\s+)?\d)",
    re.IGNORECASE,
)
_STEP: dict[str, int] = entry("relative_dates.step")
_DAYS = frozenset({"day", "morning", "afternoon", "evening", "night"})
_STARTS: dict[str, int] = entry("relative_dates.starts")
_FEW = (2, 9)
_ORDER = ("day", "month", "year")
LONGEST_ANCHOR = 366
"""Days of a date from which others can be reckoned: a decade tells no following year."""


class Days(NamedTuple):
    """A stretch of days, both ends included."""

    first: date
    last: date


def find_relative(
    text: str, start: int, end: int, anchor: FoundDate | None, written: FoundDate | None = None
) -> list[FoundDate]:
    """Return the relative dates between two offsets.

    Parameters
    ----------
    text, start, end
        Where to look.
    anchor
        The date before them in the text. Without one that can be reckoned from, there is no date.
    written
        When the text was written: "this", "ago" and "yesterday" count from it, and "last" where it is known.

    """
    if anchor is None and written is None:
        return []
    return [
        replace(moved, start=match.start(), end=match.end(), approximate=True)
        for match in _RELATIVE.finditer(text, start, end)
        if (base := _base(match, anchor, written))
        and (moved := _reckoned(match, base, written=base is written))
    ]


def _base(match: re.Match[str], anchor: FoundDate | None, written: FoundDate | None) -> FoundDate | None:
    """Return the date that an expression counts from: the one before it, or that of writing."""
    word = (match["that"] or match["way"] or match["yesterday"] or "").lower()
    if word in ("this", "ago", "yesterday"):
        return written
    return written or anchor if word == "last" or match["weekday"] or match["nth"] else anchor


def _reckoned(match: re.Match[str], anchor: FoundDate, *, written: bool) -> FoundDate | None:
    days = days_of(anchor)
    if days is None or (days.last - days.first).days > LONGEST_ANCHOR:
        return None
    try:
        if match["nth"] or match["weekday"]:
            return (_nth if match["nth"] else _weekday)(match, anchor, days, back=written)
        unit, low, high = _step(match)
        if unit in _STARTS:
            return _season(unit, low, days)
        return _moved(unit, _grain(anchor), days, low, high, exact=bool(match["count"]))
    except (ValueError, OverflowError):  # before year 1 or after 9999
        return None


def days_of(told: FoundDate) -> Days | None:
    """Return the days a date can mean; None for one without a year, or before our era."""
    if not told.first or not told.first[:4].isdigit():
        return None
    try:
        missing = [1] * (2 - told.first[:10].count("-"))
        first = date(*[int(part) for part in told.first[:10].split("-")], *missing)
        parts = [int(part) for part in (told.last or told.first)[:10].split("-")]
    except ValueError:
        return None
    month = parts[1] if len(parts) > 1 else 12
    day = parts[2] if len(parts) > 2 else calendar.monthrange(parts[0], month)[1]
    return Days(first, date(parts[0], month, day))


def _step(match: re.Match[str]) -> tuple[str, int, int]:
    """Return the unit, and the fewest and most of it to go, backwards if negative."""
    if match["yesterday"]:
        return "day", -1, -1
    if match["which"] or match["that"]:
        word = (match["which"] or match["that"]).lower().split()[-1]
        return (match["unit"] or match["that_unit"]).lower(), _STEP[word], _STEP[word]
    if match["side"]:
        step = -1 if match["side"].lower() == "before" else 1
        return match["unit_after"].lower(), step, step
    count = match["count"].lower()
    low, high = _FEW if match["few"] else (1, 1) if count in ("a", "an") else (int(number(count) or 0),) * 2
    back = (match["way"] or match["alone"]).lower() in ("earlier", "previously", "ago", "before")
    return match["units"].lower(), -high if back else low, -low if back else high


def _moved(unit: str, grain: str, days: Days, low: int, high: int, *, exact: bool) -> FoundDate | None:
    """Return the days so many units away; `exact` where they are counted."""
    first, last = days
    if unit in _DAYS:
        if grain == "day":
            return _told(first + timedelta(low), last + timedelta(high), "day")
        # the next day of an unknown day is in the same month, or nearly so; a farther one is anywhere
        return _told(first, last, grain) if max(abs(low), abs(high)) <= _FEW[1] else None
    if unit == "week":  # "the next week" may begin tomorrow
        least, most = (7 * low - 3, 7 * high + 3) if exact else ((-6, 6), (1, 13), (-13, -1))[low]
        return _told(first + timedelta(least), last + timedelta(most), grain)
    if unit == "year":
        return _told(date(first.year + low, 1, 1), date(last.year + high, 1, 1), "year")
    if grain == "year" and low == high == 0:
        return _told(first, last, "year")
    return _told(_month(first, low), _month(last, high), "month" if grain == "day" else grain)


def _month(day: date, steps: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + steps, 12)
    return date(year, month + 1, 1)


def _season(name: str, step: int, days: Days) -> FoundDate | None:
    """Return the season of the northern year that comes next, came last, or is of the anchor's year."""
    years = range(days.first.year - 2, days.last.year + 3)
    firsts = [date(year, _STARTS[name], 1) for year in years]
    seasons = [(first, _month(first, 2)) for first in firsts]
    if step > 0:
        chosen = next(season for season in seasons if season[0] > days.last)
    elif step < 0:
        chosen = [season for season in seasons if _month(season[1], 1) <= days.first][-1]
    elif days.first.year == days.last.year:
        chosen = next(season for season in seasons if season[0].year == days.first.year)
    else:
        return None
    return _told(*chosen, "month")


def _nth(match: re.Match[str], anchor: FoundDate, days: Days, *, back: bool) -> FoundDate | None:
    """Return the day that "the 9th" is: of a letter the last one before it, in a story the next."""
    if _grain(anchor) != "day":
        return None
    number_ = int(match["nth"])
    if match["which_month"]:
        step = -(match["which_month"].lower() == "ult")
    elif back:
        step = -(number_ > days.last.day)
    else:
        step = int(number_ < days.first.day)
    day = _month(days.first, step).replace(day=number_)
    return _told(day, day, "day")


def _weekday(match: re.Match[str], anchor: FoundDate, days: Days, *, back: bool) -> FoundDate | None:
    """Return the week in which "on Monday" lies, or the day that "the following Monday" is.

    What a letter tells of Monday happened on the last one.
    """
    if _grain(anchor) != "day":
        return None
    which, number_ = match["on"].lower(), WEEKDAYS.index(match["weekday"].lower())
    if which == "on" and back:
        day = days.first - timedelta((days.first.weekday() - number_) % 7)
        return _told(day, day, "day")
    if which == "on":
        return _told(days.first, days.last + timedelta(6), "day")
    if which in ("last", "the previous"):
        day = days.first - timedelta((days.first.weekday() - number_ - 1) % 7 + 1)
    else:
        day = days.last + timedelta((number_ - days.last.weekday() - 1) % 7 + 1)
    return _told(day, day, "day")


def _grain(told: FoundDate) -> str:
    """Return how exact a date is: a clock time counts as its day."""
    return told.granularity if told.granularity in _ORDER else "day"


def _told(first: date, last: date, grain: str) -> FoundDate:
    length = {"day": 10, "month": 7, "year": 4}[grain]
    one, other = first.isoformat()[:length], last.isoformat()[:length]
    return FoundDate(0, 0, one, other if other != one else None, granularity=grain)
