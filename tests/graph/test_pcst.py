"""Prize-collecting Steiner trees against all connected subgraphs of small graphs."""

import random
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.tasks.graph.paths import Links, linked
from corpusgraph.tasks.graph.steiner import PrizedEdge, Pruning, Tree, prize_collecting_tree
from tests.examples import tried
from tests.graph.randomgraphs import Made, view

Case = tuple[Made, list[float], dict[int, float], list[PrizedEdge]]


def case(seed: int) -> Case:
    """Return a random graph, the cost of each edge, prizes of nodes, and edges with prizes."""
    dice = random.Random(seed)  # noqa: S311  a test's dice
    n, m = dice.randint(1, 6), dice.randint(0, 8)
    edges = [(dice.randrange(n), dice.randrange(n), 1.0) for _ in range(m)]
    cost = [dice.choice([0.3, 0.5, 0.5, 1.0, 2.0]) for _ in edges]
    prizes = {i: dice.choice([0.0, 0.4, 1.0, 2.0, 3.0]) for i in range(n)}
    rich = [
        PrizedEdge(i, u, v, dice.choice([0.2, 0.5, 1.0, 2.0]))
        for i, (u, v, _) in enumerate(edges)
        if u != v and dice.random() < 0.3
    ]
    return (n, edges), cost, prizes, rich


def solve(made: Case, pruning: Pruning) -> Tree:
    graph, cost, prizes, rich = made
    at = view(graph)
    links = linked(at, parallel=True)
    priced = Links(links.start, links.node, links.edge, np.array(cost)[links.edge])
    return prize_collecting_tree(priced, prizes, rich, pruning)


def objective(made: Case, nodes: set[int], edges: set[int]) -> float:
    """Return the cost of the edges less their prizes, with all prizes that are left out."""
    _, cost, prizes, rich = made
    prize = {edge.edge: edge.prize for edge in rich}
    paid = sum(max(cost[e] - prize.get(e, 0.0), 0.0) for e in edges)
    missed = sum(max(prize[e] - cost[e], 0.0) for e in prize if e not in edges)
    return paid + missed + sum(p for node, p in prizes.items() if node not in nodes)


def least(made: Case) -> float:
    (n, edges), _, _, _ = made
    usable = [i for i, (u, v, _) in enumerate(edges) if u != v]
    best = min(objective(made, {node}, set()) for node in range(n))
    for size in range(1, len(usable) + 1):
        for some in combinations(usable, size):
            graph = nx.MultiGraph(edges[i][:2] for i in some)
            if nx.is_connected(graph):
                best = min(best, objective(made, set(graph), set(some)))
    return best


@pytest.mark.parametrize("pruning", ["gw", "strong"])
@given(seed=st.integers(0, 100_000))
@settings(max_examples=tried(150), deadline=None)
def test_it_is_within_twice_the_best(pruning: Pruning, seed: int) -> None:
    made = case(seed)
    tree = solve(made, pruning)
    if any(made[2].values()):
        joined = nx.MultiGraph(made[0][1][edge][:2] for edge in tree.edges)
        joined.add_nodes_from(tree.nodes)
        assert nx.is_connected(joined)
        assert set(joined) == set(tree.nodes)
        assert objective(made, set(tree.nodes), set(tree.edges)) <= 2 * least(made) + 1e-9


@given(st.integers(0, 100_000))
@settings(max_examples=tried(60), deadline=None)
def test_strong_pruning_is_worth_no_less_than_gw(seed: int) -> None:
    gw, strong = (solve(case(seed), pruning) for pruning in PRUNINGS)
    assert strong.prize - strong.cost >= gw.prize - gw.cost - 1e-9


PRUNINGS: tuple[Pruning, ...] = ("gw", "strong")
LINE: Made = (4, [(0, 1, 1.0), (1, 2, 1.0), (2, 3, 1.0)])


def test_a_prize_worth_its_way_is_fetched_and_another_is_not() -> None:
    assert solve((LINE, [0.5] * 3, {0: 2.0, 2: 2.0, 3: 0.1}, []), "strong").edges == (0, 1)
    assert solve((LINE, [0.5] * 3, {0: 2.0, 2: 0.2}, []), "gw").nodes == (0,)


def test_the_prize_of_an_edge_is_counted_and_draws_the_tree() -> None:
    """A detour over an edge with a prize beats a shorter way."""
    square: Made = (4, [(0, 1, 1.0), (0, 2, 1.0), (2, 3, 1.0), (3, 1, 1.0)])
    made: Case = (square, [1.2, 0.5, 0.5, 0.5], {0: 3.0, 1: 3.0}, [PrizedEdge(2, 2, 3, 5.0)])
    tree = solve(made, "gw")
    assert tree.edges == (1, 2, 3)
    assert (tree.prize, tree.cost) == (11.0, 1.5)


def test_without_a_prize_there_is_no_tree() -> None:
    assert solve((LINE, [0.5] * 3, {}, []), "gw") == Tree((), (), 0.0, 0.0)
