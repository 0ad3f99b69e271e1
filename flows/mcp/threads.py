"""Work in threads: only so much at once, for so long and no longer, and none that nobody waits for counts."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import TypeVar

import anyio

from corpusgraph.flows.imports import whole_first
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.schemas.errors import CallCancelledError, CorpusgraphError
from corpusgraph.tasks.progress import heard

T = TypeVar("T")
LEFT = 4
"""Times the concurrency: so many threads may still work on what nobody waits for any more."""
_PAUSE = 0.02


class Wanted:
    """Whether somebody still waits for what a thread does: its next step ends it where nobody does."""

    def __init__(self) -> None:
        self._dropped = False

    def drop(self) -> None:
        """Say that nobody waits any more."""
        self._dropped = True

    def advance(self, what: str, done: int, total: int | None) -> None:  # noqa: ARG002  for who tells it
        """Let a step be taken, or raise CallCancelledError."""
        if self._dropped:
            raise CallCancelledError("The call was cancelled.", hint="Nothing half done is left; call again.")


class Threads:
    """The threads of a server. They are daemons: one that is told to stop waits only for what writes."""

    def __init__(self, options: ServeOptions) -> None:
        self._most = options.concurrency * (1 + LEFT)
        self._seconds = options.seconds
        self._slots = anyio.Semaphore(options.concurrency)
        self._running = 0
        self._writing = 0
        self._asked = 0

    async def limited(self, what: str, work: Callable[[], Awaitable[T]], more: str = "") -> T:
        """Wait for a turn, and then for the work, as long as a call may take; after that CorpusgraphError."""
        self._asked += 1
        try:
            with anyio.move_on_after(self._seconds):
                async with self._slots:
                    return await work()
        finally:
            self._asked -= 1
        raise CorpusgraphError(
            f"{what} took longer than the {self._seconds:g} s that a call may take.{more}",
            hint="Ask for less (top_k, filter, fewer entities), or start the server with more --timeout.",
            code="time_limit",
        )

    async def run(self, work: Callable[[], T], *, writes: bool = False, wanted: Wanted | None = None) -> T:
        """Run in a thread. A wait that is cancelled ends at once, and the thread at the work's next step."""
        if self._running >= self._most:
            raise CorpusgraphError(
                "Too many calls that were given up are still at work.", hint="Try later.", code="server_busy"
            )
        loop, steps = asyncio.get_running_loop(), wanted or Wanted()
        future: asyncio.Future[T] = loop.create_future()

        def settle(result: list[T], error: CorpusgraphError) -> None:
            self._running -= 1
            self._writing -= writes
            if not future.done() and result:
                future.set_result(result[0])
            elif not future.done():
                future.set_exception(error)

        def main() -> None:
            result: list[T] = []
            error = CorpusgraphError(
                "The server failed; its log says how.", hint="Tell whoever runs it.", code="internal_error"
            )
            whole_first()
            try:
                with heard(steps):
                    result.append(work())
            except CorpusgraphError as named:
                error = named
            finally:  # anything else goes on, to the log
                if not loop.is_closed():
                    loop.call_soon_threadsafe(settle, result, error)

        self._running += 1
        self._writing += writes
        # A daemon, which no pool has: one that is given up must not keep the server from ending.
        threading.Thread(target=main, name="call", daemon=True).start()
        try:
            return await future
        finally:
            steps.drop()

    async def answered(self, left: Callable[[], bool] = lambda: False) -> None:
        """Wait until all that was asked is answered, and what was asked last has had time to begin.

        `left` says whether there is nobody to answer any more: then it is not waited for.
        """
        for _ in range(5):
            await anyio.sleep(_PAUSE)
            while self._asked and not left():
                await anyio.sleep(_PAUSE)

    async def written(self, seconds: float) -> None:
        """Wait until no change is being written, for so long at most."""
        with anyio.CancelScope(shield=True), anyio.move_on_after(seconds):
            while self._writing:
                await anyio.sleep(_PAUSE)
