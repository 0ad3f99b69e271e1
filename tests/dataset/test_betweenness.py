"""Betweenness against networkx."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.tasks.graph.centrality import betweenness
from tests.examples import tried


@given(st.integers(2, 30), st.floats(0.02, 0.6), st.integers(0, 10_000))
@settings(deadline=None, max_examples=tried(40))
def test_it_agrees_with_networkx(n: int, p: float, seed: int) -> None:
    graph = nx.gnp_random_graph(n, p, seed=seed)
    expected = nx.betweenness_centrality(graph, normalized=False)
    found = betweenness(nx.to_scipy_sparse_array(graph, nodelist=range(n)), np.arange(n))
    assert list(found) == pytest.approx([expected[node] for node in range(n)])


def test_an_estimate_is_near() -> None:
    graph = nx.barabasi_albert_graph(400, 2, seed=1)
    matrix = nx.to_scipy_sparse_array(graph, nodelist=range(400))
    exact = betweenness(matrix, np.arange(400))
    estimate = betweenness(matrix, np.random.default_rng(0).choice(400, 200, replace=False))
    assert np.corrcoef(exact, estimate)[0, 1] > 0.98
    assert estimate.sum() == pytest.approx(exact.sum(), rel=0.05)
