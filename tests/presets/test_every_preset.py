"""What holds for every preset, whatever it does."""

from pathlib import Path
from typing import Any

import pytest

import corpusgraph as cg
from corpusgraph.flows.methods import all_methods, load_method
from corpusgraph.flows.ports import IndexResources
from corpusgraph.schemas.method import Method
from corpusgraph.tasks.method.check import check_method, issue_line
from corpusgraph.tasks.method.plan import plan_method
from corpusgraph.tasks.method.run import empty_step, run_method
from corpusgraph.tasks.method.shapes import options_of
from tests.contract.graphs import resources, rich
from tests.every import every
from tests.llm.fake import FakeModel

NAMES = """
    zero_shot vanilla_rag raptor kgp hipporag hipporag_digimon hipporag2 fast_graphrag fast_graphrag_digimon
    g_retriever tog dalk lgraphrag ggraphrag llightrag glightrag hlightrag lightrag_native_local
    lightrag_native_global lightrag_native_hybrid lightrag_native_mix lightrag_native_naive vgraphrag cheap_rag
    graphrag_er graphrag_cc vgraphrag_cc med_graphrag ms_local ms_global ms_global_dynamic ms_drift ms_basic
    nano_global local global hybrid basic drift bm25 dense default hipporag_seed fast_graphrag_seed light_rag_seed
    seed_hipporag seed_fast_graphrag seed_light_rag fast_graphrag_chain_seed ircot hipporag_ircot
"""
QUESTION = "Did contaminated water cause cholera in London?"
SAID: dict[str, dict[str, Any]] = {
    "QuestionEntities": {"named": ["cholera", "London"], "generic": ["contaminated water"]},
    "QuestionKeywords": {"low": ["cholera", "London"], "high": ["causes"]},
    "NextStep": {"sentence": "Water caused cholera.", "query": "London", "done": False},
    "Verdict": {"sufficient": True},
    "Marks": {"marks": [{"id": 1, "score": 0.9}, {"id": 2, "score": 0.5}]},
    "Recognised": {"facts": [1, 2]},
    "Primed": {"sentences": [{"text": "It did.", "sources": [1]}], "follow_up_queries": ["Where was it?"]},
    "RatedPoints": {"points": [{"text": "It did.", "score": 90, "sources": [1]}]},
    "WrittenText": {"sentences": [{"text": "It did.", "sources": [1]}]},
}
TEXTS = {
    "strike.txt": "Falling wages caused the strike of the dockers of Leith. Jane Roe led the dockers. They had "
    "to unload the ship Persevere by night.",
    "wages.txt": "The shipowners of Leith cut wages in 1913. Jane Roe wrote to the shipowners.",
}
METHODS = {method.method: method for method in all_methods()}
RUNNABLE = [name for name in METHODS if not name.startswith("seed_")]
every_preset = every("method", METHODS.values(), ids=lambda method: method.method)
every_runnable = every("name", RUNNABLE)


def model() -> FakeModel:
    return FakeModel(lambda _prompt, answer: SAID.get(answer.__name__, {}))


@every("name", NAMES.split())
def test_every_recipe_can_be_had_by_its_name(name: str) -> None:
    method = load_method(name)
    assert name in {method.method, *method.aliases}


@every_preset
def test_says_what_it_is_what_departs_and_whom_to_cite(method: Method) -> None:
    assert method.title
    assert method.about.endswith(".")
    assert any(c.isdigit() for c in method.cite), "a year, a version or an arXiv id"
    options_of(method.graph)


@every_runnable
def test_passes_the_check_and_has_a_plan(name: str) -> None:
    check = check_method(METHODS[name])
    assert check.ok, [issue_line(METHODS[name], issue) for issue in check.issues]
    assert METHODS[name].adapt or not any(" makes " in adapter for adapter in check.adapters)
    assert plan_method(METHODS[name]).steps


@every_runnable
def test_runs_without_a_language_model_and_cites_what_it_says(name: str) -> None:
    found = run_method(METHODS[name], QUESTION, resources(rich()))
    texts = {chunk.id: chunk.content for chunk in rich()["chunks"]}
    assert {hit.item.id for hit in found.passages} <= set(texts)
    assert found.answer is not None
    assert found.usage.calls == 0
    if found.answer.supported:
        assert found.answer.citations
        assert all(c.chunk_id in texts and c.text for c in found.answer.citations)
    else:
        assert not found.answer.citations


