"""Adjustment, front-door, instruments and ID against textbooks, brute force and numeric models."""

from itertools import combinations, product

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.tasks.analysis.causal.dag import CausalGraph
from corpusgraph.tasks.analysis.causal.identification import (
    Query,
    adjustment_sets,
    front_door_sets,
    identify,
)
from corpusgraph.tasks.analysis.causal.models import Hedge
from corpusgraph.tasks.analysis.causal.tests import independencies
from tests.examples import tried
from tests.prepare.causal_graphs import BinaryModel, evaluate, query


@pytest.mark.parametrize(
    ("nodes", "edges", "sets"),
    [
        pytest.param("z x y", "z>x z>y x>y", [("z",)], id="confounding triangle"),
        pytest.param("x y", "x>y", [()], id="the empty set is valid"),
        pytest.param("x y", "x>y x<>y", [], id="bow: none exists"),
        pytest.param("x m y", "x>m m>y", [()], id="a mediator is not adjusted for"),
        pytest.param("x y c", "x>y x>c y>c", [()], id="nor is a collider"),
        pytest.param("a b m x y", "a>x a>m b>m b>y x>y", [()], id="M-bias"),
        pytest.param("a b m x y", "a>x a>m b>m b>y x>y m>x m>y", [("a", "m"), ("b", "m")], id="butterfly"),
        pytest.param("~u x m y", "u>x u>y x>m m>y", [], id="front-door graph"),
        pytest.param("~u z x y", "u>x u>z z>y x>y", [("z",)], id="latent cause, observed way"),
        pytest.param(
            "x1 x2 x3 x4 x5 x6 x y",
            "x1>x3 x1>x4 x2>x4 x2>x5 x3>x x4>x x4>y x5>y x>x6 x6>y",
            [("x1", "x4"), ("x2", "x4"), ("x3", "x4"), ("x4", "x5")],
            id="Pearl 1995, figure 4",
        ),
    ],
)
def test_minimal_adjustment_sets_of_textbooks(nodes: str, edges: str, sets: list[tuple[str, ...]]) -> None:
    found = query(nodes, edges).minimal_adjustment_sets
    assert found is not None
    assert sorted(tuple(sorted(s)) for s in found) == sorted(sets)


def test_front_door() -> None:
    model = query("~u x m y", "u>x u>y x>m m>y")
    assert model.minimal_front_door_sets == (("m",),)
    assert model.identified_by == "front_door"
    assert model.estimand == "P(y | do(x)) = Σ_{m} P(m | x) (Σ_{x'} P(y | x', m) P(x'))"


def test_napkin_needs_the_id_algorithm() -> None:
    model = query("w z x y", "w>z z>x x>y w<>x w<>y")
    assert model.minimal_adjustment_sets == ()
    assert model.minimal_front_door_sets == ()
    assert model.identified_by == "id"
    assert (
        model.estimand == "P(y | do(x)) = [Σ_{w} P(w) P(x | w, z) P(y | w, z, x)] / [Σ_{w} P(w) P(x | w, z)],"
        " for any value of z"
    )


@pytest.mark.parametrize(
    "edges",
    [
        "x>y x<>y",
        "x>z z>y x<>z",
        "x>z z>y x<>z z<>y",
        "x>z z>y x<>y z<>y",
        "z>x x>y x<>z z<>y",
        "z>x x>y x<>y",
    ],
)
def test_known_graphs_that_are_not_identifiable(edges: str) -> None:
    """Figure 3.9 of Pearl 2009 (a, b, c, d and the instrument), in nonparametric models."""
    nodes = sorted({end for edge in edges.split() for end in edge.replace("<", "").split(">")})
    model = query(" ".join(nodes), edges)
    assert model.identifiable is False
    assert model.hedge is not None
    assert set(model.hedge.inner) < set(model.hedge.forest)


def test_instrument_and_conditional_instrument() -> None:
    plain = query("z x y", "z>x x>y x<>y").instruments
    assert [(i.instrument, i.given) for i in plain or ()] == [("z", ())]
    conditional = query("w z x y", "w>z w>y z>x x>y x<>y").instruments
    assert [(i.instrument, i.given) for i in conditional or ()] == [("z", ("w",))]


