"""Taking a relationship out."""

from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError, UnknownItemError
from tests.memory.conftest import World


@pytest.mark.parametrize(
    "asked",
    [
        {"relationship_id": 0},
        {"relationship_id": "rel_1"},
        {"source_id": 2, "target_id": "cholera", "relation_type": "causes"},
    ],
)
def test_by_its_id_or_by_its_ends_and_type(world: World, asked: dict[str, Any]) -> None:
    data = world.json("remove_entity_relationship", **asked)
    assert data == {
        "success": True,
        "relationship_id": 0,
        "id": "rel_1",
        "source_id": 2,
        "target_id": 1,
        "relation_type": "causes",
        "change": 1,
    }
    assert [r.id for r in world.graph.relationships] == ["rel_2", "rel_3", "rel_4"]
    world.json("undo_change", change=1)
    assert len(world.graph.relationships) == 4


def test_one_stated_by_hand(project: World) -> None:
    made = project.graph.relationships[0]
    project.json("remove_entity_relationship", relationship_id=made.short_id)
    assert made.id not in {r.id for r in project.graph.relationships}


def test_one_that_the_corpus_only_denies(world: World) -> None:
    kept = world.items["relationships"]
    kept[0] = kept[0].model_copy(update={"type": "not_causes"})
    denied = World(world.items)
    data = denied.json("remove_entity_relationship", relationship_id="rel_1")
    assert data["relation_type"] == "not_causes"
    assert "rel_1" not in {r.id for r in denied.graph.relationships}


def test_one_that_is_not_there_is_an_error(world: World) -> None:
    with pytest.raises(UnknownItemError, match="no relationship 'cholera' causes") as told:
        world.json("remove_entity_relationship", source_id=1, target_id=2, relation_type="causes")
    assert told.value.hint == "It runs the other way."
    world.json("remove_entity_relationship", relationship_id=0)
    with pytest.raises(UnknownItemError):
        world.json("remove_entity_relationship", relationship_id=0)
    assert len(world.memory.changes()) == 1


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"source_id": 1, "target_id": 2},
        {"relationship_id": 0, "source_id": 1},
        {"relationship_id": 0, "source_id": 2, "target_id": 1, "relation_type": "causes"},
    ],
)
def test_half_a_name_is_refused(world: World, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError, match="give either"):
        world.json("remove_entity_relationship", **bad)
