"""The indexes opened last in this process: a second question finds them warm."""

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from corpusgraph.flows.files.manifest import FILE

if TYPE_CHECKING:
    from corpusgraph.flows.store.opened import OpenIndex
    from corpusgraph.flows.store.store import IndexStore

Opened = tuple["OpenIndex", tuple[int, int], "OpenIndex"]
"""A generation, the version of its memory, and the two as one."""

KEPT = 2
"""Opened indexes that are kept; each holds what was read of it."""

Published = tuple[int, ...]
"""Which file the manifest is, and when it was written: publishing replaces it by another."""


class RecentIndexes:
    """The `size` indexes opened last, each opened anew when something was published or added by hand."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._opened: dict[Path, tuple[Published, Opened]] = {}
        self._lock = threading.Lock()

    def open(self, store: "IndexStore", name: str) -> "OpenIndex":
        """Return the opened index of a name, the same one until a generation is published or a change made.

        A change to the memory, by whichever process, gives a new view over the generation that is open
        already.

        Parameters
        ----------
        store : IndexStore
            The indexes of a folder.
        name : str
            Of the index.

        Returns
        -------
        OpenIndex
            With its memory.

        Raises
        ------
        IndexNotFoundError
            With the nearest names.
        MemoryFileError
            For a journal that cannot be read.

        """
        place = store.folder(name).resolve()
        published = _published(place)
        with self._lock:  # threads that want one index at once open it once
            known = self._opened.pop(place, None)
            before = known[1] if known is not None and known[0] == published else None
            opened = remembered_now(before[0] if before else store.open_corpus(name), before)
            self._opened[place] = published, opened
            if len(self._opened) > self._size:
                del self._opened[next(iter(self._opened))]
        return opened[2]

    def clear(self) -> None:
        """Let go of all; what is still in use elsewhere stays open there."""
        with self._lock:
            self._opened.clear()


_recent = RecentIndexes(KEPT)
open_recent = _recent.open


def remembered(base: "OpenIndex") -> "OpenIndex":
    """Return an opened index with its memory; itself where nothing was ever added by hand.

    Parameters
    ----------
    base : OpenIndex
        A generation without its memory.

    Returns
    -------
    OpenIndex
        A view that follows the memory.

    """
    if not base.has_memory:
        return base
    from corpusgraph.flows.store.overlaid import RememberedIndex

    return RememberedIndex(base, base.memory)


def remembered_now(base: "OpenIndex", before: Opened | None) -> Opened:
    """Return an opened index with its memory as it is now: the same one for as long as nothing is added.

    Parameters
    ----------
    base : OpenIndex
        A generation without its memory.
    before : Opened or None
        What was returned last; None at first.

    Returns
    -------
    Opened
        The generation, the version of its memory, and the view.

    """
    version = base.memory.version if base.has_memory else (0, 0)
    if before is not None and before[0] is base and before[1] == version:
        return before
    return base, version, remembered(base) if version[1] else base


def memory_print(folder: Path) -> str:
    """Return a hash of what was added by hand to the index in a folder; nothing where nothing was.

    Parameters
    ----------
    folder : Path
        Of the index.

    Returns
    -------
    str
        16 hexadecimal digits of the journal, or "".

    """
    from corpusgraph.flows.files.disk import file_digest
    from corpusgraph.flows.store.journal import FILE as JOURNAL

    try:
        return file_digest(folder / JOURNAL, 8).hex()
    except (FileNotFoundError, NotADirectoryError):
        return ""


def _published(place: Path) -> Published:
    try:
        found = (place / FILE).stat()
    except (FileNotFoundError, NotADirectoryError):
        return ()
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
