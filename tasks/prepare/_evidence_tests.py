"""Process-tracing tests: what an observation does to a hypothesis."""

from collections.abc import Iterable, Mapping

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.tasks.prepare._process_nouns import EvidenceTest, PieceOfEvidence, TestKind

CERTAIN = 0.9
"""P(E|H) from which the hypothesis must pass the test (a hoop)."""

UNIQUE = 0.1
"""P(E|not H) up to which passing convicts (a smoking gun)."""


def kind_of(piece: PieceOfEvidence) -> TestKind:
    """Name the test (Van Evera 1997; probabilities as in Humphreys & Jacobs 2015).

    Certain: P(E|H) at least 0.9, so failing refutes. Unique: P(E|not H) at most 0.1, so passing confirms.
    """
    certain, unique = piece.p_e_given_h >= CERTAIN, piece.p_e_given_not_h <= UNIQUE
    if certain:
        return "doubly_decisive" if unique else "hoop"
    return "smoking_gun" if unique else "straw_in_the_wind"


def weigh(
    pieces: Iterable[tuple[str, PieceOfEvidence]], priors: Mapping[str, float]
) -> tuple[tuple[EvidenceTest, ...], dict[str, float]]:
    """Update each hypothesis by Bayes' rule, one piece (event id, evidence) after the other.

    The pieces are taken as independent given the hypothesis and given its negation.
    Errors: `probability_out_of_range` of a prior; `impossible_evidence` that neither side can explain.
    """
    for hypothesis, prior in priors.items():
        if not 0 <= prior <= 1:
            raise PreparationError(
                f"The prior of {hypothesis!r} is {prior:g}.", code="probability_out_of_range"
            )
    belief = dict(priors)
    tests = []
    for event, piece in pieces:
        prior = belief.get(piece.hypothesis, 0.5)
        test = _weighed(event, piece, prior)
        belief[piece.hypothesis] = test.posterior
        tests.append(test)
    return tuple(tests), belief


def _weighed(event: str, piece: PieceOfEvidence, prior: float) -> EvidenceTest:
    if_true = piece.p_e_given_h if piece.observed else 1 - piece.p_e_given_h
    if_false = piece.p_e_given_not_h if piece.observed else 1 - piece.p_e_given_not_h
    whole = if_true * prior + if_false * (1 - prior)
    if not whole:
        raise PreparationError(
            f"The evidence of event {event!r} is impossible, whether {piece.hypothesis!r} is true or not.",
            code="impossible_evidence",
            hint="Probabilities of exactly 0 and 1 leave no room for error.",
        )
    return EvidenceTest(
        event=event,
        hypothesis=piece.hypothesis,
        observed=piece.observed,
        kind=kind_of(piece),
        p_e_given_h=piece.p_e_given_h,
        p_e_given_not_h=piece.p_e_given_not_h,
        likelihood_ratio=if_true / if_false if if_false else None,
        prior=prior,
        posterior=if_true * prior / whole,
    )