@every_runnable
def test_runs_with_a_language_model(name: str) -> None:
    llm = model()
    found = run_method(METHODS[name], QUESTION, {**resources(rich()), "llm": llm})
    assert found.answer is not None
    assert found.usage.calls == len(llm.prompts)
    planned = plan_method(METHODS[name]).llm_calls
    assert len(llm.prompts) <= planned, "the plan is an upper estimate"
    assert "no_llm" not in {warning.code for warning in found.warnings}


@every_runnable
def test_answers_a_question_that_nothing_answers(name: str) -> None:
    found = run_method(METHODS[name], "Xyzzy?", resources(rich()))
    assert found.answer is not None


@every_runnable
@pytest.mark.parametrize("without", ["relationships", "communities and reports", "everything"])
def test_runs_on_a_graph_that_lacks_something(name: str, without: str) -> None:
    items = rich()
    for kind in list(items) if without == "everything" else without.split(" and "):
        items[kind] = []
    found = run_method(METHODS[name], QUESTION, resources(items))
    assert found.answer is not None
    assert without != "everything" or not found.answer.supported


@every_runnable
def test_the_same_question_has_the_same_result(name: str) -> None:
    one, other = (run_method(METHODS[name], QUESTION, resources(rich())) for _ in range(2))
    assert one.passages == other.passages
    assert one.answer == other.answer


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("declined")
    (folder / "texts").mkdir()
    for name, text in TEXTS.items():
        (folder / "texts" / name).write_text(text)
    cg.index(folder / "texts", "leith", outputs=folder / "out")
    return folder / "out"


@every_runnable
def test_a_preset_that_declines_says_why_and_one_that_answers_does_not(name: str, outputs: Path) -> None:
    found = cg.ask("What did Jane Roe paint in Zanzibar?", "leith", method=name, outputs=outputs)
    codes = {warning.code for warning in found.warnings}
    assert not found.supported
    assert ("poor_fit" in codes) == bool(found.passages)
    assert codes & {"poor_fit", "empty_step"} or name == "zero_shot"
    answered = cg.ask("Who led the dockers of Leith?", "leith", method=name, outputs=outputs)
    codes = {warning.code for warning in answered.warnings}
    assert not (answered.supported and codes & {"poor_fit", "empty_step"})


def test_where_what_a_method_put_together_does_not_answer_its_passages_are_read(outputs: Path) -> None:
    question = "What was unloaded in Leith?"
    alone = METHODS["dalk"], question, IndexResources(cg.open("leith", outputs))
    answer = run_method(*alone).answer
    assert answer is not None
    assert not answer.supported
    found = cg.ask(question, "leith", method="dalk", outputs=outputs)
    assert found.supported
    assert {citation.chunk_id for citation in found.citations} <= {hit.item.id for hit in found.passages}
    assert "passages_read" in {warning.code for warning in found.warnings}


@pytest.mark.parametrize("name", [name for name in RUNNABLE if METHODS[name].graph.kind == "none"])
def test_a_method_without_a_graph_is_not_told_that_the_graph_says_little(name: str, outputs: Path) -> None:
    found = cg.ask("Who led the dockers of Leith?", "leith", method=name, outputs=outputs)
    assert "lean_graph" not in {warning.code for warning in found.warnings}


def test_a_preset_that_declines_names_the_first_step_that_was_empty_once(tmp_path: Path) -> None:
    (tmp_path / "strike.txt").write_text("Falling wages caused the strike of the dockers in Leith.")
    cg.index(tmp_path / "strike.txt", "strike", outputs=tmp_path / "out")
    asked = ("What did Xerxes Quibble paint in Zanzibar?", "What caused the strike of the dockers in Leith?")
    declined, answered = (cg.ask(ask, "strike", method="dalk", outputs=tmp_path / "out") for ask in asked)
    assert (declined.supported, answered.supported) == (False, True)
    told = [warning for warning in declined.warnings if warning.code == "empty_step"]
    assert [(warning.message.partition(";")[0], warning.records) for warning in told] == [
        ("entity_similarity_link found nothing", ("topics",))
    ]
    assert "generate_answer had nothing to read." in told[0].message
    assert "empty_step" not in {warning.code for warning in answered.warnings}


@every_runnable
def test_a_step_that_found_something_in_one_round_is_not_called_empty(name: str) -> None:
    trace = run_method(METHODS[name], QUESTION, resources(rich())).trace
    warning = empty_step(trace)
    for step in warning.records if warning else ():
        assert not any(line.n_items for line in trace if line.step == step)
