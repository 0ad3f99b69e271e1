"""Process-tracing tests: what an observation does to a hypothesis, or to several that rival each other."""

import math
from collections.abc import Mapping, Sequence

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.tasks.analysis.checks import Passage
from corpusgraph.tasks.analysis.process.models import EvidenceTest, PieceOfEvidence, TestKind

CERTAIN = 0.9
"""P(E|H) from which the hypothesis must pass the test (a hoop)."""

UNIQUE = 0.1
"""P(E|not H) up to which passing convicts (a smoking gun)."""

Piece = tuple[str, tuple[Passage, ...], PieceOfEvidence]
"""The id of an event, its passages, and what it is evidence of."""


class Belief:
    """How probable some exhaustive alternatives are: a sum of logarithms each, exact whatever the order.

    Parameters
    ----------
    priors : sequence of float, length k
        Probability of each alternative before any evidence, 0 to 1.

    """

    def __init__(self, priors: Sequence[float]) -> None:
        self._logs = [[_log(prior)] for prior in priors]

    def update(self, likelihoods: Sequence[float]) -> None:
        """Add one observation, with its probability under each alternative.

        Parameters
        ----------
        likelihoods : sequence of float, length k
            P(E | alternative), 0 to 1.

        """
        for parts, likelihood in zip(self._logs, likelihoods, strict=True):
            parts.append(_log(likelihood))

    def weights(self) -> list[float]:
        """Return the logarithm of each alternative's weight, up to a constant.

        Returns
        -------
        list of float, length k
            Natural logarithms.

        """
        return [math.fsum(parts) for parts in self._logs]

    def shares(self) -> list[float] | None:
        """Return the probabilities, to 12 digits; None where nothing that happened was possible.

        Returns
        -------
        list of float, length k, or None
            They sum to 1.

        """
        from scipy.special import softmax

        weights = self.weights()
        if max(weights) == -math.inf:
            return None
        return [float(f"{share:.12g}") for share in softmax(weights)]

    def log_odds(self, n: int) -> float | None:
        """Return ln P/(1-P) of one alternative; None where it is infinite.

        Parameters
        ----------
        n : int
            Place of the alternative.

        Returns
        -------
        float or None
            Natural logarithm, to 12 digits.

        """
        from scipy.special import logsumexp

        weights = self.weights()
        own, rest = weights.pop(n), logsumexp(weights)
        return None if -math.inf in {own, rest} else float(f"{own - rest:.12g}")


def kind_of(if_true: float, if_false: float) -> TestKind:
    """Name the test that a piece of evidence puts a hypothesis to.

    Certain: P(E|H) at least 0.9, so failing refutes. Unique: P(E|not H) at most 0.1, so passing confirms.

    Parameters
    ----------
    if_true, if_false : float
        P(E|H) and P(E|not H), 0 to 1.

    Returns
    -------
    str
        straw_in_the_wind, hoop (certain), smoking_gun (unique) or doubly_decisive (both).

    References
    ----------
    Van Evera (1997), Guide to Methods; Bennett (2010); as probabilities: Humphreys & Jacobs (2015), Am.
    Polit. Sci. Rev. 109(4).

    """
    certain, unique = if_true >= CERTAIN, if_false <= UNIQUE
    if certain:
        return "doubly_decisive" if unique else "hoop"
    return "smoking_gun" if unique else "straw_in_the_wind"


