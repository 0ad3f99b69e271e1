"""What a graph takes of the evidence: relations that are sure, alone or as several sentences state them."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable

from corpusgraph.schemas.evidence import Evidence
from corpusgraph.schemas.graph import CO_OCCURRENCE
from corpusgraph.tasks.build.survey import form_of, key_of
from corpusgraph.tasks.extract.phrases import without_idle
from corpusgraph.tasks.extract.relations import SURE


def agreeing(evidence: Iterable[Evidence]) -> frozenset[str]:
    """Return the ids of doubtful assertions that state what is sure of all that state it.

    The chance that a relation is stated is 1 minus the product of how far each sentence falls short of it; of
    several assertions of a sentence the likeliest counts.

    Parameters
    ----------
    evidence : iterable of Evidence
        Of all documents.

    Returns
    -------
    frozenset of str
        Those that suppose or ask are none of them.

    """
    chances: dict[tuple[str, str, str, bool], dict[tuple[str, int], float]] = defaultdict(dict)
    doubtful: dict[tuple[str, str, str, bool], list[str]] = defaultdict(list)
    for of_document in evidence:
        folded = {mention.id: key_of(form_of(mention)).fold for mention in of_document.mentions}
        for a in of_document.assertions:
            if a.type == CO_OCCURRENCE or not a.is_put_forward:
                continue
            relation = (folded[a.source_mention], a.type, folded[a.target_mention], a.negated)
            in_sentence, sentence = chances[relation], (a.document_id, a.sentence_start)
            in_sentence[sentence] = max(a.confidence, in_sentence.get(sentence, 0.0))
            if a.doubtful:
                doubtful[relation].append(a.id)
    return frozenset(
        id_
        for relation, ids in doubtful.items()
        if 1 - math.prod(1 - chance for chance in chances[relation].values()) >= SURE
        for id_ in ids
    )


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
    asserted = tuple(a for a in evidence.assertions if not a.doubtful or a.id in agreed)
    if min_confidence is not None or len(asserted) == len(evidence.assertions):
        return evidence
    return without_idle(evidence.model_copy(update={"assertions": asserted}))
