"""Claims of the corpus and what stands between them."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.errors import UnknownEntityError
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim
from corpusgraph.schemas.ports import Corpus
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.schemas.study import ArgumentDataset
from corpusgraph.tasks.analysis.argument.models import ArgumentClaim, ClaimRelation, PrepareArgumentNetwork
from corpusgraph.tasks.analysis.causal.dag import reachable
from corpusgraph.tasks.dataset.cited import Cited
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.table.values import warning

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

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    claims : sequence of Claim
        Some or all of its claims.

    Returns
    -------
    list of ArgumentRelation
        Two for each pair of claims; confidence and weight are those of the weaker assertion.

    """
    of_document = grouped((claim.document_id, claim) for claim in claims)
    stated: dict[_Relation, dict[str, _Side]] = defaultdict(dict)
    denied: dict[_Relation, dict[str, _Side]] = defaultdict(dict)
    for assertion in sorted(corpus.assertions, key=lambda a: (a.document_id, a.start, a.id)):
        causal = assertion.is_causal and assertion.is_put_forward
        if relation := causal and _disputed_relation(corpus, assertion):
            sides = (denied if assertion.negated else stated)[relation]
            for claim in _holding(of_document.get(assertion.document_id, ()), assertion):
                sides.setdefault(claim.id, _Side(claim, assertion))
    return [attack for relation in sorted(denied) for attack in _attacks(stated[relation], denied[relation])]


def _disputed_relation(corpus: Corpus, assertion: Assertion) -> _Relation | None:
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


_PLACE = {"document_id", "chunk_id", "start", "end", "page", "sentence_start", "sentence_end"}


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
        **said.model_dump(include=_PLACE),
    )


Pair = tuple[str, str, str]
"""Source, target and type of a relation."""
_DENIAL = re.compile(
    r"\b(?:not|no|nor|never|none|nobody|neither|nothing|cannot|without|refute[sd]?|den(?:y|ies|ied|ial)|false|wrong"
    r"|nicht|kein\w*|nie)\b|n['’]t\b",
    re.IGNORECASE,
)


def build_argument(corpus: Corpus, dataset: ArgumentDataset) -> PrepareArgumentNetwork:
    """Return the input of tool 25: claims that stand in a relation, duplicates merged.

    Claims with the same words and stance are one. With `about`, claims that name one of its entities
    are kept, and all that attack or support them, near or far: what is accepted depends on those too.
    Claims of different documents that state and deny one causal relation attack each other, unless the
    dataset says `disputes: false`. A Dung framework has no supports; they are left out and counted.

    Parameters
    ----------
    corpus : Corpus
        The corpus.
    dataset : ArgumentDataset
        What the study asks for.

    Returns
    -------
    PrepareArgumentNetwork
        With warnings in its notes: `support_in_dung`, `unknown_entity_name`, `duplicate_identical`.

    """
    claims = sorted(corpus.claims, key=lambda c: (c.document_id, c.start, c.id))
    same = _merged(claims)
    groups = grouped((same[claim.id], claim) for claim in claims)
    found = [*corpus.arguments, *(disputes(corpus, claims) if dataset.disputes else ())]
    relations, notes = _relations(found, same, dataset.framework)
    links = [(source, target) for source, target, _ in relations]
    if dataset.about:
        wanted, missing = _about(corpus, claims, same, dataset.about)
        notes += missing
        keep = _joined(wanted, links)
    else:
        wanted, keep = set(), {end for link in links for end in link}
    cited = Cited(corpus)
    return PrepareArgumentNetwork(
        claims=tuple(
            _claim(one, group, cited, one in wanted) for one, group in groups.items() if one in keep
        ),
        relations=tuple(
            _relation(key, found, cited) for key, found in sorted(relations.items()) if key[0] in keep
        ),
        framework=dataset.framework,
        semantics=dataset.semantics,
        support=dataset.support,
        budget=dataset.budget,
        time_limit=dataset.time_limit,
        notes=(*notes, *_twins(groups)),
    )


def _merged(claims: Iterable[Claim]) -> dict[str, str]:
    """Map each claim to the first one with the same words and stance."""
    first: dict[tuple[str, str], str] = {}
    return {c.id: first.setdefault((_words(c.text), c.stance), c.id) for c in claims}


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))


def _relations(
    found: Iterable[ArgumentRelation], same: dict[str, str], framework: str
) -> tuple[dict[Pair, list[ArgumentRelation]], list[ToolWarning]]:
    relations: dict[Pair, list[ArgumentRelation]] = {}
    dropped = []
    for one in sorted(found, key=lambda r: (r.document_id, r.start, r.id)):
        source, target = same.get(one.source), same.get(one.target)
        if source is None or target is None or (source == target and one.source != one.target):
            continue
        if one.type == "support" and framework == "dung":
            dropped.append(one.id)
        else:
            relations.setdefault((source, target, one.type), []).append(one)
    message = f"{len(dropped)} supports were left out: a Dung framework knows attacks only."
    return relations, warning("support_in_dung", message, dropped)


def _about(
    corpus: Corpus, claims: Iterable[Claim], same: dict[str, str], about: Sequence[str]
) -> tuple[set[str], list[ToolWarning]]:
    """Return the claims that name one of the entities, by mention or by word."""
    entities: set[str] = set()
    missing = []
    for name in about:
        try:
            entities.add(corpus.graph.entity(name).id)
        except UnknownEntityError:
            missing.append(name)
    words = [f" {_words(name)} " for name in about]
    wanted = set()
    for claim in claims:
        text = f" {_words(claim.text)} "
        named = any(corpus.entity_of(mention) in entities for mention in claim.entities)
        if named or any(word in text for word in words):
            wanted.add(same[claim.id])
    message = f"The corpus has no entity {', '.join(map(repr, missing))}; claims with these words were kept."
    return wanted, warning("unknown_entity_name", message, missing)


def _joined(wanted: Collection[str], links: Iterable[tuple[str, str]]) -> set[str]:
    alone: dict[str, list[str]] = {claim: [] for claim in wanted}
    joined = grouped(ends for a, b in links for ends in ((a, b), (b, a)))
    return reachable(alone | joined, wanted)


def _told(claim: Claim) -> str:
    """Return the claim in its words; a denial that stands outside of them is said before them.

    "Foul air did not cause cholera" denies in its own words: to call it denied would turn it round.
    """
    outside = claim.stance == "denies" and not _DENIAL.search(claim.text)
    return f"Denied: {claim.text}" if outside else claim.text


def _claim(one: str, group: Sequence[Claim], cited: Cited, named: bool) -> ArgumentClaim:
    speakers = list(dict.fromkeys(claim.speaker for claim in group if claim.speaker))
    return ArgumentClaim(
        id=one,
        text=_told(group[0]),
        weight=max(claim.confidence for claim in group),
        speaker="; ".join(speakers) or None,
        passages=tuple(cited.passage(claim) for claim in group),
        stance=group[0].stance,
        names_topic=named,
    )


def _relation(key: Pair, found: Sequence[ArgumentRelation], cited: Cited) -> ClaimRelation:
    return ClaimRelation(
        source=key[0],
        target=key[1],
        type=key[2],
        weight=max(one.weight for one in found),
        passages=tuple(cited.passage(one) for one in found),
    )


def _twins(groups: dict[str, list[Claim]]) -> list[ToolWarning]:
    merged = [claim.id for group in groups.values() for claim in group[1:]]
    message = f"{len(merged)} claims repeat another in the same words and were merged with it."
    return warning("duplicate_identical", message, merged)
