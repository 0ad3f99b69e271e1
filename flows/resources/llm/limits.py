"""Limits: requests at once, requests and tokens in any minute, and the wait before another attempt."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import Random

from corpusgraph.schemas.profile import Limits

_BASE = 0.5
"""Seconds before the second attempt, at most; doubled for each further one."""
_LOOK_AGAIN = 0.25
"""Seconds after which a request that waits for its turn looks whether others used less than they took."""


class Window:
    """At most `limit` units in any `period` seconds; whoever comes first goes first."""

    def __init__(self, limit: float | None, period: float = 60.0) -> None:
        self._limit = limit
        self._period = period
        self._taken: deque[list[float]] = deque()
        self._sum = 0.0
        self._turn = asyncio.Lock()

    async def take(self, amount: float) -> list[float]:
        """Wait until there is room, take it, and return the entry for `correct`.

        What is more than the whole limit waits for an empty window.
        """
        entry = [0.0, amount]
        if self._limit is None:
            return entry
        async with self._turn:
            while (wait := self._wait(min(amount, self._limit))) > 0:
                await asyncio.sleep(min(wait, _LOOK_AGAIN))
            entry[0] = self._now()
            self._taken.append(entry)
            self._sum += amount
        return entry

    def correct(self, entry: list[float], amount: float) -> None:
        """Say what was really used."""
        if entry[0]:
            self._sum += amount - entry[1]
            entry[1] = amount

    def _wait(self, amount: float) -> float:
        """Return seconds until the oldest entry leaves the window; 0 if there is room."""
        start = self._now() - self._period
        while self._taken and self._taken[0][0] <= start:
            gone = self._taken.popleft()
            self._sum -= gone[1]
            gone[0] = 0.0
        if not self._taken or self._limit is None or self._sum + amount <= self._limit:
            return 0.0
        return max(self._taken[0][0] - start, 0.001)

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


class Slots:
    """Places for requests under way; a repair goes before prompts that have not been asked yet."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._waiting: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def one(self, *, first: bool = False) -> AsyncIterator[None]:
        """Hold a place; `first`: before all others that wait."""
        await self._take(first=first)
        try:
            yield
        finally:
            self._give()

    async def _take(self, *, first: bool) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        (self._waiting.appendleft if first else self._waiting.append)(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was given a place in the same moment
                self._give()
            raise

    def _give(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1


class Pace:
    """The limits of a profile, for the requests of one event loop."""

    def __init__(self, limits: Limits, period: float = 60.0) -> None:
        self._limits = limits
        self.slots = Slots(limits.concurrency)
        self._requests = Window(limits.requests_per_minute, period)
        self._tokens = Window(limits.tokens_per_minute, period)
        self._random = Random()  # noqa: S311  the times of attempts are no secret

    async def begin(self, tokens: float) -> list[float]:
        """Wait for the turn of a request of about so many tokens."""
        await self._requests.take(1)
        return await self._tokens.take(tokens)

    def end(self, entry: list[float], tokens: float) -> None:
        """Say how many tokens it really were."""
        self._tokens.correct(entry, tokens)

    def wait(self, failures: int, asked: float | None) -> float:
        """Return seconds to wait after so many failed attempts; `asked` is what the server asks for.

        Full jitter: anything up to a bound that doubles, so that requests that failed together part.
        """
        most = self._limits.max_wait
        if asked is not None:
            # A little later than asked for: all that were turned away at once do not come back at once.
            return min(asked + self._random.uniform(0, min(asked * 0.1, 1.0)), most)
        return self._random.uniform(0, min(most, _BASE * 2 ** min(failures, 20)))


def retry_after(headers: Mapping[str, str] | None, now: datetime | None = None) -> float | None:
    """Return the seconds a reply asks to wait: `retry-after-ms`, or `retry-after` in seconds or as a date."""
    given = {name.lower(): value.strip() for name, value in (headers or {}).items()}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        with suppress(ValueError, KeyError):
            seconds = float(given[name]) * unit
            if seconds >= 0:  # also refuses "nan"
                return seconds
    with suppress(ValueError, KeyError):
        when = parsedate_to_datetime(given["retry-after"])
        return max(
            (
                (when if when.tzinfo else when.replace(tzinfo=UTC)) - (now or datetime.now(UTC))
            ).total_seconds(),
            0.0,
        )
    return None
