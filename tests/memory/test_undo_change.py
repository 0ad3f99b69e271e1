"""Taking changes back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import InvalidInputError
from tests.examples import tried
from tests.memory.conftest import World, nothing


def test_the_last_change_in_force_unless_one_is_named(empty: World) -> None:
    empty.make(("a", "x"))
    empty.make(("b", "x"))
    assert empty.json("undo_change") == {"success": True, "undone": 2, "what": ["made 'b' (x)"], "change": 3}
    assert empty.json("undo_change")["undone"] == 1
    assert empty.json("read_graph")["entities"] == []


def test_an_undoing_can_be_undone(empty: World) -> None:
    empty.make(("a", "x", "note"))
    before = empty.json("read_graph")
    number = empty.json("undo_change")["change"]
    back = empty.json("undo_change", change=number)
    assert back["what"] == ["undid change 1"]
    assert empty.json("read_graph") == before


def test_what_cannot_be_undone_is_told(empty: World) -> None:
    with pytest.raises(InvalidInputError) as told:
        empty.json("undo_change")
    assert told.value.code == "nothing_to_undo"
    empty.make(("a", "x"))
    empty.json("undo_change")
    for number, code in ((1, "already_undone"), (9, "unknown_change")):
        with pytest.raises(InvalidInputError) as told:
            empty.json("undo_change", change=number)
        assert told.value.code == code
    with pytest.raises(InvalidInputError):
        empty.json("undo_change", change=0)
    assert len(empty.memory.changes()) == 2


STEPS = st.lists(st.sampled_from(["make", "relate", "note", "rename", "merge", "delete"]), max_size=6)


def step(world: World, kind: str, at: int) -> None:
    names = [node["name"] for node in world.json("read_graph")["entities"]]
    if kind == "make" or len(names) < 2:
        world.make((f"n{at}", "x", f"note {at}"))
    elif kind == "relate":
        world.relate((names[0], f"r{at}", names[1]))
    elif kind == "note":
        world.json("add_observations", observations=[{"entityName": names[0], "contents": [f"more {at}"]}])
    elif kind == "rename":
        world.json("rename_entity", entity=names[0], name=f"renamed {at}")
    elif kind == "merge":
        world.json("merge_entities", sources=[names[1]], into=names[0])
    else:
        world.json("delete_entities", entityNames=[names[0]])


@settings(max_examples=tried(8), deadline=None)
@given(STEPS)
def test_undoing_everything_backwards_leads_back_step_by_step(kinds: list[str]) -> None:
    world = World(nothing())
    seen = [world.json("read_graph")]
    for at, kind in enumerate(kinds):
        step(world, kind, at)
        seen.append(world.json("read_graph"))
    for before in reversed(seen[:-1]):
        world.json("undo_change")
        assert world.json("read_graph") == before
