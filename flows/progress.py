"""Who hears how a stage gets on: nobody, or a person at a terminal."""

from types import TracebackType
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID


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
    """Return bars on stderr, or silence, as a context manager."""
    return _Quiet() if quiet else Bars()
