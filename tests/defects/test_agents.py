"""Defects known of the agent operators elsewhere, and that ours do not have them."""

import pytest

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import ids, scores
from tests.llm.fake import FakeModel
from tests.llm.small import codes, marks, run

ASKED = "Where did John Snow live?"
THREE = ["snow", "soho", "farr"]


def test_entity_agent_find_reads_scores_without_a_decimal_point() -> None:
    noted = run("entity_agent_find", FakeModel(marks("1", 0.4, "0")), query=ASKED, entities=THREE)
    assert scores(noted) == {"snow": 1.0, "soho": 0.4}


def test_entity_agent_find_does_not_fill_in_a_list_of_another_length() -> None:
    noted = run("entity_agent_find", FakeModel(marks(0.9)), query=ASKED, entities=THREE)
    assert scores(noted) == {"snow": 0.9}
    assert noted.warnings[0].records == ("soho", "farr")


def test_entity_agent_find_multiplies_by_the_relations_score() -> None:
    graph = MemoryGraph(
        [Entity(id=i) for i in "abcd"],
        [
            Relationship(id=i, source_id="a", target_id=t, type=k)
            for i, t, k in (("1", "b", "x"), ("2", "c", "x"), ("3", "d", "y"))
        ],
    )
    given = {"1": 0.2, "2": 0.2, "3": 0.8}
    noted = run(
        "entity_agent_find", FakeModel(marks(1, 0.5)), graph, query="b?", entities=["a"], relationships=given
    )
    assert scores(noted) == pytest.approx({"d": 0.8, "b": 0.2, "c": 0.1})


def test_entity_agent_find_says_nothing_in_place_of_a_finish_mark() -> None:
    noted = run("entity_agent_find", FakeModel(marks()), query=ASKED, entities=["snow"], relationships=[])
    assert noted.data == []
    assert codes(noted) == ["no_candidates"]


def test_relationship_agent_find_keeps_direction() -> None:
    noted = run("relationship_agent_find", query="What is part of Soho?", entity_context=["soho"])
    assert {s.item.id: s.components["outgoing"] for s in noted.data} == {"r3": 0.0, "r4": 0.0}
    there = run("relationship_agent_find", query="What is the pump part of?", entity_context=["pump"])
    assert {s.item.id: s.components["outgoing"] for s in there.data} == {"r2": 1.0, "r3": 1.0, "r5": 0.0}


def test_relationship_agent_find_is_not_lost_on_a_model_that_speaks_json() -> None:
    said = '{"marks": [{"id": "2", "score": "0.75"}, {"id": 1, "score": 0.25, "why": "(Score: 0.9)"}]}'
    noted = run("relationship_agent_find", FakeModel(said), query=ASKED, entity_context=["snow"])
    assert scores(noted) == {"r1": 0.75, "r4": 0.25}


def test_relationship_agent_find_does_not_fail_silently() -> None:
    model = FakeModel("lived in (Score: 0.9)")
    noted = run("relationship_agent_find", model, query=ASKED, entity_context=["snow"])
    assert ids(noted)[0] == "r4"
    assert codes(noted) == ["llm_failed"]
    assert noted.data[0].scorer == "llm or likeness"


def test_subgraph_agent_filter_keeps_the_first_five_and_drops_the_rest() -> None:
    ways = [["snow", "cholera"], ["pump", "cholera"], ["pump", "soho"], ["snow", "soho"], ["snow", "pump"]]
    ways += [["farr"], ["soho"]]
    noted = run(
        "subgraph_agent_filter",
        FakeModel(marks(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)),
        query=ASKED,
        paths=ways,
    )
    kept = [list(scored.item.node_ids) for scored in noted.data]
    assert kept == ways[:1:-1]


def test_subgraph_agent_filter_keeps_all_of_few_paths() -> None:
    noted = run("subgraph_agent_filter", FakeModel(marks(0.5, 0.4)), query=ASKED, paths=[["snow"], ["farr"]])
    assert [s.item.node_ids for s in noted.data] == [("snow",), ("farr",)]
