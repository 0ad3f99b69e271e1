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
from corpusgraph.flows.mcp.server import build_server
from corpusgraph.flows.mcp.threads import Threads

WAITING = 64
"""Lines that are read ahead; a client that sends faster waits."""


def serve_stdio(options: ServeOptions) -> None:
    """Serve until the client closes stdin and has its answers, or until SIGTERM or SIGINT.

    Nothing but the protocol goes to stdout, whatever a library prints; that goes to stderr.

    Parameters
    ----------
    options : ServeOptions
        What is served.

    """
    threads = Threads(options)
    server = build_server(options, threads, in_process=False)

    async def run() -> None:
        with anyio.CancelScope() as scope:
            for name in (signal.SIGTERM, signal.SIGINT):
                with contextlib.suppress(NotImplementedError):  # Windows has no such handlers
                    asyncio.get_running_loop().add_signal_handler(name, scope.cancel)
            lines: Any = _Lines(threads)
            async with stdio_server(stdin=lines) as (read, write):
                await server.run(read, write, server.create_initialization_options())
                scope.cancel()

    anyio.run(run)


class _Lines:
    """The lines of stdin, read by a daemon thread: waiting for one can be cancelled, a read itself cannot.

    What the program or its children then read from stdin is nothing.
    """

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue(WAITING)
        self._out = os.dup(1)  # the SDK takes 1 itself for the protocol
        self._file = os.fdopen(os.dup(0), "rb", closefd=False)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def _read(self) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the server has ended
            for line in self._file:
                self._put(line.decode("utf-8", errors="replace"))
            self._put(None)

    def _put(self, line: str | None) -> None:
        asyncio.run_coroutine_threadsafe(self._queue.put(line), self._loop).result()

    async def __aiter__(self) -> AsyncIterator[str]:
        while (line := await self._queue.get()) is not None:
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
