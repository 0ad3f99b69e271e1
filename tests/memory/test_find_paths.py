"""Paths, with networkx for the answers."""

import math
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corpusgraph.tasks.tools.memory.structure  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import AmbiguousEntityError, InvalidInputError, UnknownEntityError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.paths import Budget
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import TOOLS
from tests.examples import tried
from tests.graph.small import small_graph

NODES = 6
pairs = st.tuples(
    st.integers(0, NODES - 1),
    st.integers(0, NODES - 1),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.sampled_from([0.25, 0.5, 1.0]),
)
edge_lists = st.lists(pairs, max_size=14)


def graph_of(edges: list[tuple[int, int, float, float]], n: int = NODES) -> MemoryGraph:
    relations = [
        Relationship(id=f"r{i:02}", source_id=f"e{a}", target_id=f"e{b}", weight=w, confidence=c)
        for i, (a, b, w, c) in enumerate(edges)
    ]
    return MemoryGraph([Entity(id=f"e{i}") for i in range(n)], relations)


def found(graph: MemoryGraph, source: Any = "e0", target: Any = "e1", **more: Any) -> Any:
    asked = {"source": source, "target": target, "top_k": 1000, "max_hops": NODES, **more}
    return TOOLS["find_paths"].run(asked, {"graph": graph})


def oracle(graph: MemoryGraph, *, directed: bool, cost: str = "weight") -> Any:
    made: Any = nx.DiGraph() if directed else nx.Graph()
    made.add_nodes_from(e.id for e in graph.entities)
    for r in graph.relationships:
        price = 1 / r.weight if cost == "weight" else -math.log(r.confidence)
        held = made.get_edge_data(r.source_id, r.target_id, {"cost": math.inf})["cost"]
        made.add_edge(r.source_id, r.target_id, cost=min(price, held))
    made.remove_edges_from(list(nx.selfloop_edges(made)))
    return made


@given(edge_lists, st.booleans(), st.integers(1, NODES))
@settings(max_examples=tried(60), deadline=None)
def test_all_simple_paths_are_those_of_networkx(edges: Any, directed: bool, hops: int) -> None:
    graph = graph_of(edges)
    data = found(graph, mode="all_simple", direction="out" if directed else "both", max_hops=hops).data
    expected = {
        tuple(p) for p in nx.all_simple_paths(oracle(graph, directed=directed), "e0", "e1", cutoff=hops)
    }
    assert {hit.item.node_ids for hit in data.paths} == expected
    assert data.path_count == len(expected)
    assert not data.truncated
    assert [len(hit.item.edge_ids) for hit in data.paths] == sorted(len(p) - 1 for p in expected)


@given(edge_lists, st.booleans(), st.sampled_from(["weight", "confidence"]))
@settings(max_examples=tried(60), deadline=None)
def test_the_first_is_the_shortest_or_the_cheapest(edges: Any, directed: bool, cost: str) -> None:
    graph, way = graph_of(edges), "out" if directed else "both"
    network = oracle(graph, directed=directed, cost=cost)
    shortest = found(graph, direction=way).data.paths
    cheapest = found(graph, direction=way, mode="weighted", cost=cost).data.paths
    if not nx.has_path(network, "e0", "e1"):
        assert shortest == cheapest == []
        return
    assert len(shortest[0].item.edge_ids) == nx.shortest_path_length(network, "e0", "e1")
    best = nx.dijkstra_path_length(network, "e0", "e1", weight="cost")
    assert cheapest[0].item.cost == pytest.approx(best, abs=1e-9)
    costs = [hit.item.cost for hit in cheapest]
    assert costs == sorted(costs)
    if cost == "confidence":
        assert cheapest[0].score == pytest.approx(math.exp(-best))


def test_a_path_is_told_in_words() -> None:
    hit = found(small_graph(), "William Farr", "snow").data
    assert hit.paths == []
    path = found(small_graph(), "John Snow", "Soho", mode="weighted", cost="weight").data.paths[0]
    assert path.item.names == ("John Snow", "Soho")
    assert path.item.steps == ("John Snow lived in Soho",)
    assert (path.score, path.components) == (0.5, {"hops": 1.0, "cost": 1.0})
    back = found(small_graph(), "Soho", "cholera", relationship_types=["part_of", "causes"]).data.paths[0]
    assert back.item.steps == ("Broad Street pump part of Soho", "Broad Street pump causes cholera")


def test_direction_and_its_spellings() -> None:
    assert found(small_graph(), "pump", "cholera", direction="outbound", max_hops=1).data.path_count == 1
    assert found(small_graph(), "cholera", "pump", direction="outbound").data.path_count == 0
    assert found(small_graph(), "cholera", "pump", direction="inbound", max_hops=1).data.path_count == 1


def test_truncated_says_that_there_are_more() -> None:
    every = found(small_graph(), "snow", "soho", mode="all_simple").data
    some = found(small_graph(), "snow", "soho", mode="all_simple", top_k=2).data
    assert (every.truncated, some.truncated) == (False, True)
    assert some.paths == every.paths[:2]
    exact = found(small_graph(), "snow", "soho", mode="all_simple", top_k=every.path_count).data
    assert not exact.truncated


def test_parallel_relationships_are_paths_of_their_own_where_asked() -> None:
    graph = graph_of([(0, 1, 1.0, 1.0), (0, 1, 2.0, 0.5), (1, 0, 0.5, 0.5)])
    assert [hit.item.edge_ids for hit in found(graph, mode="weighted").data.paths] == [("r01",)]
    every = found(graph, mode="weighted", parallel=True).data.paths
    assert [hit.item.edge_ids for hit in every] == [("r01",), ("r00",), ("r02",)]


def test_a_search_that_gives_up_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    n = 30
    graph = graph_of([(a, b, 1.0, 1.0) for a in range(n) for b in range(a)], n)
    noted = found(graph, mode="all_simple", max_hops=4, top_k=3)
    assert (noted.data.truncated, noted.data.path_count, noted.warnings) == (True, 3, ())
    monkeypatch.setattr(Budget.__init__, "__defaults__", (5,))
    short = found(graph, mode="all_simple")
    assert short.data.truncated
    assert short.data.path_count < 5
    assert [w.code for w in short.warnings] == ["truncated"]


def test_weak_relationships_can_be_left_out() -> None:
    assert found(small_graph(), "snow", "pump", min_weight=2).warnings[0].code == "unreached"


def test_bad_ends_are_named_errors() -> None:
    with pytest.raises(InvalidInputError, match="both 'John Snow'"):
        found(small_graph(), "snow", 1)
    with pytest.raises(UnknownEntityError):
        found(small_graph(), "snow", "Soh")
    twins = MemoryGraph([Entity(id="a", name="Snow"), Entity(id="b", name="Snow"), Entity(id="c")])
    with pytest.raises(AmbiguousEntityError):
        found(twins, "Snow", "c")
