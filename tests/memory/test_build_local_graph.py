"""The graph of some entities."""

import pytest

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.tools.memory.neighbourhood import tier_of
from tests.memory.conftest import World


def test_answers_in_the_published_shape(world: World) -> None:
    graph = world.json("build_local_graph", entity_ids=[2, 1])["graph"]
    assert (graph["node_count"], graph["edge_count"]) == (2, 1)
    assert [node["id"] for node in graph["nodes"]] == [2, 1]
    assert {"id": 2, "name": "contaminated water", "entity_type": "concept"}.items() <= graph["nodes"][
        0
    ].items()
    published = {
        "id": 0,
        "from_entity_id": 2,
        "to_entity_id": 1,
        "relation_type": "causes",
        "weight": 1.0,
        "is_causal": True,
    }
    assert published.items() <= graph["edges"][0].items()


def test_salience_is_the_share_of_entities_with_fewer_relationships(world: World) -> None:
    nodes = world.json("build_local_graph", entity_ids=[0, 1, 2, 3])["graph"]["nodes"]
    # degrees are 2, 3, 1, 2
    assert [node["salience_score"] for node in nodes] == [0.5, 0.875, 0.125, 0.5]
    assert [node["tier"] for node in nodes] == ["reference", "working", "reference", "reference"]


def test_an_entity_without_relationships_is_archived(world: World) -> None:
    world.make(("Nobody", "person"))
    (node,) = world.json("build_local_graph", entity_ids=["Nobody"])["graph"]["nodes"]
    assert (node["tier"], node["salience_score"]) == ("archive", 0.0)


def test_the_best_connected_of_many_is_core(hub: "object") -> None:
    nodes = hub(30).json("build_local_graph", entity_ids=["hub", 1])["graph"]["nodes"]  # type: ignore[operator]
    assert [node["tier"] for node in nodes] == ["core", "reference"]


@pytest.mark.parametrize(
    ("kept", "expected"),
    [
        ({"tier": "core", "salience_score": 0.25}, ("core", 0.25)),
        ({"salience_score": 1}, ("core", 1.0)),
        ({"tier": "hot"}, ("hot", 0.6)),
        ({"tier": " ", "salience_score": True}, ("working", 0.6)),
        ({"tier": None, "salience_score": 7}, ("working", 0.6)),
    ],
)
def test_what_an_imported_database_has_is_told_as_it_is(kept: JsonDict, expected: tuple[str, float]) -> None:
    assert tier_of(Entity(id="a", attributes=kept), 0.6) == expected


def test_results_of_a_search_can_be_given_as_they_are(world: World) -> None:
    found = world.json("graph_enhanced_search", query="cholera", limit=2)["results"]
    by_number = world.json("build_local_graph", entity_ids=[row["entity_id"] for row in found])
    assert by_number == world.json("build_local_graph", entity_ids=[{"id": row["id"]} for row in found])


def test_named_twice_is_there_once(world: World) -> None:
    assert world.json("build_local_graph", entity_ids=[1, "cholera", "ent_b"])["graph"]["node_count"] == 1


def test_bad_input_is_refused(world: World) -> None:
    with pytest.raises(InvalidInputError):
        world.json("build_local_graph", entity_ids=[])
    with pytest.raises(UnknownEntityError):
        world.json("build_local_graph", entity_ids=[77])
