"""Names in a question."""

from typing import Any

from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.registry import find
from tests.graph.small import SmallVectors, small_graph


def run(query: str, **more: Any) -> Noted[Any]:
    graph = small_graph()
    vectors = SmallVectors(graph)
    ports = {"graph": graph, "vectors": vectors, "embedder": vectors.embedder}
    return find("entity_query_link").run({"query": query, **more}, ports)


def test_names_are_found_and_weigh_by_how_rare_they_are() -> None:
    found = run("What did John Snow do in Soho?").data
    assert [(s.item.mention, s.item.entity.id) for s in found] == [("John Snow", "snow"), ("Soho", "soho")]
    for scored in found:
        assert scored.score == 1 / (scored.components["chunks"] * scored.components["bearers"])


def test_a_misspelt_name_is_linked_and_an_unknown_one_told() -> None:
    found = run("Did Wiliam Farr meet Johannes Kepler?")
    assert [(s.item.mention, s.item.entity.id) for s in found.data] == [("Wiliam Farr", "farr")]
    assert [(w.code, w.records) for w in found.warnings] == [("not_linked", ("Johannes Kepler",))]


def test_a_question_without_names_links_nothing() -> None:
    assert run("What is it like?").data == []


def test_top_k_keeps_the_best() -> None:
    assert len(run("What did John Snow do in Soho?", top_k=1).data) == 1
