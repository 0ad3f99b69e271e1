"""The end of all calls: once another one can only fail, none is made, and each prompt left says why."""

import asyncio

from corpusgraph.flows.resources.llm.said import CallError
from corpusgraph.schemas.llm import ReplyFailure

_STOPS: dict[str, tuple[ReplyFailure, str]] = {
    "budget_exhausted": ("budget_exhausted", "the budget is spent"),
    "unreachable": ("unreachable", "the endpoint is down"),
    "not_found": ("not_found", "the endpoint has no such model or path"),
    "unauthorized": ("unauthorized", "the endpoint refuses the key, or the account behind it"),
}


class Stop:
    """Whether calls are still made, and why not; used from one event loop."""

    def __init__(self) -> None:
        self.stopped: str | None = None
        self.why = ""
        self._event = asyncio.Event()

    def go_on(self) -> None:
        """Raise CallError once no more calls are made."""
        if self.stopped is not None:
            raise self._error(self.stopped)

    def halt(self, stopped: str, why: str = "") -> CallError:
        """Make no more calls; the first reason is the one that is told."""
        if self.stopped is None:
            self.stopped, self.why = stopped, why or _STOPS[stopped][1]
            self._event.set()
        return self._error(self.stopped)

    async def sleep(self, seconds: float) -> None:
        """Wait, but not for what is over."""
        try:
            async with asyncio.timeout(seconds):
                await self._event.wait()
        except TimeoutError:
            return

    def _error(self, stopped: str) -> CallError:
        return CallError(_STOPS[stopped][0], f"not asked: {self.why}")
