"""Measures of entities, communities, documents and panels against networkx."""

from collections import Counter
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.tasks.dataset.measures import network as centralities
from corpusgraph.tasks.dataset.measures.network import Network
from tests.dataset.corpus import HandMade
from tests.dataset.random_corpus import corpus_of_links, entity_id, random_links
from tests.dataset.test_measures import built
from tests.examples import tried


def column(corpus: HandMade, unit: str, measure: str, of: Any = None, **more: Any) -> dict[str, Any]:
    table, _ = built(corpus, unit, {"name": "x", "measure": measure, "of": of}, **more)
    return dict(zip(table.column("id"), table.column("x"), strict=True))


def directed(corpus: HandMade, types: tuple[str, ...] = ()) -> nx.DiGraph:
    graph = nx.DiGraph()
    graph.add_nodes_from(entity.id for entity in corpus.graph.entities)
    for r in corpus.graph.relationships:
        if r.source_id != r.target_id and (not types or r.type in types):
            before = graph.get_edge_data(r.source_id, r.target_id, {"weight": 0})["weight"]
            graph.add_edge(r.source_id, r.target_id, weight=before + r.weight)
    return graph


def undirected(corpus: HandMade) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(directed(corpus))
    for a, b, weight in directed(corpus).edges(data="weight"):
        before = graph.get_edge_data(a, b, {"weight": 0})["weight"]
        graph.add_edge(a, b, weight=before + weight)
    return graph


graphs = st.builds(
    lambda n, density, seed: corpus_of_links(n, random_links(n, round(n * density), seed)),
    st.integers(1, 14),
    st.floats(0.0, 2.5),
    st.integers(0, 10_000),
)


@given(graphs)
@settings(deadline=None, max_examples=tried(25))
def test_entities_agree_with_networkx(corpus: HandMade) -> None:
    d, u = directed(corpus), undirected(corpus)
    expected: dict[str, dict[str, float]] = {
        "degree": dict(u.degree()),
        "in_degree": dict(d.in_degree()),
        "out_degree": dict(d.out_degree()),
        "strength": dict(u.degree(weight="weight")),
        "in_strength": dict(d.in_degree(weight="weight")),
        "out_strength": dict(d.out_degree(weight="weight")),
        "pagerank": nx.pagerank(d, alpha=0.85, tol=1e-9, max_iter=1000),
        "betweenness": nx.betweenness_centrality(u),
        "closeness": nx.closeness_centrality(u),
        "core": nx.core_number(u),
        "clustering": nx.clustering(u),
        "component_size": {node: len(part) for part in nx.connected_components(u) for node in part},
    }
    names = [{"name": name, "measure": name} for name in expected]
    table, _ = built(corpus, "entity", *names)
    for name, values in expected.items():
        found = dict(zip(table.column("id"), table.column(name), strict=True))
        assert found == pytest.approx(values, abs=1e-6), name


@given(graphs)
@settings(deadline=None, max_examples=tried(25))
def test_eigenvectors_are_those_of_the_largest_eigenvalue(corpus: HandMade) -> None:
    found = column(corpus, "entity", "eigenvector")
    graph = undirected(corpus)
    for part in nx.connected_components(graph):
        nodes = sorted(part)
        if len(nodes) == 1:
            assert found[nodes[0]] is None
            continue
        matrix = nx.to_numpy_array(graph, nodelist=nodes)
        vector = np.array([found[node] for node in nodes])
        largest = np.linalg.eigvalsh(matrix)[-1]
        assert vector.max() == 1
        assert (vector > 0).all()
        assert matrix @ vector == pytest.approx(largest * vector, abs=1e-7)


def test_eigenvectors_of_a_large_graph_are_found_too() -> None:
    graph = nx.barabasi_albert_graph(centralities.DENSE + 200, 3, seed=2)
    network = Network([str(n) for n in graph], ((str(a), str(b), 1.0) for a, b in graph.edges))
    expected = nx.eigenvector_centrality_numpy(graph)
    largest = max(expected.values())
    assert list(centralities.eigenvectors(network)) == pytest.approx(
        [expected[n] / largest for n in graph], abs=1e-8
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "cite"),
    [
        ("betweennesses", nx.betweenness_centrality, "Brandes & Pich 2007"),
        ("closenesses", nx.closeness_centrality, "Eppstein & Wang 2004"),
    ],
)
def test_large_components_are_estimated_and_the_codebook_says_so(
    monkeypatch: pytest.MonkeyPatch, ours: str, theirs: Any, cite: str
) -> None:
    links = random_links(300, 900, seed=5)
    corpus = corpus_of_links(300, links, sentences=60)
    monkeypatch.setattr(centralities, "EXACT", 100)
    monkeypatch.setattr(centralities, "PIVOTS", 150)
    measure = ours.removesuffix("es")
    table, _ = built(corpus, "entity", {"name": "x", "measure": measure})
    assert f"more than 100 entities estimated from 150 of them, chosen with seed 0 ({cite})" in str(
        table.columns[-1].formula
    )
    expected = theirs(undirected(corpus))
    exact = [expected[id_] for id_ in table.column("id")]
    assert np.corrcoef(table.column("x"), exact)[0, 1] > 0.95
    again, _ = built(corpus, "entity", {"name": "x", "measure": measure})
    assert again == table


