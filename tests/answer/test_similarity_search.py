"""T56: what is like a query, of any kind, from the index or as given."""

from typing import Any

import pytest

from corpusgraph.flows.embed.hashing import HashingEmbedder
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError, MissingAttributeError, MissingResourceError
from corpusgraph.tasks.registry import find
from tests.answer.build import call, graph
from tests.graph.small import run

NEAREST = {
    "entity": ("John Snow", "snow"),
    "relationship": ("snow studied cholera", "r1"),
    "chunk": ("William Farr kept the statistics", "c_d2"),
    "report": ("Farr, sewers William Farr kept the statistics", "rep_k2"),
}


def search(**arguments: Any) -> list[Any]:
    found: list[Any] = call("similarity_search", **arguments).data
    return found


@pytest.mark.parametrize("kind", list(NEAREST))
def test_every_kind_is_searched(kind: str) -> None:
    query, id_ = NEAREST[kind]
    hits = search(query=query, kind=kind, top_k=2)
    assert (hits[0].item.id, hits[0].item.kind) == (id_, kind)
    assert getattr(hits[0].item, kind).id == id_
    assert [hit.rank for hit in hits] == list(range(1, len(hits) + 1))
    assert hits[0].score >= hits[-1].score


def test_texts_are_ranked_as_given() -> None:
    hits = search(query="cholera in London", items=["Bread and butter.", "Cholera came to London.", "Tea."])
    assert hits[0].item.text == "Cholera came to London."
    assert {hit.item.kind for hit in hits} == {"text"}
    assert len(search(query="cholera", items=["Cholera.", "Cholera."])) == 1


def test_nouns_and_results_of_other_tools_are_ranked_as_given() -> None:
    chunk = Chunk(id="x", content="Cholera came to London.")
    edge = graph().relationships[0].model_dump(mode="json")
    hits = search(query="Who studied cholera in London?", items=[chunk, edge, {"id": "1", "name": "Tea"}])
    assert {hit.item.kind for hit in hits} == {"chunk", "relationship", "entity"}
    assert hits[-1].item.id == "1"
    again = search(query="cholera", items=hits)
    assert {hit.item.kind for hit in again} == {"chunk", "relationship", "entity"}


def test_a_threshold_leaves_weak_ones_out() -> None:
    hits = search(query="cholera", items=["Cholera.", "Tea with milk."], threshold=0.5)
    assert [hit.item.text for hit in hits] == ["Cholera."]


def test_its_results_are_entities_for_other_tools() -> None:
    hits = search(query="John Snow", kind="entity", top_k=1)
    assert run("entity_onehop_neighbors", entities=hits).data


def test_another_spelling_of_kind_and_the_alias() -> None:
    assert search(query="John Snow", item_type="entity", limit=1)[0].item.id == "snow"
    assert find("T56").name == "similarity_search"


def test_given_items_need_no_index_and_a_search_does() -> None:
    ports = {"embedder": HashingEmbedder(64)}
    assert find("T56").run({"query": "cholera", "items": ["cholera"]}, ports).data
    with pytest.raises(MissingResourceError):
        find("T56").run({"query": "cholera"}, ports)


def test_items_without_vectors_are_an_error() -> None:
    with pytest.raises(MissingAttributeError):
        run("similarity_search", without="chunk", query="cholera", kind="chunk")


@pytest.mark.parametrize(
    "bad",
    [
        {"query": " "},
        {"query": "?!"},
        {"query": "?!", "items": ["a text"]},
        {"query": "x", "kind": "picture"},
        {"query": "x", "items": []},
        {"query": "x", "items": [{"colour": "blue"}]},
        {"query": "x", "top_k": 0},
        {"query": "x", "threshold": 2},
    ],
)
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        search(**bad)
