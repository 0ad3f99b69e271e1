"""Work in threads: only so much at once, for so long and no longer, and none that nobody waits for counts."""

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from corpusgraph.flows.imports import whole_first
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.schemas.errors import CallCancelledError, CorpusgraphError
from corpusgraph.tasks.progress import heard

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

T = TypeVar("T")
LEFT = 4
"""Times the concurrency: so many threads may still work on what nobody waits for any more."""
_PAUSE = 0.02
_IDLE_SECONDS = 30.0
"""A thread without work ends after so long."""


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
        self._pool = Pool(options.concurrency)
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

        def settle(result: list[T], error: CorpusgraphError | None) -> None:
            self._count(-1, writes)
            if future.done():
                return
            if result:
                future.set_result(result[0])
            else:
                future.set_exception(error or _internal())

        def main(done: Callable[[], None]) -> None:
            result: list[T] = []
            error: CorpusgraphError | None = None
            try:
                with heard(steps):
                    result.append(work())
            except CorpusgraphError as named:
                error = named
            finally:  # anything else goes on, to the log
                if result or error is not None:
                    done()
                if not loop.is_closed():
                    loop.call_soon_threadsafe(settle, result, error)

        self._count(1, writes)
        self._pool.run(main)
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

    def _count(self, by: int, writes: bool) -> None:
        self._running += by
        self._writing += by * writes


Work = Callable[[Callable[[], None]], None]
"""What a thread does. It calls what it is given once it is done, and only then tells who waits: else that
one's next work, which follows at once, would find no thread free, and the loop wait until a new one runs."""


class Pool:
    """Daemon threads that are used again: one that still works, wanted or not, is never waited for."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._idle: deque[queue.SimpleQueue[Work]] = deque()

    def run(self, work: Work) -> None:
        """Run in a thread that has nothing to do, or in a new one; a failure ends it, and goes to the log."""
        try:
            self._idle.pop().put(work)
        except IndexError:
            threading.Thread(target=self._serve, args=(work,), name="call", daemon=True).start()

    def _serve(self, work: Work) -> None:
        given: queue.SimpleQueue[Work] = queue.SimpleQueue()
        kept = False
        whole_first()

        def done() -> None:
            nonlocal kept
            kept = len(self._idle) < self._kept
            if kept:
                self._idle.append(given)

        while True:
            work(done)
            del work  # it holds what the call asked and was answered
            if not kept:
                return
            try:
                work = given.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                try:
                    self._idle.remove(given)
                except ValueError:  # it was given work this instant
                    work = given.get()
                else:
                    return


def _internal() -> CorpusgraphError:
    return CorpusgraphError(
        "The server failed; its log says how.", hint="Tell whoever runs it.", code="internal_error"
    )


_KEY, _LEFT = "corpusgraph.leaving", "corpusgraph.left"


class Leaving:
    """ASGI: tells whoever asked for it that a request's connection ended before its reply did."""

    def __init__(self, app: "ASGIApp") -> None:
        self._app = app

    async def __call__(self, scope: "Scope", receive: "Receive", send: "Send") -> None:
        """Serve a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        told: list[Callable[[], None]] = []
        scope[_KEY] = told
        whole = False

        async def noted(message: "Message") -> None:
            nonlocal whole
            await send(message)
            whole = message["type"] == "http.response.body" and not message.get("more_body", False)

        try:
            await self._app(scope, receive, noted)
        finally:
            if not whole:
                tell_left(scope)


def tell_left(scope: "Scope") -> None:
    """Say that the connection of a request is closed, also to who asks for it later."""
    scope[_LEFT] = True
    for tell in scope.get(_KEY, ()):
        tell()


def when_left(request: Any, tell: Callable[[], None]) -> None:
    """Have `tell` called where the connection of a request is closed early; one over stdio has none."""
    scope = getattr(request, "scope", {})
    if scope.get(_LEFT):
        tell()
    elif _KEY in scope:
        scope[_KEY].append(tell)
