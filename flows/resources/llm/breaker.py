"""A circuit breaker: an endpoint that does not answer is left alone, tried again, and at last given up."""

import asyncio

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
