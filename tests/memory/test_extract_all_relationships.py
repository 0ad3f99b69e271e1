"""Searching the texts about all entities."""

import inspect
from pathlib import Path

import pytest

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.registry import TOOLS, load
from tests.memory.conftest import World


@pytest.fixture
def three(empty: World) -> World:
    """Return three entities whose observations name one another."""
    empty.make(
        ("Redis", "x", "uses Postgres"),
        ("Postgres", "x", "causes Latency", "Redis uses Postgres"),
        ("Latency", "x"),
    )
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
    three.json("add_observations", observations=[{"entityName": "Latency", "contents": ["extends Redis"]}])
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


def test_both_tools_that_extract_need_the_same_by_one_declaration() -> None:
    load()
    one, all_ = TOOLS["extract_entity_relationships"], TOOLS["extract_all_relationships"]
    for what in ("writes", "needs", "optional", "adds", "cite", "effect"):
        assert getattr(one, what) == getattr(all_, what)
    assert {"Chunk.content", "Entity.description"} <= one.optional
    written = {Path(inspect.getfile(tool.function)).read_text(encoding="utf-8") for tool in (one, all_)}
    assert sum(text.count("needs=") for text in written) == 1


def test_what_is_noted_of_one_entity_about_two_others_is_found(empty: World) -> None:
    empty.make(("Diary", "c", "Fragmentation causes Latency."), ("Fragmentation", "c"), ("Latency", "c"))
    done = empty.json("extract_all_relationships")["statistics"]
    assert (done["total_relationships"], done["entities_with_relationships"]) == (1, 1)
    assert empty.json("read_graph")["relations"] == [
        {"from": "Fragmentation", "to": "Latency", "relationType": "causes"}
    ]


def test_what_was_taken_out_by_hand_is_not_added_again_until_that_is_undone(empty: World) -> None:
    empty.make(("A", "c", "A uses B"), ("B", "c"))
    empty.json("extract_all_relationships")
    removed = empty.json("remove_entity_relationship", source_id="A", target_id="B", relation_type="uses")
    again = empty.json("extract_entity_relationships", entity_id="A", again=True)
    assert (again["relationships_found"], again["relationships_added"]) == (1, 0)
    assert empty.json("read_graph")["relations"] == []
    empty.json("undo_change", change=removed["change"])
    assert len(empty.json("read_graph")["relations"]) == 1


def test_a_note_about_its_entity_states_nothing_of_what_it_names(empty: World) -> None:
    empty.make(
        ("Page Allocator", "c", "The Page Allocator, which extends Buddy System, implements Zoning."),
        ("Buddy System", "c"),
        ("Zoning", "c"),
    )
    empty.json("extract_all_relationships")
    sources = {relation["from"] for relation in empty.json("read_graph")["relations"]}
    assert sources == {"Page Allocator"}
