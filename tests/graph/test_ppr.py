"""Personalised PageRank against networkx, and by hand."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.graph.compiled import adjacency
from corpusgraph.tasks.graph.ppr import personalised_pagerank
from tests.examples import tried

Edge = tuple[int, int, float]


@st.composite
def weighted_graphs(draw: st.DrawFn) -> tuple[int, list[Edge], list[float]]:
    """Any multigraph of up to 8 nodes: self-loops, parallel edges, isolated nodes; and seed weights."""
    n = draw(st.integers(1, 8))
    node = st.integers(0, n - 1)
    edges = draw(st.lists(st.tuples(node, node, st.floats(0.1, 10)), max_size=20))
    seeds = draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=n, max_size=n))
    seeds[draw(node)] = 1.0
    return n, edges, seeds


def by_networkx(
    n: int, edges: list[Edge], seeds: list[float], damping: float, *, directed: bool
) -> dict[int, float]:
    graph = nx.MultiDiGraph() if directed else nx.MultiGraph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from(edges)
    personal = dict(enumerate(seeds))
    scores: dict[int, float] = nx.pagerank(
        graph, alpha=damping, personalization=personal, max_iter=1000, tol=1e-10, weight="weight"
    )
    return scores


def ours(
    n: int, edges: list[Edge], seeds: list[float], damping: float, *, directed: bool
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    source = np.array([e[0] for e in edges], dtype=np.int64)
    target = np.array([e[1] for e in edges], dtype=np.int64)
    weight = np.array([e[2] for e in edges], dtype=np.float64)
    matrix = adjacency(n, source, target, weight, directed=directed)
    return personalised_pagerank(matrix, np.array(seeds), damping=damping).scores


@given(weighted_graphs(), st.sampled_from([0.1, 0.5, 0.85]), st.booleans())
@settings(max_examples=tried(120), deadline=None)
def test_it_agrees_with_networkx(
    made: tuple[int, list[Edge], list[float]], damping: float, directed: bool
) -> None:
    n, edges, seeds = made
    expected = by_networkx(n, edges, seeds, damping, directed=directed)
    scores = ours(n, edges, seeds, damping, directed=directed)
    assert scores == pytest.approx([expected[i] for i in range(n)], abs=1e-6)
    assert scores.sum() == pytest.approx(1)


@given(weighted_graphs())
@settings(max_examples=tried(50), deadline=None)
def test_seeds_and_edges_scale_away(made: tuple[int, list[Edge], list[float]]) -> None:
    n, edges, seeds = made
    scaled = [(u, v, 4 * w) for u, v, w in edges]
    again = ours(n, scaled, [2 * s for s in seeds], 0.85, directed=False)
    assert again == pytest.approx(ours(n, edges, seeds, 0.85, directed=False), abs=1e-9)


def test_damping_is_the_probability_of_following_an_edge() -> None:
    """On a ring of 10, a walk that follows an edge one time in ten stays at its seed."""
    ring = [(i, (i + 1) % 10, 1.0) for i in range(10)]
    seeds = [1.0] + [0.0] * 9
    assert ours(10, ring, seeds, 0.1, directed=False)[0] == pytest.approx(0.905, abs=5e-4)
    assert ours(10, ring, seeds, 0.85, directed=False)[0] == pytest.approx(0.286, abs=5e-4)


def test_two_nodes_by_hand() -> None:
    """One edge, seed at one end: x = 0.15 + 0.85 y and y = 0.85 x, so x = 1 / 1.85."""
    scores = ours(2, [(0, 1, 3.0)], [1.0, 0.0], 0.85, directed=False)
    assert scores == pytest.approx([1 / 1.85, 0.85 / 1.85], abs=1e-6)


def test_an_empty_graph_has_no_scores() -> None:
    assert ours(0, [], [], 0.85, directed=False).shape == (0,)


@pytest.mark.parametrize("seeds", [[0.0, 0.0], [-1.0, 2.0], [float("nan"), 1.0], [float("inf"), 1.0]])
def test_bad_seeds_are_refused(seeds: list[float]) -> None:
    with pytest.raises(InvalidInputError, match="Seed weights"):
        ours(2, [(0, 1, 1.0)], seeds, 0.85, directed=False)


def test_too_few_iterations_are_told() -> None:
    none = np.array([], dtype=np.int64)
    matrix = adjacency(2, np.array([0]), np.array([1]), np.array([1.0]), directed=False)
    walk = personalised_pagerank(matrix, np.array([1.0, 0.0]), max_iterations=2)
    assert (walk.iterations, walk.converged) == (2, False)
    alone = personalised_pagerank(adjacency(1, none, none, np.array([]), directed=False), np.array([1.0]))
    assert alone.converged


def test_what_seeds_do_not_reach_has_no_score() -> None:
    scores = ours(5, [(0, 1, 1.0), (1, 2, 2.0), (3, 4, 1.0)], [1.0, 0, 0, 0, 0], 0.85, directed=False)
    assert (scores > 0).tolist() == [True, True, True, False, False]


def test_a_seed_without_edges_keeps_its_share() -> None:
    scores = ours(3, [(0, 1, 1.0)], [1.0, 0.0, 1.0], 0.85, directed=False)
    by_hand = by_networkx(3, [(0, 1, 1.0)], [1.0, 0.0, 1.0], 0.85, directed=False)
    assert scores == pytest.approx([by_hand[i] for i in range(3)], abs=1e-6)


@pytest.mark.parametrize("directed", [True, False])
def test_a_large_graph_agrees_with_networkx(directed: bool) -> None:
    rng = np.random.default_rng(5)
    n, m = 5_000, 140_000
    source, target = rng.integers(0, n, m) ** 2 // n, rng.integers(0, n, m)
    weight = rng.uniform(0.1, 5, m)
    edges = list(zip(source.tolist(), target.tolist(), weight.tolist(), strict=True))
    seeds = np.zeros(n)
    seeds[[3, 700, 4_000]] = [1, 2, 0.5]
    matrix = adjacency(n, source, target, weight, directed=directed)
    walk = personalised_pagerank(matrix, seeds)
    expected = by_networkx(n, edges, seeds.tolist(), 0.85, directed=directed)
    assert np.abs(walk.scores - np.array([expected[i] for i in range(n)])).sum() < 1e-6
    again = personalised_pagerank(matrix, seeds)
    assert walk.converged
    assert (again.scores == walk.scores).all()


def test_a_long_chain_needs_more_iterations_than_it_is_given() -> None:
    nodes = np.arange(400)
    matrix = adjacency(401, nodes, nodes + 1, np.ones(400), directed=False)
    seeds = np.zeros(401)
    seeds[0] = 1
    few = personalised_pagerank(matrix, seeds, damping=0.99, max_iterations=5)
    assert (few.iterations, few.converged) == (5, False)
    assert (few.scores >= 0).all()
    many = personalised_pagerank(matrix, seeds, damping=0.99, max_iterations=2000)
    assert many.converged
    assert many.scores.sum() == pytest.approx(1)
