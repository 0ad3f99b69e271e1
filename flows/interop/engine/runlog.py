"""The log of indexing runs, and the way to call a run off between two batches."""

import logging
from pathlib import Path
from threading import Event
from types import TracebackType
from typing import Self

from corpusgraph.flows.files.disk import guarded
from corpusgraph.flows.files.manifest import now
from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.results import ToolWarning

FILE = "indexing.log"
log = logging.getLogger("corpusgraph.graphrag")


class CalledOffError(CorpusgraphError):
    """A run was called off; what was published stays as it was."""

    code = "called_off"


class RunLog:
    """Writes a line for each stage to `logs/indexing.log`, and stops the run when it is called off."""

    def __init__(self, folder: Path, stop: Event) -> None:
        self._path = folder / FILE
        self._stop = stop

    def __enter__(self) -> Self:
        self.line("begin")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.line("done" if error is None else f"stopped: {error}")

    def line(self, text: str) -> None:
        """Append a line."""
        told = " ".join(text.split())
        with guarded(self._path.parent), self._path.open("a", encoding="utf-8") as file:
            file.write(f"{now()} {told}\n")

    def warn_of(self, warning: ToolWarning) -> None:
        """Write a warning here and to Python's log."""
        self.line(f"warning {warning.code}: {warning.message}")
        log_warning(warning)

    def start(self, stage: str, total: int | None) -> None:
        """Begin a stage."""
        del stage, total
        self._go_on()

    def advance(self, stage: str, by: int = 1) -> None:
        """Count steps done."""
        del stage, by
        self._go_on()

    def finish(self, stage: str, note: str = "") -> None:
        """End a stage."""
        self.line(f"{stage}: {note}")

    def _go_on(self) -> None:
        if self._stop.is_set():
            raise CalledOffError("The run was called off.", hint="Run it again: what was read is kept.")


def log_warning(warning: ToolWarning) -> None:
    """Write a warning to Python's log."""
    log.warning("%s (%s)", warning.message, warning.code)
