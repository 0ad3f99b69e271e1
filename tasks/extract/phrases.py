"""Noun phrases that are worth an entity: those that a document repeats, and ends of relations."""

from collections import defaultdict
from collections.abc import Iterator

from corpusgraph.schemas.evidence import Claim, Evidence, Mention
from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.name_forms import singular
from corpusgraph.tasks.extract.tree import Tree
from corpusgraph.tasks.text.wordlist import words

OFTEN = 3
"""Times that a document repeats a phrase of several words before it is worth an entity."""
LONGEST = 4
_EMPTY = words("phrases.empty")


def repeated_phrases(context: Context) -> dict[int, list[Mention]]:
    """Add the phrases that a document repeats; return them by sentence."""
    places: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for sentence, tree in enumerate(context.trees):
        for first, head in _compounds(tree):
            if context.name_at(sentence, head) is None and context.name_at(sentence, first) is None:
                words = " ".join(tree.lows[first : head + 1])
                places[singular(words)].append((sentence, tree.starts[first], tree.ends[head]))
    mentions: dict[int, list[Mention]] = defaultdict(list)
    for spans in places.values():
        for sentence, start, end in spans if len(spans) >= OFTEN else ():
            mention = context.findings.mention(
                start,
                end,
                "concept",
                context.reading.sentences[sentence],
                confidence=0.4,
                cue="repeated phrase",
                attributes={"noun_phrase": True, "repeated": True},
            )
            mentions[sentence].append(mention)
    return mentions


def _compounds(tree: Tree) -> Iterator[tuple[int, int]]:
    """Yield first word and head of nouns with the adjectives and nouns right before them."""
    for head in range(1, len(tree)):
        if tree.upos[head] not in ("NOUN", "PROPN") or not tree.words[head].isalpha():
            continue
        first = head
        modifiers = {
            at
            for at in tree.dependents(head, "amod", "compound")
            if tree.upos[at] in ("ADJ", "NOUN", "PROPN") and tree.lows[at] not in _EMPTY
        }
        while first - 1 in modifiers:
            first -= 1
        if first < head < first + LONGEST:
            yield first, head


def without_idle(evidence: Evidence) -> Evidence:
    """Return the evidence without phrases that are mentions, but of nothing that is stated.

    Parameters
    ----------
    evidence : Evidence
        Of a document.

    Returns
    -------
    Evidence
        Its claims do not refer to the mentions dropped.

    """
    used = {end for a in evidence.assertions for end in (a.source_mention, a.target_mention)}
    used |= {mention for event in evidence.events for mention in (*event.actors, *event.places, *event.roles)}
    mentions = tuple(m for m in evidence.mentions if m.id in used or not _is_phrase(m))
    present = {mention.id for mention in mentions}
    claims = tuple(_about(claim, present) for claim in evidence.claims)
    return evidence.model_copy(update={"mentions": mentions, "claims": claims})


def _about(claim: Claim, present: set[str]) -> Claim:
    """Return a claim with those of its mentions that are present."""
    if present.issuperset(claim.entities):
        return claim
    return claim.model_copy(update={"entities": tuple(id_ for id_ in claim.entities if id_ in present)})


def _is_phrase(mention: Mention) -> bool:
    """Tell a phrase that became a mention as an antecedent or an end; one that is repeated is worth it."""
    attributes = mention.attributes
    phrase = attributes.get("noun_phrase") or attributes.get("pronoun")
    return bool(phrase) and not attributes.get("repeated")
