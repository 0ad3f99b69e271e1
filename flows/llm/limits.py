"""Limits: requests and tokens in any minute, waits between attempts, an endpoint that is down, a budget."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from math import fsum
from random import Random
from threading import Lock

from corpusgraph.schemas.llm import Limits, ReplyFailure, StageUsage, Usage


@dataclass(eq=False)
class CallError(Exception):
    """A request that brought no reply.

    Attributes
    ----------
    code : ReplyFailure
        Of the failure.
    message : str
        What happened, without the key.
    again : bool
        Another attempt may help.
    answered : bool
        The endpoint is there.
    wait : float or None
        Seconds that it asks to wait; None where it does not.
    at_once : bool
        It is no failed attempt: another is made at once, in another way, or it is told why none is.

    """

    code: ReplyFailure
    message: str
    again: bool = False
    answered: bool = True
    wait: float | None = None
    at_once: bool = False


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
        self._turn = asyncio.Lock()

    async def take(self, amount: float) -> list[float]:
        """Wait until there is room, take it, and return the entry for `correct`.

        What is more than the whole limit waits for an empty window.

        Parameters
        ----------
        amount : float
            Requests or tokens.

        Returns
        -------
        list of float
            Time and amount; the amount may be put right.

        """
        entry = [0.0, amount]
        if self._limit is None:
            return entry
        async with self._turn:
            while (wait := self._wait(min(amount, self._limit), self._limit)) > 0:
                await asyncio.sleep(min(wait, _LOOK_AGAIN))
            entry[0] = asyncio.get_running_loop().time()
            self._taken.append(entry)
        return entry

    def correct(self, entry: list[float], amount: float) -> None:
        """Say what was really used.

        Parameters
        ----------
        entry : list of float
            As `take` returned it.
        amount : float
            Requests or tokens.

        """
        entry[1] = amount

    def _wait(self, amount: float, limit: float) -> float:
        """Return seconds until the oldest entry leaves the window; 0 if there is room."""
        start = asyncio.get_running_loop().time() - self._period
        while self._taken and self._taken[0][0] <= start:
            self._taken.popleft()
        if not self._taken or fsum(used for _, used in self._taken) + amount <= limit:
            return 0.0
        return max(self._taken[0][0] - start, 0.001)


class Pace:
    """The limits of a profile, for the requests of one event loop."""

    def __init__(self, limits: Limits, period: float = 60.0) -> None:
        self._limits = limits
        self._requests = Window(limits.requests_per_minute, period)
        self._tokens = Window(limits.tokens_per_minute, period)
        self._random = Random()  # noqa: S311  the times of attempts are no secret

    async def begin(self, tokens: float) -> list[float]:
        """Wait for the turn of a request of about so many tokens.

        Parameters
        ----------
        tokens : float
            Of prompt and reply, as far as known.

        Returns
        -------
        list of float
            For `end`.

        """
        await self._requests.take(1)
        return await self._tokens.take(tokens)

    def end(self, entry: list[float], tokens: float) -> None:
        """Say how many tokens it really were.

        Parameters
        ----------
        entry : list of float
            As `begin` returned it.
        tokens : float
            Of prompt and reply.

        """
        self._tokens.correct(entry, tokens)

    def wait(self, failures: int, asked: float | None) -> float:
        """Return how long to wait after so many failed attempts.

        Full jitter: anything up to a bound that doubles, so that requests that failed together part.

        Parameters
        ----------
        failures : int
            From 0.
        asked : float or None
            Seconds that the server asks for; None where it does not.

        Returns
        -------
        float
            Seconds, `max_wait` of the limits at most.

        """
        most = self._limits.max_wait
        if asked is not None:
            # A little later than asked for: all that were turned away at once do not come back at once.
            return min(asked + self._random.uniform(0, min(asked * 0.1, 1.0)), most)
        return self._random.uniform(0, min(most, _BASE * 2 ** min(failures, 20)))


_PROBES = 3


class Breaker:
    """Counts requests without an answer, one after another; a refusal such as 429 is an answer.

    Closed: all pass. Open: nobody passes until `cool_down` seconds are over; then one, the probe, and the
    others wait for its lock. An answer closes it; after three probes without one the endpoint is down.
    """

    def __init__(self, threshold: int, cool_down: float) -> None:
        self._threshold = threshold
        self._cool_down = cool_down
        self._silent = 0
        self._failed_probes = 0
        self._opened = 0.0
        self._closed = asyncio.Event()
        self._closed.set()
        self._probing = asyncio.Lock()

    @property
    def down(self) -> bool:
        """Whether the endpoint did not answer any probe."""
        return self._failed_probes >= _PROBES

    @asynccontextmanager
    async def request(self) -> AsyncIterator[bool]:
        """Wait until a request may be made, and note whether the one made inside is answered.

        Yields
        ------
        bool
            Whether it is the probe.

        Raises
        ------
        CallError
            Where the endpoint is down, and what the request raises: it tells whether that is an answer.

        """
        async with AsyncExitStack() as stack:
            probe = False
            if not self._closed.is_set():
                await stack.enter_async_context(self._probing)
                with suppress(TimeoutError):
                    async with asyncio.timeout_at(self._opened + self._cool_down * (not self.down)):
                        await self._closed.wait()
                if self.down:
                    raise CallError("unreachable", "the endpoint is down", at_once=True)
                probe = not self._closed.is_set()
                if not probe:
                    await stack.aclose()
            try:
                yield probe
            except CallError as error:
                self._note(answered=error.answered, probe=probe)
                raise
            self._note(answered=True, probe=probe)

    def _note(self, *, answered: bool, probe: bool) -> None:
        if answered:
            self._silent = self._failed_probes = 0
            self._closed.set()
            return
        self._silent += 1
        failed_probe = probe and not self._closed.is_set()
        self._failed_probes += failed_probe
        if failed_probe or (self._closed.is_set() and self._silent >= self._threshold):
            self._opened = asyncio.get_running_loop().time()
            self._closed.clear()


class Account:
    """One stage's account; several threads may write to it."""

    def __init__(self, stage: str, model: str) -> None:
        self._names = {"stage": stage, "model": model}
        self._lock = Lock()
        self._usage = Usage()
        self._counts = Counter[str]()

    def count(self, what: str, by: int = 1) -> None:
        """Count prompts reused or failed, replies repaired, requests retried.

        Parameters
        ----------
        what : str
            A field of `StageUsage`: reused, failed, repaired, retried.
        by : int, default 1
            How many.

        """
        with self._lock:
            self._counts[what] += by

    def spend(self, usage: Usage) -> None:
        """Add what a request cost.

        Parameters
        ----------
        usage : Usage
            Of one request.

        """
        with self._lock:
            self._usage += usage

    def told(self) -> StageUsage:
        """Return the account as it stands.

        Returns
        -------
        StageUsage
            A copy: it does not change any more.

        """
        with self._lock:
            return StageUsage(**self._names, **self._usage.model_dump(), **self._counts)


