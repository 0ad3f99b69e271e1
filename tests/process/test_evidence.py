"""Bayes' rule over evidence against exact fractions; kinds of test; rivals; what cannot be."""

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.tasks.analysis.process.evidence_tests import weigh
from corpusgraph.tasks.analysis.process.models import PieceOfEvidence
from tests.examples import tried
from tests.process.records import event, trace_of

P = st.floats(0.001, 0.999)
TWO_SIDED = st.builds(PieceOfEvidence, p_e_given_h=P, p_e_given_not_h=P, observed=st.booleans())


def weighed(pieces: list[PieceOfEvidence], priors: dict[str, float]) -> dict[str, float]:
    return weigh([(f"e{n}", (), piece) for n, piece in enumerate(pieces)], priors)[1]


def exact(pieces: list[PieceOfEvidence], priors: dict[str, Fraction]) -> dict[str, Fraction]:
    weights = dict(priors)
    for piece in pieces:
        for name in weights:
            p = Fraction(piece.likelihoods[name])
            weights[name] *= p if piece.observed else 1 - p
    return {name: weight / sum(weights.values()) for name, weight in weights.items()}


def as_rivals(piece: PieceOfEvidence) -> PieceOfEvidence:
    return PieceOfEvidence(
        likelihoods={"H": piece.p_e_given_h or 0, "not H": piece.p_e_given_not_h or 0},
        observed=piece.observed,
    )


@settings(max_examples=tried(40))
@given(st.lists(TWO_SIDED, min_size=1, max_size=40), P)
def test_the_posterior_is_that_of_exact_fractions(pieces: list[PieceOfEvidence], prior: float) -> None:
    expected = exact([as_rivals(p) for p in pieces], {"H": Fraction(prior), "not H": 1 - Fraction(prior)})[
        "H"
    ]
    assert weighed(pieces, {"H": prior})["H"] == pytest.approx(float(expected), rel=1e-9, abs=1e-300)


@settings(max_examples=tried(30))
@given(st.lists(st.fixed_dictionaries({"A": P, "B": P, "C": P}), min_size=1, max_size=12), st.booleans())
def test_rivals_share_one_probability(likelihoods: list[dict[str, float]], observed: bool) -> None:
    pieces = [PieceOfEvidence(likelihoods=one, observed=observed) for one in likelihoods]
    found = weighed(pieces, {"A": 0.5, "B": 0.25, "C": 0.25})
    expected = exact(pieces, {"A": Fraction(1, 2), "B": Fraction(1, 4), "C": Fraction(1, 4)})
    assert math.fsum(found.values()) == pytest.approx(1)
    assert found == {name: pytest.approx(float(share), rel=1e-9) for name, share in expected.items()}


@settings(max_examples=tried(30))
@given(st.lists(TWO_SIDED, min_size=2, max_size=4), P)
def test_the_order_of_evidence_does_not_change_the_posterior(
    pieces: list[PieceOfEvidence], prior: float
) -> None:
    assert len({weighed(list(order), {"H": prior})["H"] for order in permutations(pieces)}) == 1


def test_each_step_begins_where_the_last_one_ended_and_odds_multiply() -> None:
    pieces = [PieceOfEvidence(likelihoods={"A": a, "B": 0.5, "C": 0.9}) for a in (0.2, 0.4, 0.05)]
    tests, posteriors, log_odds = weigh([(f"e{n}", (), p) for n, p in enumerate(pieces)], {})
    for name in "ABC":
        own = [test for test in tests if test.hypothesis == name]
        assert own[0].prior == pytest.approx(1 / 3)
        assert [t.prior for t in own[1:]] == [t.posterior for t in own[:-1]]
        assert own[-1].posterior == posteriors[name]
        for test in own:
            odds = test.prior / (1 - test.prior) * (test.likelihood_ratio or math.nan)
            assert odds == pytest.approx(test.posterior / (1 - test.posterior))
        assert log_odds[name] == pytest.approx(math.log(posteriors[name] / (1 - posteriors[name])))


