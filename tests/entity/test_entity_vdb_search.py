"""Tool 1."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.entity  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import InvalidInputError, MissingAttributeError
from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import SmallVectors, ids, run, scores, small_graph

TOOL = "entity_vdb_search"


def test_the_nearest_come_first_with_cosine_and_degree() -> None:
    noted = run(TOOL, query="John Snow, a physician", top_k=2)
    assert ids(noted) == ["snow", "farr"]
    assert scores(noted)["snow"] == pytest.approx(1, abs=1e-6)
    assert [s.components["degree"] for s in noted.data] == [3, 0]


def test_a_threshold_leaves_weak_hits_out() -> None:
    assert ids(run(TOOL, query="John Snow, a physician", threshold=0.9)) == ["snow"]


def test_types_are_filtered_before_the_best_are_taken() -> None:
    assert ids(run(TOOL, query="John Snow, a physician", top_k=1, entity_types=["concept"])) == ["cholera"]


class TwoVectors(SmallVectors):
    """An index with two vectors for each entity."""

    def nearest(self, kind, vector, top_k):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
        found = super().nearest(kind, vector, 100)
        return [hit for id_, score in found for hit in ((id_, score), (id_, score / 2))][:top_k]


def test_an_entity_with_several_vectors_comes_once() -> None:
    from corpusgraph.tasks.tools.entity import EntityVdbSearch, entity_vdb_search

    graph = small_graph()
    vectors = TwoVectors(graph)
    ask = EntityVdbSearch(query="a physician", top_k=5)
    found = [s.item.id for s in entity_vdb_search(ask, graph, vectors, vectors.embedder)]
    assert sorted(found) == ["cholera", "farr", "pump", "snow", "soho"]


def test_a_graph_without_vectors_is_told_apart_from_one_without_entities() -> None:
    with pytest.raises(MissingAttributeError, match="No entity of this index has a vector"):
        run(TOOL, query="x", without="entity")
    assert run(TOOL, MemoryGraph([]), query="x").data == []


@pytest.mark.parametrize(
    "bad", [{"query": " "}, {"query": "?!"}, {"query": "x", "top_k": 0}, {"query": "x", "threshold": 2}]
)
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)


def test_ids_alone_are_enough() -> None:
    graph = MemoryGraph([Entity(id="cholera"), Entity(id="water")])
    assert ids(run(TOOL, graph, query="water", top_k=1)) == ["water"]


def test_entities_of_given_chunks_are_filtered_before_the_best_are_taken() -> None:
    """c3 mentions the pump and Soho alone."""
    assert ids(run(TOOL, query="John Snow, a physician", top_k=2, chunks=["c3"])) == ["pump", "soho"]
    assert ids(run(TOOL, query="pump", top_k=5, chunks=["c3"], entity_types=["person"])) == []


def test_a_name_that_is_the_query_is_first_then_those_inside_it() -> None:
    graph = MemoryGraph(
        [
            Entity(
                id="a", name="Senate", description="an assembly of the States, chosen by their legislatures"
            ),
            Entity(
                id="b", name="the federal Senate and its powers", attributes={"aliases": {"Upper House": 2}}
            ),
            Entity(id="c", name="senators"),
            Entity(id="d", name="Senate Senate bill"),
        ]
    )
    first = run(TOOL, graph, query="Senate").data
    assert (first[0].item.id, first[0].score, first[0].components["name"]) == ("a", 1.0, 1.0)
    assert 0 < first[0].components["cosine"] < 1
    assert ids(run(TOOL, graph, query="upper house", top_k=1)) == ["b"]
    inside = run(TOOL, graph, query="a bill of the Senate", top_k=4).data
    assert inside[0].item.id == "a"
    assert 0 < inside[0].components["name"] < 1
    assert ids(run(TOOL, graph, query="a bill of the Senate", threshold=0.99)) == []
