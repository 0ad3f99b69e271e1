"""entity_agent_find: a model's choice among candidates, times the score of what leads there."""

import pytest

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import ids, scores
from tests.llm.fake import FAULTS, FakeModel, Fault
from tests.llm.small import codes, marks, run

ASKED = "Where did John Snow live?"


def town() -> MemoryGraph:
    """Return a graph in which snow visits three places, and one relation leads to one place only."""
    names = {"a": "Soho", "b": "Lambeth", "c": "York", "d": "Leeds", "snow": "John Snow"}
    edges = [("1", "visits", "a"), ("2", "visits", "b"), ("3", "visits", "c"), ("4", "left", "d")]
    return MemoryGraph(
        [Entity(id=id_, name=name) for id_, name in names.items()],
        [Relationship(id=id_, source_id="snow", target_id=t, type=kind) for id_, kind, t in edges],
    )


def test_score_is_the_models_times_the_relations_and_the_global_best_are_kept() -> None:
    model = FakeModel(marks(0.9, 0.2, 0.6, why="he slept there"))
    noted = run(
        "entity_agent_find",
        model,
        town(),
        query=ASKED,
        entities=["snow"],
        relationships={"1": 0.5, "2": 0.5, "3": 0.5, "4": 0.4},
        width=3,
    )
    # the three that are visited are scored 0.9, 0.2, 0.6; leeds stands alone and has the relation's score
    assert scores(noted) == pytest.approx({"a": 0.45, "d": 0.4, "c": 0.3})
    assert ids(noted) == ["a", "d", "c"]
    assert noted.data[0].components == {"entity": 0.9, "relation": 0.5}
    assert "he slept there" in noted.reasoning_trace
    assert len(model.prompts) == 1


def test_a_single_candidate_needs_no_call() -> None:
    model = FakeModel(marks(0.1))
    noted = run("entity_agent_find", model, query=ASKED, entities=["snow"], relationships={"r4": 0.7})
    assert scores(noted) == {"soho": 0.7}
    assert model.prompts == []
    assert noted.warnings == ()


def test_relationships_lead_away_from_the_entities_in_both_directions() -> None:
    noted = run("entity_agent_find", query=ASKED, entities=["soho"], relationships=["r3", "r4", "r1"])
    assert set(ids(noted)) == {"pump", "snow"}
    assert codes(noted) == ["unconnected"]
    assert noted.warnings[0].records == ("r1",)


def test_candidates_without_a_score_are_listed_not_filled_in() -> None:
    model = FakeModel(marks(0.9, "many"))
    noted = run("entity_agent_find", model, query=ASKED, entities=["snow", "soho", "farr"])
    assert ids(noted) == ["snow"]
    assert codes(noted) == ["unscored"]
    assert noted.warnings[0].records == ("soho", "farr")


def test_what_the_model_scores_nothing_is_not_kept() -> None:
    noted = run("entity_agent_find", FakeModel(marks(0, 1)), query=ASKED, entities=["snow", "soho"])
    assert ids(noted) == ["soho"]


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_the_model_does_candidates_are_respected(fault: Fault) -> None:
    model = FakeModel(marks(0.9, 0.6, 0.3), fault=fault)
    noted = run("entity_agent_find", model, query=ASKED, entities=["snow", "soho", "farr"], max_entities=2)
    assert set(ids(noted)) <= {"snow", "soho", "farr"}
    assert 0 < len(noted.data) <= 2
    assert [s.rank for s in noted.data] == [1, 2][: len(noted.data)]
    if fault in ("error", "empty", "unknown", "out_of_range"):
        assert "llm_failed" in codes(noted)


def test_only_candidates_most_like_the_question_are_shown() -> None:
    model = FakeModel(marks(1, 1))
    noted = run(
        "entity_agent_find", model, query="Who saw Lambeth and York?", graph=town(), max_candidates=2,
        entities=["a", "b", "c", "d"],
    )  # fmt: skip
    assert ids(noted) == ["b", "c"]
    assert codes(noted) == ["candidates_cut"]
    assert "Soho" not in model.prompts[0].user


def test_the_context_is_this_tools_own_and_the_callers_context_keeps_its_name() -> None:
    model = FakeModel({"entities": [{"name": "Soho", "score": 0.8}, {"name": "John Snow", "score": "1"}]})
    noted = run(
        "entity_agent_find", model, query=ASKED, context="Snow moved to Soho.", client_context={"run": 1}
    )
    assert scores(noted) == {"snow": 1.0, "soho": 0.8}
    assert "Snow moved to Soho." in model.prompts[0].user


def test_names_that_the_graph_lacks_are_listed_with_near_ones() -> None:
    said = [{"name": "Jane Snow", "score": 1}, {"name": "colera", "score": 0.5}, {"name": "Soho"}]
    noted = run("entity_agent_find", FakeModel({"entities": said}), query=ASKED, context="…")
    assert ids(noted) == ["cholera"]  # one wrong letter is no other name
    assert codes(noted) == ["unknown_entities", "unscored"]
    assert noted.warnings[0].records == ("Jane Snow",)
    assert "'John Snow'" in noted.warnings[0].message


@pytest.mark.parametrize("fault", FAULTS)
def test_naming_survives_every_fault(fault: Fault) -> None:
    model = FakeModel({"entities": [{"name": "Soho", "score": 0.8}]}, fault=fault)
    noted = run("entity_agent_find", model, query=ASKED, context="Soho, and William Farr.")
    assert set(ids(noted)) <= {"snow", "soho", "farr"}


def test_without_a_model_what_question_and_context_name_is_found() -> None:
    noted = run("entity_agent_find", query=ASKED, context="Soho is near. William Farr is not.")
    assert ids(noted)[0] == "snow"
    assert noted.data[0].score == 1.0
    assert set(ids(noted)) <= {"snow", "soho", "farr"}
    assert codes(noted) == ["no_llm"]


def test_without_a_model_no_candidate_falls_below_a_half() -> None:
    noted = run("entity_agent_find", query="Who was the physician?", entities=["farr", "soho", "cholera"])
    assert ids(noted)[0] == "farr"
    assert all(0.5 <= s.score <= 1 for s in noted.data)
    assert codes(noted) == ["no_llm"]


def test_nothing_to_choose_from_is_an_empty_result() -> None:
    noted = run("entity_agent_find", query=ASKED, entities=[])
    assert noted.data == []
    assert codes(noted) == ["no_candidates"]


@pytest.mark.parametrize("llm", [None, FakeModel({"entities": [{"name": "Soho", "score": 1}]})])
def test_a_long_context_is_read_as_far_as_it_is_shown(llm: FakeModel | None) -> None:
    query, context = "Which parish did John Snow live in?", "Soho " + "and so on " * 5000 + "William Farr"
    noted = run("entity_agent_find", llm, query=query, context=context)
    assert "soho" in ids(noted)
    assert "farr" not in ids(noted)
    assert "context_cut" in codes(noted)
