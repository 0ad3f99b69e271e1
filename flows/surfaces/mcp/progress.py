"""How a call gets on, told to the client that asked to hear of it, and whether it is still wanted."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from corpusgraph.flows.surfaces.mcp.threads import Wanted
from corpusgraph.schemas.errors import CallCancelledError
from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.schemas.ports import Accept, LanguageModel
from corpusgraph.tasks.method.meter import Behind

M = TypeVar("M", bound=BaseModel)
Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends a progress notification: steps done, of how many, in words."""
BEAT = 2.0
"""Seconds without news after which the client hears that the call still runs: clients give up on silence."""
PAUSE = 0.1
"""Seconds between two notifications; of what happens meanwhile the last is told."""


class Unheard(Wanted):
    """The steps of a call whose client did not ask to hear of them: they end it once nobody waits."""

    def watched(self, model: LanguageModel) -> LanguageModel:
        """Return a language model that counts its prompts here, and is not asked for a dropped call."""
        return _Watched(model, self)


class Steps(Unheard):
    """Carries what a thread tells to the event loop; numbers only go up, as the protocol demands.

    What is counted are the steps of all the works of a call, one after the other or one inside another; a
    total is as many more as are left of the work at hand.
    """

    def __init__(self, report: Report) -> None:
        super().__init__()
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._rung = False
        self._latest: tuple[str, int, int | None] | None = None
        self._done: dict[str, int] = {}
        self._sent, self._ahead = 0, 0

    def advance(self, what: str, done: int, total: int | None) -> None:
        """Take note of a step; called by the thread of the call, which this ends once the call is dropped."""
        super().advance(what, done, total)
        self._latest = (what, done, total)
        if not self._rung:
            self._rung = True
            try:
                self._loop.call_soon_threadsafe(self._news.set)
            except RuntimeError:  # the loop is closed: the server has ended
                raise CallCancelledError("The server has ended.") from None

    async def send(self) -> None:
        """Send what is told, and a sign of life now and then, until cancelled."""
        began = self._loop.time()
        while True:
            try:
                async with asyncio.timeout(BEAT):  # wait_for of Python 3.11 can swallow being cancelled
                    await self._news.wait()
            except TimeoutError:
                await self._send(0, None, f"running for {self._loop.time() - began:.0f} s")
            else:
                await self._send_latest()
                await asyncio.sleep(PAUSE)

    async def begin(self) -> None:
        """Tell that the call runs."""
        await self._report(0, None, "begun")

    async def end(self) -> None:
        """Send what is left, and the end."""
        await self._send_latest()
        await self._report(self._sent + 1, self._sent + 1, "done")

    async def _send_latest(self) -> None:
        self._news.clear()
        self._rung = False
        latest, self._latest = self._latest, None
        if latest is None:
            return
        what, done, total = latest
        before = self._done.get(what, 0)
        self._done[what] = done
        more = done - before if done >= before else done
        await self._send(more, None if total is None else total - done, _words(what, done, total))

    async def _send(self, more: int, left: int | None, message: str) -> None:
        """Send one step more at least; what that is ahead of the count, later ones make up for."""
        wanted = more - self._ahead
        self._sent += max(wanted, 1)
        self._ahead = max(wanted, 1) - wanted
        total = None if left is None else max(self._sent, self._sent - self._ahead + left)
        await self._report(self._sent, total, message)


def _words(what: str, done: int, total: int | None) -> str:
    if total is not None:
        return f"{what}: {done:,} of {total:,}"
    return f"{what}: {done:,}" if done else what


class _Watched(Behind):
    """A language model whose prompts are steps of a call."""

    def __init__(self, model: LanguageModel, steps: Unheard) -> None:
        super().__init__(model)
        self._steps = steps
        self._answered = 0

    def ask(
        self, prompts: Sequence[Prompt], answer: type[M], accept: Accept[M] | None = None
    ) -> list[Reply[M]]:
        """Ask the model."""
        what = f"prompts answered by {self.name}"
        self._steps.advance(what, self._answered, None)
        replies = self._model.ask(prompts, answer, accept)
        self._answered += len(prompts)
        self._steps.advance(what, self._answered, None)
        return replies
