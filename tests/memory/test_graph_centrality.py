"""Centralities, with networkx for the answers."""

from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corpusgraph.tasks.tools.memory.structure  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import TOOLS
from tests.examples import tried
from tests.graph.small import small_graph

NODES = 7
pairs = st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1), st.sampled_from([0.5, 1.0, 2.0]))
edge_lists = st.lists(pairs, max_size=18)
MEASURES = [
    "pagerank",
    "betweenness",
    "degree",
    "in_degree",
    "out_degree",
    "strength",
    "closeness",
    "harmonic",
]


def graph_of(edges: list[tuple[int, int, float]], n: int = NODES) -> MemoryGraph:
    entities = [Entity(id=f"e{i}") for i in range(n)]
    relations = [
        Relationship(id=f"r{i:03}", source_id=f"e{a}", target_id=f"e{b}", weight=w)
        for i, (a, b, w) in enumerate(edges)
    ]
    return MemoryGraph(entities, relations)


def measured(graph: MemoryGraph, measures: list[str], **more: Any) -> dict[str, dict[str, float]]:
    noted = TOOLS["graph_centrality"].run({"measures": measures, "top_k": 1000, **more}, {"graph": graph})
    found = {hit.item.id: hit.components for hit in noted.data.entities}
    return {name: {id_: parts[name] for id_, parts in found.items()} for name in noted.data.measures}


def oracle(graph: MemoryGraph, *, directed: bool) -> tuple[Any, Any]:
    """Return the multigraph with weights, and the simple graph without loops that paths run on."""
    many: Any = nx.MultiDiGraph() if directed else nx.MultiGraph()
    many.add_nodes_from(e.id for e in graph.entities)
    many.add_weighted_edges_from((r.source_id, r.target_id, r.weight) for r in graph.relationships)
    simple: Any = nx.DiGraph(many) if directed else nx.Graph(many)
    simple.remove_edges_from(list(nx.selfloop_edges(simple)))
    return many, simple


@given(edge_lists, st.booleans())
@settings(max_examples=tried(60), deadline=None)
def test_they_are_those_of_networkx(edges: list[tuple[int, int, float]], directed: bool) -> None:
    graph = graph_of(edges)
    found = measured(graph, MEASURES, directed=directed)
    many, simple = oracle(graph, directed=directed)
    assert found["pagerank"] == pytest.approx(nx.pagerank(many, tol=1e-12, max_iter=1000), abs=2e-6)
    assert found["betweenness"] == pytest.approx(nx.betweenness_centrality(simple))
    assert found["closeness"] == pytest.approx(nx.closeness_centrality(simple))
    harmonic = {id_: value / (NODES - 1) for id_, value in nx.harmonic_centrality(simple).items()}
    assert found["harmonic"] == pytest.approx(harmonic)
    both = nx.MultiDiGraph([(r.source_id, r.target_id) for r in graph.relationships])
    both.add_nodes_from(e.id for e in graph.entities)
    for name, degrees in (("in_degree", both.in_degree), ("out_degree", both.out_degree)):
        assert found[name] == pytest.approx({id_: d / (NODES - 1) for id_, d in degrees})


@given(edge_lists)
@settings(max_examples=tried(40), deadline=None)
def test_eigenvector_is_that_of_networkx_where_there_is_one(edges: list[tuple[int, int, float]]) -> None:
    graph = graph_of([(a, b, w) for a, b, w in edges if a != b])
    simple: Any = nx.Graph()
    simple.add_nodes_from(e.id for e in graph.entities)
    for r in graph.relationships:
        held = simple.get_edge_data(r.source_id, r.target_id, {"weight": 0.0})["weight"]
        simple.add_edge(r.source_id, r.target_id, weight=held + r.weight)
    found = measured(graph, ["eigenvector"])
    if simple.number_of_edges() and nx.is_connected(simple):
        expected = nx.eigenvector_centrality(simple, weight="weight", max_iter=10_000, tol=1e-12)
        assert found["eigenvector"] == pytest.approx(expected, abs=1e-6)


def test_hubs_and_authorities_are_those_of_networkx() -> None:
    graph = small_graph()
    simple: Any = nx.DiGraph()
    simple.add_nodes_from(e.id for e in graph.entities)
    simple.add_weighted_edges_from((r.source_id, r.target_id, r.weight) for r in graph.relationships)
    hubs, authorities = nx.hits(simple, max_iter=1000, tol=1e-14)
    found = measured(graph, ["hubs", "authorities"])
    assert found["hubs"] == pytest.approx(hubs, abs=1e-6)
    assert found["authorities"] == pytest.approx(authorities, abs=1e-6)


def test_an_eigenvector_that_there_is_not_is_left_out_with_a_warning() -> None:
    chain = graph_of([(0, 1, 1.0), (1, 2, 1.0)], 3)
    noted = TOOLS["graph_centrality"].run(
        {"measures": ["eigenvector", "degree"], "directed": True}, {"graph": chain}
    )
    assert noted.data.measures == ["degree"]
    assert noted.data.entities[0].item.id == "e1"
    assert [w.code for w in noted.warnings] == ["not_converged"]


def test_by_hand_counts_and_ranks() -> None:
    noted = TOOLS["graph_centrality"].run(
        {"measure": "strength", "entities": ["soho", "John Snow", 5], "normalized": False},
        {"graph": small_graph()},
    )
    assert [(h.item.id, h.score, h.rank) for h in noted.data.entities] == [
        ("snow", 4.0, 1),
        ("soho", 4.0, 2),
        ("farr", 0.0, 3),
    ]


def test_filters_look_at_a_part_and_an_unknown_type_is_told() -> None:
    found = measured(small_graph(), ["degree"], min_weight=2, normalised=False)["degree"]
    assert found == {"snow": 1, "cholera": 1, "pump": 1, "soho": 1, "farr": 0}
    noted = TOOLS["graph_centrality"].run({"relationship_types": ["cause"]}, {"graph": small_graph()})
    assert noted.data.relationship_count == 0
    assert noted.warnings[-1].code == "unknown_type"
    assert "'causes'" in noted.warnings[-1].message


def test_a_sample_estimates_and_says_so() -> None:
    edges = [(i, (i * 7 + 1) % 200, 1.0) for i in range(200)] + [(0, i, 1.0) for i in range(1, 200)]
    graph = graph_of(edges, 200)
    exact = measured(graph, ["betweenness", "closeness"])
    noted = TOOLS["graph_centrality"].run(
        {"measures": ["betweenness", "closeness"], "samples": 50, "top_k": 200}, {"graph": graph}
    )
    assert noted.data.samples == 50
    assert noted.data.estimated == ["betweenness", "closeness"]
    assert [w.code for w in noted.warnings] == ["estimated"]
    top = noted.data.entities[0]
    assert top.item.id == "e0"
    assert top.score == pytest.approx(exact["betweenness"]["e0"], rel=0.1)
    assert top.components["closeness"] == pytest.approx(exact["closeness"]["e0"], rel=0.1)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_tiny_graphs(n: int) -> None:
    every = ["pagerank", "betweenness", "degree", "closeness", "harmonic", "hubs"]
    found = measured(graph_of([], n), every)
    assert all(len(values) == n for values in found.values())


def test_a_measure_named_twice_is_refused() -> None:
    with pytest.raises(InvalidInputError, match="twice"):
        measured(small_graph(), ["degree", "degree"])