def test_a_thousand_clues_do_not_underflow() -> None:
    weak = PieceOfEvidence(p_e_given_h=0.001, p_e_given_not_h=0.0011)
    tests, posteriors, log_odds = weigh([(f"e{n}", (), weak) for n in range(2000)], {"H": 0.5})
    expected = 2000 * (math.log(0.001) - math.log(0.0011))
    assert log_odds["H"] == pytest.approx(expected)
    assert posteriors["H"] == pytest.approx(math.exp(expected))
    assert tests[0].weight_db == pytest.approx(10 * math.log10(0.001 / 0.0011))


@pytest.mark.parametrize(("prior", "posterior"), [(0.0, 0.0), (1.0, 1.0)])
def test_what_is_certain_stays_so(prior: float, posterior: float) -> None:
    piece = PieceOfEvidence(p_e_given_h=0.3, p_e_given_not_h=0.6)
    _, posteriors, log_odds = weigh([("e", (), piece)], {"H": prior})
    assert (posteriors["H"], log_odds["H"]) == (posterior, None)


@pytest.mark.parametrize(
    ("priors", "evidence", "code"),
    [
        ({"H": 1.0}, [{"P(E|H)": 0, "P(E|not H)": 0.5}], "impossible_evidence"),
        ({}, [{"likelihoods": {"A": 0, "B": 0}}], "impossible_evidence"),
        ({}, [{"P(E|H)": 1, "P(E|not H)": 1, "observed": False}], "impossible_evidence"),
        ({"A": 0.5, "B": 0.6}, [{"likelihoods": {"A": 0.1, "B": 0.2}}], "priors_not_normalised"),
        ({"A": 0.5}, [{"likelihoods": {"A": 0.1, "B": 0.2}}], "priors_not_normalised"),
        ({}, [{"likelihoods": {"A": 0.1, "B": 0.2}}, {"likelihoods": {"A": 0.1, "C": 0.2}}], "rivals_differ"),
        (
            {},
            [{"likelihoods": {"A": 0.1, "B": 0.2}}, {"hypothesis": "A", "P(E|H)": 1, "P(E|not H)": 0.5}],
            "rivals_differ",
        ),
        ({"H": -0.1}, [], "probability_out_of_range"),
    ],
)
def test_evidence_that_cannot_be_weighed_is_a_named_condition(
    priors: dict[str, float], evidence: list[dict[str, Any]], code: str
) -> None:
    with pytest.raises(CorpusgraphError) as error:
        trace_of([event(1, evidence=evidence)], priors=priors)
    assert error.value.code == code
    assert error.value.hint


@pytest.mark.parametrize(
    "piece", [{"P(E|H)": 1.2, "P(E|not H)": 0.1}, {"P(E|H)": 0.2}, {"likelihoods": {"A": 0.3}}, {}]
)
def test_half_a_likelihood_is_refused(piece: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match=r"likelihoods|less than or equal to 1"):
        trace_of([event(1, evidence=piece)])


def test_among_rivals_a_test_is_named_against_the_strongest() -> None:
    piece = {"likelihoods": {"A": 0.95, "B": 0.05, "C": 0.5}}
    trace = trace_of([event(1, evidence=piece)]).data
    assert {t.hypothesis: t.kind for t in trace.evidence_tests} == {
        "A": "hoop",
        "B": "straw_in_the_wind",
        "C": "straw_in_the_wind",
    }


def test_each_test_has_its_passage_and_shared_passages_are_told() -> None:
    passage = {
        "evidence_id": "p1",
        "document_id": "d",
        "chunk_id": "c",
        "start": 0,
        "end": 4,
        "text": "Rain.",
    }
    piece = {"P(E|H)": 0.8, "P(E|not H)": 0.2, "clue": "wet streets"}
    events = [event(n, evidence=piece, passages=[passage]) for n in (1, 2)]
    noted = trace_of([*events, event(3, evidence=piece)])
    assert [t.passages[0].text for t in noted.data.evidence_tests[:2]] == ["Rain.", "Rain."]
    assert [(w.code, w.records) for w in noted.warnings if w.code == "shared_evidence"] == [
        ("shared_evidence", ("e1", "e2"))
    ]
