"""Tool 25: errors, acceptance, support, budget and gradual strengths."""

import math
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.analysis.argument.models import ArgumentNetwork, PrepareArgumentNetwork
from corpusgraph.tasks.tools.prepare import prepare_argument_network
from tests.examples import tried

Record = dict[str, object]


def run(claims: str, relations: str = "", **more: object) -> Noted[ArgumentNetwork]:
    """Build from shorthand: `a-b` is an attack, `a+b` a support."""
    rows = [
        {"source": r[0], "target": r[2], "type": "attack" if r[1] == "-" else "support"}
        for r in relations.split()
    ]
    fields = {"claims": [{"id": c} for c in claims], "relations": rows, **more}
    return prepare_argument_network(PrepareArgumentNetwork.model_validate(fields))


def code(**fields: object) -> str:
    with pytest.raises(CorpusgraphError) as error:
        prepare_argument_network(PrepareArgumentNetwork.model_validate(fields))
    return error.value.code


TWO: list[Record] = [{"id": "a"}, {"id": "b"}]
AB: Record = {"source": "a", "target": "b", "type": "attack"}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"claims": [{"id": ""}]}, "empty_id"),
        ({"claims": [{"id": "a"}, {"id": "a", "text": "other"}]}, "duplicate_id"),
        ({"claims": [{"id": "a"}], "relations": [AB]}, "dangling_edge"),
        ({"claims": TWO, "relations": [{**AB, "type": "support"}]}, "support_in_dung"),
        ({"claims": TWO, "relations": [{**AB, "type": "atack"}]}, "unknown_relation_type"),
        ({"claims": TWO, "relations": [{**AB, "weight": 0}]}, "weight_not_positive"),
        ({"claims": TWO, "relations": [{**AB, "weight": math.inf}]}, "weight_not_finite"),
        ({"claims": [{"id": "a", "weight": math.nan}]}, "weight_not_finite"),
        ({"claims": [{"id": "a", "weight": 1.2}], "framework": "weighted"}, "weight_out_of_range"),
        ({"claims": TWO, "semantics": ["prefered"]}, "unknown_semantics"),
    ],
)
def test_bad_input_is_a_named_condition(fields: Record, expected: str) -> None:
    assert code(**fields) == expected


def test_one_set_for_grounded_ideal_and_eager_lists_for_the_others() -> None:
    found = run("abc", "a-b b-c").data.extensions
    assert found.grounded == found.ideal == found.eager == ("a", "c")
    assert found.preferred == found.stable == found.complete == (("a", "c"),)
    assert found.conflict_free is not None
    assert set(found.conflict_free) == {(), ("a",), ("b",), ("c",), ("a", "c")}


def test_only_the_semantics_asked_for_are_computed() -> None:
    found = run("ab", "a-b b-a", semantics=["grounded", "preferred"]).data
    assert found.extensions.grounded == ()
    assert found.extensions.preferred == (("a",), ("b",))
    assert found.extensions.stable is None
    assert found.acceptance["preferred"].credulous == ("a", "b")
    assert found.acceptance["preferred"].sceptical == ()


def test_each_claim_is_accepted_rejected_or_undecided_for_a_reason() -> None:
    statuses = {s.id: s for s in run("abcde", "a-b b-c d-e e-d").data.statuses}
    assert {s.id: s.status for s in statuses.values()} == {
        "a": "accepted",
        "b": "rejected",
        "c": "accepted",
        "d": "undecided",
        "e": "undecided",
    }
    assert statuses["a"].why == "not attacked"
    assert statuses["b"].why == "attacked by accepted a"
    assert statuses["c"].why == "every attacker is rejected: b (attacked by a)"
    assert statuses["c"].defenders == ("a",)
    assert statuses["d"].why == (
        "attacked by undecided e, and by no accepted claim; cycle of attacks: d <- e <- d"
    )


