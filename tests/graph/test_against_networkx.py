"""Walks, paths, trees, centralities and aggregations against networkx and numpy, on any small graph."""

from itertools import chain, combinations, islice

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from corpusgraph.tasks.graph.centrality import betweenness, components, pagerank, sampled
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.graph.paths import Direction, Order, hops, linked, simple_paths
from corpusgraph.tasks.graph.ppr import personalised_pagerank
from corpusgraph.tasks.graph.steiner import Forest, steiner_forest
from corpusgraph.tasks.registry import TOOLS, load
from tests.examples import tried
from tests.graph.randomgraphs import Made, cheapest, generic, multigraphs, name, view

load()
many = settings(max_examples=tried(100), deadline=None)


def multi(made: Made, *, directed: bool) -> "nx.MultiGraph":
    n, edges = made
    graph = nx.MultiDiGraph() if directed else nx.MultiGraph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from(edges)
    return graph


@given(multigraphs(least=1), st.booleans(), st.sampled_from([0.5, 0.85]))
@many
def test_personalised_pagerank(made: Made, directed: bool, damping: float) -> None:
    reset = np.zeros(made[0])
    reset[0] = 1.0
    matrix = compiled(view(made)).adjacency(directed=directed)
    expected = nx.pagerank(
        multi(made, directed=directed), damping, personalization={0: 1.0}, max_iter=1000, tol=1e-12
    )
    found = personalised_pagerank(matrix, reset, damping=damping).scores
    assert found == pytest.approx([expected[i] for i in range(made[0])], abs=1e-5)


@given(multigraphs(), st.booleans())
@many
def test_pagerank(made: Made, directed: bool) -> None:
    expected = nx.pagerank(multi(made, directed=directed), 0.85, max_iter=1000, tol=1e-12)
    found = pagerank(compiled(view(made)).adjacency(directed=directed)).scores
    assert found == pytest.approx([expected[i] for i in range(made[0])], abs=1e-5)


@given(multigraphs(least=1), st.integers(0, 4))
@many
def test_hops(made: Made, limit: int) -> None:
    expected = nx.single_source_shortest_path_length(multi(made, directed=False), 0, cutoff=limit)
    found = hops(compiled(view(made)), [0], limit)
    assert found.tolist() == [expected.get(i, -1) for i in range(made[0])]


@given(multigraphs(least=2), st.booleans(), st.integers(1, 5), st.sampled_from(["hops", "cost"]))
@many
def test_simple_paths_in_order(made: Made, directed: bool, most: int, order: Order) -> None:
    graph = cheapest(made, directed=directed)
    rows = []
    for path in nx.all_simple_paths(graph, 0, 1, cutoff=most):
        cost = round(nx.path_weight(graph, path, "cost"), 9)
        rows.append(((len(path) - 1, cost) if order == "hops" else (cost, len(path) - 1), tuple(path)))
    forward: Direction = "out" if directed else "both"
    back: Direction = "in" if directed else "both"
    at = view(made)
    found = simple_paths(linked(at, forward), linked(at, back), 0, 1, most, order)
    got = [((round(r.key[0], 9), round(r.key[1], 9)), r.nodes) for r in found]
    assert got == sorted(rows)


@given(generic(least=2), st.integers(1, 6))
@many
def test_k_shortest_simple_paths(made: Made, k: int) -> None:
    graph = cheapest(made)
    expected = []
    if nx.has_path(graph, 0, 1):
        expected = list(islice(nx.shortest_simple_paths(graph, 0, 1, weight="cost"), k))
    links = linked(view(made))
    found = [list(r.nodes) for r in islice(simple_paths(links, links, 0, 1, made[0], "cost"), k)]
    assert found == expected


def tree_of(forest: Forest, made: Made) -> "nx.Graph":
    graph = nx.Graph()
    graph.add_nodes_from(forest.nodes)
    graph.add_edges_from(made[1][edge][:2] for edge in forest.edges)
    return graph


def least_cost(graph: "nx.Graph", terminals: list[int]) -> tuple[float, int]:
    """Return what the best Steiner tree costs, and how many leaves it has, by trying all sets of nodes."""
    best = (float("inf"), 0)
    others = sorted(set(graph) - set(terminals))
    for extra in chain.from_iterable(combinations(others, r) for r in range(len(others) + 1)):
        part = graph.subgraph([*terminals, *extra])
        if nx.is_connected(part):
            tree = nx.minimum_spanning_tree(part, weight="cost")
            leaves = sum(degree == 1 for _, degree in tree.degree())
            best = min(best, (tree.size("cost"), leaves))
    return best


