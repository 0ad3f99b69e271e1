"""Tool 19. k0 is in four chunks, rated 5; k1 in two, rated 8; k2 in three, without a report."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.community  # noqa: F401 - registers the tool
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Community, Entity
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import ids, run, scores

TOOL = "community_by_layer"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"max_layer": 0}, {"k0": 4 + 5 / 6}),
        ({"max_layer": 1}, {"k0": 4 + 5 / 6, "k2": 3, "k1": 2 + 8 / 9}),
        ({"max_layer": 9, "select": "deepest"}, {"k2": 3, "k1": 2 + 8 / 9}),
        ({"max_layer": 1, "min_size": 3}, {"k0": 4 + 5 / 6}),
        ({"max_layer": 1, "min_rating": 6}, {"k1": 2 + 8 / 9}),
        ({"max_layer": 1, "top_k": 1}, {"k0": 4 + 5 / 6}),
    ],
)
def test_occurrence_then_rating(arguments: dict[str, Any], found: dict[str, float]) -> None:
    noted = run(TOOL, **arguments)
    assert scores(noted) == pytest.approx(found)
    assert ids(noted) == sorted(found, key=lambda id_: (-found[id_], id_))


def test_occurrence_is_the_share_of_the_most() -> None:
    noted = run(TOOL, max_layer=1)
    assert [s.components["occurrence"] for s in noted.data] == [1, 3 / 4, 2 / 4]


def test_a_community_may_list_its_chunks_itself() -> None:
    graph = MemoryGraph(
        [Entity(id="a")],
        chunks=[Chunk(id="x", content="")],
        communities=[
            Community(id="1", entity_ids=("a",), level=0),
            Community(id="2", entity_ids=("a",), level=0, chunk_ids=("x",)),
        ],
    )
    assert ids(run(TOOL, graph, max_layer=0)) == ["2", "1"]


def test_a_graph_without_communities_has_none() -> None:
    assert run(TOOL, MemoryGraph([]), max_layer=0).data == []


@pytest.mark.parametrize("bad", [{}, {"max_layer": -1}, {"max_layer": 1, "min_size": 0}])
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)
