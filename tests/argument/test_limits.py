"""Large frameworks: what is not decided in the time allowed says so, the same on every machine."""

import random
import time

import networkx as nx
import pytest

from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.analysis.argument.framework import Framework
from corpusgraph.tasks.analysis.argument.models import ArgumentNetwork, PrepareArgumentNetwork
from corpusgraph.tasks.analysis.argument.semantics import extensions
from corpusgraph.tasks.analysis.argument.solver import STEPS_PER_SECOND, Effort, NotDecidedError
from corpusgraph.tasks.tools.prepare import prepare_argument_network

Pairs = list[tuple[str, str]]


def erdos_renyi(n: int, p: float, seed: int) -> tuple[list[str], Pairs]:
    graph = nx.gnp_random_graph(n, p, seed=seed, directed=True)
    return [f"c{i}" for i in range(n)], [(f"c{a}", f"c{b}") for a, b in graph.edges]


def barabasi(n: int, seed: int) -> tuple[list[str], Pairs]:
    """Each edge of a Barabási-Albert graph in a random direction, some in both, as in ICCMA's benchmarks."""
    chance = random.Random(seed)  # noqa: S311 - a graph, not a secret
    pairs: Pairs = []
    for a, b in nx.barabasi_albert_graph(n, 2, seed=seed).edges:
        pairs.append((f"c{a}", f"c{b}") if chance.random() < 0.5 else (f"c{b}", f"c{a}"))
        if chance.random() < 0.3:
            pairs.append(pairs[-1][::-1])
    return [f"c{i}" for i in range(n)], pairs


def run(network: tuple[list[str], Pairs], **more: object) -> Noted[ArgumentNetwork]:
    fields = {"claims": [], "arguments": network[0], "attacks": network[1], **more}
    return prepare_argument_network(PrepareArgumentNetwork.model_validate(fields))


def test_what_is_not_decided_is_named_and_nothing_is_said_of_it() -> None:
    noted = run(erdos_renyi(300, 0.02, 1), semantics=["grounded", "preferred", "stage"], time_limit=0.001)
    left = next(w for w in noted.warnings if w.code == "not_decided")
    assert set(left.records) == set(noted.data.not_decided) == {"preferred", "stage"}
    assert noted.data.extensions.preferred is None
    assert set(noted.data.acceptance) == set(noted.data.labels) == {"grounded"}
    assert {s.semantics for s in noted.data.statuses[0].standings} == {"grounded"}


def test_the_limit_is_counted_in_steps_so_that_two_runs_leave_the_same_open() -> None:
    network = erdos_renyi(200, 0.05, 3)
    answers = [run(network, semantics=["preferred", "stable"], time_limit=0.05) for _ in range(2)]
    assert answers[0] == answers[1]


def test_no_more_steps_are_made_than_allowed() -> None:
    names, pairs = erdos_renyi(300, 0.05, 1)
    effort = Effort(0.2)
    with pytest.raises(NotDecidedError):
        extensions(Framework.of(names, pairs), "stage", effort)
    assert effort.left is not None
    assert effort.left > -STEPS_PER_SECOND / 3, "the solver looks at its budget when it restarts"


@pytest.mark.faults
@pytest.mark.parametrize(("n", "p"), [(300, 0.1), (1_000, 0.005), (1_000, 0.05)])
def test_the_limit_is_about_as_many_seconds_of_work(n: int, p: float) -> None:
    """Sparse or dense: what is left open was worked on for about the time allowed."""
    network = erdos_renyi(n, p, 1)
    began = time.process_time()
    assert run(network, semantics=["preferred"], time_limit=3, explain=False).data.not_decided
    assert 0.5 < time.process_time() - began < 9


@pytest.mark.parametrize("n", [200, 400])
def test_preferred_and_stable_extensions_of_generated_instances(n: int) -> None:
    """Maximal, admissible, and with the same acceptance by another program's encoding."""
    from pygarg.dung.solver import credulous_acceptability

    names, pairs = barabasi(n, seed=n)
    noted = run((names, pairs), semantics=["preferred", "stable"], time_limit=0.5)
    assert not noted.data.not_decided
    told = noted.data.acceptance["stable"].credulous
    for name in names[:: n // 5]:
        theirs, _ = credulous_acceptability(names, [list(p) for p in pairs], name, "ST")
        assert theirs == (name in told)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("corpusgraph.tasks.analysis.argument.semantics.MAX_PER_PART", 50)


@pytest.mark.usefixtures("few")
def test_acceptance_is_known_where_extensions_are_too_many() -> None:
    """Seven dilemmas in one part have 2^7 preferred extensions: none is listed, acceptance is exact."""
    n = 7
    names = [f"{kind}{i}" for kind in ("yes", "no") for i in range(n)] + ["hub"]
    pairs = [p for i in range(n) for p in ((f"yes{i}", f"no{i}"), (f"no{i}", f"yes{i}"))]
    pairs += [(f"yes{i}", "hub") for i in range(n)] + [("no0", "hub")]
    noted = run((names, pairs), semantics=["preferred", "stable", "semi_stable", "eager", "complete"])
    warned = {r for w in noted.warnings if w.code == "too_many_extensions" for r in w.records}
    assert warned == {"preferred", "stable", "semi_stable", "complete"}
    for semantics in ("preferred", "stable", "semi_stable"):
        told = noted.data.acceptance[semantics]
        assert set(told.credulous) == set(names) - {"hub"}
        assert told.sceptical == ()
        assert noted.data.labels[semantics].rejected == ("hub",)
    assert noted.data.extensions.eager == ()
    assert not noted.data.not_decided


@pytest.mark.usefixtures("few")
def test_sceptical_acceptance_where_extensions_are_too_many() -> None:
    """A claim that each side of the first dilemma defends is in all of 2^40 extensions."""
    n = 40
    names = [f"{kind}{i}" for kind in ("yes", "no") for i in range(n)] + ["foe", "friend"]
    pairs = [p for i in range(n) for p in ((f"yes{i}", f"no{i}"), (f"no{i}", f"yes{i}"))]
    pairs += [(f"yes{i}", "foe") for i in range(n)] + [("no0", "foe"), ("foe", "friend")]
    told = run((names, pairs), semantics=["preferred", "stable"])
    for semantics in ("preferred", "stable"):
        assert told.data.acceptance[semantics].sceptical == ("friend",)
        why = {s.semantics: s for s in told.data.statuses[-1].standings}[semantics]
        assert why.status == "accepted"
        assert "or" in why.why


def test_reasons_of_a_very_large_network_are_given_on_request() -> None:
    names = [f"c{i}" for i in range(3_000)]
    network = (names, [(a, b) for a in names[:100] for b in names[100:]])
    noted = run(network, semantics=["grounded"])
    assert noted.data.statuses == ()
    assert ("statuses",) in [w.records for w in noted.warnings if w.code == "list_cut"]
    assert len(run((names, []), semantics=["grounded"], explain=True).data.statuses) == 3_000
    assert run((["a"], []), explain=False).data.statuses == ()
