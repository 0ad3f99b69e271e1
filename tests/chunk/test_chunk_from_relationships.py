"""Tool 13."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.chunk  # noqa: F401 - registers the tool
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError, UnknownItemError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import ids, run, scores

TOOL = "chunk_from_relationships"


def test_chunks_in_the_order_of_their_first_relationship() -> None:
    noted = run(TOOL, relationships=["r3", "r1", "r2"], include_context=False)
    assert scores(noted) == {"c3": 1.0, "c1": 1 / 2, "c2": 1 / 2}
    assert ids(noted) == ["c3", "c1", "c2"]


def test_a_relationship_named_twice_holds_one_place() -> None:
    noted = run(TOOL, relationships=["r4", "r4", "r3"], include_context=False)
    assert scores(noted) == {"c3": 1 / 2}


def test_context_is_the_neighbours_in_the_document_ranked_below() -> None:
    noted = run(TOOL, relationships=["r3", "r1"], top_k=2)
    assert ids(noted) == ["c3", "c1", "c2"]
    assert noted.data[2].score == 1.0 * 0.5 / 2
    assert [s.components for s in noted.data] == [{}, {}, {"context": 1.0}]


def test_context_does_not_cross_documents() -> None:
    graph = MemoryGraph(
        [Entity(id="a")],
        [Relationship(id="1", source_id="a", target_id="a")],
        [
            Chunk(id="x", content="", source_doc="d1", position=0, relationships=("1",)),
            Chunk(id="y", content="", source_doc="d2", position=1),
            Chunk(id="z", content=""),
        ],
    )
    assert ids(run(TOOL, graph, relationships=["1"])) == ["x"]


def test_a_relationship_stated_nowhere_gives_nothing() -> None:
    assert run(TOOL, relationships=["r4"]).data == []


def test_an_unknown_relationship_is_an_error() -> None:
    with pytest.raises(UnknownItemError):
        run(TOOL, relationships=["r9"])


@pytest.mark.parametrize("bad", [{"relationships": []}, {"relationships": ["r1"], "top_k": 0}])
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)
