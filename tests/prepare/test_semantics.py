"""Extensions against textbook frameworks and against all subsets of random ones."""

from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.tasks.analysis.argument.framework import ACCEPTED, REJECTED, Framework
from corpusgraph.tasks.analysis.argument.semantics import SEMANTICS, Semantics, extensions
from tests.examples import tried

Set = frozenset[str]


def framework(arguments: str, attacks: str) -> Framework:
    """Build from shorthand: `ab ba` is a and b attacking each other."""
    return Framework.of(tuple(arguments), frozenset((pair[0], pair[1]) for pair in attacks.split()))


def found(of: Framework, semantics: Semantics) -> set[Set]:
    answer = extensions(of, semantics)
    return set(answer)


def brute(of: Framework, semantics: Semantics) -> set[Set]:
    """Apply the definitions of Baroni, Caminada & Giacomin 2011 to every subset."""
    subsets = [frozenset(c) for n in range(len(of.arguments) + 1) for c in combinations(of.arguments, n)]
    free = {s for s in subsets if not any(a in s and b in s for a, b in of.attacks)}

    def struck(s: Set) -> Set:
        return frozenset(b for a, b in of.attacks if a in s)

    def defends(s: Set, a: str) -> bool:
        return all(b in struck(s) for b, hit in of.attacks if hit == a)

    def top(sets: set[Set], key: dict[Set, Set]) -> set[Set]:
        return {s for s in sets if not any(key[s] < key[t] for t in sets)}

    ranges = {s: s | struck(s) for s in subsets}
    same = {s: s for s in subsets}
    admissible = {s for s in free if all(defends(s, a) for a in s)}
    complete = {s for s in admissible if all(a in s for a in of.arguments if defends(s, a))}
    preferred, semi_stable = top(admissible, same), top(complete, ranges)
    return {
        "conflict_free": free,
        "admissible": admissible,
        "grounded": {min(complete, key=len)},
        "complete": complete,
        "preferred": preferred,
        "stable": {s for s in free if ranges[s] == set(of.arguments)},
        "semi_stable": semi_stable,
        "stage": top(free, ranges),
        "ideal": top({s for s in admissible if s <= frozenset.intersection(*preferred)}, same),
        "eager": top({s for s in admissible if s <= frozenset.intersection(*semi_stable)}, same),
    }[semantics]


@st.composite
def frameworks(draw: st.DrawFn) -> Framework:
    arguments = "abcdefgh"[: draw(st.integers(1, 8))]
    pairs = st.tuples(st.sampled_from(arguments), st.sampled_from(arguments))
    return Framework.of(tuple(arguments), frozenset(draw(st.sets(pairs, max_size=14))))


@given(frameworks())
@settings(max_examples=tried(25), deadline=None)
def test_every_semantics_agrees_with_its_definition(of: Framework) -> None:
    for semantics in SEMANTICS:
        expected = brute(of, semantics)
        assert found(of, semantics) == expected, semantics
        answer = extensions(of, semantics)
        assert answer.count == len(expected)
        assert frozenset(answer.credulous()) == frozenset().union(*expected)
        everything = frozenset(of.arguments)
        assert frozenset(answer.sceptical()) == everything.intersection(*expected)


@pytest.mark.parametrize(
    ("of", "semantics", "expected"),
    [
        # Nixon is a quaker and a republican: two views that attack each other
        (framework("ab", "ab ba"), "grounded", {""}),
        (framework("ab", "ab ba"), "preferred", {"a", "b"}),
        (framework("ab", "ab ba"), "stable", {"a", "b"}),
        # an odd cycle has no stable extension
        (framework("abc", "ab bc ca"), "preferred", {""}),
        (framework("abc", "ab bc ca"), "stable", set()),
        (framework("abc", "ab bc ca"), "stage", {"a", "b", "c"}),
        # reinstatement
        (framework("abc", "ab bc"), "grounded", {"ac"}),
        # Dung 1995, example 1: who speaks last, blocks
        (framework("abc", "ab ba ca"), "grounded", {"bc"}),
        # Caminada 2006: semi-stable where stable does not exist
        (framework("abc", "ab ba bc cc"), "semi_stable", {"b"}),
        (framework("abcde", "ab ba bc cd de ec"), "preferred", {"a", "bd"}),
        (framework("abcde", "ab ba bc cd de ec"), "semi_stable", {"bd"}),
        (framework("abcde", "ab ba bc cd de ec"), "ideal", {""}),
        (framework("abcde", "ab ba bc cd de ec"), "eager", {"bd"}),
        # floating acceptance: d is in both preferred extensions and not in the grounded one
        (framework("abcd", "ab ba ac bc cd"), "preferred", {"ad", "bd"}),
        (framework("abcd", "ab ba ac bc cd"), "grounded", {""}),
        (framework("a", "aa"), "preferred", {""}),
    ],
)
def test_textbook_frameworks(of: Framework, semantics: Semantics, expected: set[str]) -> None:
    assert found(of, semantics) == {frozenset(s) for s in expected}


def test_forty_dilemmas_are_counted_without_listing_them() -> None:
    pairs = [(f"yes{i}", f"no{i}") for i in range(40)]
    of = Framework.of(
        tuple(a for pair in pairs for a in pair), frozenset(pairs) | frozenset((b, a) for a, b in pairs)
    )
    answer = extensions(of, "preferred")
    assert answer.count == 2**40
    assert len(answer.listed()) == 1000
    assert frozenset(answer.credulous()) == frozenset(of.arguments)
    assert frozenset(answer.sceptical()) == frozenset()


def test_the_grounded_labelling_of_a_long_chain_is_quick() -> None:
    names = tuple(f"a{i:05d}" for i in range(20_000))
    of = Framework.of(names, frozenset(pairwise(names)))
    marks = of.grounded.tolist()
    assert marks[:3] == [ACCEPTED, REJECTED, ACCEPTED]
    assert marks.count(ACCEPTED) == 10_000
