"""How often Python looks for cycles while an index is made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

ALLOCATIONS = 100_000
"""New objects between two looks at the young ones; nouns and rows hold no cycles."""
RARELY = 100
"""Looks at the young objects before one at the older ones, and so on for the oldest."""


_lock = Lock()
_inside: list[tuple[int, int, int]] = []
"""What to go back to, once for each run that is under way."""


@contextmanager
def rare_collection() -> Iterator[None]:
    """Keep the collector from walking again and again over a graph that only grows; runs may overlap.

    Yields
    ------
    None
        While the body runs.

    """
    with _lock:
        _inside.append(_inside[0] if _inside else gc.get_threshold())
        gc.set_threshold(ALLOCATIONS, RARELY, RARELY)
    try:
        yield
    finally:
        with _lock:
            before = _inside.pop()
            if not _inside:
                gc.set_threshold(*before)
