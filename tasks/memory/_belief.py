"""How sure a relationship is by all that was said of it: how often, by whom, how independently."""

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from corpusgraph.schemas.evidence import Assertion
from corpusgraph.schemas.memory import HAND, STATED
from corpusgraph.tasks.index.aggregate import CERTAIN


@dataclass(frozen=True)
class Independence:
    """How much a further statement counts beside the first: as a power of its doubt, from 0 to 1.

    `same_extractor` for one by the same extractor in the same document, `same_document` for one by another
    extractor there; those of other documents count in full. `reliability` scales the confidence that an
    extractor gives (by its name up to the first `/`, `:` or `-`).
    """

    same_document: float = 0.5
    same_extractor: float = 0.25
    reliability: tuple[tuple[str, float], ...] = ()

    def trusted(self, assertion: Assertion) -> float:
        """Return how sure a statement is."""
        given = dict(self.reliability)
        factor = given.get(assertion.extractor, given.get(family(assertion.extractor), 1.0))
        return min(assertion.confidence * factor, CERTAIN)


def family(extractor: str) -> str:
    """Return an extractor's name without its version or model: rules of `rules/3`, hand of `hand`."""
    for mark in "/:-":
        extractor = extractor.partition(mark)[0]
    return extractor


@dataclass(frozen=True)
class Belief:
    """What the evidence for a relationship comes to."""

    support: float
    denial: float
    weight: float
    n_evidence: int
    n_documents: int
    n_extractors: int
    n_denied: int
    by_hand: bool

    @property
    def confidence(self) -> float:
        """Join one body of evidence for it and one against by Dempster's rule: s (1 - d) / (1 - s d)."""
        return round(self.support * (1 - self.denial) / (1 - self.support * self.denial), 6)


def belief(evidence: Sequence[Assertion], how: Independence) -> Belief:
    """Weigh statements for and against one relationship.

    support = 1 - product over statements of (1 - c) ^ u (noisy-or, Pearl 1988), c the confidence and u 1 for
    the surest statement of a document, `same_document` for the surest of each further extractor there,
    `same_extractor` for all others; denial is the same of what denies it, and the two are joined by
    Dempster's rule (Shafer 1976). What is supposed or asked is neither. weight is the sum of c u over what
    supports it, times 1 - denial.
    """
    pro = [one for one in evidence if one.is_stated]
    con = [one for one in evidence if one.is_put_forward and one.negated]
    doubts, shares = _weighed(pro, how)
    against, _ = _weighed(con, how)
    support, denial = -math.expm1(-doubts), -math.expm1(-against)
    return Belief(
        support=min(round(support, 9), CERTAIN),
        denial=min(round(denial, 9), CERTAIN),
        weight=round(shares * (1 - denial), 6),
        n_evidence=len(pro),
        n_documents=len({one.document_id for one in pro}),
        n_extractors=len({one.extractor for one in pro}),
        n_denied=len(con),
        by_hand=any(one.extractor == HAND and one.cue in {*STATED, None} for one in pro),
    )


def _weighed(evidence: Iterable[Assertion], how: Independence) -> tuple[float, float]:
    """Return the sum of -u ln(1 - c) and the sum of u c."""
    by_document: dict[str, list[Assertion]] = defaultdict(list)
    for one in evidence:
        by_document[one.document_id].append(one)
    doubts, shares = [], []
    for document in sorted(by_document):
        seen: set[str] = set()
        for one in sorted(by_document[document], key=lambda a: (-how.trusted(a), a.extractor, a.id)):
            u = 1.0 if not seen else how.same_extractor if one.extractor in seen else how.same_document
            seen.add(one.extractor)
            doubts.append(-u * math.log1p(-how.trusted(one)))
            shares.append(u * how.trusted(one))
    return math.fsum(doubts), math.fsum(shares)
