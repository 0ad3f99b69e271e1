"""Weighted networks: budgets by definition, strengths against published values and closed forms."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.results import Noted
from corpusgraph.tasks.analysis.argument.models import ArgumentNetwork, PrepareArgumentNetwork
from corpusgraph.tasks.tools.prepare import prepare_argument_network
from tests.argument.reference import Brute, removals
from tests.examples import tried

Pair = tuple[str, str]


def run(weights: dict[str, float], shorthand: str, **more: object) -> Noted[ArgumentNetwork]:
    """Build from shorthand: `a-b` is an attack, `a+b` a support."""
    rows = []
    for word in shorthand.split():
        source, target = word.replace("+", "-").split("-")
        rows.append({"source": source, "target": target, "type": "support" if "+" in word else "attack"})
    fields = {"claims": [{"id": c, "weight": w} for c, w in weights.items()], "relations": rows}
    asked = {**fields, "framework": "weighted", "semantics": ["grounded"], **more}
    return prepare_argument_network(PrepareArgumentNetwork.model_validate(asked))


def strengths(claims: dict[str, float], relations: str, semantics: str) -> dict[str, float]:
    found = run(claims, relations).data.strengths[semantics]
    assert found is not None
    return found


@st.composite
def weighted(draw: st.DrawFn) -> tuple[str, dict[Pair, float]]:
    names = "abcde"[: draw(st.integers(1, 5))]
    pairs = st.tuples(st.sampled_from(names), st.sampled_from(names))
    return names, draw(st.dictionaries(pairs, st.sampled_from([0.1, 0.2, 0.3, 1.0, 2.0]), max_size=6))


@given(weighted(), st.sampled_from([0.0, 0.3, 1.0, 1.2]))
@settings(max_examples=tried(15), deadline=None)
def test_budget_extensions_by_definition(network: tuple[str, dict[Pair, float]], budget: float) -> None:
    """Dunne et al. 2011: the extensions of every framework whose missing attacks cost no more."""
    names, costs = network
    relations = [{"source": a, "target": b, "type": "attack", "weight": w} for (a, b), w in costs.items()]
    wanted = ["conflict_free", "admissible", "grounded", "preferred", "stable", "stage", "ideal", "eager"]
    asked = {"claims": [{"id": c} for c in names], "relations": relations, "framework": "weighted"}
    asked |= {"budget": budget, "semantics": wanted}
    found = prepare_argument_network(PrepareArgumentNetwork.model_validate(asked)).data.budget_extensions
    for semantics in wanted:
        expected: set[frozenset[str]] = set()
        for removed in removals(costs, budget):
            expected |= Brute(names, set(costs) - removed).extensions(semantics)
        assert {frozenset(s) for s in found[semantics]} == expected, semantics


def test_a_budget_that_is_paid_to_the_last_tenth_is_enough() -> None:
    """Three tenths are 0.1 + 0.2, though not in doubles."""
    relations = [
        {"source": "a", "target": "c", "type": "attack", "weight": 0.1},
        {"source": "b", "target": "c", "type": "attack", "weight": 0.2},
    ]
    found = run({}, "", claims=[{"id": c} for c in "abc"], relations=relations, budget=0.3).data
    assert ("a", "b", "c") in found.budget_extensions["grounded"]


def test_an_e_democracy_debate_has_its_published_strengths() -> None:
    """Rago, Toni, Aurisicchio & Baroni 2016 (DF-QuAD), the example of e-democracy: A1 0.862, A2 0.85."""
    weights = {
        "A1": 0.5,
        "A2": 0.5,
        "P1": 0.7,
        "P2": 0.5,
        "P3": 0.9,
        "C1": 0.2,
        "C2": 0.2,
        "C3": 0.6,
        "C4": 0.5,
    }
    found = strengths(weights, "C1-A2 C2-P2 C3-P2 C4-P2 P1+A1 P2+A1 P3+A2", "df_quad")
    assert found["A1"] == pytest.approx(0.862)
    assert found["A2"] == pytest.approx(0.85)
    assert found["P2"] == pytest.approx(0.08)


def test_a_decision_on_stocks_has_its_published_strengths() -> None:
    """Potyka 2018 (quadratic energy), buy or sell; his values come from a numerical solver, to 2 decimals."""
    weights = {"Buy": 0.5, "Sell": 0.5, "1": 0.8, "2": 0.7, "3": 0.3, "4": 0.9, "5": 0.9}
    found = strengths(weights, "Buy-Sell Sell-Buy 1+Sell 2+Buy 2-1 3-2 4-3 4+2 5-1 5+Buy", "quadratic_energy")
    published = {"Buy": 0.82, "Sell": 0.36, "1": 0.205, "2": 0.805, "3": 0.166, "4": 0.9, "5": 0.9}
    assert {name: pytest.approx(value, abs=0.005) for name, value in published.items()} == found


@pytest.mark.parametrize(("attackers", "expected"), [(0, 1), (1, 1 / 2), (2, 1 / 3), (9, 1 / 10)])
def test_h_categoriser_of_unattacked_attackers(attackers: int, expected: float) -> None:
    """Besnard & Hunter 2001: one over one more than the attackers, where nobody attacks these."""
    names = {"t": 0.5} | {f"x{i}": 0.5 for i in range(attackers)}
    relations = " ".join(f"x{i}-t" for i in range(attackers))
    assert strengths(names, relations, "h_categoriser")["t"] == pytest.approx(expected)


def test_h_categoriser_of_a_line_goes_through_fibonacci() -> None:
    """1, 1/2, 2/3, 3/5, 5/8 (Besnard & Hunter 2001)."""
    found = strengths(dict.fromkeys("abcde", 0.5), "a-b b-c c-d d-e", "h_categoriser")
    assert list(found.values()) == pytest.approx([1, 1 / 2, 2 / 3, 3 / 5, 5 / 8])


@pytest.mark.parametrize("n", [2, 3, 5, 8])
def test_h_categoriser_of_a_cycle_is_the_golden_ratio(n: int) -> None:
    names = "abcdefgh"[:n]
    ring = " ".join(f"{names[i]}-{names[(i + 1) % n]}" for i in range(n))
    found = strengths(dict.fromkeys(names, 0.5), ring, "h_categoriser")
    assert list(found.values()) == pytest.approx([(math.sqrt(5) - 1) / 2] * n)


def test_weighted_h_categoriser_of_two_that_attack_each_other() -> None:
    """S = w / (1 + s): the root of s² + s - w."""
    found = strengths({"a": 0.6, "b": 0.6}, "a-b b-a", "weighted_h_categoriser")
    assert found["a"] == pytest.approx((-1 + math.sqrt(1 + 4 * 0.6)) / 2)


def test_euler_based_supported_and_attacked() -> None:
    """Amgoud & Ben-Naim 2018: 1 - (1 - w²)/(1 + w e^E); a lone argument keeps its weight."""
    found = strengths({"a": 0.5, "b": 0.22, "c": 0.9}, "b+a", "euler_based")
    assert found["c"] == pytest.approx(0.9)
    assert found["a"] == pytest.approx(1 - 0.75 / (1 + 0.5 * math.exp(0.22)))


def test_extreme_energies_stay_in_range() -> None:
    names = {"t": 0.5} | {f"x{i}": 1.0 for i in range(2_000)}
    for sign, least, most in (("+", 0.99, 1), ("-", 0, 0.26)):
        data = run(names, " ".join(f"x{i}{sign}t" for i in range(2_000))).data
        for name in ("df_quad", "quadratic_energy", "euler_based"):
            values = data.strengths[name]
            assert values is not None
            assert least <= values["t"] <= most, name


def test_strengths_satisfy_their_equations_on_a_cyclic_network() -> None:
    weights = {c: 0.1 + i / 10 for i, c in enumerate("abcdefgh")}
    relations = "a-b b-c c-a d+a e-d f+e g-f h+g a+h b-e c+f"
    attacks = [(w[0], w[2]) for w in relations.split() if w[1] == "-"]
    supports = [(w[0], w[2]) for w in relations.split() if w[1] == "+"]
    data = run(weights, relations).data
    for name in ("df_quad", "quadratic_energy", "euler_based"):
        s = data.strengths[name]
        assert s is not None
        for c, w in weights.items():
            against, favour = [s[a] for a, b in attacks if b == c], [s[a] for a, b in supports if b == c]
            energy = sum(favour) - sum(against)
            gain = math.prod(1 - x for x in against) - math.prod(1 - x for x in favour)
            impact = energy**2 / (1 + energy**2)
            expected = {
                "df_quad": w + (1 - w) * gain if gain > 0 else w + w * gain,
                "quadratic_energy": w + (1 - w) * impact if energy > 0 else w - w * impact,
                "euler_based": 1 - (1 - w * w) / (1 + w * math.exp(energy)),
            }[name]
            assert s[c] == pytest.approx(expected, abs=1e-9), (name, c)


def test_convergence_is_told() -> None:
    line = run({"a": 0.5, "b": 0.5}, "a-b").data.convergence
    assert all(one.settled and one.guaranteed for one in line.values())
    noted = run({"a": 0.5, "b": 0.5}, "a-b b-a")
    told = {name: one.guaranteed for name, one in noted.data.convergence.items()}
    assert told == {
        "h_categoriser": True,
        "weighted_h_categoriser": True,
        "df_quad": False,
        "quadratic_energy": False,
        "euler_based": False,
    }
    warned = {w.code: w.records for w in noted.warnings}
    assert warned["no_convergence_guarantee"] == ("df_quad", "quadratic_energy", "euler_based")


def test_strengths_that_do_not_settle_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    from corpusgraph.tasks.analysis.argument import strength as _gradual

    monkeypatch.setattr(_gradual, "MAX_WORK", 0)
    monkeypatch.setattr(_gradual, "TOLERANCE", 0.0)  # what is not exact to the last bit is not settled
    noted = run({"a": 0.3, "b": 0.7, "c": 0.2}, "a-b b-c c-a a+c")
    left = [w.records for w in noted.warnings if w.code == "no_convergence"]
    assert left == [(name,) for name, one in noted.data.convergence.items() if not one.settled]
    assert all(noted.data.strengths[name] is None for (name,) in left)
    assert left
