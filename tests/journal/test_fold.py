"""The fold: what holds of changes of every kind in any order."""

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.memory import SHORT_IDS, Observe, Relate
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.memory import ScratchMemory
from corpusgraph.tasks.overlay.state import MemoryState, advance, folded, ordered, triple_id
from tests.examples import tried
from tests.journal.making import (
    CORPUS,
    HAND,
    Step,
    content,
    corpus,
    making,
    named,
    play,
    played,
    relating,
    steps,
    take_back,
)

KNOWN = Base(corpus())


@settings(max_examples=tried(40), deadline=None)
@given(steps(), st.integers(0, 14))
def test_a_prefix_brought_on_is_the_fold_of_all(wanted: list[Step], at: int) -> None:
    changes = played(wanted).changes()
    state = folded(changes[:at], KNOWN)
    for number, change in enumerate(changes[at:], start=at + 1):
        if change.undoes is None:
            advance(state, change)
        else:
            state = folded(changes[:number], KNOWN)
    assert state == folded(changes, KNOWN)


@settings(max_examples=tried(40), deadline=None)
@given(steps(), steps(), st.integers(0, 30))
def test_undoing_and_undoing_that_changes_nothing(before: list[Step], after: list[Step], at: int) -> None:
    memory = played([*before, (making("Pump"),), *after])
    in_force = [c.number for c in memory.changes() if c.number not in memory.undone()]
    state = folded(memory.changes(), KNOWN)
    number = in_force[at % len(in_force)]
    undoing = take_back(memory, number)
    assert number in memory.undone()
    take_back(memory, undoing.number)
    assert number not in memory.undone()
    again = folded(memory.changes(), KNOWN)
    assert again.undone.keys() - state.undone.keys() == {undoing.number}
    assert replace(again, n_changes=state.n_changes, undone=state.undone) == state


@settings(max_examples=tried(40), deadline=None)
@given(steps(undoing=False), steps(undoing=False))
def test_a_change_that_made_nothing_counts_as_never_made(before: list[Step], after: list[Step]) -> None:
    said = (Observe(entity=named("Pump"), contents=("is closed",)), relating("Pump", "Cholera", "stops"))
    memory = played([*before, said, *after])
    take_back(memory, len(before) + 1)
    without = played([*before, *after])
    assert content(memory.state) == content(without.state)


@settings(max_examples=tried(40), deadline=None)
@given(steps(undoing=False, names=CORPUS), steps(undoing=False, names=HAND), st.randoms())
def test_changes_of_different_entities_may_come_in_any_order(
    one: list[Step], other: list[Step], random: object
) -> None:
    mixed: list[Step] = []
    left, right = list(one), list(other)
    while left or right:
        side = left if not right or (left and random.random() < 0.5) else right  # type: ignore[attr-defined]
        mixed.append(side.pop(0))
    assert content(played(mixed).state) == content(played(one + other).state)


@settings(max_examples=tried(40), deadline=None)
@given(steps())
def test_what_holds_of_every_state(wanted: list[Step]) -> None:
    memory = played(wanted)
    state = memory.state
    assert not set(state.merged) & set(state.merged.values())
    assert {m: into for into, members in state.members.items() for m in members} == state.merged
    assert not set(state.created) & (set(state.merged) | set(state.unmade))
    every = (op for change in memory.changes() for op in change.operations if isinstance(op, Relate))
    own = {op.type for op in every if op.source.id == op.target.id}
    for id_, one in state.edges.items():
        assert id_ == triple_id(ordered(one.source, one.type, one.target))
        assert one.type in own or one.source != one.target
        assert [e.change for e in one.said] == sorted(e.change for e in one.said)
        for end in (one.source, one.target):
            assert end not in state.merged
            assert not state.is_dormant(end)
            if one.said:
                assert one in state.stated_by(end)
    for ids in state.groups.values():
        assert sum(state.links[id_].reweigh is not None for id_ in ids) <= 1
    for kept in (
        state.observations,
        state.unobserved,
        state.aliases,
        state.renamed,
        state.named,
        state.gained,
    ):
        assert not set(kept) & set(state.merged)
    for kept in (state.observations, state.renamed, state.named):
        assert not any(state.is_dormant(id_) for id_ in kept)


@settings(max_examples=tried(40), deadline=None)
@given(steps())
def test_short_ids_never_mean_something_else_later(wanted: list[Step]) -> None:
    memory = ScratchMemory(corpus())
    entities: dict[str, int] = {}
    relations: dict[str, int] = {}
    for step in wanted:
        play(memory, [step])
        for numbers, seen in (
            (memory.state.entity_numbers, entities),
            (memory.state.relation_numbers, relations),
        ):
            assert seen.items() <= numbers.items()
            seen.update(numbers)
            assert [MemoryState.id_of(numbers, n) for n in range(SHORT_IDS, SHORT_IDS + len(seen))] == list(
                seen
            )
            assert MemoryState.id_of(numbers, SHORT_IDS + len(seen)) is None
