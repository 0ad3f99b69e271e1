"""Relationships stated by hand, kept by id and by end."""

from collections.abc import Sequence

from corpusgraph.tasks.remember.operations import ordered, triple_id
from corpusgraph.tasks.remember.state import HandEvidence, HandRelation, MemoryState, Triple


def state_relation(state: MemoryState, ends: Triple, number: int, said: Sequence[HandEvidence]) -> None:
    """Add statements of a relationship; joined ones are in the order of their changes."""
    id_ = triple_id(ends)
    relation = state.relations.get(id_)
    if relation is None:
        relation = state.relations[id_] = HandRelation(id_, ends[0], ends[2], ends[1], number, [])
        for end in (ends[0], ends[2]):
            state.of_entity.setdefault(end, set()).add(id_)
    in_order = not relation.evidence or relation.evidence[-1].change <= said[0].change
    relation.evidence.extend(said)
    if not in_order:
        relation.evidence.sort(key=lambda one: one.change)
    relation.short_id = min(relation.short_id, number)


def drop(state: MemoryState, id_: str) -> HandRelation | None:
    """Forget all that was stated of a relationship, and return it."""
    relation = state.relations.pop(id_, None)
    if relation is not None:
        for end in (relation.source, relation.target):
            left = state.of_entity.get(end, set())
            left.discard(id_)
            if not left:
                state.of_entity.pop(end, None)
    return relation


def move(state: MemoryState, id_: str, before: str, after: str) -> None:
    """Put one entity in the place of another as an end of a relationship; two that are one now have none."""
    relation = drop(state, id_)
    if relation is None:
        return
    source = after if relation.source == before else relation.source
    target = after if relation.target == before else relation.target
    if source != target or relation.source == relation.target:
        ends = ordered(source, relation.type, target)
        state_relation(state, ends, relation.short_id, relation.evidence)
