"""The interval of UTC instants that a date can mean, and how intervals are made of others."""

import math
from dataclasses import dataclass, replace
from typing import Literal

from corpusgraph.tasks.prepare.process.instants import DAY, date_start, midnight

Precision = Literal["century", "decade", "year", "month", "day", "hour", "minute", "second", "range"]
Open = Literal["start", "until"]

CLOCK: tuple[Precision, ...] = ("hour", "minute", "second")


@dataclass(frozen=True, slots=True)
class Moment:
    """The instants from `start` (included) to `until` (excluded), in microseconds from 1970, UTC.

    `open` names a side that the text leaves open ("before 1854"): the bound on that side is then the one
    the text does give. `approximate` dates ("circa") can lie on either side of their interval.
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

    def is_coarser_than(self, unit: int) -> bool:
        """Tell whether the text leaves more than a unit of time open."""
        return self.until - self.start > unit


def on_date(year_: str, month_: str | None = None, day_: str | None = None) -> Moment | None:
    """Return a year, a month or a day."""
    year = int(year_.lstrip("Y"))
    if year_.startswith("-") and not year:  # ISO 8601 has no year -0000
        return None
    if not month_:
        return Moment(midnight(year), midnight(year + 1), "year")
    month = int(month_)
    if not day_:
        return Moment(midnight(year, month), midnight(year, month + 1), "month") if 1 <= month <= 12 else None
    day = int(day_)
    start = date_start(year, month, day)
    return None if start is None else Moment(start, start + DAY, "day")


def spans(one: Moment, other: Moment) -> bool:
    """Tell whether an interval can begin with one moment and end with the other."""
    return one.open is other.open is None and one.start <= other.start and one.until <= other.until


def joined(one: Moment, other: Moment) -> Moment:
    """Return some instant between two moments."""
    return Moment(
        one.start,
        other.until,
        "range",
        one.assumed_utc or other.assumed_utc,
        one.has_offset or other.has_offset,
        approximate=one.approximate or other.approximate,
    )


def up_to(bound: int, like: Moment) -> Moment:
    """Return some instant before a bound: its last microsecond stands for it in order."""
    return replace(like, start=bound - 1, until=bound, precision="range", open="start")


def onwards(bound: int, like: Moment) -> Moment:
    """Return some instant from a bound on: its first microsecond stands for it in order."""
    return replace(like, start=bound, until=bound + 1, precision="range", open="until")
