"""T52: the whole graph, or its weightiest part. tests/graph/small.py draws the graph."""

from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError, UnknownItemError
from corpusgraph.schemas.graph import Graph
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import find
from tests.graph.small import run


def search(**arguments: Any) -> Graph:
    found: Graph = run("global_search", **arguments).data
    return found


def nodes(graph: Graph) -> list[str]:
    return [node.id for node in graph.nodes]


def edges(graph: Graph) -> list[str]:
    return [edge.id for edge in graph.edges]


def test_without_limits_it_is_the_whole_graph_the_busiest_first() -> None:
    found = search()
    assert nodes(found) == ["pump", "snow", "cholera", "soho", "farr"]
    assert edges(found) == ["r1", "r2", "r3", "r4", "r5"]
    assert found.metadata is not None
    assert (found.metadata["entities"], found.metadata["relationships"]) == (5, 5)
    assert [c["id"] for c in found.metadata["communities"]] == ["k0", "k1", "k2"]
    assert found.metadata["communities"][1] == {"id": "k1", "level": 1, "title": "Cholera studied", "size": 2}


def test_a_level_keeps_the_members_of_its_communities() -> None:
    assert nodes(search(community_level=0)) == ["pump", "snow", "cholera", "soho"]
    assert nodes(search(community_level=7)) == []


def test_named_communities_keep_their_members_alone() -> None:
    hits = run("community_by_entities", entities=["pump"]).data
    found = search(communities=hits, community_level=1)
    assert (nodes(found), edges(found)) == (["pump", "soho"], ["r3"])


def test_weight_and_top_entities_limit_the_graph() -> None:
    assert edges(search(min_weight=2)) == ["r1", "r3"]
    assert (nodes(search(top_entities=2)), edges(search(top_entities=2))) == (["pump", "snow"], ["r5"])
    assert nodes(search(min_weight=3, isolated=False)) == ["pump", "soho"]


def test_types_limit_the_graph() -> None:
    found = search(entity_types=["person", "place"], relationship_types=["visits", "studies"])
    assert (nodes(found), edges(found)) == (["pump", "snow", "soho", "farr"], ["r5"])


def test_an_empty_graph_is_an_empty_graph() -> None:
    found = run("global_search", MemoryGraph([])).data
    assert (found.nodes, found.edges) == ((), ())


def test_the_alias_finds_it() -> None:
    assert find("T52").name == "global_search"


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"communities": ["nowhere"]}, UnknownItemError),
        ({"min_weight": -1}, InvalidInputError),
        ({"min_weight": float("nan")}, InvalidInputError),
        ({"top_entities": 0}, InvalidInputError),
        ({"community_level": -1}, InvalidInputError),
    ],
)
def test_bad_input_is_refused(bad: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        search(**bad)
