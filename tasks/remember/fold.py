"""From the changes of a journal to its state: all at once, or one more at a time.

Operations count in the order of their changes, for entities as they are at that point. A change that was
undone counts as if it had never been made: what it made is *unmade*, and what later changes say of that is
dormant until it is made again, afresh, or the undoing is undone.
"""

from collections.abc import Container, Iterable, Sequence

from corpusgraph.schemas.memory import Change, CreateEntity, Named, Observe, Operation, Relate
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.remember.apply import apply
from corpusgraph.tasks.remember.operations import makes, names_in, triple_id, triple_in
from corpusgraph.tasks.remember.state import MemoryState


def undone(changes: Sequence[Change]) -> set[int]:
    """Return the numbers of the changes that do not count: undone, and their undoing not undone."""
    out: set[int] = set()
    for change in reversed(changes):  # whether an undoing counts is known once all later ones are
        if change.undoes is not None and change.number not in out:
            out.add(change.undoes)
    return out


def folded(changes: Iterable[Change], known: Container[str] = ()) -> MemoryState:
    """Return the state after all changes, in order of their numbers.

    `known` holds the ids of the corpus's entities: one of these that was also made by hand is there even
    where its making was undone.
    """
    given = tuple(changes)
    state = MemoryState(undone=undone(given))
    for change in counted(given, "changes put together"):
        _take(state, change, known)
    return state


def advance(state: MemoryState, change: Change) -> bool:
    """Bring a state on by the next change, in time that does not grow with the journal.

    Returns False, with the state as it was, for an undoing: then all changes are to be folded again.
    """
    if change.undoes is not None:
        return False
    _take(state, change, ())
    return True


def _take(state: MemoryState, change: Change, known: Container[str]) -> None:
    state.n_changes = change.number
    state.trail.append(change)
    state.n_trail += 1
    counts = change.number not in state.undone
    for operation in change.operations:
        _note(state, operation)
        if counts:
            apply(state, operation, change.number)
        elif (made := makes(operation)) is not None and made.id not in known:
            _unmake(state, made)


def _unmake(state: MemoryState, made: Named) -> None:
    """Note that an entity was not made after all; one that was there for another reason still is."""
    if made.id not in state.created and made.id not in state.named and made.id not in state.merged:
        state.unmade.add(made.id)


def _note(state: MemoryState, operation: Operation) -> None:
    """Give numbers, and keep what entities were first called, whether or not the operation counts."""
    for named in names_in(operation):
        if named.id not in state.called:
            state.called[named.id] = Named(id=named.id, name=named.name, type=named.type)
            state.spell(named.id, named.name)
            state.entity_numbers.allot(named.id)
    if isinstance(operation, CreateEntity):
        state.handled[operation.id] = None
    elif isinstance(operation, Observe):
        state.handled[operation.entity.id] = None
    if (triple := triple_in(operation)) is not None:
        id_ = triple_id(triple)
        state.stated.setdefault(id_, triple)
        if isinstance(operation, Relate):
            state.relation_numbers.allot(id_)
