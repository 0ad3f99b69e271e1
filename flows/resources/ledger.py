"""The failure ledger: one JSON line for each file or row that could not be used."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from corpusgraph.flows.resources.manifest import LEDGER
from corpusgraph.schemas.documents import Failure


def read_ledger(folder: Path) -> list[Failure]:
    """Return the failures of an index's published generation."""
    path = folder / LEDGER
    if not path.is_file():
        return []
    # Not splitlines: a file's name may hold a line separator of Unicode, which JSON leaves as it is.
    lines = path.read_text(encoding="utf-8").split("\n")
    return [Failure.model_validate_json(line) for line in lines if line.strip()]


def ledger_counts(ledger: Sequence[Failure]) -> dict[str, Any]:
    """Return what a report says of the failure ledger: failures first, then what was left out."""
    failed = [failure for failure in ledger if not failure.is_left_out]
    left_out = [failure for failure in ledger if failure.is_left_out]
    return {
        "n_failures": len(failed),
        "n_retry": sum(failure.retry for failure in failed),
        "n_left_out": len(left_out),
        "failures": (*failed, *left_out)[:20],
    }


def to_retry(folder: Path) -> bool:
    """Tell whether an index's ledger has calls of a language model that can be made again."""
    return any(failure.retry for failure in read_ledger(folder))