def test_a_collider_implies_one_independence() -> None:
    model = query("x y c", "x>c y>c", "x", "y")
    assert [(i.x, i.y, i.given) for i in model.implied_independencies] == [("x", "y", ())]


@st.composite
def graphs(draw: st.DrawFn, most: int = 6) -> CausalGraph:
    nodes = tuple("abcdefgh"[: draw(st.integers(2, most))])
    pairs = list(combinations(nodes, 2))
    arrows = draw(st.sets(st.sampled_from(pairs)))
    both = draw(st.sets(st.sampled_from(pairs), max_size=3))
    hidden = draw(st.sets(st.sampled_from(nodes[1:-1]), max_size=1)) if len(nodes) > 2 else set()
    return CausalGraph(nodes, frozenset(arrows), frozenset(both), frozenset(hidden))


def _separated(graph: CausalGraph, left: set[str], right: set[str], given: set[str]) -> bool:
    directed = nx.DiGraph(sorted(graph.arrows))
    directed.add_nodes_from(graph.nodes)
    return bool(nx.is_d_separator(directed, left, right, given))


def _adjusts(graph: CausalGraph, chosen: set[str], x: str, y: str) -> bool:
    """Check the generalised adjustment criterion path by path, as it is written."""
    canonical = graph.canonical()
    directed = nx.DiGraph(sorted(canonical.arrows))
    directed.add_nodes_from(canonical.nodes)
    causal = {node for path in nx.all_simple_paths(directed, x, y) for node in path[1:]}
    if chosen & canonical.descendants(causal):
        return False
    proper = canonical.without({(x, node) for node in causal})
    return _separated(proper, {x}, {y}, chosen)


@given(graphs())
@settings(max_examples=tried(120), deadline=None)
def test_adjustment_sets_are_all_minimal_sets_of_the_criterion(graph: CausalGraph) -> None:
    x, y = graph.nodes[0], graph.nodes[-1]
    others = [node for node in graph.observed if node not in {x, y}]
    valid = [
        set(chosen)
        for size in range(len(others) + 1)
        for chosen in combinations(others, size)
        if _adjusts(graph, set(chosen), x, y)
    ]
    minimal = {frozenset(s) for s in valid if not any(t < s for t in valid)}
    found = adjustment_sets(Query(graph, frozenset({x}), frozenset({y}))).sets
    assert {frozenset(s) for s in found} == minimal
    assert len(found) == len(minimal)


@given(graphs(5), st.integers(0, 5))
@settings(max_examples=tried(60), deadline=None)
def test_the_formula_of_id_gives_the_effect_of_the_model(graph: CausalGraph, seed: int) -> None:
    x, y = graph.nodes[0], graph.nodes[-1]
    answer = identify(graph, {x}, {y})
    asked = Query(graph, frozenset({x}), frozenset({y}))
    if isinstance(answer, Hedge):
        assert not adjustment_sets(asked).sets
        assert not front_door_sets(asked).sets
        return
    assert answer is not None  # small graphs have a formula that can be shown
    model = BinaryModel(graph, seed)
    seen = model.joint({})
    for xv, yv in product((0, 1), repeat=2):
        truth = sum(p for key, p in model.joint({x: xv}).items() if key[model.seen.index(y)] == yv)
        world = {**dict.fromkeys(model.seen, 0), x: xv, y: yv}
        assert evaluate(answer, world, seen, model.seen) == pytest.approx(truth, abs=1e-9)


@given(graphs())
@settings(max_examples=tried(100), deadline=None)
def test_every_implied_independence_holds_and_every_missing_pair_is_dependent(graph: CausalGraph) -> None:
    canonical = graph.canonical()
    found, _ = independencies(graph)
    for a, b, cut in found:
        assert _separated(canonical, {a}, {b}, set(cut))
    for a, b in combinations(graph.observed, 2):
        if not any({a, b} == {i[0], i[1]} for i in found):
            others = [node for node in graph.observed if node not in {a, b}]
            subsets = (c for size in range(len(others) + 1) for c in combinations(others, size))
            assert not any(_separated(canonical, {a}, {b}, set(c)) for c in subsets)
