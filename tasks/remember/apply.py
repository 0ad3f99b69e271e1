"""What each operation does to the state, for entities as they are when its turn comes."""

from collections.abc import Callable
from itertools import product
from typing import Any

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.memory import (
    CreateEntity,
    DeleteEntity,
    Extracted,
    MergeEntities,
    Named,
    Observe,
    Operation,
    Relate,
    Rename,
    Reweigh,
    SplitEntity,
    Unobserve,
    Unrelate,
)
from corpusgraph.tasks.graph.names import other_names
from corpusgraph.tasks.remember.merging import delete, merge, split
from corpusgraph.tasks.remember.operations import is_joined, ordered, triple_id
from corpusgraph.tasks.remember.relations import drop, state_relation
from corpusgraph.tasks.remember.state import HandEntity, HandEvidence, MemoryState, TakenOut, Triple


def apply(state: MemoryState, operation: Operation, change: int) -> None:
    """Apply one operation in force."""
    _APPLY[type(operation)](state, operation, change)


def _create(state: MemoryState, op: CreateEntity, change: int) -> None:
    """Make an entity, or one that was deleted or unmade afresh; one that is there by hand stays as it is."""
    if op.id in state.merged or op.id in state.created:
        return
    state.unmade.discard(op.id)
    state.created[op.id] = HandEntity(op, change, state.entity_numbers.allot(op.id))
    state.named.setdefault(op.id, state.called[op.id])
    for name in other_names(op.attributes):
        state.add_name(op.id, name)


def _observe(state: MemoryState, op: Observe, change: int) -> None:
    if (id_ := _said_of(state, op.entity)) is None:
        return
    noted = state.observations.setdefault(id_, {})
    taken = state.unobserved.get(id_, {})
    for sentence in map(nfc, op.contents):
        if taken.pop(sentence, None) is None or id_ in state.members:
            noted.setdefault(sentence, change)


def _unobserve(state: MemoryState, op: Unobserve, change: int) -> None:
    if (id_ := _meant(state, op.entity)) is None:
        return
    noted = state.observations.get(id_, {})
    for sentence in map(nfc, op.contents):
        # one that was noted by hand may be that of an imported entity merged into this one, too
        if noted.pop(sentence, None) is None or id_ in state.members:
            state.unobserved.setdefault(id_, {})[sentence] = change


def _relate(state: MemoryState, op: Relate, change: int) -> None:
    """Add a statement; of two entities that were taken for one since, there is none."""
    ends = _ends(state, op)
    if ends is None or is_joined(op, ends):
        return
    for named in (op.source, op.target):
        _said_of(state, named)
    number = state.relation_numbers.allot(triple_id(ordered(op.source.id, op.type, op.target.id)))
    said = HandEvidence(change, op.confidence, op.is_causal, op.context, op.cue)
    state_relation(state, ends, number, [said])


def _unrelate(state: MemoryState, op: Unrelate, change: int) -> None:  # noqa: ARG001  # all take a change
    """Drop what was stated, and leave out what the corpus says of the two and of all merged into them."""
    if (ends := _ends(state, op)) is None:
        return
    joined = is_joined(op, ends)
    if not joined:  # what an entity is said to be to itself is another matter
        drop(state, triple_id(ends))
        state.reweighed.pop(triple_id(ends), None)
    source, type_, target = ends
    own = source == target and not joined
    state.steps.append(TakenOut(ends, own))
    for one, other in product(_all(state, source), _all(state, target)):
        if (one == other) == own:
            triple = ordered(one, type_, other)
            state.removed[triple_id(triple)] = triple


def _reweigh(state: MemoryState, op: Reweigh, change: int) -> None:  # noqa: ARG001
    if (ends := _ends(state, op)) is None or is_joined(op, ends):
        return
    id_ = triple_id(ends)
    before = state.reweighed.get(id_)
    if before is not None:
        weight = before.weight if op.weight is None else op.weight
        confidence = before.confidence if op.confidence is None else op.confidence
        op = op.model_copy(update={"weight": weight, "confidence": confidence})
    ends_now = {"source": _named(state, op.source), "target": _named(state, op.target)}
    state.reweighed[id_] = op.model_copy(update=ends_now)


def _rename(state: MemoryState, op: Rename, change: int) -> None:  # noqa: ARG001
    """Give a name; those it had stay as other names."""
    if (id_ := _said_of(state, op.entity)) is None:
        return
    before = state.renamed.get(id_)
    type_ = op.type or (before.type if before else None)
    for name in (*([before.name] if before else ()), op.entity.name):
        state.add_name(id_, name)
    state.renamed[id_] = Named(id=id_, name=op.name, type=type_)
    state.spell(id_, op.name)


def _extracted(state: MemoryState, op: Extracted, change: int) -> None:
    if _meant(state, op.entity) is not None:
        state.extracted.append((change, op))


def _merge(state: MemoryState, op: MergeEntities, change: int) -> None:  # noqa: ARG001
    if (into := _said_of(state, op.into)) is None:
        return
    for named in op.sources:
        source = _meant(state, named)
        if source is not None and source != into:
            merge(state, source, into, named)


def _split(state: MemoryState, op: SplitEntity, change: int) -> None:
    if (id_ := _said_of(state, op.entity)) is not None:
        split(state, id_, op, change)


def _delete(state: MemoryState, op: DeleteEntity, change: int) -> None:  # noqa: ARG001
    if (id_ := _meant(state, op.entity)) is not None:
        delete(state, id_)


_APPLY: dict[type[Any], Callable[[MemoryState, Any, int], None]] = {
    CreateEntity: _create,
    Observe: _observe,
    Unobserve: _unobserve,
    Relate: _relate,
    Unrelate: _unrelate,
    Reweigh: _reweigh,
    Rename: _rename,
    MergeEntities: _merge,
    SplitEntity: _split,
    DeleteEntity: _delete,
    Extracted: _extracted,
}


def _meant(state: MemoryState, named: Named) -> str | None:
    """Return the entity meant, as it is now; None where what is said of it is dormant."""
    id_ = state.now(named.id)
    return None if state.is_dormant(id_) else id_


def _said_of(state: MemoryState, named: Named) -> str | None:
    """Return the entity meant and keep it alive, should the corpus lose it."""
    id_ = _meant(state, named)
    if id_ is not None:
        state.named.setdefault(id_, state.called.get(id_, named))
    return id_


def _named(state: MemoryState, named: Named) -> Named:
    """Return the entity meant as it is now, by the name it first had."""
    return state.called.get(state.now(named.id), named)


def _ends(state: MemoryState, op: Relate | Unrelate | Reweigh) -> Triple | None:
    source, target = _meant(state, op.source), _meant(state, op.target)
    return None if source is None or target is None else ordered(source, op.type, target)


def _all(state: MemoryState, id_: str) -> list[str]:
    return [id_, *sorted(state.members.get(id_, ()))]
