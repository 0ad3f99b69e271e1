"""The indexes opened last in this process: a second question finds them warm."""

import threading
from contextlib import nullcontext
from typing import TYPE_CHECKING

from corpusgraph.flows.files.manifest import FILE

if TYPE_CHECKING:
    from pathlib import Path

    from corpusgraph.flows.store.opened import OpenIndex
    from corpusgraph.flows.store.overlaid import Kept
    from corpusgraph.flows.store.store import IndexStore

KEPT = 2
"""Opened indexes that are kept; each holds what was read of it."""

Published = tuple[int, ...]
"""Which file the manifest is, and when it was written: publishing replaces it by another."""

_recent: "dict[Path, tuple[Published, Kept]]" = {}
_locks: "dict[Path, threading.Lock]" = {}
_guard = threading.Lock()


def open_recent(store: "IndexStore", name: str) -> "OpenIndex":
    """Return the opened index of a name, the same one until a generation is published or a change is made.

    A change to the memory, by whichever process, gives a new view over the generation that is open already.
    Raises IndexNotFoundError with the nearest names, MemoryFileError for a journal that cannot be read.
    """
    from corpusgraph.flows.store.overlaid import remembered_now

    place = store.folder(name).resolve()
    published = _published(place)
    with _lock_of(place) if published else nullcontext():  # threads that want one index at once open it once
        known = _recent.get(place)
        before = known[1] if known is not None and known[0] == published else None
        kept = remembered_now(before[0] if before else store.open_corpus(name), before)
        with _guard:
            _recent.pop(place, None)
            _recent[place] = published, kept
            while len(_recent) > KEPT:
                del _recent[next(iter(_recent))]
    return kept[2]


def _published(place: "Path") -> Published:
    try:
        found = (place / FILE).stat()
    except (FileNotFoundError, NotADirectoryError):
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _lock_of(place: "Path") -> threading.Lock:
    with _guard:
        return _locks.setdefault(place, threading.Lock())
