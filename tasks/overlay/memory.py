"""The port Memory over the changes of a list; what keeps them elsewhere says how they are read and added."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import RLock

from corpusgraph.schemas.graph import Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import Change, CreateEntity, Extracted, Observe, Operation, Statement
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.names import Names, observed
from corpusgraph.tasks.overlay.state import Edge, MemoryState, advance, folded, undoing
from corpusgraph.tasks.overlay.view import relationship_of


class ScratchMemory:
    """A Memory that is gone with its process. `state` is what the changes come to."""

    def __init__(self, graph: GraphView, changes: Sequence[Change] = ()) -> None:
        self._lock, self._changes, self._laid_over = RLock(), list(changes), Base(graph)
        self._names: Names | None = None
        self._put_together: list[Change] | None = None
        """The changes that the state is of; another list is another journal."""

    @property
    def base(self) -> Base:
        """What the memory is laid over."""
        return self._laid_over

    @property
    def state(self) -> MemoryState:
        """What the changes come to: not to be changed, and brought on by the next change."""
        return self._current().state

    @contextmanager
    def reading(self) -> Iterator[MemoryState]:
        """Give the state after all changes there are; it stays as it is, and is only lent, meanwhile.

        Other threads wait: copy what is to be kept (`frozen`), and add nothing meanwhile.
        """
        with self._lock:
            yield self.state

    def find(self, ref: EntityRef) -> Entity:
        """Find an entity as it is now by id, short id or name."""
        with self._lock:
            return self._current().find(ref)

    def observations(self, entity_id: str) -> Sequence[str]:
        """Return what was noted about an entity by hand, in order."""
        with self.reading() as state:
            return tuple(observed(state, state.now(entity_id)))

    def relationship(self, ref: EntityRef) -> Relationship:
        """Find a relationship as it is now by id or short id; the lines that state it are not filled in."""
        with self._lock:
            edge = self._current().edge(ref)
            place = edge if isinstance(edge, int) else edge.parts[0] if edge.is_plain else None
            if isinstance(edge, Edge) and place is None:
                return relationship_of(self.base, edge, None)
            return self.base.graph.relationships[place or 0]

    def statements(self, relationship_id: str) -> Sequence[Statement]:
        """Return what was stated by hand of a relationship, as it is now, in order."""
        with self.reading() as state:
            edge = state.edges.get(relationship_id)
            return edge.said if edge else ()

    def changes(self) -> Sequence[Change]:
        """Return all changes, in order, also those that were undone."""
        with self._lock:
            return tuple(self._read())

    def handled(self) -> Sequence[str]:
        """Return the entities that were ever made or noted by hand, in the order in which they first were."""
        operations = (operation for change in self.changes() for operation in change.operations)
        made = (op for op in operations if isinstance(op, CreateEntity | Observe))
        return tuple(dict.fromkeys(op.id if isinstance(op, CreateEntity) else op.entity.id for op in made))

    def undone(self) -> frozenset[int]:
        """Return the numbers of the changes that do not count any more."""
        with self.reading() as state:
            return frozenset(state.undone)

    def extractions(self) -> Sequence[tuple[Change, Extracted]]:
        """Return the extraction log, in order, without what was undone."""
        undone = self.undone()
        counting = (change for change in self.changes() if change.number not in undone)
        pairs = ((change, operation) for change in counting for operation in change.operations)
        return tuple((change, one) for change, one in pairs if isinstance(one, Extracted))

    def record(self, operations: Sequence[Operation], *, by: str, request_id: str, at: str) -> Change:
        """Append a change and return it."""
        with self._adding():
            number = len(self._read()) + 1
            change = Change(number=number, at=at, by=by, request_id=request_id, operations=tuple(operations))
            return self._append(change)

    def undo(self, number: int, *, by: str, request_id: str, at: str) -> Change:
        """Append the undoing of a change; one that is unknown or undone already is an error."""
        with self._adding():
            with self.reading() as state:
                changes = self._read()
                change = undoing(changes, state.undone, number, by=by, request_id=request_id, at=at)
            return self._append(change)

    @contextmanager
    def _adding(self) -> Iterator[None]:
        """Let nobody else add meanwhile."""
        with self._lock:
            yield

    def _append(self, change: Change) -> Change:
        self._changes.append(change)
        return change

    def _read(self) -> list[Change]:
        """Return all changes there are: hold the lock."""
        return self._changes

    def _current(self) -> Names:
        """Return what finds things in the state after all changes: hold the lock."""
        changes = self._read()
        names, n = self._names, self._names.state.n_changes if self._names else 0
        if names is None or self._put_together is not changes:
            names = self._names = Names(folded(changes, self.base))
        elif any(change.undoes is not None for change in changes[n:]):
            names.state = folded(changes, self.base)
        else:
            for change in changes[n:]:
                advance(names.state, change)
        self._put_together = changes
        return names
