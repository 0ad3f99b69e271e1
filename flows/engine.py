"""How stages are run: here, one after another, or as tasks of an orchestrator. The stages are the same."""

import gc
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING, Protocol, TypedDict, TypeVar

if TYPE_CHECKING:
    from corpusgraph.schemas.settings import Settings
    from corpusgraph.schemas.stages import Progress

A = TypeVar("A")
T = TypeVar("T")


class Engine(Protocol):
    """Runs the stages of a flow."""

    @property
    def name(self) -> str:
        """`inline` or `prefect`."""
        ...

    def run(self, stage: str, work: Callable[[], T]) -> T:
        """Run one stage of a flow.

        Parameters
        ----------
        stage : str
            Its name.
        work : callable
            What is run.

        Returns
        -------
        T
            What the work returns.

        """
        ...

    def map(
        self, stage: str, work: Callable[[A], T], batches: Iterable[A], *, threads: int = 0
    ) -> Iterator[T]:
        """Run a stage batch by batch; results come in the order of the batches, few are held at a time.

        Work that waits for others, not for this machine, runs in so many `threads` at once.

        Parameters
        ----------
        stage : str
            Its name.
        work : callable
            What is run on each batch.
        batches : iterable of A
            The batches.
        threads : int, default 0
            0 for none.

        Returns
        -------
        iterator of T
            What the work returns, a batch each.

        """
        ...


class How(TypedDict):
    """What every flow runs by: settings, what runs its stages, and who hears how it gets on."""

    settings: "Settings"
    engine: Engine
    progress: "Progress"


class Inline:
    """Runs everything in this process; batches go to `workers` other processes when there are several.

    Parameters
    ----------
    workers : int, default 1
        Processes; with 1 the batches run in this one.

    """

    name = "inline"

    def __init__(self, workers: int = 1) -> None:
        self.workers = workers

    def run(self, stage: str, work: Callable[[], T]) -> T:
        """Run one stage; its name is for engines that show it."""
        del stage
        return work()

    def map(
        self, stage: str, work: Callable[[A], T], batches: Iterable[A], *, threads: int = 0
    ) -> Iterator[T]:
        """Run the batches in order, in this process, its threads or a pool.

        Parameters
        ----------
        stage : str
            Not used.
        work : callable
            What is run on each batch; with several processes it must be picklable.
        batches : iterable of A
            The batches.
        threads : int, default 0
            At once, in this process; 0 for none.

        Yields
        ------
        T
            What the work returns, a batch each.

        """
        del stage
        if threads:
            pool = ThreadPoolExecutor(threads)
            try:
                yield from windowed((pool.submit(work, batch) for batch in batches), threads + 1)
            except BaseException as stop:
                # An interrupt does not wait for those under way: whoever they wait for ends them.
                pool.shutdown(wait=isinstance(stop, Exception), cancel_futures=True)
                raise
            pool.shutdown()
            return
        if self.workers == 1:
            yield from map(work, batches)
            return
        # spawn, because a forked child inherits threads of arrow and lance that are not there
        with ProcessPoolExecutor(self.workers, mp_context=get_context("spawn")) as processes:
            yield from windowed((processes.submit(work, batch) for batch in batches), self.workers + 1)


def windowed(futures: Iterable[Future[T]], width: int) -> Iterator[T]:
    """Yield results in order while at most `width` are under way: memory grows with the width alone.

    Parameters
    ----------
    futures : iterable of Future
        Made as they are taken.
    width : int
        At least 1.

    Yields
    ------
    T
        In the order of the futures.

    """
    waiting: deque[Future[T]] = deque()
    for future in futures:
        waiting.append(future)
        if len(waiting) >= width:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


RARELY = (100_000, 100, 100)
"""New objects between two looks at the young ones, and looks at these before one at older ones."""


@contextmanager
def rare_collection() -> Iterator[None]:
    """Keep the collector from walking again and again over a graph that only grows: rows hold no cycles."""
    before = gc.get_threshold()
    gc.set_threshold(*RARELY)
    try:
        yield
    finally:
        if before != RARELY:  # a run inside another leaves that to it
            gc.set_threshold(*before)


def whole_first() -> None:
    """Import `scipy.sparse` in a thread that is not the main one, if it is not there yet.

    Its parts import one another. Where a thread begins with a part and another with the whole, each holds
    what the other waits for: Python lets one of them go on with a module that is half there, and its call
    fails.
    """
    if threading.current_thread() is not threading.main_thread():
        import scipy.sparse  # noqa: F401
