"""Calling an entity otherwise."""

import pytest

from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from tests.memory.conftest import World


def test_id_and_relations_stay_and_the_old_name_is_another(world: World) -> None:
    data = world.json("rename_entity", entity="John Snow", name="Dr John Snow")
    assert data == {
        "success": True,
        "id": "ent_a",
        "entity_id": 0,
        "name": "Dr John Snow",
        "entity_type": "person",
        "previous_name": "John Snow",
        "previous_type": "person",
        "change": 1,
    }
    assert world.graph.entity("John Snow").name == "Dr John Snow"
    assert world.json("get_entity_neighbors", entity_id="Dr John Snow")["neighbor_count"] == 2
    world.json("undo_change")
    assert world.graph.entity("ent_a").name == "John Snow"


def test_a_type_alone(world: World) -> None:
    data = world.json("rename_entity", entity="cholera", type="disease")
    assert (data["name"], data["entity_type"]) == ("cholera", "disease")
    assert world.graph.entity("ent_b").type == "disease"


def test_the_name_it_has_writes_nothing(world: World) -> None:
    noted = world.noted("rename_entity", entity="cholera", name="cholera", type="concept")
    assert (noted.data.change, [w.code for w in noted.warnings]) == (0, ["nothing_changed"])
    assert world.memory.changes() == ()


def test_a_name_that_another_has_is_told(world: World) -> None:
    noted = world.noted("rename_entity", entity="cholera", name="London")
    assert [w.code for w in noted.warnings] == ["name_shared"]
    assert "ent_d" in noted.warnings[0].message


def test_bad_input_is_refused(world: World) -> None:
    for bad in ({}, {"name": " "}, {"name": "x" * 2000}):
        with pytest.raises(InvalidInputError):
            world.json("rename_entity", entity="cholera", **bad)
    with pytest.raises(UnknownEntityError):
        world.json("rename_entity", entity="Nobody at all", name="x")
