"""Causal graphs of hundreds and thousands of nodes answer in seconds; long lists are cut and said to be."""

import random
import time
from itertools import pairwise

import pytest

from corpusgraph.tasks.analysis.causal.dag import CausalGraph
from corpusgraph.tasks.analysis.causal.identification import identify
from corpusgraph.tasks.analysis.causal.models import Hedge
from corpusgraph.tasks.tools.prepare import prepare_causal_model
from tests.prepare.causal_graphs import ask

pytestmark = pytest.mark.external


def graph(size: int, arrows: int, both: int) -> str:
    """Return edges drawn without regard to anything but the order of the nodes."""
    draw = random.Random(1)  # noqa: S311
    pairs = {tuple(sorted(draw.sample(range(size), 2))) for _ in range(arrows)}
    joined = {tuple(sorted(draw.sample(range(size), 2))) for _ in range(both)}
    return " ".join([f"v{a}>v{b}" for a, b in sorted(pairs)] + [f"v{a}<>v{b}" for a, b in sorted(joined)])


@pytest.mark.parametrize(
    ("size", "arrows", "both", "cut"),
    [(500, 750, 0, False), (500, 1500, 200, True), (2000, 4000, 0, False), (2000, 6000, 1000, False)],
)
def test_every_answer_about_a_large_graph_takes_seconds(size: int, arrows: int, both: int, cut: bool) -> None:
    nodes = " ".join(f"v{n}" for n in range(size))
    asked = ask(nodes, graph(size, arrows, both), model_type="do_calculus", exposure=f"v{size // 3}",
                outcome=f"v{size - 3}")  # fmt: skip
    start = time.process_time()
    noted = prepare_causal_model(asked)
    assert time.process_time() - start < 10
    assert noted.data.identifiable is not None
    told = [w.message for w in noted.warnings if "adjustment sets was cut" in w.message]
    assert bool(told) is cut


def test_hundreds_of_confounded_nodes_are_identified_in_seconds() -> None:
    """A napkin whose first node is a chain of 300, confounded two by two; and the same with a hedge."""
    chain = [f"w{n}" for n in range(300)]
    nodes = (*chain, "z", "x", "y")
    steps = list(pairwise(nodes))
    both = set(pairwise(chain)) | {("w0", "x"), ("w0", "y")}
    joined = frozenset((min(pair), max(pair)) for pair in both)
    start = time.process_time()
    assert not isinstance(identify(CausalGraph(nodes, frozenset(steps), joined), {"x"}, {"y"}), Hedge)
    hedged = CausalGraph(nodes, frozenset(steps), joined | {("x", "y")})
    assert isinstance(identify(hedged, {"x"}, {"y"}), Hedge)
    assert time.process_time() - start < 10
