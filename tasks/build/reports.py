"""What the corpus says about each community: its best sentences, each cited."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import fsum

import numpy as np

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship, ReportFinding
from corpusgraph.tasks.build.aggregate import Passage
from corpusgraph.tasks.graph.inputs import summed
from corpusgraph.tasks.text.diversity import diverse, jaccard

MAX_FINDINGS = 8
MAX_CANDIDATES = 64
"""Sentences compared with one another per community: the best by score."""
SUMMARY_FINDINGS = 3
PENALTY = 3 / 7
"""Share of the best score that a sentence loses that is like one already chosen (an MMR lambda of 0.7)."""
MENTION_SHARE = 0.5
"""A sentence that only describes a member counts half of one that relates two."""

_WORD = re.compile(r"\w+")
Place = tuple[str, int, int]
"""Document, first and last character: two relationships can rest on one sentence."""


def place_of(passage: Passage | ReportFinding) -> Place:
    """Return document, first and last character of a sentence.

    Parameters
    ----------
    passage : Passage or ReportFinding
        A sentence of a document.

    Returns
    -------
    (str, int, int)
        What tells it from every other.

    """
    return passage.document_id, passage.start, passage.end


def write_reports(
    communities: Sequence[Community],
    entities: Sequence[Entity],
    relationships: Sequence[Relationship],
    passages: Mapping[str, Passage],
) -> list[CommunityReport]:
    """Write one extractive report per community, in the order given.

    `passages` maps the id of an entity or relationship to its best sentence, as `Derived.passages` does; one
    sentence for each is all that is ever held, whatever the size of the corpus. A sentence scores the sum,
    over the relationships that rest on it, of their confidence times the centrality (share of the weight
    inside the community) of their ends; up to eight are chosen by maximal marginal relevance (Carbonell &
    Goldstein 1998) with the overlap of words as likeness.

    Parameters
    ----------
    communities : sequence of Community
        The communities.
    entities : sequence of Entity
        All entities.
    relationships : sequence of Relationship
        All relationships.
    passages : mapping of str to Passage
        Id of an entity or a relationship -> its best sentence.

    Returns
    -------
    list of CommunityReport
        As many as communities; one without any sentence has no findings.

    References
    ----------
    Carbonell & Goldstein 1998.

    """
    return list(map(extractive(entities, relationships, passages), communities))


def extractive(
    entities: Sequence[Entity], relationships: Sequence[Relationship], passages: Mapping[str, Passage]
) -> Callable[[Community], CommunityReport]:
    """Return what writes the extractive report of one community, as `write_reports` does.

    Parameters
    ----------
    entities : sequence of Entity
        All entities.
    relationships : sequence of Relationship
        All relationships.
    passages : mapping of str to Passage
        Id of an entity or a relationship -> its best sentence.

    Returns
    -------
    callable
        Takes a community and returns its report.

    """
    by_id = {relationship.id: relationship for relationship in relationships}
    surest = {entity.id: entity.confidence for entity in entities}

    def report(community: Community) -> CommunityReport:
        inside = [by_id[number] for number in community.relationship_ids]
        found: dict[Place, Passage] = {}
        scores: dict[Place, float] = defaultdict(float)
        for number, score in _scored(community, inside, surest):
            if (passage := passages.get(number)) is not None:
                found[place_of(passage)] = passage
                scores[place_of(passage)] += score
        best = sorted(scores, key=lambda place: (-scores[place], place))[:MAX_CANDIDATES]
        words = [frozenset(_WORD.findall(found[place].text.casefold())) for place in best]
        worth = np.array([scores[place] for place in best])
        likeness = [[jaccard(mine, others) for others in words] for mine in words]
        chosen = diverse(worth, likeness.__getitem__, MAX_FINDINGS, penalty=PENALTY)
        findings = tuple(finding_of(found[best[at]], score=round(scores[best[at]], 6)) for at in chosen)
        return CommunityReport(
            id=report_id(community.id),
            community_id=community.id,
            level=community.level,
            title=community.title or community.id,
            summary=summary_of(findings),
            findings=findings,
            rating=community.rating or 0.0,
            rating_explanation=_explanation(community, inside),
        )

    return report


def report_id(community_id: str) -> str:
    """Identify the report of a community, whoever writes it.

    Parameters
    ----------
    community_id : str
        Of the community.

    Returns
    -------
    str
        Prefixed `com_`.

    """
    return stable_id("com", "report", community_id)


def weights_of_ends(relationships: Iterable[Relationship]) -> dict[str, float]:
    """Add up for each entity the weights of its relationships.

    Parameters
    ----------
    relationships : iterable of Relationship
        Both ends count; those of no relationship are not in it.

    Returns
    -------
    dict of str to float
        By id, in order of first appearance.

    """
    return summed((end, edge.weight) for edge in relationships for end in (edge.source_id, edge.target_id))


def _scored(
    community: Community, inside: list[Relationship], surest: Mapping[str, float]
) -> list[tuple[str, float]]:
    """Return (relationship or entity id, score of its passage), in id order."""
    weights = weights_of_ends(inside)
    whole = fsum(weights.values()) or 1.0
    related = [(r.id, r.confidence * (weights[r.source_id] + weights[r.target_id]) / whole) for r in inside]
    described = [
        (member, MENTION_SHARE * surest.get(member, 0.0) * weights.get(member, 0.0) / whole)
        for member in community.entity_ids
    ]
    return sorted(related + described)


def summary_of(findings: Sequence[ReportFinding]) -> str:
    """Return the best findings of an extractive report as one text.

    Parameters
    ----------
    findings : sequence of ReportFinding
        Best first.

    Returns
    -------
    str
        At most three findings.

    """
    return " ".join(" ".join(finding.text.split()) for finding in findings[:SUMMARY_FINDINGS])


def finding_of(passage: Passage, **said: float | str) -> ReportFinding:
    """Return a passage as a finding of a report; `said` are the other fields: score, summary, explanation.

    Parameters
    ----------
    passage : Passage
        The sentence.
    **said : float or str
        `score`, `summary`, `explanation`.

    Returns
    -------
    ReportFinding
        Validated.

    """
    place = passage._asdict()
    del place["confidence"]
    return ReportFinding.model_validate({**place, **said})


def _explanation(community: Community, inside: list[Relationship]) -> str:
    weight = fsum(relationship.weight for relationship in inside)
    return (
        f"Entities: {len(community.entity_ids)}; relationships: {len(inside)}; weight of their evidence: "
        f"{weight:.2f}; chunks: {len(community.chunk_ids)}. The weightiest community is rated 10, "
        "the others by the logarithm of their weight."
    )
