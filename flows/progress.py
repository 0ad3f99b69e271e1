"""Who hears how a stage gets on: nobody, or a person at a terminal."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from time import monotonic
from typing import TYPE_CHECKING

from corpusgraph.tasks.progress import heard

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

    from corpusgraph.schemas.stages import Progress


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
    """Draws a bar per stage on stderr until it is closed."""

    def __init__(self) -> None:
        from rich import progress as rich
        from rich.console import Console

        self._bars: RichProgress = rich.Progress(
            rich.SpinnerColumn(finished_text="✓"),
            rich.TextColumn("{task.description:<12}"),
            rich.BarColumn(bar_width=30),
            rich.TextColumn("{task.completed}/{task.total}"),
            rich.TimeElapsedColumn(),
            rich.TextColumn("{task.fields[note]}"),
            console=Console(stderr=True),
        )
        self._tasks: dict[str, TaskID] = {}
        self._bars.start()

    def close(self) -> None:
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


def watched(*, quiet: bool) -> "AbstractContextManager[Progress]":
    """Draw bars on stderr meanwhile, or keep silent.

    Parameters
    ----------
    quiet : bool
        Whether to keep silent.

    Returns
    -------
    AbstractContextManager[Progress]
        Hears how the stages get on.

    """
    return nullcontext(Silent()) if quiet else closing(Bars())


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
            self._bars = Bars()
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
            self._bars.close()


@contextmanager
def shown_steps(*, quiet: bool) -> Iterator[None]:
    """Show the steps of a tool that is called meanwhile on stderr, or nothing."""
    if quiet:
        yield
        return
    with closing(StepBars()) as bars, heard(bars):
        yield
