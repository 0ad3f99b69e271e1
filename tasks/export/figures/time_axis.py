"""A time axis: where an instant stands on the page, and which dates are written along it.

Instants are microseconds, as `corpusgraph.tasks.analysis.process.timestamps` counts them.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from corpusgraph.tasks.analysis.process.timestamps import (
    DAY,
    HOUR,
    MINUTE,
    SECOND,
    Unit,
    civil,
    label,
    midnight,
)
from corpusgraph.tasks.export.figures.page import SMALL, width

_YEARS = (10_000, 5_000, 2_000, 1_000, 500, 200, 100, 50, 20, 10, 5, 2, 1)
_MONTHS = (6, 3, 1)
_DAYS = ((1, 16), (1, 8, 15, 22), range(1, 31, 2), range(1, 32))
_FIXED: tuple[tuple[int, Unit], ...] = (
    (6 * HOUR, "hour"),
    (HOUR, "minute"),
    (15 * MINUTE, "minute"),
    (5 * MINUTE, "minute"),
    (MINUTE, "minute"),
    (15 * SECOND, "second"),
    (SECOND, "second"),
)
_MOST = 800
"""Candidates of one level: finer levels would crowd the axis."""
_CROWDED = 0.2
_STRETCH = 0.65
_KNOTS = 40
_SPACE = 5.0
"""Half the space between two dates, in points."""
_DATES = 14


class TimeAxis:
    """Places on the page from `left` to `right` for instants from the first to the last.

    Where more than half of the events lie in a fifth of the time, the axis is `stretched` there: two thirds
    of its length go to events, one third to time, and it is still monotone.
    """

    def __init__(self, starts: Sequence[int], first: int, last: int, left: float, right: float) -> None:
        self.first, self.last = first, max(last, first + 1)
        self.left, self.right = left, right
        self.stretched = _crowded(sorted(starts), self.last - first)
        self._knots = self._made(sorted(starts)) if self.stretched else [(first, 0.0), (self.last, 1.0)]
        self._times = [time for time, _ in self._knots]

    def _made(self, starts: Sequence[int]) -> list[tuple[int, float]]:
        """Return instants with their share of the axis: quantiles of the events mixed with time itself."""
        quantiles = {starts[at * (len(starts) - 1) // _KNOTS]: at / _KNOTS for at in range(_KNOTS + 1)}
        knots = {self.first: 0.0, self.last: 1.0}
        for time, share in quantiles.items():
            if self.first < time < self.last:
                plain = (time - self.first) / (self.last - self.first)
                knots[time] = _STRETCH * share + (1 - _STRETCH) * plain
        return sorted(knots.items())

    def at(self, instant: int) -> float:
        """Return where an instant stands, in points; those before the first or after the last at the ends."""
        instant = min(max(instant, self.first), self.last)
        place = min(bisect_right(self._times, instant), len(self._knots) - 1)
        (a, low), (b, high) = self._knots[place - 1], self._knots[place]
        share = low + (high - low) * (instant - a) / (b - a)
        return self.left + share * (self.right - self.left)

    def ticks(self) -> list[tuple[float, str]]:
        """Return places and dates, none over another: of one step, on a stretched axis of several."""
        if self.stretched:
            return self._by_level()
        best: list[tuple[float, str]] = []
        for instants, unit in self._levels():
            found = [(self.at(instant), label(instant, unit)) for instant in instants]
            if len(found) > len(best) and len(found) <= _DATES and _apart(found):
                best = found
        return best or [(self.left, label(self.first, "day"))]

    def _by_level(self) -> list[tuple[float, str]]:
        """Write coarse dates first, then finer ones between them."""
        taken: list[tuple[float, float]] = []
        found: dict[float, str] = {}
        for instants, unit in self._levels():
            for instant in instants:
                x, text = self.at(instant), label(instant, unit)
                half = width(text, SMALL) / 2 + _SPACE
                if all(x + half <= a or b <= x - half for a, b in taken):
                    taken.append((x - half, x + half))
                    found[x] = text
        return sorted(found.items())

    def _levels(self) -> Iterator[tuple[list[int], Unit]]:
        low, high = civil(self.first // DAY)[0], civil(self.last // DAY)[0] + 1
        for step in _YEARS:
            yield self._inside(midnight(y) for y in _few(-(-low // step) * step, high, step)), "year"
        for step in _MONTHS:
            months = _few(12 * low, 12 * high, step)
            yield self._inside(midnight(m // 12, m % 12 + 1) for m in months), "month"
        days = _few(-(-self.first // DAY), self.last // DAY + 1, 1)
        for kept in _DAYS:
            yield [day * DAY for day in days if civil(day)[2] in kept], "day"
        for length, unit in _FIXED:
            begin = -(-self.first // length) * length
            yield self._inside(_few(begin, self.last + 1, length)), unit

    def _inside(self, instants: "Iterator[int] | range") -> list[int]:
        return [instant for instant in instants if self.first <= instant <= self.last]


def _few(low: int, high: int, step: int) -> range:
    """Return a range, or an empty one where it has too many values for an axis."""
    return range(low, high, step) if (high - low) // step <= _MOST else range(0)


def _apart(found: Sequence[tuple[float, str]]) -> bool:
    """Tell whether dates side by side leave a space."""
    halves = [width(text, SMALL) / 2 + _SPACE for _, text in found]
    return all(
        b[0] - a[0] >= one + other for (a, one), (b, other) in pairwise(zip(found, halves, strict=True))
    )


def _crowded(starts: Sequence[int], span: int) -> bool:
    """Tell whether more than half of the events lie in a fifth of the time."""
    half = len(starts) // 2
    if len(starts) < 8:
        return False
    return min(b - a for a, b in zip(starts, starts[half:], strict=False)) < span * _CROWDED
