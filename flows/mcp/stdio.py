"""MCP over stdin and stdout: one client, which ends the server by closing its end or by SIGTERM."""

import asyncio
import contextlib
import os
import select
import signal
import sys
import threading
from collections.abc import AsyncIterator
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.server import Warming, built
from corpusgraph.flows.mcp.threads import Threads

SHAKEN = 2
"""Lines after which the server was greeted: a client waits for the answer to the first."""
WAITING = 64
"""Lines that are read ahead; a client that sends faster waits."""


def serve_stdio(options: ServeOptions) -> None:
    """Serve until the client closes stdin and has its answers, or until SIGTERM or SIGINT.

    Nothing but the protocol goes to stdout, whatever a library prints; that goes to stderr.
    """
    threads = Threads(options)
    server = built(options, threads, in_process=False)
    warming = Warming(options)

    async def run() -> None:
        with anyio.CancelScope() as scope:
            _end_on_signals(scope)
            lines: Any = _Lines(threads, warming)
            async with stdio_server(stdin=lines) as (read, write):
                await server.run(read, write, server.create_initialization_options())
                scope.cancel()

    try:
        anyio.run(run)
    finally:
        warming.end()


def _end_on_signals(scope: anyio.CancelScope) -> None:
    loop = asyncio.get_running_loop()
    for name in (signal.SIGTERM, signal.SIGINT):
        with contextlib.suppress(NotImplementedError):  # Windows has no such handlers
            loop.add_signal_handler(name, scope.cancel)


class _Lines:
    """The lines of stdin, read by a daemon thread: waiting for one can be cancelled, a read itself cannot.

    What the program or its children then read from stdin is nothing.
    """

    def __init__(self, threads: Threads, warming: Warming) -> None:
        self._threads, self._warming = threads, warming
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue(WAITING)
        self._out = os.dup(1)  # the SDK takes 1 itself for the protocol
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
        count = 0
        while (line := await self._queue.get()) is not None:
            count += 1
            if count == SHAKEN:
                self._warming.begin()
            yield line
        await self._threads.answered(lambda: _unread(self._out))
        os.close(self._out)  # and the end of the lines cancels what is under way


def _unread(descriptor: int) -> bool:
    """Tell whether the other end of a pipe is closed, as that of a client which was killed."""
    if sys.platform == "win32":  # where it cannot be asked
        return False
    asked = select.poll()
    asked.register(descriptor, 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in asked.poll(0))
