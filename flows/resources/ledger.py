"""The failure ledger: one JSON line for each file or row that could not be used."""

from pathlib import Path

from corpusgraph.flows.resources.manifest import LEDGER
from corpusgraph.schemas.documents import Failure


def read_ledger(folder: Path) -> list[Failure]:
    """Return the failures of an index's published generation."""
    path = folder / LEDGER
    if not path.is_file():
        return []
    return [
        Failure.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines() if line
    ]
