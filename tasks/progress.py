"""Steps of what takes long: whoever waits for a call hears of each, and one that is dropped ends at the next.

A loop over much calls `step`, or goes over `counted` items, once for a block of some hundredths of a second.
Nothing is decided by it: a call that is heard computes what one that is not does. What changes an index takes
no step from the moment it begins to write.
"""

from collections.abc import Iterable, Iterator, Sized
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Event, RLock
from typing import TypeVar

from corpusgraph.schemas.errors import CallCancelledError
from corpusgraph.schemas.stages import Steps

T = TypeVar("T")
EVERY = 1024
"""Items between two steps, where one takes some microseconds."""

_hears: ContextVar[Steps | None] = ContextVar("hears", default=None)


@contextmanager
def heard(steps: Steps | None) -> Iterator[None]:
    """Let steps taken meanwhile, in this thread, be heard; by nobody where `steps` is None.

    Parameters
    ----------
    steps : Steps or None
        Hears them; None for nobody.

    Yields
    ------
    None
        While the body runs.

    """
    before = _hears.set(steps)
    try:
        yield
    finally:
        _hears.reset(before)


_one_at_a_time = RLock()  # several threads are heard by one, who need not expect them


@dataclass(frozen=True)
class _EndedBy:
    """Passes steps on until something is over."""

    over: Event
    hears: Steps | None

    def advance(self, what: str, done: int, total: int | None) -> None:
        if self.over.is_set():
            raise CallCancelledError("Nobody waits for this any more.")
        if self.hears is not None:
            with _one_at_a_time:
                self.hears.advance(what, done, total)


def ended_by(over: Event) -> AbstractContextManager[None]:
    """Let what goes on meanwhile, in this thread, end at the step after something is over.

    Parameters
    ----------
    over : Event
        Set by whoever does not wait any more.

    Returns
    -------
    context manager
        Steps are heard by whoever hears them already.

    """
    return heard(_EndedBy(over, _hears.get()))


def step(what: str, done: int = 0, total: int | None = None) -> None:
    """Take a step: so much is done, of how much.

    Parameters
    ----------
    what : str
        What is going on, in a word or two.
    done : int, default 0
        Items done; 0 for something that begins.
    total : int, optional
        Items in all; None where nobody knows.

    Raises
    ------
    CallCancelledError
        Where nobody waits for the result any more.

    """
    if (steps := _hears.get()) is not None:
        steps.advance(what, done, total)


def counted(items: Iterable[T], what: str, *, every: int = EVERY) -> Iterator[T]:
    """Yield the items, and take a step before the first and after every so many; a list knows its total.

    Parameters
    ----------
    items : iterable of T
        Whatever is gone over.
    what : str
        What is going on, in a word or two.
    every : int, default EVERY
        Items between two steps, 1 or more.

    Yields
    ------
    T
        The items, unchanged and in order.

    Raises
    ------
    CallCancelledError
        At a step, where nobody waits for the result any more.

    """
    if (steps := _hears.get()) is None:
        return iter(items)
    total = len(items) if isinstance(items, Sized) else None
    return _told(items, what, total, every, steps)


def _told(items: Iterable[T], what: str, total: int | None, every: int, steps: Steps) -> Iterator[T]:
    for done, item in enumerate(items):
        if not done % every:
            steps.advance(what, done, total)
        yield item
