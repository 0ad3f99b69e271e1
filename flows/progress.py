"""Who hears how a stage gets on: nobody, or a person at a terminal."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import TracebackType
from typing import TYPE_CHECKING, Self

from corpusgraph.tasks.progress import heard

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID


AFTER = 1.0
"""Seconds that a tool works before it has a bar."""
PAUSE = 0.1


class Silent:
    """Tells nobody."""

    def start(self, stage: str, total: int | None) -> None:
        """Do nothing."""

    def advance(self, stage: str, by: int = 1) -> None:
        """Do nothing."""

    def finish(self, stage: str, note: str = "") -> None:
        """Do nothing."""


class Bars:
    """Draws a bar per stage on stderr; use as a context manager."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

        self._bars: RichProgress = Progress(
            SpinnerColumn(finished_text="✓"),
            TextColumn("{task.description:<12}"),
            BarColumn(bar_width=30),
            TextColumn("{task.completed}/{task.total}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
        )
        self._tasks: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        """Begin to draw."""
        self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave the terminal as it was."""
        self._bars.stop()

    def start(self, stage: str, total: int | None) -> None:
        """Add a bar."""
        self._tasks[stage] = self._bars.add_task(stage, total=total or 1, note="")

    def advance(self, stage: str, by: int = 1) -> None:
        """Move a bar."""
        self._bars.advance(self._tasks[stage], by)

    def finish(self, stage: str, note: str = "") -> None:
        """Fill a bar."""
        task = self._tasks[stage]
        done = self._bars.tasks[task].completed
        self._bars.update(task, total=done or 1, completed=done or 1, note=note)


class _Quiet(Silent):
    """A listener that is a context manager too."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None


def watched(*, quiet: bool) -> Bars | _Quiet:
    """Return bars on stderr, or silence, as a context manager.

    Parameters
    ----------
    quiet : bool
        Show nothing.

    Returns
    -------
    Bars or _Quiet
        Listens as `Progress` does.

    """
    return _Quiet() if quiet else Bars()


class StepBars:
    """Draws how far a tool is, a bar for each of its works, once it has taken more than an instant."""

    def __init__(self) -> None:
        self._next = monotonic() + AFTER
        self._bars: Bars | None = None
        self._done: dict[str, int] = {}

    def advance(self, what: str, done: int, total: int | None) -> None:
        """Move the bar of a work.

        Parameters
        ----------
        what : str
            Name of the work.
        done : int
            Items done.
        total : int or None
            Items in all; None where nobody knows.

        """
        now = monotonic()
        if now < self._next:
            return
        self._next = now + PAUSE
        if self._bars is None:
            self._bars = Bars().__enter__()
        if what not in self._done:
            self._bars.start(what, total)
        if total is not None:
            self._bars.advance(what, done - self._done.get(what, 0))
        self._done[what] = done

    def close(self) -> None:
        """Fill the bars, and leave the terminal as it was."""
        if self._bars is not None:
            for what in self._done:
                self._bars.finish(what)
            self._bars.__exit__(None, None, None)


@contextmanager
def shown_steps(*, quiet: bool) -> Iterator[None]:
    """Show the steps of a tool that is called meanwhile on stderr, or nothing."""
    if quiet:
        yield
        return
    bars = StepBars()
    try:
        with heard(bars):
            yield
    finally:
        bars.close()
