"""Support: derived attacks, three readings, and d-, s- and c-admissible sets, by definition."""

from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.tasks.analysis.argument.models import ArgumentNetwork, PrepareArgumentNetwork
from corpusgraph.tasks.tools.prepare import prepare_argument_network
from tests.argument.reference import Brute, attacks_under, largest, ways
from tests.examples import tried

Pairs = set[tuple[str, str]]
LISTS = ("conflict_free", "admissible", "complete", "preferred", "stable", "semi_stable", "stage")


def network(arguments: str, attacks: Pairs, supports: Pairs, **more: object) -> ArgumentNetwork:
    fields = {"claims": (), "arguments": tuple(arguments), "framework": "bipolar", **more}
    fields |= {"attacks": sorted(attacks), "supports": sorted(supports)}
    return prepare_argument_network(PrepareArgumentNetwork.model_validate(fields)).data


def shorthand(text: str) -> tuple[str, Pairs, Pairs]:
    """`a-b` is an attack, `a+b` a support."""
    parts = text.split()
    names = "".join(sorted({c for part in parts for c in part if c.isalpha()}))
    return (
        names,
        {(p[0], p[2]) for p in parts if p[1] == "-"},
        {(p[0], p[2]) for p in parts if p[1] == "+"},
    )


@st.composite
def networks(draw: st.DrawFn) -> tuple[str, Pairs, Pairs]:
    names = "abcdefg"[: draw(st.integers(1, 7))]
    pairs = st.tuples(st.sampled_from(names), st.sampled_from(names))
    attacks = draw(st.sets(pairs, max_size=7))
    return names, attacks, draw(st.sets(pairs.filter(lambda p: p[0] != p[1]), max_size=5))


@given(networks(), st.sampled_from(["general", "deductive", "necessary"]))
@settings(max_examples=tried(25), deadline=None)
def test_extensions_under_each_reading_are_those_of_the_attacks_in_force(
    given_network: tuple[str, Pairs, Pairs], reading: str
) -> None:
    names, attacks, supports = given_network
    found = network(names, attacks, supports, support=reading)
    in_force = attacks | {(d.source, d.target) for d in found.derived_attacks if d.in_force}
    assert in_force == attacks_under(attacks, supports, reading)
    brute = Brute(names, in_force)
    for semantics in LISTS:
        assert {frozenset(s) for s in getattr(found.extensions, semantics)} == brute.extensions(semantics)
    assert {frozenset(found.extensions.grounded or ())} == brute.grounded()
    implied = supports if reading == "deductive" else {(b, a) for a, b in supports}
    if reading != "general":
        for s in found.extensions.complete or ():
            assert all(b in s for a, b in implied if a in s), "what is accepted brings along what it implies"


@given(networks())
@settings(max_examples=tried(25), deadline=None)
def test_deductive_and_necessary_support_mirror_each_other(given_network: tuple[str, Pairs, Pairs]) -> None:
    """Cayrol & Lagasquie-Schiex 2013: a supports b deductively exactly when b supports a necessarily."""
    names, attacks, supports = given_network
    one = network(names, attacks, supports, support="deductive")
    other = network(names, attacks, {(b, a) for a, b in supports}, support="necessary")
    assert one.extensions == other.extensions


@given(networks())
@settings(max_examples=tried(25), deadline=None)
def test_derived_attacks_and_admissible_sets_by_definition(given_network: tuple[str, Pairs, Pairs]) -> None:
    names, attacks, supports = given_network
    found, chains = network(names, attacks, supports), ways(supports)
    kinds = {
        "supported": {(a, d) for a, b in chains for c, d in attacks if b == c},
        "secondary": {(a, d) for a, b in attacks for c, d in chains if b == c},
        "mediated": {(a, d) for a, b in attacks for d, c in chains if b == c},
        "extended": {(d, b) for a, b in attacks for c, d in chains if a == c},
    }
    for kind, expected in kinds.items():
        assert {(d.source, d.target) for d in found.derived_attacks if d.kind == kind} == expected, kind
    brute = Brute(names, attacks_under(attacks, supports, "general"))
    d = brute.admissible()
    helped = {s: {b for a, b in chains if a in s} | s for s in d}
    sets = {
        "d": d,
        "s": {s for s in d if not brute.struck(s) & helped[s]},
        "c": {s for s in d if all(b in s for a, b in supports if a in s)},
    }
    assert found.bipolar is not None
    for kind, admissible in sets.items():
        assert {frozenset(s) for s in getattr(found.bipolar, f"{kind}_admissible")} == admissible, kind
        assert {frozenset(s) for s in getattr(found.bipolar, f"{kind}_preferred")} == largest(admissible), (
            kind
        )


def test_conflict_free_is_not_safe() -> None:
    """Cayrol & Lagasquie-Schiex 2005: {a, c} attacks and supports b at once; conflict-free, yet not safe."""
    found = network(*shorthand("a-b c+b"))
    assert found.bipolar is not None
    assert found.bipolar.d_preferred == (("a", "c"),)
    assert found.bipolar.s_preferred == (("a",), ("c",))
    assert found.bipolar.c_preferred == (("a",),)


def test_each_reading_draws_its_own_conclusion() -> None:
    """A attacks b, c supports b. General: c stands; deductive: c falls with b (mediated attack)."""
    grounded = {
        reading: network(*shorthand("a-b c+b"), support=reading).extensions.grounded
        for reading in ("general", "deductive", "necessary")
    }
    assert grounded == {"general": ("a", "c"), "deductive": ("a",), "necessary": ("a", "c")}
    fallen = {
        reading: network(*shorthand("a-b b+c"), support=reading).extensions.grounded
        for reading in ("general", "deductive", "necessary")
    }
    assert fallen == {"general": ("a",), "deductive": ("a", "c"), "necessary": ("a",)}


def test_the_reading_is_said() -> None:
    assert network(*shorthand("a-b c+b"), support="necessary").support == "necessary"
    kinds = {
        d.kind for d in network(*shorthand("a-b c+b b+d"), support="necessary").derived_attacks if d.in_force
    }
    assert kinds <= {"secondary", "extended", "super_extended"}
    assert "secondary" in kinds
