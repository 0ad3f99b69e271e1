"""GraphRAG's tables as CSV, which version 3 writes where its tables are configured to be of `type: csv`.

Every cell is text there: lists and findings as Python prints them, or as numpy does, without commas.
"""

import ast
import json
import re
from pathlib import Path
from typing import Any

from corpusgraph.flows.interop.given import is_too_deep
from corpusgraph.schemas.base import JsonDict

_NUMBERS = frozenset({"human_readable_id", "degree", "frequency", "combined_degree", "n_tokens", "community"})
_NUMBERS |= {"level", "parent", "size", "weight", "rank", "rating"}
_QUOTED = re.compile(r"'([^']*)'|\"([^\"]*)\"")
_BETWEEN = re.compile(r"}\s+{")


def read_csv(path: Path) -> tuple[list[str], list[JsonDict]]:
    """Return the names of the columns and the rows, numbers as numbers and gaps as None.

    Raises ValueError or OSError for a file that is no such table.
    """
    import pandas as pd

    frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    rows = frame.to_dict("records")
    names = [str(name) for name in frame.columns]
    return names, [{str(name): _cell(str(name), text) for name, text in row.items()} for row in rows]


def _cell(name: str, text: Any) -> Any:
    if name not in _NUMBERS or not isinstance(text, str):
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text or None


def printed_list(text: str) -> list[Any]:
    """Return the items of a list as JSON, Python or numpy write it, or with commas between."""
    if text.startswith("["):
        try:
            return list(json.loads(text))
        except (ValueError, RecursionError):
            inner = text.strip("[]")
        if quoted := _QUOTED.findall(inner):
            return [single or double for single, double in quoted if single or double]
        if all(part.lstrip("-").isdigit() for part in inner.split()):
            return inner.split()
        text = inner.replace("\n", ",")
    return [part.strip() for part in text.split(",") if part.strip()]


def printed(text: str) -> Any:
    """Return what a text says as JSON, Python or numpy print it; None where it is neither or too deep."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        try:
            found = ast.literal_eval(_BETWEEN.sub("}, {", text.strip()))
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return None if is_too_deep(found) else found
