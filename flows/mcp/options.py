"""What a server is started with."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ServeOptions:
    """Which tools a server offers, on which indexes, and how far a call may go."""

    outputs: Path
    """Folder of the indexes; files are written below it and nowhere else."""
    index: str | None = None
    """Index of a call that names none; without one, the only index there is."""
    groups: tuple[str, ...] = ()
    """Groups of tools that are offered; none named: all."""
    read_only: bool = False
    """Whether tools that change an index or write files are refused (and not listed)."""
    profile: str | None = None
    budget: float | None = None
    """Language model of the calls, and the US dollars that one call may cost."""
    seconds: float = 300.0
    """How long a call may take."""
    concurrency: int = 8
    """How many calls run at once; others wait."""
    rows: int = 500
    """Rows of a table that an answer holds; a longer one is in a file, which the answer links to."""
