"""The port Memory over the journal of an index."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock, RLock
from typing import Protocol
from weakref import WeakValueDictionary

from corpusgraph.flows.store.journal import FILE, Journal, Place
from corpusgraph.schemas.errors import MemoryFileError
from corpusgraph.schemas.graph import Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import Change, Extracted, Operation, Statement
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.overlay.names import Names, names_of, observed
from corpusgraph.tasks.overlay.splits import Told
from corpusgraph.tasks.overlay.state import MemoryState, advance, folded, undoing
from corpusgraph.tasks.progress import heard


class Base(Protocol):
    """What the memory is laid over: an open generation."""

    @property
    def graph(self) -> GraphView:
        """The graph as the corpus has it."""
        ...

    def told_of(self, entities: frozenset[str]) -> Told:
        """Read the mentions of some entities, and the assertions of which these are ends."""
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


class IndexMemory:
    """Memory of one index over one open generation, for any number of threads and processes.

    Each call sees all that any process has added before it. Nothing is read or written before the first call.
    `memory_of` gives the one that a process shares; two of one folder agree all the same.
    """

    def __init__(self, folder: Path, base: Base, log: Log | None = None) -> None:
        self._base = base
        self._log = log or log_of(folder)
        self._names: Names | None = None
        self._seen = (0, 0)

    @property
    def version(self) -> tuple[int, int]:
        """Return a value that is another whenever there were changes, and is cheap to look at."""
        with self._log.lock:
            self._log.refresh()
            return self._log.life, len(self._log.changes)

    @contextmanager
    def reading(self) -> Iterator[MemoryState]:
        """Give the state after all changes there are; it stays as it is, and is only lent, meanwhile.

        Other threads wait: copy what is to be kept (`tasks.remember.frozen`), and add nothing meanwhile.
        """
        with self._log.lock:
            yield self._up_to_date().state

    def find(self, ref: EntityRef) -> Entity:
        """Find an entity as it is now by id, short id or name."""
        with self._log.lock:
            return self._up_to_date().find(ref)

    def observations(self, entity_id: str) -> Sequence[str]:
        """Return what was noted about an entity by hand, in order."""
        with self.reading() as state:
            return tuple(observed(state, state.now(entity_id)))

    def relationship(self, ref: EntityRef) -> Relationship:
        """Find a relationship as it is now by id or short id."""
        with self._log.lock:
            return self._up_to_date().relationship(ref)

    def statements(self, relationship_id: str) -> Sequence[Statement]:
        """Return what was stated by hand of a relationship, as it is now, in order."""
        with self.reading() as state:
            held = state.relations.get(relationship_id)
            return tuple(held.evidence) if held else ()

    def changes(self) -> Sequence[Change]:
        """Return all changes, in order, also those that were undone."""
        with self._log.lock:
            self._log.refresh()
            return tuple(self._log.changes)

    def handled(self) -> Sequence[str]:
        """Return the entities that were ever made or noted by hand, in the order in which they first were."""
        with self.reading() as state:
            return tuple(state.handled)

    def undone(self) -> frozenset[int]:
        """Return the numbers of the changes that do not count any more."""
        with self.reading() as state:
            return frozenset(state.undone)

    def extractions(self) -> Sequence[tuple[Change, Extracted]]:
        """Return the extraction log, in order, without what was undone."""
        with self.reading() as state:
            return tuple((self._log.changes[number - 1], op) for number, op in state.extracted)

    def record(self, operations: Sequence[Operation], *, by: str, request_id: str, at: str) -> Change:
        """Append a change and return it; once this returns it survives a crash and is seen by every process.

        Raises InvalidInputError for what no line can hold, OutputError if the folder cannot be written.
        """
        with self._adding() as number:
            change = Change(number=number, at=at, by=by, request_id=request_id, operations=tuple(operations))
            return self._append(change)

    def undo(self, number: int, *, by: str, request_id: str, at: str) -> Change:
        """Append the undoing of a change; one that is unknown or undone already is an error."""
        with self._adding():
            with self.reading() as state:
                undone, changes = state.undone, self._log.changes
                change = undoing(changes, undone, number, by=by, request_id=request_id, at=at)
            return self._append(change)

    @contextmanager
    def _adding(self) -> Iterator[int]:
        """Hold the locks of this process and of the file, and give the number of the next change."""
        with self._log.journal.writing():
            with self._log.lock:
                self._log.refresh()
                number = len(self._log.changes) + 1
            yield number

    def _append(self, change: Change) -> Change:
        """Write the line; whoever reads meanwhile may have read it before this comes to take it.

        No step is taken from here on: a call that made a change is not told that it was cancelled.
        """
        log = self._log
        before = log.place
        change, after = log.journal.append(change, before)
        with heard(None), log.lock:
            if log.place == before:
                log.changes.append(change)
                log.place = after
            self._up_to_date()
        return change

    def _up_to_date(self) -> Names:
        log = self._log
        log.refresh()
        life, n = self._seen
        if self._names is None or life != log.life:
            self._names = Names(self._base.graph, self._folded(), self._base.told_of)
        elif not all(advance(self._names.state, change) for change in log.changes[n:]):
            self._names.state = self._folded()
        self._seen = log.life, len(log.changes)
        return self._names

    def _folded(self) -> MemoryState:
        return folded(self._log.changes, _Known(self._base))


class _Known:
    """The ids of a generation's entities; its graph is opened when one is looked for."""

    def __init__(self, base: Base) -> None:
        self._base = base

    def __contains__(self, id_: object) -> bool:
        return id_ in names_of(self._base.graph)


_logs: WeakValueDictionary[Path, Log] = WeakValueDictionary()
_memories: WeakValueDictionary[tuple[Path, str], IndexMemory] = WeakValueDictionary()
_sharing = Lock()


def log_of(folder: Path) -> Log:
    """Return what this process has read of a folder's journal."""
    place = folder.resolve()
    with _sharing:
        log = _logs.get(place)
        if log is None:
            log = _logs[place] = Log(place)
        return log


def memory_of(folder: Path, generation: str, base: Base) -> IndexMemory:
    """Return the memory of a generation of the index in a folder, the same one for all of this process.

    Another generation has its own, over what it says itself, from the same journal.
    """
    log = log_of(folder)
    with _sharing:
        key = folder.resolve(), generation
        memory = _memories.get(key)
        if memory is None:
            memory = _memories[key] = IndexMemory(folder, base, log)
        return memory
