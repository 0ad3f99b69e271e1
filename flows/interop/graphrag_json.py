"""GraphRAG's tables as JSON: an object a line, as version 0.5 writes them, or one array of objects."""

import json
from pathlib import Path

from corpusgraph.flows.interop.given import is_too_deep
from corpusgraph.schemas.base import JsonDict


def read_json(path: Path) -> tuple[list[str], list[JsonDict]]:
    """Return the names of the columns and the rows, gaps as None.

    Raises ValueError or OSError for a file that is no such table.
    """
    text = path.read_text(encoding="utf-8-sig")
    try:
        # Not splitlines: pandas leaves line separators of Unicode inside texts as they are.
        lines = [line for line in text.split("\n") if line.strip()]
        found = json.loads(text) if text.lstrip().startswith("[") else [json.loads(line) for line in lines]
    except RecursionError:
        raise ValueError("it is nested too deep") from None
    for place, row in enumerate(found):
        if not isinstance(row, dict) or is_too_deep(row):
            raise ValueError(f"row {place + 1} is no object, or nested too deep")
    names = list(dict.fromkeys(name for row in found for name in row))
    return names, [{name: row.get(name) for name in names} for row in found]
