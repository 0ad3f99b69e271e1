"""Graphs of textbooks: our answers, the published ones, and the definitions taken literally."""

from itertools import combinations

import networkx as nx
import pytest

from corpusgraph.tasks.analysis.causal.dag import CausalGraph
from corpusgraph.tasks.analysis.causal.models import CausalModel, PrepareCausalModel
from corpusgraph.tasks.analysis.causal.structure import structure
from corpusgraph.tasks.tools.prepare import prepare_causal_model
from tests.causal import brute
from tests.causal.textbooks import LARGE, SMALL, Textbook
from tests.prepare.causal_graphs import ask


def posed(book: Textbook) -> PrepareCausalModel:
    asked = ask(
        book.nodes, book.edges, model_type="do_calculus", exposure=tuple(book.exposure.split()),
        outcome=tuple(book.outcome.split()),
    )  # fmt: skip
    held = book.adjusted.split()
    nodes = [node.model_copy(update={"adjusted": node.id in held}) for node in asked.entities]
    return asked.model_copy(update={"entities": tuple(nodes)})


def as_sets(some: tuple[tuple[str, ...], ...] | tuple[str, ...] | None) -> set[frozenset[str]]:
    assert some is not None
    return {frozenset(one.split() if isinstance(one, str) else one) for one in some}


def graph_of(book: Textbook) -> CausalGraph:
    return structure(posed(book)).graph


def answered(book: Textbook) -> CausalModel:
    return prepare_causal_model(posed(book)).data


def test_there_are_more_than_twenty() -> None:
    assert len({book.name for book in SMALL + LARGE}) > 30


@pytest.mark.parametrize("book", SMALL + LARGE, ids=lambda book: book.name)
def test_answers_are_those_in_print(book: Textbook) -> None:
    model = answered(book)
    if book.sets is not None:
        assert as_sets(model.minimal_adjustment_sets) == as_sets(book.sets)
    if book.front is not None:
        assert as_sets(book.front) <= as_sets(model.minimal_front_door_sets)
        assert bool(book.front) == bool(model.minimal_front_door_sets)
    if book.instruments is not None:
        found = {" ".join([i.instrument, *i.given]) for i in model.instruments or ()}
        assert found == set(book.instruments)
    if book.identifiable is not None:
        assert model.identifiable is book.identifiable
    assert model.identifiable is not False or not model.minimal_adjustment_sets


@pytest.mark.parametrize("book", SMALL, ids=lambda book: book.name)
def test_answers_are_those_of_the_definitions(book: Textbook) -> None:
    model, graph = answered(book), graph_of(book)
    x, y, held = set(book.exposure.split()), set(book.outcome.split()), frozenset(book.adjusted.split())
    assert as_sets(model.minimal_adjustment_sets) == brute.adjustment_sets(graph, x, y, held)
    assert as_sets(model.minimal_front_door_sets) == brute.front_door_sets(graph, x, y)
    if len(x) == len(y) == 1 and not held:
        assert {i.instrument for i in model.instruments or ()} == set(brute.instruments(graph, *x, *y))
    if not graph.latent:
        assert model.identifiable is not brute.has_hedge(graph, x, y)
    for one in model.implied_independencies:
        assert not brute.connected(graph, {one.x}, {one.y}, one.given)


def is_adjustment_set(graph: CausalGraph, x: str, y: str, chosen: set[str]) -> bool:
    """Tell by networkx whether a set satisfies the adjustment criterion for one exposure."""
    whole = nx.DiGraph(sorted(graph.canonical().arrows))
    causal = (nx.descendants(whole, x) & (nx.ancestors(whole, y) | {y})) | {y}
    spoilt = set().union(*(nx.descendants(whole, node) | {node} for node in causal))
    whole.remove_edges_from([(x, node) for node in causal])
    return not chosen & spoilt and bool(nx.is_d_separator(whole, {x}, {y}, chosen))


@pytest.mark.parametrize("book", [b for b in LARGE if not b.adjusted], ids=lambda book: book.name)
def test_sets_of_large_graphs_are_valid_and_minimal(book: Textbook) -> None:
    graph = graph_of(book)
    found = as_sets(answered(book).minimal_adjustment_sets)
    assert found
    for one in found:
        assert is_adjustment_set(graph, "x", "y", set(one))
        assert not any(is_adjustment_set(graph, "x", "y", set(one) - {node}) for node in one)
    others = [node for node in graph.observed if node not in "xy"]
    most = 4 if len(others) < 20 else 3
    few = (set(some) for size in range(most) for some in combinations(others, size))
    small = {frozenset(some) for some in few if is_adjustment_set(graph, "x", "y", some)}
    assert {one for one in small if not any(other < one for other in small)} == {
        one for one in found if len(one) < most
    }
