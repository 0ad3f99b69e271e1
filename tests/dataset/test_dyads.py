"""Measures of pairs against networkx and counts by hand."""

from math import log2
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings

from corpusgraph.tasks.dataset.measures.network import corpus_network, shortest_lengths
from corpusgraph.tasks.dataset.measures.units import Reading
from tests.dataset.corpus import HandMade
from tests.dataset.random_corpus import corpus_of_links, entity_id, name_of, random_links
from tests.dataset.test_graph_measures import column, directed, graphs, undirected
from tests.dataset.test_measures import built
from tests.examples import tried

_INDICES: dict[str, Any] = {
    "jaccard": nx.jaccard_coefficient,
    "adamic_adar": nx.adamic_adar_index,
    "preferential_attachment": nx.preferential_attachment,
}


def lengths(graph: nx.Graph) -> None:
    for _, _, data in graph.edges(data=True):
        data["length"] = 1 / data["weight"]


@given(graphs)
@settings(deadline=None, max_examples=tried(25))
def test_pairs_agree_with_networkx(corpus: HandMade) -> None:
    if not any(r.source_id != r.target_id for r in corpus.graph.relationships):
        return
    graph, arrows = undirected(corpus), directed(corpus)
    lengths(graph)
    names = (*_INDICES, "distance", "weighted_distance", "common_neighbours", "reciprocal")
    table, _ = built(corpus, "pair", *({"name": name, "measure": name} for name in names))
    pairs = [tuple(id_.split("|")) for id_ in table.column("id")]
    for name, index in _INDICES.items():
        expected = [score for _, _, score in index(graph, pairs)]
        assert list(table.column(name)) == pytest.approx(expected), name
    for at, (a, b) in enumerate(pairs):
        assert table.column("distance")[at] == nx.shortest_path_length(graph, a, b)
        weighted = nx.shortest_path_length(graph, a, b, weight="length")
        assert table.column("weighted_distance")[at] == pytest.approx(weighted)
        assert table.column("common_neighbours")[at] == len(list(nx.common_neighbors(graph, a, b)))
        assert table.column("reciprocal")[at] == (arrows.has_edge(a, b) and arrows.has_edge(b, a))


@given(graphs)
@settings(deadline=None, max_examples=tried(15))
def test_distances_to_an_entity_agree_with_networkx(corpus: HandMade) -> None:
    graph = undirected(corpus)
    lengths(graph)
    steps = nx.single_source_shortest_path_length(graph, entity_id(0))
    far = nx.single_source_dijkstra_path_length(graph, entity_id(0), weight="length")
    assert column(corpus, "entity", "distance", name_of(0)) == {node: steps.get(node) for node in graph}
    found = column(corpus, "entity", "weighted_distance", name_of(0))
    assert {id_: value for id_, value in found.items() if value is not None} == pytest.approx(far)


@given(graphs)
@settings(deadline=None, max_examples=tried(15))
def test_lengths_between_any_two_agree_with_networkx(corpus: HandMade) -> None:
    graph, network = undirected(corpus), corpus_network(Reading(corpus))
    lengths(graph)
    pairs = [(a, b) for a in range(len(network.ids)) for b in range(len(network.ids))]
    expected = dict(nx.all_pairs_dijkstra_path_length(graph, weight="length"))
    wanted = [expected[network.ids[a]].get(network.ids[b]) for a, b in pairs]
    found = shortest_lengths(network.far, network.part, pairs)
    assert [one is None for one in found] == [one is None for one in wanted]
    assert [one or 0 for one in found] == pytest.approx([one or 0 for one in wanted])


def test_a_long_way_over_heavy_edges_is_shorter_than_a_light_edge() -> None:
    ring = [(at, at + 1, 8.0, "uses") for at in range(6)]
    corpus = corpus_of_links(7, [*ring, (0, 6, 1.0, "uses")])
    found = column(corpus, "pair", "weighted_distance")
    assert found[f"{entity_id(0)}|{entity_id(6)}"] == pytest.approx(6 / 8)
    assert column(corpus, "pair", "distance")[f"{entity_id(0)}|{entity_id(6)}"] == 1


def test_mutual_information_is_that_of_the_sentences() -> None:
    links = [(0, 1, 1, "uses"), (0, 1, 1, "uses"), (0, 2, 1, "uses"), (3, 4, 1, "uses")]
    corpus = corpus_of_links(5, links)
    pmi, npmi = column(corpus, "pair", "pmi"), column(corpus, "pair", "npmi")
    pair = f"{entity_id(0)}|{entity_id(1)}"
    assert pmi[pair] == pytest.approx(log2((2 / 4) / ((3 / 4) * (2 / 4))))
    assert npmi[pair] == pytest.approx(pmi[pair] / -log2(2 / 4))
    assert npmi[f"{entity_id(3)}|{entity_id(4)}"] == pytest.approx(1)  # never one without the other


def test_a_pair_that_no_sentence_names_together_has_no_mutual_information(corpus: HandMade) -> None:
    sentences = {m.id: m for m in corpus.mentions if m.document_id != "doc_b"}
    apart = HandMade(corpus.graph, corpus.documents, tuple(sentences.values()), resolved=corpus.resolved)
    assert column(apart, "pair", "pmi")["ent_1|ent_3"] is None
    assert column(apart, "pair", "npmi")["ent_1|ent_3"] == -1
    assert column(apart, "pair", "same_document")["ent_1|ent_3"] is False


def test_community_and_document_of_both(corpus: HandMade) -> None:
    assert column(corpus, "pair", "same_community") == {
        "ent_1|ent_2": False,
        "ent_1|ent_3": True,
        "ent_2|ent_3": False,
        "ent_4|ent_5": True,
    }
    assert set(column(corpus, "pair", "same_community", "0").values()) == {True}
    assert set(column(corpus, "pair", "same_document").values()) == {True}
    alone = corpus_of_links(4, random_links(4, 8, seed=1))
    graph = type(alone.graph)(alone.graph.entities, alone.graph.relationships)
    emptied = HandMade(graph, alone.documents, alone.mentions)
    assert set(column(emptied, "pair", "same_community").values()) == {None}
