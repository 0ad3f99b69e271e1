"""query_sufficiency: whether the evidence is enough."""

import pytest

from corpusgraph.tasks.answer.extractive import COVERED
from tests.llm.fake import FAULTS, FakeModel, Fault
from tests.llm.small import codes, run

ASKED = "Where did John Snow live?"


@pytest.mark.parametrize("enough", [True, False])
def test_a_models_verdict_is_the_truth_of_the_result(enough: bool) -> None:
    model = FakeModel({"sufficient": enough, "reason": "It names Soho."})
    noted = run("query_sufficiency", model, query=ASKED, relationships=["r4"], paths=[], chunks=["c4"])
    assert bool(noted.data) is noted.data.sufficient is enough
    assert noted.data.reason == noted.reasoning_trace == "It names Soho."
    assert "John Snow -[lived in]-> Soho\nSoho is crowded." in model.prompts[0].user


def test_no_evidence_is_never_enough_and_needs_no_call() -> None:
    model = FakeModel({"sufficient": True})
    noted = run("query_sufficiency", model, query=ASKED)
    assert not noted.data
    assert model.prompts == []


def test_without_a_model_what_is_asked_beside_the_name_must_be_held() -> None:
    lacking = run("query_sufficiency", query=ASKED, relationships=["r1", "r5"])
    assert not lacking.data
    assert lacking.data.coverage == 0
    assert "live" in lacking.data.reason
    enough = run("query_sufficiency", query=ASKED, relationships=["r1", "r4"])
    assert enough.data
    assert enough.data.coverage >= COVERED
    assert codes(enough) == ["no_llm"]


def test_without_a_model_evidence_on_others_is_not_enough() -> None:
    noted = run("query_sufficiency", query="Where did William Farr live?", relationships=["r4"])
    assert not noted.data
    assert "William Farr" in noted.data.reason


def test_paths_are_evidence() -> None:
    path = {"node_ids": ["snow", "soho"], "edge_ids": ["r4"]}
    assert run("query_sufficiency", query=ASKED, paths=[path]).data


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_leaves_a_verdict(fault: Fault) -> None:
    model = FakeModel({"sufficient": True, "reason": "Soho"}, fault=fault)
    noted = run("query_sufficiency", model, query=ASKED, relationships=["r4"])
    assert noted.data.sufficient
    assert codes(noted) == (["llm_failed"] if fault == "error" else [])


def test_evidence_beyond_the_budget_is_not_shown_and_that_is_told() -> None:
    model = FakeModel({"sufficient": True})
    noted = run("query_sufficiency", model, query=ASKED, chunks=["c1", "c2"], max_context_tokens=5)
    assert "Cholera followed" not in model.prompts[0].user
    assert codes(noted) == ["context_cut"]