def test_an_odd_cycle_has_no_stable_extension_and_says_so() -> None:
    noted = run("abc", "a-b b-c c-a")
    assert noted.data.extensions.stable == ()
    assert noted.data.acceptance["stable"].sceptical == ("a", "b", "c")
    assert "no_extension" in [w.code for w in noted.warnings]


def test_a_self_attack_is_legal_and_a_doubled_attack_counts_once() -> None:
    noted = run("ab", "a-a a-b a-b")
    assert noted.data.extensions.preferred == ((),)
    assert [w.code for w in noted.warnings if w.code == "parallel_edges_merged"] == ["parallel_edges_merged"]
    assert len(noted.data.relations) == 2


def test_support_brings_about_attacks() -> None:
    """A supports b, b attacks c, c supports d: Cayrol & Lagasquie-Schiex 2005."""
    noted = run("abcd", "a+b b-c c+d", framework="bipolar")
    derived = {(d.kind, d.source, d.target) for d in noted.data.derived_attacks}
    assert derived == {("supported", "a", "c"), ("secondary", "b", "d")}
    assert noted.data.extensions.grounded == ("a", "b")


def test_mediated_and_extended_attacks() -> None:
    mediated = run("abc", "a-c b+c", framework="bipolar").data.derived_attacks
    assert ("mediated", "a", "b") in {(d.kind, d.source, d.target) for d in mediated}
    extended = run("abc", "c-b c+a", framework="bipolar").data.derived_attacks
    assert ("extended", "a", "b") in {(d.kind, d.source, d.target) for d in extended}


def test_attack_and_support_is_noted() -> None:
    noted = run("ab", "a-b a+b", framework="bipolar")
    assert "attack_and_support" in [w.code for w in noted.warnings]


@st.composite
def bipolar_networks(draw: st.DrawFn) -> tuple[str, str]:
    names = "abcdef"[: draw(st.integers(1, 6))]
    relation = st.tuples(st.sampled_from(names), st.sampled_from("-+"), st.sampled_from(names))
    rows = draw(st.sets(relation.filter(lambda r: r[1] == "-" or r[0] != r[2]), max_size=8))
    return names, " ".join(sorted("".join(row) for row in rows))


@given(bipolar_networks())
@settings(max_examples=tried(25), deadline=None)
def test_bipolar_sets_agree_with_their_definitions(network: tuple[str, str]) -> None:
    names, rows = network
    found = run(names, rows, framework="bipolar").data
    attacks = {(r[0], r[2]) for r in rows.split() if r[1] == "-"}
    supports = {(r[0], r[2]) for r in rows.split() if r[1] == "+"}
    chain = set(supports)
    while more := {(a, d) for a, b in chain for c, d in supports if b == c} - chain:
        chain |= more
    defeats = (
        attacks
        | {(a, d) for a, b in chain for c, d in attacks if b == c}
        | {(a, d) for a, b in attacks for c, d in chain if b == c}
    )

    def struck(s: frozenset[str]) -> set[str]:
        return {b for a, b in defeats if a in s}

    subsets = [frozenset(c) for n in range(len(names) + 1) for c in combinations(names, n)]
    free = [s for s in subsets if not struck(s) & s and all(a in struck(s) for a, b in defeats if b in s)]
    helped = {s: {b for a, b in chain if a in s} for s in subsets}
    closed = [s for s in free if all(b in s for a, b in supports if a in s)]
    safe = [s for s in free if not struck(s) & helped[s]]
    assert found.bipolar is not None
    for kind, sets in (("d", free), ("s", safe), ("c", closed)):
        listed = getattr(found.bipolar, f"{kind}_admissible")
        assert {frozenset(s) for s in listed} == set(sets), kind
        largest = getattr(found.bipolar, f"{kind}_preferred")
        assert {frozenset(s) for s in largest} == {s for s in sets if not any(s < t for t in sets)}, kind


