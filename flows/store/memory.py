"""The port Memory over the journal of an index."""

from contextlib import AbstractContextManager
from pathlib import Path
from threading import RLock
from typing import Protocol
from weakref import WeakValueDictionary

from corpusgraph.flows.store.journal import FILE, Journal, Place
from corpusgraph.schemas.errors import MemoryFileError
from corpusgraph.schemas.memory import Change
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.memory import ScratchMemory
from corpusgraph.tasks.progress import heard


class Generation(Protocol):
    """What the memory is laid over: an open generation."""

    @property
    def below(self) -> Base:
        """The graph as memories are laid over it."""
        ...


class Log:
    """What this process has read of the journal of a folder: shared by all who have the index open."""

    def __init__(self, folder: Path) -> None:
        self.journal = Journal(folder / FILE)
        self.lock = RLock()
        self.changes: list[Change] = []
        self.place = Place()
        self.life = 0
        """Counts how often the file was replaced by another: all read before is void then."""

    def refresh(self) -> None:
        """Read what was added since; hold `lock`."""
        if not self.journal.is_continued(self.place):
            self._begin_anew()
        if self.journal.size() > self.place.offset:
            self._read()

    def _read(self) -> None:
        try:
            added, self.place = self.journal.read_from(self.place)
        except MemoryFileError:
            if not self.place.offset:
                raise
            self._begin_anew()  # a line was read that could not be synced and was taken back
            added, self.place = self.journal.read_from(self.place)
        self.changes.extend(added)

    def _begin_anew(self) -> None:
        self.changes, self.place, self.life = [], Place(), self.life + 1


class IndexMemory(ScratchMemory):
    """Memory of one index over one open generation, for any number of threads and processes.

    Each call sees all that any process has added before it. Nothing is read or written before the first call.
    `memory_of` gives the one that a process shares; two of one folder agree all the same.
    """

    def __init__(self, folder: Path, base: Generation, log: Log | None = None) -> None:
        self._generation, self._log = base, log or log_of(folder)
        self._lock, self._names, self._put_together = self._log.lock, None, None

    @property
    def base(self) -> Base:
        """The graph as the corpus has it; it is opened when it is first looked at."""
        return self._generation.below

    @property
    def version(self) -> tuple[int, int]:
        """Return a value that is another whenever there were changes, and is cheap to look at."""
        with self._lock:
            n_changes = len(self._read())
            return self._log.life, n_changes

    def _adding(self) -> AbstractContextManager[object]:
        """Hold the locks of this process and of the file."""
        return self._log.journal.writing()

    def _append(self, change: Change) -> Change:
        """Write the line; once this returns it survives a crash and is seen by every process.

        Whoever reads meanwhile may have read it before this comes to take it. No step is taken from here on:
        a call that made a change is not told that it was cancelled. Raises InvalidInputError for what no line
        can hold, OutputError if the folder cannot be written.
        """
        log = self._log
        before = log.place
        change, after = log.journal.append(change, before)
        with heard(None), log.lock:
            if log.place == before:
                log.changes.append(change)
                log.place = after
            self._current()
        return change

    def _read(self) -> list[Change]:
        with self._lock:
            self._log.refresh()
            return self._log.changes


_logs: WeakValueDictionary[Path, Log] = WeakValueDictionary()
_memories: WeakValueDictionary[tuple[Path, str], IndexMemory] = WeakValueDictionary()
_sharing = RLock()


def log_of(folder: Path) -> Log:
    """Return what this process has read of a folder's journal.

    Parameters
    ----------
    folder : Path
        Of the index.

    Returns
    -------
    Log
        The same for all threads, for as long as anybody holds it.

    """
    place = folder.resolve()
    with _sharing:
        if (log := _logs.get(place)) is None:
            log = _logs[place] = Log(place)
        return log


def memory_of(folder: Path, generation: str, base: Generation) -> IndexMemory:
    """Return the memory of a generation of the index in a folder, the same one for all of this process.

    Parameters
    ----------
    folder : Path
        Of the index.
    generation : str
        Its id.
    base : Generation
        What that generation says itself; another has its own, from the same journal.

    Returns
    -------
    IndexMemory
        For any number of threads.

    """
    key = folder.resolve(), generation
    with _sharing:
        if (memory := _memories.get(key)) is None:
            memory = _memories[key] = IndexMemory(folder, base)
        return memory
