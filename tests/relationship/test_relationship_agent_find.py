"""relationship_agent_find: relations chosen by name and direction, or facts that bear on the question."""

import pytest

from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import ids, scores
from tests.llm.fake import FAULTS, FakeModel, Fault
from tests.llm.small import codes, marks, run

ASKED = "Where did John Snow live?"


def family() -> MemoryGraph:
    """Return a graph with one relation name in both directions, and with several edges."""
    edges = [("1", "ann", "bob", 1.0), ("2", "ann", "eve", 3.0), ("3", "zoe", "ann", 1.0)]
    return MemoryGraph(
        [Entity(id=id_) for id_ in ("ann", "bob", "eve", "zoe")],
        [Relationship(id=i, source_id=s, target_id=t, type="mother_of", weight=w) for i, s, t, w in edges],
    )


def test_a_relation_fans_out_to_its_edges_and_keeps_its_direction() -> None:
    model = FakeModel(marks(0.75, 0.25, why="her children"))
    noted = run(
        "relationship_agent_find", model, family(), query="Who are ann's children?", entity_context=["ann"]
    )
    assert scores(noted) == {"1": 0.75, "2": 0.75, "3": 0.25}
    assert {s.item.id: s.components["outgoing"] for s in noted.data} == {"1": 1.0, "2": 1.0, "3": 0.0}
    user = model.prompts[0].user
    assert "1. ann -[mother of]-> (2)" in user
    assert "2. ann <-[mother of]- (1)" in user
    assert "her children" in noted.reasoning_trace


def test_scores_of_an_entitys_relations_sum_to_one_over_those_kept() -> None:
    model = FakeModel(marks(0.4, 0.4, 0.2))
    noted = run("relationship_agent_find", model, query=ASKED, entity_context=["snow"], width=2)
    assert scores(noted) == {"r4": 0.5, "r1": 0.5}
    assert codes(noted) == []


def test_a_score_that_is_none_is_told_and_a_relation_left_out_is_not() -> None:
    noted = run("relationship_agent_find", FakeModel(marks("much", 1)), query=ASKED, entity_context=["snow"])
    assert scores(noted) == {"r1": 1.0}
    assert codes(noted) == ["unscored"]
    assert noted.warnings[0].records == ("John Snow -[lived in]-> (1)",)


def test_one_relation_needs_no_call() -> None:
    model = FakeModel(marks(1))
    noted = run("relationship_agent_find", model, query=ASKED, entity_context=["snow"], relationships=["r1"])
    assert scores(noted) == {"r1": 1.0}
    assert model.prompts == []


def test_an_entity_is_not_left_the_way_it_was_reached() -> None:
    noted = run("relationship_agent_find", query=ASKED, entity_context=["soho"], previous=["r4"])
    assert ids(noted) == ["r3"]
    back = run(
        "relationship_agent_find", None, family(), query="?ann", entity_context=["bob"], previous=["1"]
    )
    assert back.data == []
    assert codes(back) == ["no_candidates", "no_relations"]


def test_too_many_edges_are_cut_lightest_first_with_a_warning() -> None:
    model = FakeModel(marks(1, 0))
    noted = run(
        "relationship_agent_find",
        model,
        family(),
        query="children",
        entity_context=["ann"],
        max_relationships=1,
    )
    assert ids(noted) == ["2"]
    assert codes(noted) == ["relationships_cut"]


def test_without_a_model_names_like_the_question_win() -> None:
    noted = run("relationship_agent_find", query=ASKED, entity_context=["snow", "farr"])
    assert ids(noted)[0] == "r4"
    assert sum(scores(noted).values()) == pytest.approx(1)
    assert codes(noted) == ["no_relations", "no_llm"]
    assert noted.warnings[0].records == ("farr",)


@pytest.mark.parametrize("fault", FAULTS)
def test_pruning_survives_every_fault(fault: Fault) -> None:
    noted = run(
        "relationship_agent_find",
        FakeModel(marks(0.7, 0.2, 0.1), fault=fault),
        query=ASKED,
        entity_context=["snow"],
    )
    assert set(ids(noted)) <= {"r1", "r4", "r5"}
    assert sum(scores(noted).values()) == pytest.approx(1)
    if fault in ("error", "empty", "unknown", "out_of_range"):
        assert "llm_failed" in codes(noted)


def test_recognised_facts_keep_their_scores_and_order() -> None:
    model = FakeModel({"facts": [3, "1"], "why": "they tell of the pump"})
    given = {"r3": 0.9, "r1": 0.5, "r5": 0.2}
    noted = run("relationship_agent_find", model, query=ASKED, mode="recognition_filter", relationships=given)
    assert scores(noted) == {"r3": 0.9, "r5": 0.2}
    assert ids(noted) == ["r3", "r5"]
    assert noted.reasoning_trace == "they tell of the pump"
    assert "1. Broad Street pump -[part of]-> Soho" in model.prompts[0].user


def test_no_fact_may_be_recognised() -> None:
    model = FakeModel({"facts": []})
    noted = run(
        "relationship_agent_find", model, query=ASKED, mode="recognition_filter", relationships=["r1"]
    )
    assert noted.data == []
    assert noted.warnings == ()


@pytest.mark.parametrize("fault", FAULTS)
def test_recognition_survives_every_fault(fault: Fault) -> None:
    model = FakeModel({"facts": [1, 2]}, fault=fault)
    noted = run(
        "relationship_agent_find", model, query=ASKED, mode="recognition_filter", relationships=["r4", "r3"]
    )
    assert set(ids(noted)) <= {"r4", "r3"}
    assert len(set(ids(noted))) == len(noted.data)


def test_without_a_model_facts_that_share_a_word_are_recognised() -> None:
    noted = run(
        "relationship_agent_find", query=ASKED, mode="recognition_filter", relationships=["r2", "r3", "r4"]
    )
    assert ids(noted) == ["r4"]
    assert codes(noted) == ["no_llm"]
    other = run("relationship_agent_find", query="Zeno?", mode="recognition_filter", relationships=["r2"])
    assert other.data == []


def test_each_mode_says_what_it_needs() -> None:
    with pytest.raises(InvalidInputError, match="prune needs entity_context"):
        run("relationship_agent_find", query=ASKED)
    with pytest.raises(InvalidInputError, match="recognition_filter needs relationships"):
        run("relationship_agent_find", query=ASKED, mode="recognition_filter")
    with pytest.raises(UnknownEntityError, match="John Snow"):
        run("relationship_agent_find", query=ASKED, entity_context=["Jon Snow"])


def test_a_graph_without_edges_gives_nothing() -> None:
    graph = MemoryGraph([Entity(id="a")])
    noted = run("relationship_agent_find", None, graph, query=ASKED, entity_context=["a"])
    assert noted.data == []
    assert codes(noted) == ["no_candidates", "no_relations"]