def test_a_budget_ignores_cheap_attacks() -> None:
    """Dunne et al. 2011: with budget 0 the extension is Dung's; with 1 the cheap attack may go."""
    relations = [
        {"source": "a", "target": "b", "type": "attack", "weight": 1},
        {"source": "b", "target": "c", "type": "attack", "weight": 3},
    ]

    def grounded(budget: float) -> object:
        asked = {"claims": [{"id": c} for c in "abc"], "relations": relations, "framework": "weighted"}
        asked |= {"budget": budget, "semantics": ["grounded"]}
        found = prepare_argument_network(PrepareArgumentNetwork.model_validate(asked)).data
        return found.budget_extensions["grounded"]

    assert grounded(0) == (("a", "c"),)
    assert grounded(1) == (("a", "b"), ("a", "c"))
    assert grounded(3) == (("a", "b"), ("a", "c"))
    assert grounded(4) == (("a", "b"), ("a", "c"), ("a", "b", "c"))


def test_a_budget_that_pays_for_everything_is_refused() -> None:
    names = [f"c{i}" for i in range(14)]
    relations = [{"source": a, "target": b, "type": "attack", "weight": 1} for a, b in combinations(names, 2)]
    claims = [{"id": name} for name in names]
    fields: Record = {"claims": claims, "relations": relations, "framework": "weighted"}
    assert code(**fields, budget=50, semantics=["grounded"]) == "budget_too_large"


def strengths(claims: list[Record], relations: list[Record]) -> dict[str, dict[str, float] | None]:
    asked = {"claims": claims, "relations": relations, "framework": "weighted", "semantics": ["grounded"]}
    return prepare_argument_network(PrepareArgumentNetwork.model_validate(asked)).data.strengths


def test_gradual_strengths_by_hand() -> None:
    """B (0.8) attacks a (0.5), c (0.4) supports a."""
    found = strengths(
        [{"id": "a", "weight": 0.5}, {"id": "b", "weight": 0.8}, {"id": "c", "weight": 0.4}],
        [
            {"source": "b", "target": "a", "type": "attack"},
            {"source": "c", "target": "a", "type": "support"},
        ],
    )
    a = {name: values["a"] for name, values in found.items() if values}
    assert a["h_categoriser"] == pytest.approx(1 / 2)
    assert a["weighted_h_categoriser"] == pytest.approx(0.5 / 1.8)
    assert a["df_quad"] == pytest.approx(0.5 - 0.5 * 0.4)
    assert a["quadratic_energy"] == pytest.approx(0.5 - 0.5 * 0.16 / 1.16)
    assert a["euler_based"] == pytest.approx(1 - 0.75 / (1 + 0.5 * math.exp(-0.4)))


def test_a_self_attack_has_the_golden_ratio_as_its_strength() -> None:
    found = strengths([{"id": "a"}], [{"source": "a", "target": "a", "type": "attack"}])
    assert found["h_categoriser"] is not None
    assert found["h_categoriser"]["a"] == pytest.approx((math.sqrt(5) - 1) / 2)


def test_cycles_carry_no_guarantee_of_convergence() -> None:
    assert "no_convergence_guarantee" in [w.code for w in run("ab", "a-b b-a", framework="weighted").warnings]
    assert "no_convergence_guarantee" not in [w.code for w in run("ab", "a-b", framework="weighted").warnings]


def test_no_claims_at_all_is_an_empty_framework() -> None:
    found = run("").data
    assert found.extensions.grounded == ()
    assert found.extensions.preferred == ((),)


def test_strengths_of_a_cycle_are_a_fixed_point() -> None:
    """Two equal claims that attack each other: s = 0.5 - 0.5 s in DF-QuAD, so 1/3."""
    attacks: list[Record] = [
        {"source": a, "target": b, "type": "attack"} for a, b in (("a", "b"), ("b", "a"))
    ]
    found = strengths([{"id": "a"}, {"id": "b"}], attacks)
    assert found["df_quad"] is not None
    assert found["df_quad"]["a"] == pytest.approx(1 / 3)
