"""Disputes across documents: one states a causal relation, another denies it."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim
from corpusgraph.schemas.ports import Corpus

EXTRACTOR = "dispute"


class _Relation(NamedTuple):
    source: str
    type: str
    target: str


class _Side(NamedTuple):
    claim: Claim
    assertion: Assertion


def disputes(corpus: Corpus, claims: Sequence[Claim]) -> list[ArgumentRelation]:
    """Return mutual attacks between claims of different documents that state and deny one causal relation.

    Neither refutes the other by itself: both attacks are there, and what else is said decides. Inside one
    document the extractor has linked denials already.
    """
    of_document: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        of_document[claim.document_id].append(claim)
    stated: dict[_Relation, dict[str, _Side]] = defaultdict(dict)
    denied: dict[_Relation, dict[str, _Side]] = defaultdict(dict)
    for assertion in sorted(corpus.assertions, key=lambda a: (a.document_id, a.start, a.id)):
        relation = _relation(corpus, assertion) if assertion.is_causal and assertion.is_put_forward else None
        if relation:
            sides = (denied if assertion.negated else stated)[relation]
            for claim in _holding(of_document[assertion.document_id], assertion):
                sides.setdefault(claim.id, _Side(claim, assertion))
    return [attack for relation in sorted(denied) for attack in _attacks(stated[relation], denied[relation])]


def _relation(corpus: Corpus, assertion: Assertion) -> _Relation | None:
    source, target = corpus.entity_of(assertion.source_mention), corpus.entity_of(assertion.target_mention)
    return _Relation(source, assertion.type, target) if source and target else None


def _holding(claims: Iterable[Claim], assertion: Assertion) -> list[Claim]:
    """Return the claims whose words hold both ends of an assertion."""
    return [c for c in claims if c.start <= assertion.start and assertion.end <= c.end] or [
        c for c in claims if c.start < assertion.end and assertion.start < c.end
    ]


def _attacks(stated: dict[str, _Side], denied: dict[str, _Side]) -> Iterable[ArgumentRelation]:
    for one, for_it in sorted(stated.items()):
        for other, against in sorted(denied.items()):
            if one in denied or other in stated or for_it.claim.document_id == against.claim.document_id:
                continue  # a claim that says both is left to its own document
            yield _attack(against, for_it)
            yield _attack(for_it, against)


def _attack(by: _Side, on: _Side) -> ArgumentRelation:
    said = by.assertion
    verb = "denies" if said.negated else "states"
    return ArgumentRelation(
        id=stable_id("arg", EXTRACTOR, by.claim.id, on.claim.id),
        source=by.claim.id,
        target=on.claim.id,
        type="attack",
        weight=min(said.confidence, on.assertion.confidence),
        confidence=min(said.confidence, on.assertion.confidence),
        extractor=EXTRACTOR,
        cue=f"{verb}: {said.source} {said.type.replace('_', ' ')} {said.target}",
        document_id=said.document_id,
        chunk_id=said.chunk_id,
        start=said.start,
        end=said.end,
        page=said.page,
        sentence_start=said.sentence_start,
        sentence_end=said.sentence_end,
    )
