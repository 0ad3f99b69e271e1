"""MCP over stdin and stdout: one client, which ends the server by closing its end or by SIGTERM."""

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import AsyncIterator

import anyio
from mcp.server.stdio import stdio_server

from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.flows.surfaces.mcp.server import built
from corpusgraph.flows.surfaces.mcp.threads import Threads

WAITING = 64
"""Lines that are read ahead; a client that sends faster waits."""


def serve_stdio(options: ServeOptions) -> None:
    """Serve until the client closes stdin and has its answers, or until SIGTERM or SIGINT.

    Nothing but the protocol goes to stdout, whatever a library prints; that goes to stderr.
    """
    threads = Threads(options)
    server = built(options, threads)

    async def run() -> None:
        with anyio.CancelScope() as scope:
            _end_on_signals(scope)
            async with stdio_server(stdin=_Lines(threads)) as (read, write):  # type: ignore[arg-type]
                await server.run(read, write, server.create_initialization_options())
                scope.cancel()

    asyncio.run(run())


def _end_on_signals(scope: anyio.CancelScope) -> None:
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # Windows has no such handlers
            loop.add_signal_handler(name, scope.cancel)


class _Lines:
    """The lines of stdin, read by a daemon thread: waiting for one can be cancelled, a read itself cannot.

    What the program or its children then read from stdin is nothing.
    """

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue(WAITING)
        kept = os.dup(0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self._file = os.fdopen(kept, "rb", closefd=False)
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def _read(self) -> None:
        for line in self._file:
            self._put(line.decode("utf-8", errors="replace"))
        self._put(None)

    def _put(self, line: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the server has ended
            asyncio.run_coroutine_threadsafe(self._queue.put(line), self._loop).result()

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._queue.get()) is not None:
            yield line
        await self._threads.answered()  # the end of the lines cancels what is under way
