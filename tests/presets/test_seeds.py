"""The three example chains: as they were written none can run, and what the checker adds is shown."""

import math

import pytest

from corpusgraph.flows.methods import load_method
from corpusgraph.schemas.errors import MethodCheckError
from corpusgraph.schemas.method import Step
from corpusgraph.tasks.method.check import check_method
from corpusgraph.tasks.method.plan import plan_method
from tests.llm.fake import FakeModel
from tests.presets.world import graph, ids, pagerank, run, scores

WRITTEN = {
    "hipporag": [
        ("entity_vdb_search", {"top_k": 20}),
        ("entity_similarity_link", {"top_k": 1}),
        ("chunk_score_aggregate", {"top_k": 10}),
    ],
    "fast_graphrag": [
        ("entity_ppr_rank", {"top_k": 15}),
        ("relationship_score_aggregate", {"score_method": "sum"}),
        ("chunk_score_aggregate", {"aggregation": "weighted"}),
    ],
    "light_rag": [
        ("entity_relnode_extract", {"direction": "both"}),
        ("relationship_vdb_search", {"top_k": 10}),
        ("chunk_from_relationships", {"include_context": True}),
    ],
}
WHY = {
    "hipporag": ("chunk_score_aggregate", "needs relationships"),
    "fast_graphrag": ("entity_ppr_rank", "needs entities"),
    "light_rag": ("entity_relnode_extract", "needs relationships"),
}
ADDED = {
    "hipporag": ["relationship_score_aggregate"],
    "fast_graphrag": ["entity_vdb_search"],
    "light_rag": ["relationship_vdb_search"],
}


@pytest.mark.parametrize("name", WRITTEN)
def test_the_chain_stands_as_it_was_written(name: str) -> None:
    for preset in (f"seed_{name}", f"{name}_seed"):
        steps = load_method(preset).steps
        assert [(step.tool, step.inputs) for step in steps if isinstance(step, Step)] == WRITTEN[name]


@pytest.mark.parametrize("name", WRITTEN)
def test_as_written_it_cannot_run_and_the_check_says_why(name: str) -> None:
    method = load_method(f"seed_{name}")
    check = check_method(method)
    assert not check.ok
    assert [(issue.code, issue.step) for issue in check.issues] == [("missing_input", WHY[name][0])]
    assert WHY[name][1] in check.issues[0].message
    with pytest.raises(MethodCheckError, match=f"seed_{name}"):
        plan_method(method)


@pytest.mark.parametrize("name", WRITTEN)
def test_beside_it_the_checker_puts_in_what_is_missing_and_the_plan_shows_it(name: str) -> None:
    method = load_method(f"{name}_seed")
    assert check_method(method).ok
    added = [step.id for step in plan_method(method).steps if step.adapter]
    assert [id_.removesuffix("_2") for id_ in added] == ADDED[name]


def test_hipporag_seed() -> None:
    """What entity_vdb_search finds are entities, and those are never linked to themselves; no two names here
    share a word, so nothing is linked, and no passage is found: a link is meant for the names in a question.
    """
    found = run("hipporag_seed", "Ada")
    assert ids(found.results["entity_vdb_search"])[0] == "ada"
    assert found.results["entity_similarity_link"] == []
    assert found.answer is not None
    assert not found.answer.supported


def test_fast_graphrag_seed() -> None:
    """The question seeds the walk with what entity_vdb_search finds: Ada 1, all others 0."""
    made = graph(("r1", "r2", "r3"))
    found = run("fast_graphrag_seed", "Ada", made)
    p = pagerank(made, {"ada": 1}, 0.85)
    r = {"r1": p["ada"] + p["bob"], "r2": p["bob"] + p["cara"], "r3": p["cara"] + p["dan"]}
    assert scores(found.results["relationship_score_aggregate"]) == pytest.approx(r, abs=1e-5)
    assert ids(found.passages) == sorted(["c1", "c2", "c3"], key=lambda c: -r[f"r{c[1]}"])


def test_fast_graphrag_chain_seed() -> None:
    """Ada alone is named, and alone like the question: the one seed. Each passage mentions each end once, so a
    score counts twice, divided by ln(1 + words): three words in c1 and c3, four in c2.
    """
    made = graph(("r1", "r2", "r3"))
    model = FakeModel({"QuestionEntities": {"named": ["Ada"]}, "WrittenText": {}})
    found = run("fast_graphrag_chain_seed", "Ada", made, model)
    assert scores(found.results["seeds"]) == pytest.approx({"ada": 2.0})
    p = pagerank(made, {"ada": 1}, 0.85)
    expected = {
        "c1": 2 * (p["ada"] + p["bob"]) / math.log(4),
        "c2": 2 * (p["bob"] + p["cara"]) / math.log(5),
        "c3": 2 * (p["cara"] + p["dan"]) / math.log(4),
    }
    assert scores(found.passages) == pytest.approx(expected, abs=1e-5)


def test_light_rag_seed() -> None:
    """ "Married" finds r3 first, and the passage that states it comes first."""
    found = run("light_rag_seed", "Married")
    assert ids(found.results["relationship_vdb_search"])[0] == "r3"
    assert ids(found.passages)[0] == "c3"
