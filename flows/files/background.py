"""One thread that writes what is ready while the next batch is made."""

from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")
AHEAD = 2
"""Jobs that may wait: memory grows with their number."""


class Background:
    """Runs jobs one after another, in the order given, beside the caller.

    What a job raises is raised to the caller: by `result` of its future, and by a later `submit`.
    """

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="corpusgraph-writer")
        self._jobs: deque[Future[Any]] = deque()

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """Queue a job; wait first for the oldest where too many are queued.

        Parameters
        ----------
        work : callable
            Is called in the thread.

        Returns
        -------
        Future[T]
            What it raises is raised by `result`.

        """
        while len(self._jobs) >= AHEAD:
            self._jobs.popleft().result()
        job = self._pool.submit(work)
        self._jobs.append(job)
        return job

    def close(self) -> None:
        """Drop the jobs that have not begun and wait for the one that has."""
        self._pool.shutdown(cancel_futures=True)
