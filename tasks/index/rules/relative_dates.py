"""Dates told by an earlier one: "the next day", "two weeks later", "that year"."""

import calendar
import re
from dataclasses import replace
from datetime import MAXYEAR, MINYEAR, date, timedelta

from corpusgraph.tasks.index.rules.dates import FoundDate
from corpusgraph.tasks.index.rules.quantities import number

_RELATIVE = re.compile(
    r"\b(?:[Tt]he\s+(?P<which>next|following|same|previous)|(?P<that>[Tt]hat))\s+(?P<unit>day|morning|evening|week|month|year)\b"
    r"|\b(?P<count>[Aa]|[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our|[Ff]ive|[Ss]ix|[Ss]even|[Ee]ight|[Nn]ine|[Tt]en|\d{1,3})\s+"
    r"(?P<units>day|week|month|year)s?\s+(?P<way>later|afterwards|earlier|before)\b"
)
_DAYS = {"day": 1, "morning": 1, "evening": 1, "week": 7}
_STEP = {"next": 1, "following": 1, "same": 0, "previous": -1}


def find_relative(text: str, start: int, end: int, anchor: FoundDate | None) -> list[FoundDate]:
    """Return the relative dates between two offsets, told by `anchor`, the explicit date before them.

    Nothing is guessed: without an anchor, or with one less precise than the step, there is no date.
    """
    if anchor is None or anchor.first is None or not anchor.first[:4].isdigit():
        return []
    return [
        replace(found, start=match.start(), end=match.end())
        for match in _RELATIVE.finditer(text, start, end)
        if (found := _moved(anchor, *_step(match)))
    ]


def _step(match: re.Match[str]) -> tuple[str, int]:
    """Return the unit and how many of it to go, backwards if negative."""
    if match["count"]:
        many = 1 if match["count"].lower() == "a" else int(number(match["count"]) or 0)
        return match["units"], many if match["way"] in ("later", "afterwards") else -many
    return match["unit"], _STEP[match["which"]] if match["which"] else 0


def _moved(anchor: FoundDate, unit: str, steps: int) -> FoundDate | None:
    """Move a date; the result is as precise as the unit, or as the anchor where that is less precise."""
    parts = [int(part) for part in (anchor.first or "")[:10].split("-")]
    if unit in _DAYS:
        day = _day(parts, _DAYS[unit] * steps)
        return FoundDate(0, 0, day.isoformat()) if day else None
    months = 12 * steps if unit == "year" else steps
    year, month = divmod(parts[0] * 12 + (parts[1] - 1 if len(parts) > 1 else 0) + months, 12)
    if not MINYEAR <= year <= MAXYEAR:
        return None
    if unit == "year":
        return FoundDate(0, 0, f"{year:04}", granularity="year")
    if len(parts) == 3 and abs(steps) > 0:
        last = calendar.monthrange(year, month + 1)[1]
        return FoundDate(0, 0, f"{year:04}-{month + 1:02}-{min(parts[2], last):02}")
    is_month = len(parts) > 1
    return FoundDate(0, 0, f"{year:04}-{month + 1:02}", granularity="month") if is_month else None


def _day(parts: list[int], days: int) -> date | None:
    """Return the day so many days from one; None where that is no day, or one outside the years 1 to 9999."""
    try:
        return date(parts[0], parts[1], parts[2]) + timedelta(days=days)
    except (IndexError, ValueError, OverflowError):
        return None
