"""Work in threads: only so much at once, for so long and no longer; a client may hear how it gets on."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from concurrent.futures import Future
from contextlib import asynccontextmanager
from typing import TypeVar

import anyio
from pydantic import BaseModel

from corpusgraph.flows.engine import whole_first
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.schemas.errors import CallCancelledError, CorpusgraphError
from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.schemas.ports import Accept, LanguageModel
from corpusgraph.tasks.method.meter import Behind
from corpusgraph.tasks.progress import heard

M = TypeVar("M", bound=BaseModel)
T = TypeVar("T")
Report = Callable[[float, float | None, str | None], Awaitable[None]]
"""Sends a progress notification: steps done, of how many, in words."""
BEAT = 2.0
"""Seconds without news after which the client hears that the call still runs: clients give up on silence."""
PAUSE = 0.1
"""Seconds between two notifications; of what happens meanwhile the last is told."""


class Steps:
    """Carries what a thread tells to the event loop; numbers only go up, as the protocol demands.

    What is counted are the steps of all the works of a call, one after the other or one inside another; a
    total is as many more as are left of the work at hand. Once nobody waits, the next step ends the work;
    without a `report` that is all there is to it.
    """

    def __init__(self, report: Report | None = None) -> None:
        self._report = report
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._rung = self._dropped = False
        self._latest: tuple[str, int, int | None] | None = None
        self._done: dict[str, int] = {}
        self._sent, self._before = 0, 0

    def drop(self) -> None:
        """Say that nobody waits any more."""
        self._dropped = True

    def watched(self, model: LanguageModel) -> LanguageModel:
        """Return a language model that counts its prompts here, and is not asked for a dropped call.

        Parameters
        ----------
        model : LanguageModel
            Is asked in its place.

        Returns
        -------
        LanguageModel
            Of the same name.

        """
        return _Watched(model, self)

    def advance(self, what: str, done: int, total: int | None) -> None:
        """Take note of a step; called by the thread of the call, which this ends once the call is dropped."""
        if self._dropped:
            raise CallCancelledError("The call was cancelled.", hint="Nothing half done is left; call again.")
        self._latest = (what, done, total)
        if self._report is not None and not self._rung:
            self._rung = True
            try:
                self._loop.call_soon_threadsafe(self._news.set)
            except RuntimeError:  # the loop is closed: the server has ended
                raise CallCancelledError("The server has ended.") from None

    @asynccontextmanager
    async def told(self) -> AsyncIterator[None]:
        """Tell what is done meanwhile: that it begins, its steps, and its end.

        Yields
        ------
        None
            While the body runs.

        """
        if self._report is None:
            yield
            return
        await self._report(0, None, "begun")
        sender = asyncio.create_task(self.send())
        try:
            yield
        finally:
            sender.cancel()
            await asyncio.gather(sender, return_exceptions=True)
        await self._send_latest()
        await self._report(self._sent + 1, self._sent + 1, "done")

    async def send(self) -> None:
        """Send what is told, and a sign of life now and then, until cancelled."""
        began = self._loop.time()
        while True:
            try:
                async with asyncio.timeout(BEAT):  # wait_for of Python 3.11 can swallow being cancelled
                    await self._news.wait()
            except TimeoutError:
                await self._send(None, f"running for {self._loop.time() - began:.0f} s")
            else:
                await self._send_latest()
                await asyncio.sleep(PAUSE)

    async def _send_latest(self) -> None:
        self._news.clear()
        self._rung = False
        latest, self._latest = self._latest, None
        if latest is None:
            return
        what, done, total = latest
        if done < self._done.get(what, 0):  # it begins again
            self._before += self._done[what]
        self._done[what] = done
        words = f"{what}: {done:,}" if done else what
        if total is not None:
            words = f"{what}: {done:,} of {total:,}"
        await self._send(None if total is None else total - done, words)

    async def _send(self, left: int | None, message: str) -> None:
        """Send what is done in all, and one more than was sent before at least."""
        done = self._before + sum(self._done.values())
        self._sent = max(self._sent + 1, done)
        total = None if left is None else max(self._sent, done + left)
        if self._report is not None:
            await self._report(self._sent, total, message)


class _Watched(Behind):
    """A language model whose prompts are steps of a call."""

    def __init__(self, model: LanguageModel, steps: Steps) -> None:
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


LEFT = 4
"""Times the concurrency: so many threads may still work on what nobody waits for any more."""
_PAUSE = 0.02


class Threads:
    """The threads of a server. They are daemons: one that is told to stop waits only for what writes."""

    def __init__(self, options: ServeOptions) -> None:
        self._most = options.concurrency * (1 + LEFT)
        self._seconds = options.seconds
        self._slots = anyio.Semaphore(options.concurrency)
        self._running: set[object] = set()
        self._writing: set[object] = set()
        self._asked = 0

    @asynccontextmanager
    async def turn(self, what: str, more: str = "") -> AsyncIterator[None]:
        """Wait for a turn, and end what is done in it after as long as a call may take.

        Parameters
        ----------
        what : str
            Begins the message.
        more : str, default ''
            Ends it.

        Yields
        ------
        None
            While it is the caller's turn.

        Raises
        ------
        CorpusgraphError
            `time_limit`.

        """
        self._asked += 1
        try:
            with anyio.fail_after(self._seconds):
                async with self._slots:
                    yield
        except TimeoutError:
            raise CorpusgraphError(
                f"{what} took longer than the {self._seconds:g} s that a call may take.{more}",
                hint="Ask for less (top_k, filter, fewer entities), or start the server with more --timeout.",
                code="time_limit",
            ) from None
        finally:
            self._asked -= 1

    async def run(self, work: Callable[[], T], *, writes: bool = False, steps: Steps | None = None) -> T:
        """Run in a thread. A wait that is cancelled ends at once, and the thread at the work's next step.

        Parameters
        ----------
        work : callable
            Is called in a thread.
        writes : bool, default False
            It changes something, and is waited for when the server ends.
        steps : Steps, optional
            Hears of its steps; ends it once the call is dropped.

        Returns
        -------
        T
            What it returned; a named error of it is raised.

        Raises
        ------
        CorpusgraphError
            `server_busy`, where too many given-up calls are still at work; `internal_error`, for a defect.

        """
        if len(self._running) >= self._most:
            raise CorpusgraphError(
                "Too many calls that were given up are still at work.", hint="Try later.", code="server_busy"
            )
        future, steps = Future[T](), steps or Steps()
        future.set_running_or_notify_cancel()  # whoever gives up waiting leaves it running
        self._running.add(future)
        if writes:
            self._writing.add(future)

        def main() -> None:
            whole_first()
            error = CorpusgraphError(
                "The server failed; its log says how.", hint="Tell whoever runs it.", code="internal_error"
            )
            try:
                with heard(steps):
                    future.set_result(work())
            except CorpusgraphError as named:
                error = named
            finally:  # anything else goes on, to the log
                self._running.discard(future)
                self._writing.discard(future)
                if not future.done():
                    future.set_exception(error)

        # A daemon, which no pool has: one that is given up must not keep the server from ending.
        threading.Thread(target=main, name="call", daemon=True).start()
        try:
            return await asyncio.wrap_future(future)
        finally:
            steps.drop()

    async def run_in_turn(self, what: str, work: Callable[[], T]) -> T:
        """Run what only reads, once it is its turn.

        Parameters
        ----------
        what : str
            Begins the message of a call that takes too long.
        work : callable
            Is called in a thread.

        Returns
        -------
        T
            What it returned.

        Raises
        ------
        CorpusgraphError
            `time_limit`, and what `run` raises.

        """
        async with self.turn(what):
            return await self.run(work)

    async def answered(self, left: Callable[[], bool] = lambda: False) -> None:
        """Wait until all that was asked is answered, and what was asked last has had time to begin.

        Parameters
        ----------
        left : callable, default lambda: False
            Whether there is nobody to answer any more: then it is not waited for.

        """
        for _ in range(5):
            await anyio.sleep(_PAUSE)
            while self._asked and not left():
                await anyio.sleep(_PAUSE)

    async def written(self, seconds: float) -> None:
        """Wait until no change is being written, for so long at most.

        Parameters
        ----------
        seconds : float
            At most.

        """
        with anyio.CancelScope(shield=True), anyio.move_on_after(seconds):
            while self._writing:
                await anyio.sleep(_PAUSE)
