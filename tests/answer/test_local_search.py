"""T51: the neighbourhood of entities. tests/graph/small.py draws the graph."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import InvalidInputError, MissingResourceError, UnknownEntityError
from corpusgraph.schemas.graph import Entity, Graph, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import find
from tests.examples import tried
from tests.graph.small import run, small_graph


def ids(graph: Graph) -> list[str]:
    return [edge.id for edge in graph.edges]


def search(**arguments: Any) -> Graph:
    found: Graph = run("local_search", **arguments).data
    return found


def test_relationships_among_the_entities_come_first_then_those_with_most_links() -> None:
    found = search(entities=["snow", "pump"])
    # r5 joins both. Cholera has two links (r1, r2), Soho has two (r3, r4); then the degrees 3 + 2 are equal,
    # then the weights: r3 3, r1 2, r2 1, r4 1.
    assert ids(found) == ["r5", "r3", "r1", "r2", "r4"]
    assert [node.id for node in found.nodes] == ["snow", "pump", "soho", "cholera"]
    assert found.metadata == {
        "centre": ["snow", "pump"],
        "radius": 1,
        "within": 1,
        "leading_out": 4,
        "left_out": 0,
    }


def test_more_links_into_the_neighbourhood_weigh_more_than_a_busy_end() -> None:
    edges = [("a", "x"), ("b", "x"), ("a", "hub"), ("hub", "p"), ("hub", "q"), ("hub", "s")]
    graph = MemoryGraph(
        [], [Relationship(id=f"e{n}", source_id=s, target_id=t) for n, (s, t) in enumerate(edges)]
    )
    assert ids(run("local_search", graph, entities=["a", "b"]).data) == ["e0", "e1", "e2"]


def test_the_pool_is_so_many_for_each_entity() -> None:
    found = search(entities=["snow"], top_k_relationships=2)
    assert len(found.edges) == 2
    assert found.metadata is not None
    assert found.metadata["left_out"] == 1


def test_a_wider_radius_takes_the_neighbours_relationships() -> None:
    assert ids(search(entities=["cholera"])) == ["r1", "r2"]
    wide = search(entities=["cholera"], radius=2)
    assert set(ids(wide)) == {"r1", "r2", "r3", "r4", "r5"}
    assert ids(wide)[:3] == ["r5", "r1", "r2"]  # both ends within one hop; the busiest pair first


def test_types_limit_what_is_followed() -> None:
    assert ids(search(entities=["snow"], radius=2, relationship_types=["lived_in", "part_of"])) == [
        "r4",
        "r3",
    ]


def test_an_entity_with_an_id_and_nothing_else_is_enough() -> None:
    bare = MemoryGraph([Entity(id="1")], [Relationship(id="r", source_id="1", target_id="2")])
    found = run("local_search", bare, entities=[{"id": "1"}]).data
    assert [(node.id, node.name) for node in found.nodes] == [("1", "1"), ("2", "2")]


def test_an_entity_alone_is_a_graph_of_one() -> None:
    assert [n.id for n in search(entities=["farr"]).nodes] == ["farr"]


def test_a_query_finds_the_entities() -> None:
    found = search(query="John Snow", top_k_entities=1)
    assert found.nodes[0].id == "snow"


def test_a_query_needs_vectors_and_entities_do_not() -> None:
    graph = small_graph()
    assert find("T51").run({"entities": ["snow"]}, {"graph": graph}).data.edges
    with pytest.raises(MissingResourceError):
        find("T51").run({"query": "snow"}, {"graph": graph})


def test_results_of_other_tools_are_taken_as_they_are() -> None:
    hits = run("entity_vdb_search", query="John Snow", top_k=2).data
    assert search(entities=hits) == search(entities=[hit.item.id for hit in hits])


@settings(max_examples=tried(60), deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=20),
    st.sets(st.integers(0, 7), min_size=1),
    st.integers(1, 4),
)
def test_against_a_search_by_hand(pairs: list[tuple[int, int]], seeds: set[int], radius: int) -> None:
    entities = [Entity(id=str(i)) for i in range(8)]
    edges = [
        Relationship(id=f"e{n:02}", source_id=str(a), target_id=str(b)) for n, (a, b) in enumerate(pairs)
    ]
    noted = run(
        "local_search",
        MemoryGraph(entities, edges),
        entities=[str(s) for s in sorted(seeds)],
        radius=radius,
        top_k_relationships=100,
    )
    inside = {str(s) for s in seeds}
    for _ in range(min(radius, 3) - 1):
        inside |= {e.target_id for e in edges if e.source_id in inside} | {
            e.source_id for e in edges if e.target_id in inside
        }
    touched = {e.id for e in edges if {e.source_id, e.target_id} & inside}
    assert set(ids(noted.data)) == touched
    within = [{e.source_id, e.target_id} <= inside for e in noted.data.edges]
    assert within == sorted(within, reverse=True)
    nodes = {node.id for node in noted.data.nodes}
    assert all({e.source_id, e.target_id} <= nodes for e in noted.data.edges)
    assert [w.code for w in noted.warnings] == (["hops_clamped"] if radius > 3 else [])


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({}, InvalidInputError),
        ({"entities": []}, InvalidInputError),
        ({"entities": ["nobody at all"]}, UnknownEntityError),
        ({"entities": ["snow"], "radius": 0}, InvalidInputError),
        ({"query": "?!"}, InvalidInputError),
    ],
)
def test_bad_input_is_refused(bad: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        search(**bad)
