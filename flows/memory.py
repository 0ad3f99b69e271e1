"""How often Python looks for cycles while an index is made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

ALLOCATIONS = 100_000
"""New objects between two looks at the young ones; nouns and rows hold no cycles."""
RARELY = 100
"""Looks at the young objects before one at the older ones, and so on for the oldest."""


@contextmanager
def rare_collection() -> Iterator[None]:
    """Keep the collector from walking again and again over a graph that only grows."""
    before = gc.get_threshold()
    gc.set_threshold(ALLOCATIONS, RARELY, RARELY)
    try:
        yield
    finally:
        gc.set_threshold(*before)
