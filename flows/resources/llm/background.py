"""An event loop in a thread of its own, for callers that have none, or one that must not be held up."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Coroutine
from concurrent.futures import wait
from typing import Any, TypeVar

from corpusgraph.tasks._steps import step

T = TypeVar("T")
_PATIENCE = 5.0
"""Seconds that cancelled work has to end."""


class Background:
    """Runs coroutines; the thread starts with the first of them and ends with `close`."""

    def __init__(self, at_end: Callable[[], Awaitable[None]]) -> None:
        self._at_end = at_end
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._closed = False

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine and return its result; whatever ends the wait (Ctrl-C) cancels it."""
        try:
            loop = self._started()
        except RuntimeError:
            work.close()
            raise
        future = asyncio.run_coroutine_threadsafe(work, loop)
        try:
            while not wait([future], timeout=1.0).done:  # one without end could not be interrupted everywhere
                step("waiting for the language model")
            return future.result()
        finally:
            if not future.done():
                future.cancel()

    def close(self) -> None:
        """Cancel what is under way, close what is open, and end the thread."""
        with self._lock:
            loop, thread, self._loop, self._thread = self._loop, self._thread, None, None
            self._closed = True
        if loop is None or thread is None:
            return
        loop.call_soon_threadsafe(loop.create_task, self._end(loop))
        if thread is not threading.current_thread():  # the collector of garbage may call from there
            thread.join(_PATIENCE)

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._closed:
                message = "the client is closed"
                raise RuntimeError(message)
            if self._thread is threading.current_thread():
                message = "what accepts an answer cannot ask itself: it would wait for its own end"
                raise RuntimeError(message)
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                name = "corpusgraph-llm"
                self._thread = threading.Thread(target=_run, args=(self._loop,), name=name, daemon=True)
                self._thread.start()
            return self._loop

    async def _end(self, loop: asyncio.AbstractEventLoop) -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        try:
            await self._at_end()
            await loop.shutdown_asyncgens()
            await loop.shutdown_default_executor()
        finally:
            loop.stop()


def _run(loop: asyncio.AbstractEventLoop) -> None:
    try:
        loop.run_forever()
    finally:
        loop.close()
