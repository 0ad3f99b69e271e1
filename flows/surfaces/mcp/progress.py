"""How a call gets on, told to the client that asked to hear of it, and whether it is still wanted."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from pydantic import BaseModel

from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.schemas.ports import Accept, LanguageModel
from corpusgraph.tasks.method.meter import Behind

M = TypeVar("M", bound=BaseModel)
Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends a progress notification: steps done, of how many, in words."""
BEAT = 2.0
"""Seconds without news after which the client hears that the call still runs: clients give up on silence."""


class Steps:
    """Carries what a thread tells to the event loop; numbers only go up, as the protocol demands."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._told: asyncio.Queue[str] = asyncio.Queue()
        self._wanted = threading.Event()
        self._wanted.set()
        self._done = 0

    def tell(self, message: str) -> None:
        """Count a step; called by the thread of the call."""
        if self.wanted:
            self._loop.call_soon_threadsafe(self._told.put_nowait, message)

    @property
    def wanted(self) -> bool:
        """Whether somebody still waits for the call."""
        return self._wanted.is_set()

    def drop(self) -> None:
        """Say that nobody waits any more: no further step begins."""
        self._wanted.clear()

    async def send(self) -> None:
        """Send what is told, and a sign of life now and then, until cancelled."""
        began = self._loop.time()
        while True:
            try:
                message = await asyncio.wait_for(self._told.get(), BEAT)
            except TimeoutError:
                message = f"running for {self._loop.time() - began:.0f} s"
            await self._send(message)

    async def begin(self) -> None:
        """Tell that the call runs."""
        await self._report(0, None, "begun")

    async def end(self) -> None:
        """Send what is left, and the end."""
        while not self._told.empty():
            await self._send(self._told.get_nowait())
        await self._report(self._done + 1, self._done + 1, "done")

    async def _send(self, message: str) -> None:
        self._done += 1
        await self._report(self._done, None, message)

    def watched(self, model: LanguageModel) -> LanguageModel:
        """Return a language model that counts its prompts here, and is not asked for a dropped call."""
        return _Watched(model, self)


class _Watched(Behind):
    """A language model whose prompts are steps of a call."""

    def __init__(self, model: LanguageModel, steps: Steps) -> None:
        super().__init__(model)
        self._steps = steps

    def ask(
        self, prompts: Sequence[Prompt], answer: type[M], accept: Accept[M] | None = None
    ) -> list[Reply[M]]:
        """Ask the model."""
        if not self._steps.wanted:
            raise CorpusgraphError("The call was cancelled.", code="cancelled")
        replies = self._model.ask(prompts, answer, accept)
        how_many = "1 prompt" if len(prompts) == 1 else f"{len(prompts)} prompts"
        self._steps.tell(f"{how_many} answered by {self.name}")
        return replies