def weigh(
    pieces: Sequence[Piece], priors: Mapping[str, float]
) -> tuple[tuple[EvidenceTest, ...], dict[str, float], dict[str, float | None]]:
    """Update hypotheses by Bayes' rule, and test each by each piece of evidence.

    A piece with `likelihoods` compares rivals of which exactly one is true: their posteriors sum to 1. Any
    other piece sets one hypothesis against its negation. The pieces are taken as independent given each
    hypothesis, so that their order does not change the posteriors.

    Parameters
    ----------
    pieces : sequence of (str, tuple of Passage, PieceOfEvidence)
        (event, its passages, what it is evidence of), in order of time.
    priors : mapping of str to float
        Hypothesis -> probability before; 0.5 unless given, equal among rivals.

    Returns
    -------
    tests : tuple of EvidenceTest
        One for each hypothesis of each piece.
    posteriors : dict of str to float
        0 to 1, to 12 digits.
    log_odds : dict of str to float or None
        Natural logarithms; None where certain or refuted.

    Raises
    ------
    PreparationError
        `probability_out_of_range` of a prior; `priors_not_normalised` of rivals; `rivals_differ` between
        pieces; `impossible_evidence` that no hypothesis can explain.

    References
    ----------
    Fairfield & Charman (2017), Political Analysis 25(3), 363-380.

    """
    for hypothesis, prior in priors.items():
        if not 0 <= prior <= 1:
            raise PreparationError(
                f"The prior of {hypothesis!r} is {prior:g}.",
                code="probability_out_of_range",
                hint="Give a number from 0 to 1.",
            )
    fields: dict[str, tuple[tuple[str, ...], Belief]] = {}
    for event, _, piece in pieces:
        rivals = tuple(sorted(piece.likelihoods)) or (piece.hypothesis,)
        if stranger := next((name for name in rivals if name in fields and fields[name][0] != rivals), None):
            raise PreparationError(
                f"Event {event!r} compares {', '.join(rivals)}, and an earlier one {stranger!r} with "
                f"{', '.join(n for n in fields[stranger][0] if n != stranger) or 'its negation'}.",
                code="rivals_differ",
                hint="Give P(E|H) for the same rival hypotheses in every piece of evidence.",
            )
        if rivals[0] not in fields:
            fields.update(dict.fromkeys(rivals, (rivals, _begun(rivals, priors))))
    tests = [test for one in pieces for test in _weighed(one, fields)]
    posteriors, log_odds = dict(priors), {name: _logit(prior) for name, prior in priors.items()}
    for name, (rivals, belief) in fields.items():
        shares, at = belief.shares() or [], rivals.index(name)  # there are shares, or `_weighed` had raised
        posteriors[name], log_odds[name] = shares[at], belief.log_odds(at)
    return tuple(tests), posteriors, log_odds


def _begun(rivals: tuple[str, ...], priors: Mapping[str, float]) -> Belief:
    """Return what is believed of some rivals before the evidence."""
    known = [priors[name] for name in rivals if name in priors]
    if len(rivals) == 1:
        start = known[0] if known else 0.5
        return Belief([start, 1 - start])
    if not known:
        return Belief([1 / len(rivals)] * len(rivals))
    if len(known) == len(rivals) and abs(math.fsum(known) - 1) <= 1e-9:
        return Belief(known)
    raise PreparationError(
        f"The priors of the rivals {', '.join(rivals)} sum to {math.fsum(known):g}, with "
        f"{len(rivals) - len(known)} missing.",
        code="priors_not_normalised",
        hint="Exactly one rival is true: give each a prior so that they sum to 1, or give none.",
    )


def _weighed(one: Piece, fields: Mapping[str, tuple[tuple[str, ...], Belief]]) -> Sequence[EvidenceTest]:
    event, passages, piece = one
    rivals, belief = fields[next(iter(piece.likelihoods), piece.hypothesis)]
    two_sided = [piece.p_e_given_h or 0.0, piece.p_e_given_not_h or 0.0]
    stated = [piece.likelihoods[name] for name in rivals] if piece.likelihoods else two_sided
    likelihoods = stated if piece.observed else [1 - p for p in stated]
    before = belief.shares() or []
    belief.update(likelihoods)
    after = belief.shares()
    if after is None:
        what = f"{rivals[0]!r} is true or not" if len(rivals) == 1 else f"{', '.join(rivals)} is true"
        raise PreparationError(
            f"The evidence of event {event!r} is impossible, whether {what}.",
            code="impossible_evidence",
            hint="Probabilities of exactly 0 and 1 leave no room for error.",
        )
    tests = []
    for n, name in enumerate(rivals):
        others = [i for i in range(len(stated)) if i != n]
        if_false = _mean([likelihoods[i] for i in others], [before[i] for i in others])
        ratio = likelihoods[n] / if_false if if_false else math.inf
        tests.append(
            EvidenceTest(
                event=event,
                hypothesis=name,
                clue=piece.clue,
                observed=piece.observed,
                kind=kind_of(stated[n], max(stated[i] for i in others)),
                p_e_given_h=stated[n],
                p_e_given_not_h=_mean([stated[i] for i in others], [before[i] for i in others]),
                likelihood_ratio=ratio if math.isfinite(ratio) else None,
                weight_db=10 * math.log10(ratio) if ratio and math.isfinite(ratio) else None,
                prior=before[n],
                posterior=after[n],
                passages=piece.passages or passages,
            )
        )
    return tests


def _mean(values: Sequence[float], weights: Sequence[float]) -> float:
    """Return P(E|not H): the mean over the rivals, as probable as they are; plain where none is."""
    if len(values) == 1:
        return values[0]
    whole = math.fsum(weights)
    if not whole:
        return math.fsum(values) / len(values)
    return math.fsum(v * w for v, w in zip(values, weights, strict=True)) / whole


def _log(probability: float) -> float:
    return math.log(probability) if probability else -math.inf


def _logit(probability: float) -> float | None:
    return math.log(probability) - math.log1p(-probability) if 0 < probability < 1 else None
