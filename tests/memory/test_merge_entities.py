"""Taking entities for one."""

import pytest

from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from tests.memory.conftest import World


def test_names_notes_and_relations_become_that_one_s(world: World) -> None:
    world.make(("Asiatic cholera", "disease", "Came in 1831"))
    world.relate(("Asiatic cholera", "reached", "London"))
    data = world.json("merge_entities", sources=["Asiatic cholera"], into="cholera")
    assert (data["id"], data["name"], len(data["merged"])) == ("ent_b", "cholera", 1)
    assert world.graph.entity("Asiatic cholera").id == "ent_b"
    (node,) = world.json("open_nodes", names=["cholera"])["entities"]
    assert "Came in 1831" in node["observations"]
    related = world.json("get_related", entityName="cholera", relationType="reached")["relations"]
    assert [row["target"]["name"] for row in related] == ["London"]


def test_a_relation_between_the_two_vanishes_and_comes_back_when_undone(world: World) -> None:
    world.json("merge_entities", sources="contaminated water", into="cholera")
    assert [r.id for r in world.graph.relationships if r.type == "causes"] == []
    assert len(world.graph.entities) == 3
    world.json("undo_change")
    assert (len(world.graph.entities), len(world.graph.relationships)) == (4, 4)


def test_different_types_are_told(world: World) -> None:
    assert world.codes("merge_entities", sources=["John Snow"], into="London") == ["types_differ"]
    assert world.codes("merge_entities", sources=["contaminated water"], into="cholera") == []


def test_itself_is_left_out_and_alone_an_error(world: World) -> None:
    assert world.json("merge_entities", sources=[1, "ent_b", "ent_c"], into="cholera")["merged"] == ["ent_c"]
    with pytest.raises(InvalidInputError, match="itself"):
        world.json("merge_entities", sources=["ent_c"], into="cholera")  # which it is by now


def test_bad_input_is_refused_and_nothing_is_written(world: World) -> None:
    with pytest.raises(InvalidInputError):
        world.json("merge_entities", sources=[], into="cholera")
    with pytest.raises(UnknownEntityError):
        world.json("merge_entities", sources=["ent_c", "Nobody at all"], into="cholera")
    assert world.memory.changes() == ()


def test_one_that_was_merged_before_is_named_in_the_error(world: World) -> None:
    world.json("merge_entities", sources=["ent_c"], into="cholera")
    with pytest.raises(InvalidInputError, match="'ent_c' names it already"):
        world.json("merge_entities", sources=["ent_c"], into="cholera")
