"""What may be kept with a statement: its line in the journal is read by every later call."""

import json
from typing import Any

from corpusgraph.schemas.base import JsonDict

DEEPEST, LARGEST = 20, 100_000
"""Levels, and bytes of its JSON."""


def checked_context(value: JsonDict) -> JsonDict:
    """Return a context as it is; raise ValueError for one that is too deep, too large, or not JSON."""
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        level = [inner for held in level for inner in _inside(held)]
        if not level:
            break
    else:
        raise ValueError(f"must not be nested more than {DEEPEST} deep")
    try:
        size = len(json.dumps(value, allow_nan=False, ensure_ascii=False).encode())
    except (TypeError, ValueError) as error:
        raise ValueError(f"must be JSON: {error}") from None
    if size > LARGEST:
        raise ValueError(f"must not be larger than {LARGEST:,} bytes")
    return value


def _inside(held: Any) -> list[Any]:
    if isinstance(held, dict):
        return list(held.values())
    return list(held) if isinstance(held, list | tuple) else []
