"""Points in time as exact as their text: the interval of UTC instants they can mean."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from typing import Literal

Precision = Literal["year", "month", "day", "hour", "minute", "second", "range"]
PRECISIONS: tuple[Precision, ...] = ("year", "month", "day", "hour", "minute", "second")
CLOCK: tuple[Precision, ...] = ("hour", "minute", "second")

Problem = Literal["unparsed_timestamp", "ambiguous_date"]

_ZONE = r"\s*(?P<zone>Z|z|[+-]\d{2}(?::?\d{2})?)?"
_CLOCK = (
    r"(?:[T ](?P<hour>\d{2})(?::?(?P<minute>\d{2})(?::?(?P<second>\d{2})(?:[.,](?P<part>\d+))?)?)?"
    rf"{_ZONE})?"
)
_ISO = re.compile(rf"(?P<year>\d{{4}})(?:-(?P<month>\d{{2}})(?:-(?P<day>\d{{2}}){_CLOCK})?)?$")
_BASIC = re.compile(rf"(?P<year>\d{{4}})(?P<month>\d{{2}})(?P<day>\d{{2}}){_CLOCK}$")
_YEAR_FIRST = re.compile(rf"(?P<year>\d{{4}})[/.](?P<month>\d{{1,2}})[/.](?P<day>\d{{1,2}}){_CLOCK}$")
_YEAR_LAST = re.compile(
    rf"(?P<a>\d{{1,2}})(?P<mark>[/.-])(?P<b>\d{{1,2}})(?P=mark)(?P<year>\d{{4}}){_CLOCK}$"
)
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_NAME = r"(?P<name>[A-Za-z]{3,9})\.?"
_WORDS = (
    re.compile(rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? {_NAME},? (?P<year>\d{{4}})$"),
    re.compile(rf"{_NAME} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})$"),
    re.compile(rf"{_NAME},? (?P<year>\d{{4}})$"),
)


@dataclass(frozen=True)
class Moment:
    """The instants from `start` (included) to `until` (excluded), in UTC."""

    start: datetime
    until: datetime
    precision: Precision
    assumed_utc: bool = False

    @property
    def last(self) -> datetime:
        """Where something that lasted to this moment ended: a clock time itself, a date at its close."""
        return self.start if self.precision in CLOCK else self.until

    def is_coarser_than(self, unit: timedelta) -> bool:
        """Tell whether the text leaves more than a unit of time open."""
        return self.until - self.start > unit


def parse(text: str, day_first: bool | None = None) -> Moment | Problem:
    """Read ISO 8601, year-first and year-last numbers, and dates with English month names.

    An ISO interval such as `1854-09-01/1854-09-08` means some instant between its two ends.
    `03/04/1854` has two readings: without `day_first` it is `ambiguous_date`, never guessed. A clock
    time without a zone is taken for UTC, and the moment says so.
    """
    text = " ".join(text.split())
    for pattern in (_ISO, _BASIC, _YEAR_FIRST):
        if match := pattern.match(text):
            return _moment(match.groupdict())
    if match := _YEAR_LAST.match(text):
        return _year_last(match.groupdict(), day_first)
    if text.count("/") == 1:
        return _range(*text.split("/"))
    for pattern in _WORDS:
        match = pattern.match(text)
        if match and (month := _month(match["name"])):
            return _moment({**match.groupdict(), "month": str(month)})
    return "unparsed_timestamp"


def _range(first: str, last: str) -> Moment | Problem:
    start, end = parse(first), parse(last)
    if not isinstance(start, Moment) or not isinstance(end, Moment) or end.until < start.until:
        return "unparsed_timestamp"
    return Moment(start.start, end.until, "range", start.assumed_utc or end.assumed_utc)


def _month(name: str) -> int | None:
    found = [n for n, month in enumerate(_MONTHS, start=1) if month.startswith(name.lower())]
    if name.lower() == "sept":
        return 9
    return found[0] if len(found) == 1 and (len(name) == 3 or name.lower() in _MONTHS) else None


def _year_last(parts: dict[str, str | None], day_first: bool | None) -> Moment | Problem:
    a, b = int(parts["a"] or 0), int(parts["b"] or 0)
    if a > 12 or b > 12 or a == b:
        day_first = a > 12
    if day_first is None:
        return "ambiguous_date"
    day, month = (a, b) if day_first else (b, a)
    return _moment({**parts, "day": str(day), "month": str(month)})


def _moment(parts: dict[str, str | None]) -> Moment | Problem:
    precision: Precision = next((p for p in reversed(PRECISIONS) if parts.get(p)), "year")
    micro = int(((parts.get("part") or "") + "000000")[:6])
    numbers = [int(parts.get(p) or (0 if p in CLOCK else 1)) for p in PRECISIONS]
    zone = parts.get("zone")
    try:
        year, month, day, hour, minute, second = numbers
        local = datetime(year, month, day, hour, minute, second, micro, tzinfo=_zone(zone))
        start = local.astimezone(UTC)
        until = start + timedelta(microseconds=1) if parts.get("part") else _after(start, precision)
    except (ValueError, OverflowError):
        return "unparsed_timestamp"
    return Moment(start, until, precision, assumed_utc=precision in CLOCK and not zone)


def _zone(text: str | None) -> timezone:
    if not text or text in "Zz":
        return UTC
    hours, minutes = int(text[1:3]), int(text[3:].replace(":", "") or 0)
    return timezone((-1 if text[0] == "-" else 1) * timedelta(hours=hours, minutes=minutes))


def _after(start: datetime, precision: Precision) -> datetime:
    """Return the first instant after a year, month, day, hour, minute or second."""
    if precision == "year":
        return start.replace(year=start.year + 1) if start.year < 9999 else datetime.max.replace(tzinfo=UTC)
    if precision == "month":
        return (start + timedelta(days=31)).replace(day=1)
    return start + timedelta(**{f"{precision}s": 1})


def floor(instant: datetime, precision: Precision) -> datetime:
    """Return the beginning of the instant's day, hour, minute or second."""
    kept = PRECISIONS.index(precision)
    zeroed = {p: 0 for p in CLOCK if PRECISIONS.index(p) > kept}
    return instant.replace(microsecond=0, hour=zeroed.get("hour", instant.hour)).replace(
        minute=zeroed.get("minute", instant.minute), second=zeroed.get("second", instant.second)
    )


def iso(instant: datetime) -> str:
    """Return ISO 8601 in UTC with a Z; fractions only where there are some."""
    return instant.isoformat().replace("+00:00", "Z")