@given(generic(least=2, most=8), st.integers(1, 5))
@many
def test_steiner_joins_all_it_can_within_twice_the_least_cost(made: Made, k: int) -> None:
    at, terminals = view(made), list(range(min(k, made[0])))
    graph = cheapest(made)
    forest = steiner_forest(linked(at), terminals, components(compiled(at)))
    tree = tree_of(forest, made)
    assert nx.is_forest(tree)
    assert sorted(chain.from_iterable(forest.groups)) == terminals
    for group in forest.groups:
        home = nx.node_connected_component(graph, group[0])
        assert set(group) == home & set(terminals)
        assert set(group) <= nx.node_connected_component(tree, group[0])
        assert len(nx.node_connected_component(tree, group[0]) & set(terminals)) == len(group)
    home = nx.node_connected_component(graph, terminals[0])
    assume(set(terminals) <= home)
    least, leaves = least_cost(graph.subgraph(home).copy(), terminals)
    assert least - 1e-9 <= forest.cost <= 2 * (1 - 1 / max(leaves, 2)) * least + 1e-9


@given(generic(least=2, most=9), st.integers(2, 6))
@many
def test_steiner_costs_what_networkx_finds(made: Made, k: int) -> None:
    at, terminals = view(made), list(range(min(k, made[0])))
    graph = cheapest(made)
    home = nx.node_connected_component(graph, 0)
    assume(set(terminals) <= home)
    forest = steiner_forest(linked(at), terminals, components(compiled(at)))
    for algorithm in ("mehlhorn", "kou"):
        expected = nx.algorithms.approximation.steiner_tree(
            graph.subgraph(home).copy(), terminals, weight="cost", method=algorithm
        )
        assert forest.cost == pytest.approx(expected.size("cost"))


@given(multigraphs())
@many
def test_components(made: Made) -> None:
    found = components(compiled(view(made)))
    expected = sorted(nx.connected_components(multi(made, directed=False)), key=min)
    assert [set(np.flatnonzero(found == i).tolist()) for i in range(len(expected))] == expected
    assert len(found) == made[0]


@given(multigraphs(), st.booleans())
@many
def test_betweenness(made: Made, directed: bool) -> None:
    graph = cheapest(made, directed=directed)
    matrix = nx.to_scipy_sparse_array(graph, range(made[0]), weight=None) if made[0] else csr_array((0, 0))
    found = betweenness(matrix, sampled(made[0], made[0]), directed=directed)
    expected = nx.betweenness_centrality(graph, normalized=False)
    assert list(found) == pytest.approx([expected[i] for i in range(made[0])])


def test_sampled_betweenness_is_near_and_the_same_each_time() -> None:
    graph = nx.barabasi_albert_graph(400, 2, seed=1)
    matrix = nx.to_scipy_sparse_array(graph, range(400), weight=None)
    exact, some = betweenness(matrix, sampled(400, 400)), betweenness(matrix, sampled(400, 200))
    assert np.corrcoef(exact, some)[0, 1] > 0.98
    assert some.sum() == pytest.approx(exact.sum(), rel=0.05)
    assert sampled(400, 200).tolist() == sampled(400, 200).tolist()


@given(multigraphs(least=1), st.data())
@many
def test_relationship_scores_are_the_incidence_product(made: Made, data: st.DataObject) -> None:
    """r = E2R^T p, with an entity once at the end of a self-loop."""
    p = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=made[0], max_size=made[0]))
    e2r = np.zeros((made[0], len(made[1])))
    for i, (u, v, _) in enumerate(made[1]):
        e2r[[u, v], i] = 1.0
    expected = {f"r{i:02d}": s for i, s in enumerate(e2r.T @ p) if s > 0}
    arguments = {"entity_scores": {name(i): s for i, s in enumerate(p)}, "top_k": 100}
    found = TOOLS["relationship_score_aggregate"].run(arguments, {"graph": view(made)}).data
    assert {hit.item.id: hit.score for hit in found} == pytest.approx(expected)
    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


@given(multigraphs(least=1).filter(lambda made: bool(made[1])), st.data())
@many
def test_chunk_scores_are_the_incidence_product(made: Made, data: st.DataObject) -> None:
    """c = R2C^T r."""
    m = len(made[1])
    states = data.draw(st.lists(st.sets(st.integers(0, m - 1)), min_size=1, max_size=5))
    assume(any(states))
    r = data.draw(st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=m, max_size=m))
    r2c = np.zeros((m, len(states)))
    for c, its in enumerate(states):
        r2c[sorted(its), c] = 1.0
    expected = {f"c{c}": s for c, s in enumerate(r2c.T @ r) if s > 0}
    graph = view(made, {c: sorted(its) for c, its in enumerate(states)})
    arguments = {"relationship_scores": {f"r{i:02d}": s for i, s in enumerate(r)}, "top_k": 100}
    found = TOOLS["chunk_score_aggregate"].run(arguments, {"graph": graph}).data
    assert {hit.item.id: hit.score for hit in found} == pytest.approx(expected)
