"""Opening entities by name."""

from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.graph import Entity
from tests.examples import tried
from tests.memory.conftest import World, nothing

NAMES = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=20).filter(str.strip)


def test_answers_entities_and_their_relations(project: World) -> None:
    found = project.json("open_nodes", names=["Schema: orders"])
    assert found == {
        "entities": [{"name": "Schema: orders", "entityType": "Schema", "observations": ["table"]}],
        "relations": [{"from": "Function: process_payment", "to": "Schema: orders", "relationType": "uses"}],
    }


def test_nothing_asked_is_nothing(project: World) -> None:
    assert project.json("open_nodes", names=[]) == {"entities": [], "relations": []}


def test_a_name_that_is_not_there_is_told_with_those_near(world: World) -> None:
    noted = world.noted("open_nodes", names=["Jon Snow", "London", "London"])
    assert [node.name for node in noted.data.entities] == ["London"]
    (warning,) = noted.warnings
    assert (warning.code, warning.records) == ("unknown_entity", ("Jon Snow",))
    assert "John Snow" in warning.message


def test_a_name_of_two_is_told() -> None:
    items = nothing()
    items["entities"] = [Entity(id="a", name="Paris"), Entity(id="b", name="Paris")]
    noted = World(items).noted("open_nodes", names=["Paris", "a"])
    assert [w.code for w in noted.warnings] == ["ambiguous_entity"]
    assert len(noted.data.entities) == 1


def test_the_relations_of_a_hub_have_a_limit(hub: Callable[[int], World]) -> None:
    noted = hub(2100).noted("open_nodes", names=["Hub"])
    assert len(noted.data.relations) == 2000
    assert [w.code for w in noted.warnings] == ["graph_truncated"]


@settings(max_examples=tried(20), deadline=None)
@given(NAMES, NAMES)
def test_whatever_was_made_is_opened_by_its_name(name: str, note: str) -> None:
    world = World(nothing())
    asked = {"name": name, "entityType": "x", "observations": [note]}
    made = world.json("create_entities", entities=[asked])["entities"]
    assert world.json("open_nodes", names=[name])["entities"] == made
    world.json("delete_observations", deletions=[{"entityName": name, "observations": [note]}])
    assert world.json("open_nodes", names=[name])["entities"] == [{**made[0], "observations": []}]
