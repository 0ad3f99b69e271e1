"""Random frameworks to twelve arguments: the tool against the definitions and against another program."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.tasks.analysis.argument.framework import Framework
from corpusgraph.tasks.analysis.argument.semantics import SEMANTICS, extensions
from corpusgraph.tasks.analysis.argument.status import Reasons, speaks
from tests.argument.reference import Brute
from tests.examples import tried

Pairs = set[tuple[str, str]]
STATUS: dict[tuple[str, ...], str] = {("in",): "accepted", ("out",): "rejected"}


@st.composite
def networks(draw: st.DrawFn, most: int = 12) -> tuple[str, Pairs]:
    arguments = "abcdefghijkl"[: draw(st.integers(1, most))]
    pairs = st.tuples(st.sampled_from(arguments), st.sampled_from(arguments))
    return arguments, draw(st.sets(pairs, max_size=2 * len(arguments)))


@given(networks())
@settings(max_examples=tried(5), deadline=None)
def test_every_semantics_agrees_to_twelve_arguments(network: tuple[str, Pairs]) -> None:
    every_semantics_agrees(network)


@pytest.mark.faults
@given(networks())
@settings(max_examples=tried(100), deadline=None)
def test_every_semantics_agrees_on_many(network: tuple[str, Pairs]) -> None:
    every_semantics_agrees(network)


def every_semantics_agrees(network: tuple[str, Pairs]) -> None:
    """Compare all extensions and acceptance with those that a brute force finds."""
    arguments, attacks = network
    framework, brute = Framework.of(tuple(arguments), attacks), Brute(arguments, attacks)
    for semantics in SEMANTICS:
        expected = brute.extensions(semantics)
        answer = extensions(framework, semantics)
        assert set(answer) == expected, semantics
        assert answer.count == len(expected)
        assert set(answer.credulous()) == set().union(*expected)
        assert set(answer.sceptical()) == set(arguments).intersection(*expected)


@given(networks(7))
@settings(max_examples=tried(15), deadline=None)
def test_labels_and_reasons_follow_from_the_extensions(network: tuple[str, Pairs]) -> None:
    """Status, labels, attackers, defenders and cycles, each from the brute force's sets alone."""
    arguments, attacks = network
    framework, brute = Framework.of(tuple(arguments), attacks), Brute(arguments, attacks)
    for semantics in SEMANTICS:
        sets = brute.extensions(semantics)
        answer = extensions(framework, semantics)
        if not sets:
            assert not speaks(answer)
            continue
        reasons = Reasons(framework, semantics, answer)
        marks = {a: {brute.mark(s, a) for s in sets} for a in arguments}
        statuses = {a: STATUS.get(tuple(marks[a]), "undecided") for a in arguments}
        for at, claim in enumerate(arguments):
            told = reasons.standing(at)
            assert told.status == statuses[claim], semantics
            assert set(told.labels) == marks[claim]
            against = {a for a, b in attacks if b == claim}
            assert set(told.attackers) <= against
            if told.status == "accepted":
                assert set(told.attackers) == set(told.defenders) == against
                assert all((d, a) in attacks for a, by in told.defenders.items() for d in by)
            for one, by in zip(told.cycle, (*told.cycle[1:], *told.cycle[:1]), strict=True):
                assert (by, one) in attacks
                assert statuses[one] == "undecided"


@given(networks(12))
@settings(max_examples=tried(25), deadline=None)
def test_a_claim_left_open_by_a_complete_labelling_has_a_cycle_behind_it(network: tuple[str, Pairs]) -> None:
    arguments, attacks = network
    framework = Framework.of(tuple(arguments), attacks)
    reasons = Reasons(framework, "grounded", extensions(framework, "grounded"))
    told = [reasons.standing(at) for at in range(len(arguments))]
    assert all(one.cycle for one in told if one.status == "undecided")
    assert not any(one.cycle for one in told if one.status != "undecided")


@given(networks(12))
@settings(max_examples=tried(15), deadline=None)
def test_another_program_agrees(network: tuple[str, Pairs]) -> None:
    from pygarg.dung.solver import extension_enumeration

    arguments, attacks = network
    framework = Framework.of(tuple(arguments), attacks)
    for semantics, code in (
        ("complete", "CO"),
        ("preferred", "PR"),
        ("stable", "ST"),
        ("semi_stable", "SST"),
    ):
        theirs = extension_enumeration(list(arguments), [list(pair) for pair in sorted(attacks)], code)
        found, ours = {frozenset(s) for s in theirs}, set(extensions(framework, semantics))  # type: ignore[arg-type]
        if semantics == "semi_stable":  # of a -> c, a -> d, b -> b, c -> a, c -> b, d -> d it leaves {c} out
            assert found <= ours
        else:
            assert found == ours


@given(networks(9))
@settings(max_examples=tried(15), deadline=None)
def test_acceptance_without_a_list_of_the_sets_is_the_same(network: tuple[str, Pairs]) -> None:
    """What is asked of the solver where sets are too many, against the sets where they are not."""
    from corpusgraph.tasks.analysis.argument.semantics import WAYS
    from corpusgraph.tasks.analysis.argument.solver import Effort

    arguments, attacks = network
    framework, brute = Framework.of(tuple(arguments), attacks), Brute(arguments, attacks)
    for semantics, way in WAYS.items():
        if way.accept is None:
            continue
        sets = brute.extensions(semantics)
        known = way.accept(framework, Effort())
        if known is None or (semantics == "stable" and not sets):
            assert not brute.stable()
            continue
        assert known.some == set().union(*sets), semantics
        # the others are asked of the part that the grounded leaves open
        if semantics not in {"complete", "conflict_free", "admissible", "stage"}:
            assert known.every == set(arguments).intersection(*sets), semantics
            assert known.never == {a for a in arguments if all(a in brute.struck(s) for s in sets)}, semantics