def test_components_are_numbered_by_size() -> None:
    corpus = corpus_of_links(6, [(5, 4, 1, "uses"), (4, 3, 1, "uses"), (1, 0, 1, "uses")])
    assert list(column(corpus, "entity", "component").values()) == [2, 2, 3, 1, 1, 1]


@given(graphs)
@settings(deadline=None, max_examples=tried(25))
def test_communities_agree_with_networkx(corpus: HandMade) -> None:
    graph, total = undirected(corpus), 0.0
    groups = {one.id: set(one.entity_ids) for one in corpus.graph.communities}
    found = {
        name: column(corpus, "community", name)
        for name in ("size", "density", "transitivity", "components", "conductance", "modularity")
    }
    for id_, members in groups.items():
        inner = graph.subgraph(members)
        assert found["size"][id_] == len(members)
        assert found["components"][id_] == nx.number_connected_components(inner)
        assert found["density"][id_] == (None if len(members) < 2 else pytest.approx(nx.density(inner)))
        paths = any(degree > 1 for _, degree in inner.degree())
        assert found["transitivity"][id_] == (pytest.approx(nx.transitivity(inner)) if paths else None)
        others = set(graph) - members
        smaller = min(nx.volume(graph, s, weight="weight") for s in (members, others))
        expected = nx.conductance(graph, members, weight="weight") if smaller else None
        assert found["conductance"][id_] == (None if expected is None else pytest.approx(expected))
        total += found["modularity"][id_] or 0.0
    if graph.edges:
        assert total == pytest.approx(nx.community.modularity(graph, groups.values(), weight="weight"))


@given(graphs)
@settings(deadline=None, max_examples=tried(15))
def test_documents_have_the_graph_they_state(corpus: HandMade) -> None:
    if not corpus.documents:
        return
    densities, parts = (column(corpus, "document", name) for name in ("density", "components"))
    entities = column(corpus, "document", "entities")
    for document in corpus.documents:
        stated = [a for a in corpus.assertions if a.document_id == document.id]
        graph = nx.Graph()
        for one in stated:
            ends = corpus.resolved[one.source_mention], corpus.resolved[one.target_mention]
            graph.add_nodes_from(ends)
            if ends[0] != ends[1]:
                graph.add_edge(*ends)
        assert entities[document.id] == len(graph)
        assert parts[document.id] == nx.number_connected_components(graph)
        assert densities[document.id] == (None if len(graph) < 2 else pytest.approx(nx.density(graph)))


@pytest.mark.parametrize("types", [(), ("causes",), ("causes", "uses")])
def test_a_panel_is_measured_on_the_graph_of_its_period(types: tuple[str, ...]) -> None:
    corpus = corpus_of_links(15, random_links(15, 60, seed=7), years=4)
    year = {document.id: document.metadata["date"] for document in corpus.documents}
    by_year: dict[str, nx.DiGraph] = {when: nx.DiGraph() for when in year.values()}
    for one in corpus.assertions:
        graph = by_year[year[one.document_id]]
        a, b = corpus.resolved[one.source_mention], corpus.resolved[one.target_mention]
        graph.add_nodes_from((a, b))
        if a != b and (not types or one.type in types):
            before = graph.get_edge_data(a, b, {"weight": 0})["weight"]
            graph.add_edge(a, b, weight=before + one.confidence)
    found = {
        name: column(corpus, "entity_period", name, of=types or None)
        for name in ("degree", "strength", "pagerank", "closeness", "betweenness", "clustering", "core")
    }
    for when, graph in by_year.items():
        plain = graph.to_undirected()
        expected: dict[str, Any] = {
            "degree": dict(plain.degree()),
            "strength": Counter(dict(graph.degree(weight="weight"))),
            "pagerank": nx.pagerank(graph, tol=1e-9, max_iter=1000),
            "closeness": nx.closeness_centrality(plain),
            "betweenness": nx.betweenness_centrality(plain),
            "clustering": nx.clustering(plain),
            "core": nx.core_number(plain),
        }
        for name, values in expected.items():
            nothing = 0 if name in {"degree", "strength", "core"} else None
            for at in range(15):
                cell = found[name][f"{entity_id(at)}|{when}"]
                there = entity_id(at) in graph
                assert cell == (pytest.approx(values[entity_id(at)], abs=1e-6) if there else nothing)
