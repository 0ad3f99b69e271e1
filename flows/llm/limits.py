"""Limits: requests at once, requests and tokens in any minute, and the wait before another attempt."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import fsum
from random import Random
from threading import Lock

from corpusgraph.schemas.llm import Limits, StageUsage, Usage

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


_PROBES = 3


class EndpointDownError(Exception):
    """The endpoint did not answer any probe; it is not called any more."""


class Breaker:
    """Counts requests without an answer, one after another; a refusal such as 429 is an answer.

    Closed: all pass. Open: nobody passes until `cool_down` seconds are over; then one, the probe. An answer
    closes it; after three probes without one the endpoint is down for good.
    """

    def __init__(self, threshold: int, cool_down: float) -> None:
        self._threshold = threshold
        self._cool_down = cool_down
        self._silent = 0
        self._failed_probes = 0
        self._opened: float | None = None
        self._probing = False
        self._changed = asyncio.Event()
        self.down = False
        self.n_opened = 0

    async def enter(self) -> bool:
        """Wait until a request may be made; return whether it is the probe. Raises EndpointDownError."""
        while True:
            if self.down:
                raise EndpointDownError
            if self._opened is None:
                return False
            wait = self._opened + self._cool_down - self._now()
            if wait <= 0 and not self._probing:
                self._probing = True
                return True
            await self._change(wait if wait > 0 else None)

    def answered(self) -> None:
        """Note that the endpoint answered: whatever it said, it is there."""
        self._silent = self._failed_probes = 0
        if self._opened is not None:
            self._opened, self._probing = None, False
            self._tell()

    def silent(self, *, probe: bool) -> None:
        """Note a request without an answer."""
        self._silent += 1
        if probe and self._opened is not None:
            self._failed_probes += 1
            self._probing = False
            self.down = self._failed_probes >= _PROBES
            self._open()
        elif self._opened is None and self._silent >= self._threshold:
            self.n_opened += 1
            self._open()

    def left(self, *, probe: bool) -> None:
        """Note that a request was given up before anything was known: another may probe."""
        if probe and self._opened is not None:
            self._probing = False
            self._tell()

    def _open(self) -> None:
        self._opened = self._now()
        self._tell()

    def _tell(self) -> None:
        """Wake all who wait, to look again."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def _change(self, timeout: float | None) -> None:
        try:
            async with asyncio.timeout(timeout):
                await self._changed.wait()
        except TimeoutError:
            return

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()


class Account:
    """One stage's account; several threads may write to it."""

    def __init__(self, stage: str, model: str) -> None:
        self.stage = stage
        self._model = model
        self._lock = Lock()
        self._usage = Usage()
        self._counts = {"reused": 0, "repaired": 0, "retried": 0, "failed": 0}

    def count(self, what: str, by: int = 1) -> None:
        """Count prompts reused or failed, replies repaired, requests retried."""
        with self._lock:
            self._counts[what] += by

    def spend(self, usage: Usage) -> None:
        """Add what a request cost."""
        with self._lock:
            self._usage += usage

    def told(self) -> StageUsage:
        """Return the account as it stands."""
        with self._lock:
            return StageUsage(stage=self.stage, model=self._model, **self._usage.model_dump(), **self._counts)


Expected = Callable[[bool], float]
"""What a request will cost as far as is known by now; True: at the worst, where nothing is known yet."""


class Budget:
    """US dollars that may be spent; what requests under way will cost is held back."""

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._held: dict[int, Expected] = {}
        self._n = 0
        self._settled = asyncio.Event()
        self.spent = 0.0

    async def hold(self, cost: Expected) -> int | None:
        """Hold back what a request may cost; None if there is no room for it.

        While requests under way may turn out cheaper than thought, it waits for them.
        """
        while not self._fits(cost):
            if not self._held:
                return None
            await self._settled.wait()
        self._n += 1
        self._held[self._n] = cost
        return self._n

    def settle(self, held: int, cost: float) -> None:
        """Say what the request really cost."""
        del self._held[held]
        self.spent += cost
        self._settled.set()
        self._settled = asyncio.Event()

    def _fits(self, cost: Expected) -> bool:
        """Tell whether there is room; a first request goes alone if there may not be for the worst."""
        if self._limit is None:
            return True
        room = self._limit - self.spent - fsum(held(True) for held in self._held.values())
        return cost(bool(self._held)) <= room
