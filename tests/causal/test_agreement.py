"""Random graphs of 7 nodes with latent causes: our answers and those of the definitions, path by path."""

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.tasks.analysis.causal.dag import CausalGraph
from corpusgraph.tasks.analysis.causal.identification import (
    Query,
    adjustment_sets,
    front_door_sets,
    identify,
    instruments,
)
from corpusgraph.tasks.analysis.causal.models import Hedge
from corpusgraph.tasks.analysis.causal.tests import basis
from tests.causal import brute
from tests.examples import tried

NODES = tuple("abcdefg")
SOME = settings(max_examples=tried(60), deadline=None)


@st.composite
def graphs(draw: st.DrawFn, latent: int = 1, most: int = 11) -> CausalGraph:
    """Draw an acyclic graph of seven nodes, their names in no causal order."""
    order = draw(st.permutations(NODES))
    pairs = list(combinations(order, 2))
    arrows = draw(st.sets(st.sampled_from(pairs), min_size=4, max_size=most))
    both = draw(st.sets(st.sampled_from(pairs), max_size=4))
    hidden = draw(st.sets(st.sampled_from(NODES), max_size=latent))
    joined = frozenset((min(pair), max(pair)) for pair in both)
    return CausalGraph(NODES, frozenset(arrows), joined, frozenset(hidden))


def groups(count: int) -> st.SearchStrategy[tuple[set[str], ...]]:
    """Draw disjoint groups: the first two have one or two members, the others up to two."""

    def split(order: list[str], sizes: list[int]) -> tuple[set[str], ...]:
        ends = [sum(sizes[: at + 1]) for at in range(count)]
        return tuple(set(order[end - size : end]) for end, size in zip(ends, sizes, strict=True))

    low = [1, 1, *([0] * (count - 2))]
    sizes = st.tuples(*(st.integers(at, at + 1) for at in low)).map(list)
    return st.builds(split, st.permutations(NODES), sizes)


@given(graphs(), groups(3))
@SOME
def test_separation_is_that_of_the_paths(graph: CausalGraph, some: tuple[set[str], ...]) -> None:
    left, right, given_ = some
    whole = graph.canonical()
    expected = brute.connected(graph, left, right, given_)
    assert whole.separated(left, right, given_) is not expected
    assert bool(whole.connected(left, given_) & right) is expected


@given(graphs(), groups(3))
@SOME
def test_adjustment_sets_are_those_of_the_criterion(graph: CausalGraph, some: tuple[set[str], ...]) -> None:
    x, y, adjusted = some
    held = frozenset(adjusted - graph.latent)
    found = adjustment_sets(Query(graph, frozenset(x), frozenset(y), held))
    assert {frozenset(one) for one in found.sets} == brute.adjustment_sets(graph, x, y, held)
    assert found.complete
    assert len(set(found.sets)) == len(found.sets)


@given(graphs(most=9), groups(2))
@SOME
def test_front_door_sets_are_those_of_the_criterion(graph: CausalGraph, some: tuple[set[str], ...]) -> None:
    x, y = some
    found = front_door_sets(Query(graph, frozenset(x), frozenset(y)))
    assert {frozenset(one) for one in found.sets} == brute.front_door_sets(graph, x, y)
    assert found.complete


@given(graphs(most=9), st.permutations(NODES))
@SOME
def test_instruments_are_those_of_the_criterion(graph: CausalGraph, order: list[str]) -> None:
    x, y = order[:2]
    found = instruments(Query(graph, frozenset({x}), frozenset({y})))
    allowed = brute.instruments(graph, x, y)
    assert {node for node, _ in found} == allowed.keys()
    assert all(frozenset(given_) in allowed[node] for node, given_ in found)


@given(graphs(latent=0), groups(2))
@SOME
def test_an_effect_is_identifiable_exactly_where_there_is_no_hedge(
    graph: CausalGraph, some: tuple[set[str], ...]
) -> None:
    x, y = some
    answer = identify(graph, x, y)
    assert isinstance(answer, Hedge) is brute.has_hedge(graph, x, y)
    if isinstance(answer, Hedge):
        assert set(answer.inner) < set(answer.forest)
        assert set(answer.forest) & x
        assert not set(answer.inner) & x


@given(graphs(latent=0))
@SOME
def test_the_basis_set_is_the_ordered_local_markov_property(graph: CausalGraph) -> None:
    found = [(node, frozenset(others), frozenset(given_)) for node, others, given_ in basis(graph)]
    assert len(set(found)) == len(found)
    assert set(found) == brute.markov_statements(graph, graph.order())


@given(graphs())
@settings(max_examples=tried(25), deadline=None)
def test_what_the_basis_set_says_holds(graph: CausalGraph) -> None:
    for node, others, given_ in basis(graph):
        assert not {node, *others, *given_} & graph.latent
        assert not brute.connected(graph, {node}, others, given_)
