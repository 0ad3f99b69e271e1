"""Searching the texts about all entities."""

import pytest

from corpusgraph.schemas.errors import InvalidInputError
from tests.memory.conftest import World


@pytest.fixture
def three(empty: World) -> World:
    """Return three entities whose observations name one another."""
    empty.make(("A1", "x", "uses B2"), ("B2", "x", "causes C3", "A1 uses B2"), ("C3", "x"))
    return empty


def test_answers_in_the_published_shape(three: World) -> None:
    data = three.json("extract_all_relationships")
    assert data["summary"] == "Processed 3 entities, found 2 relationships in 2 entities"
    published = {"total_processed": 3, "total_relationships": 2, "entities_with_relationships": 2}
    assert published.items() <= data["statistics"].items()
    assert (data["success"], data["statistics"]["relationships_added"]) == (True, 2)
    assert sorted(r["relationType"] for r in three.json("read_graph")["relations"]) == ["causes", "uses"]


def test_in_batches_until_nothing_is_left(three: World) -> None:
    batches = [three.json("extract_all_relationships", limit=2)["statistics"] for _ in range(3)]
    assert [one["total_processed"] for one in batches] == [2, 1, 0]
    assert [one["remaining"] for one in batches] == [1, 0, 0]
    assert sum(one["relationships_added"] for one in batches) == 2
    assert len(three.memory.changes()) == 3
    assert three.codes("extract_all_relationships") == ["nothing_changed"]


def test_only_what_changed_is_searched_again(three: World) -> None:
    three.json("extract_all_relationships")
    three.json("add_observations", observations=[{"entityName": "C3", "contents": ["extends A1"]}])
    data = three.json("extract_all_relationships")["statistics"]
    assert (data["total_processed"], data["relationships_added"]) == (1, 1)


def test_one_call_is_undone_as_one(three: World) -> None:
    three.json("extract_all_relationships")
    three.json("undo_change")
    assert three.json("read_graph")["relations"] == []
    assert three.json("get_extraction_log")["log"] == []
    assert three.json("extract_all_relationships")["statistics"]["relationships_added"] == 2


def test_a_corpus_gains_only_what_it_did_not_have(world: World) -> None:
    before = {r.id for r in world.graph.relationships}
    world.json("extract_all_relationships")
    assert before <= {r.id for r in world.graph.relationships}
    assert world.codes("extract_all_relationships") == ["nothing_changed"]


def test_an_empty_index_has_nothing_to_search(empty: World) -> None:
    assert empty.codes("extract_all_relationships") == ["nothing_changed"]
    with pytest.raises(InvalidInputError):
        empty.json("extract_all_relationships", limit=0)
