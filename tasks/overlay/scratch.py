"""The port Memory over a list: for tests, and for tools that are called on plain records."""

from collections.abc import Sequence
from threading import RLock

from corpusgraph.schemas.graph import Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import Change, Extracted, Operation, Statement
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.overlay.names import Names, names_of, observed
from corpusgraph.tasks.overlay.state import MemoryState, advance, folded, undoing


class ScratchMemory:
    """A Memory that is gone with its process. `state` is what the changes come to."""

    def __init__(self, graph: GraphView, changes: Sequence[Change] = ()) -> None:
        self._graph, self._lock = graph, RLock()
        self._changes: list[Change] = list(changes)
        self._names = Names(graph, self._folded())

    @property
    def state(self) -> MemoryState:
        """What the changes come to: not to be changed, and brought on by the next change."""
        return self._names.state

    def find(self, ref: EntityRef) -> Entity:
        """Find an entity as it is now by id, short id or name."""
        with self._lock:
            return self._names.find(ref)

    def observations(self, entity_id: str) -> Sequence[str]:
        """Return what was noted about an entity by hand, in order."""
        with self._lock:
            return tuple(observed(self.state, self.state.now(entity_id)))

    def relationship(self, ref: EntityRef) -> Relationship:
        """Find a relationship as it is now by id or short id."""
        with self._lock:
            return self._names.relationship(ref)

    def statements(self, relationship_id: str) -> Sequence[Statement]:
        """Return what was stated by hand of a relationship, as it is now, in order."""
        with self._lock:
            held = self.state.relations.get(relationship_id)
            return tuple(held.evidence) if held else ()

    def changes(self) -> Sequence[Change]:
        """Return all changes, in order, also those that were undone."""
        with self._lock:
            return tuple(self._changes)

    def handled(self) -> Sequence[str]:
        """Return the entities that were ever made or noted by hand, in the order in which they first were."""
        with self._lock:
            return tuple(self.state.handled)

    def undone(self) -> frozenset[int]:
        """Return the numbers of the changes that do not count any more."""
        with self._lock:
            return frozenset(self.state.undone)

    def extractions(self) -> Sequence[tuple[Change, Extracted]]:
        """Return the extraction log, in order, without what was undone."""
        with self._lock:
            return tuple((self._changes[number - 1], op) for number, op in self.state.extracted)

    def record(self, operations: Sequence[Operation], *, by: str, request_id: str, at: str) -> Change:
        """Append a change and return it."""
        with self._lock:
            number = len(self._changes) + 1
            return self._append(
                Change(number=number, at=at, by=by, request_id=request_id, operations=tuple(operations))
            )

    def undo(self, number: int, *, by: str, request_id: str, at: str) -> Change:
        """Append the undoing of a change; one that is unknown or undone already is an error."""
        with self._lock:
            return self._append(
                undoing(self._changes, self.state.undone, number, by=by, request_id=request_id, at=at)
            )

    def _append(self, change: Change) -> Change:
        self._changes.append(change)
        if not advance(self.state, change):
            self._names.state = self._folded()
        return change

    def _folded(self) -> MemoryState:
        return folded(self._changes, names_of(self._graph))
