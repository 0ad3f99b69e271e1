"""Noting sentences about entities."""

import pytest

from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from tests.memory.conftest import World


def test_answers_what_is_new_in_the_shape_of_the_protocol(world: World) -> None:
    asked = [{"entityName": "John Snow", "contents": ["Born in York", "Took samples", "Born in York"]}]
    assert world.json("add_observations", observations=asked) == {
        "results": [{"entityName": "John Snow", "addedObservations": ["Born in York", "Took samples"]}]
    }
    more = [{"entityName": "John Snow", "contents": ["Took samples", "Was a vegetarian"]}]
    assert world.json("add_observations", observations=more) == {
        "results": [{"entityName": "John Snow", "addedObservations": ["Was a vegetarian"]}]
    }
    noted = world.memory.observations("ent_a")
    assert noted == ("Born in York", "Took samples", "Was a vegetarian")


def test_the_corpus_s_own_sentence_stays_before_them(world: World) -> None:
    world.json("add_observations", observations=[{"entityName": "John Snow", "contents": ["Born in York"]}])
    (node,) = world.json("open_nodes", names=["John Snow"])["entities"]
    assert node["observations"] == ["physician", "Born in York"]


def test_snake_case_and_ids_are_taken_too(world: World) -> None:
    asked = [{"entity_name": "ent_b", "contents": ["Came by sea"]}, {"entity_id": 2, "contents": ["Brown"]}]
    data = world.json("add_observations", observations=asked)
    assert [row["entityName"] for row in data["results"]] == ["ent_b", "contaminated water"]


def test_what_is_noted_already_writes_nothing(world: World) -> None:
    asked = [{"entityName": "London", "contents": ["Large"]}]
    world.json("add_observations", observations=asked)
    assert world.codes("add_observations", observations=asked) == ["nothing_changed"]
    assert len(world.memory.changes()) == 1


def test_an_unknown_entity_is_an_error_before_anything_is_written(world: World) -> None:
    asked = [{"entityName": "London", "contents": ["x"]}, {"entityName": "Jon Snow", "contents": ["y"]}]
    with pytest.raises(UnknownEntityError, match="Jon Snow") as told:
        world.json("add_observations", observations=asked)
    assert "John Snow" in (told.value.hint or "")
    assert world.memory.changes() == ()


def test_a_sentence_is_the_same_in_composed_and_in_decomposed_letters(world: World) -> None:
    asked = [{"entityName": "London", "contents": ["cafe\u0301", "café"]}]
    data = world.json("add_observations", observations=asked)
    assert data["results"][0]["addedObservations"] == ["café"]


@pytest.mark.parametrize("contents", [["  "], "one string", [1]])
def test_bad_input_is_refused(world: World, contents: object) -> None:
    with pytest.raises(InvalidInputError):
        world.json("add_observations", observations=[{"entityName": "London", "contents": contents}])
