"""Making a million small objects without walking through all of them again and again."""

import gc
from collections.abc import Iterator, Sized
from contextlib import contextmanager
from typing import Any

WORTH_IT = 10_000
"""Records from which the search for cycles costs more than to stop it, which walks what a program froze."""


@contextmanager
def collection_paused(records: Any) -> Iterator[None]:
    """Pause Python's search for cycles while many records are made; none of them is in one.

    The search takes over half of the time that a million events need, and finds nothing. It goes on
    afterwards as it was; with several threads it may go on a little earlier, which is only slower.
    What was made meanwhile is old at once, so that the next search for young cycles does not walk it.
    With fewer than `WORTH_IT` records (or what has no length) nothing is done.
    """
    if not gc.isenabled() or not isinstance(records, Sized) or len(records) < WORTH_IT:
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        if not gc.get_freeze_count():  # else what the program froze would thaw with it
            gc.freeze()
            gc.unfreeze()
        gc.enable()
