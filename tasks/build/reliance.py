"""What a graph takes of the evidence: relations that are sure, alone or as several sentences state them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from corpusgraph.schemas.evidence import Assertion, Evidence
from corpusgraph.schemas.graph import CO_OCCURRENCE
from corpusgraph.tasks.build.survey import form_of, key_of
from corpusgraph.tasks.extract.phrases import without_idle
from corpusgraph.tasks.extract.relations import SURE

_Relation = tuple[str, str, str, bool]
"""Folded name of the source, type, folded name of the target, whether it is denied."""


def agreeing(evidence: Iterable[Evidence], min_confidence: float | None) -> frozenset[str]:
    """Return the ids of doubtful assertions that state what is sure of all that state it.

    The chance that a relation is stated is 1 minus the product of how far each sentence falls short of it; of
    several assertions of a sentence the likeliest counts.

    Parameters
    ----------
    evidence : iterable of Evidence
        Of all documents.
    min_confidence : float or None
        Where it is set, it decides what is relied on: nothing is read, and none returned.

    Returns
    -------
    frozenset of str
        Those that suppose or ask are none of them.

    """
    if min_confidence is not None:
        return frozenset()
    lacking: dict[_Relation, float] = defaultdict(lambda: 1.0)
    doubtful: dict[_Relation, list[str]] = defaultdict(list)
    for of_document in evidence:
        likeliest: dict[tuple[_Relation, int], float] = defaultdict(float)
        for relation, assertion in _put_forward(of_document):
            sentence = (relation, assertion.sentence_start)
            likeliest[sentence] = max(likeliest[sentence], assertion.confidence)
            if assertion.doubtful:
                doubtful[relation].append(assertion.id)
        for (relation, _), chance in likeliest.items():
            lacking[relation] *= 1 - chance
    return frozenset(
        id_ for relation, ids in doubtful.items() if 1 - lacking[relation] >= SURE for id_ in ids
    )


def _put_forward(evidence: Evidence) -> Iterator[tuple[_Relation, Assertion]]:
    """Yield what is stated or denied, and of what, whatever the letters of the names."""
    mentions = {mention.id: mention for mention in evidence.mentions}
    for assertion in evidence.assertions:
        source, target = (mentions.get(id_) for id_ in (assertion.source_mention, assertion.target_mention))
        if source and target and assertion.type != CO_OCCURRENCE and assertion.is_put_forward:
            names = key_of(form_of(source)).fold, key_of(form_of(target)).fold
            yield (names[0], assertion.type, names[1], assertion.negated), assertion


def relied_on(evidence: Evidence, min_confidence: float | None, agreed: Collection[str]) -> Evidence:
    """Return the evidence without what is doubtful, where `min_confidence` does not decide.

    Parameters
    ----------
    evidence : Evidence
        Of a document.
    min_confidence : float or None
        Where it is set, the evidence is returned as it is.
    agreed : collection of str
        Ids of doubtful assertions to rely on all the same.

    Returns
    -------
    Evidence
        Without the other doubtful assertions, and phrases that only these named.

    """
    if min_confidence is not None:
        return evidence
    asserted = tuple(a for a in evidence.assertions if not a.doubtful or a.id in agreed)
    if len(asserted) == len(evidence.assertions):
        return evidence
    return without_idle(evidence.model_copy(update={"assertions": asserted}))