Expected = Callable[[bool], float]
"""What a request will cost as far as is known by now; True: at the worst, where nothing is known yet."""


class Budget:
    """US dollars that may be spent, of which `spent` are; what requests under way will cost is held back."""

    def __init__(self, limit: float | None) -> None:
        self._limit = limit
        self._held: dict[object, Expected] = {}
        self._settled = asyncio.Event()
        self.spent = 0.0

    @asynccontextmanager
    async def held(self, cost: Expected) -> AsyncIterator[None]:
        """Hold back what a request may cost while it is made; what it did cost is added to `spent` inside.

        While requests under way may turn out cheaper than thought, it waits for them.

        Parameters
        ----------
        cost : Expected
            US dollars, as expected and at most.

        Yields
        ------
        None
            While the body runs.

        Raises
        ------
        CallError
            If there is no room for it.

        """
        while not self._fits(cost):
            if not self._held:
                raise CallError("budget_exhausted", "the budget is spent", at_once=True)
            await self._settled.wait()
        key = object()
        self._held[key] = cost
        try:
            yield
        finally:
            del self._held[key]
            self._settled.set()
            self._settled = asyncio.Event()

    def _fits(self, cost: Expected) -> bool:
        """Tell whether there is room; a first request goes alone if there may not be for the worst."""
        if self._limit is None:
            return True
        room = self._limit - self.spent - fsum(held(True) for held in self._held.values())
        return cost(bool(self._held)) <= room
