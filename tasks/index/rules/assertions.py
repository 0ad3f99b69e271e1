"""Assertions of one sentence: the relations it states, and the names that stand together in it."""

from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.index.rules.clauses import Clauses
from corpusgraph.tasks.index.rules.findings import Findings
from corpusgraph.tasks.index.rules.foreign import find_foreign
from corpusgraph.tasks.index.rules.found import Found
from corpusgraph.tasks.index.rules.located import find_located
from corpusgraph.tasks.index.rules.measures import find_measures
from corpusgraph.tasks.index.rules.mentions import kind_of, phrase_mention
from corpusgraph.tasks.index.rules.reading import Reading
from corpusgraph.tasks.index.rules.relations import find_relations
from corpusgraph.tasks.index.rules.reported import Vouched, vouch
from corpusgraph.tasks.index.rules.tagger import Sentence

WINDOW = 3
"""How many of the following names a name is joined with."""


def relations(reading: Reading, findings: Findings, at: int, clauses: Clauses) -> None:
    """Add the relations a sentence states."""
    sentence = reading.sentences[at]
    if reading.language == "en":
        everything = find_relations(clauses)
        everything += find_located(clauses, lambda phrase: kind_of(reading, at, phrase))
        everything += find_measures(clauses, reading.quantities[at])
    else:
        everything = list(find_foreign(clauses, reading.language))
    for vouched in vouch(clauses, everything):
        found = vouched.found
        source = phrase_mention(reading, findings, at, found.source)
        target = phrase_mention(reading, findings, at, found.target)
        type_, turned = _typed(found, source, target)
        source, target = (target, source) if turned else (source, target)
        anaphoric = min(source.start, target.start) < sentence.start
        ends = [m for m in (source, target) if sentence.start <= m.start < sentence.end]
        span = (
            min([sentence.starts[found.first], *(m.start for m in ends)]),
            max([sentence.ends[found.last - 1], *(m.end for m in ends)]),
        )
        findings.assertion(
            source,
            target,
            type_,
            sentence,
            cue=f"{reading.language}:{found.pattern}" + _speaker(reading, at, vouched),
            span=span,
            confidence=_confidence(found, sentence, anaphoric=anaphoric),
            negated=found.negated,
        )


_MAKING = ("produce", "effect", "generate")


def _typed(found: Found, source: Mention, target: Mention) -> tuple[str, bool]:
    """Return the type that fits the kinds of the ends, and whether it turns them round.

    A person who produces something makes it; the author of a book wrote it.
    """
    maker = source.type in ("person", "organisation") or source.cue == "capitals"
    if found.type != "causes" or not maker:
        return found.type, False
    if found.pattern.split()[0] in _MAKING:
        return "produced_by", True
    if "author of" in found.pattern and not target.attributes.get("noun_phrase"):
        return "written_by", True
    return found.type, False


def _speaker(reading: Reading, at: int, vouched: Vouched) -> str:
    """Return "; said by Farr" where the sentence names somebody, with the name a pronoun stands for."""
    if vouched.speaker is None:
        return ""
    phrase = vouched.speaker
    reference = reading.references.get((at, phrase.first)) if phrase.last - phrase.first == 1 else None
    at, phrase = reference or (at, phrase)
    name = next((n.text for n in reading.names[at] if n.last == phrase.last), None)
    words = name or " ".join(reading.sentences[at].words[phrase.first : phrase.last])
    return f"; {'denied' if vouched.denied else 'said'} by {words}"


def _confidence(found: Found, sentence: Sentence, *, anaphoric: bool) -> float:
    """Trust a relation less behind "if", "whether" or a pronoun."""
    first = min(found.source.first, found.target.first)
    doubtful = sentence.lows[max(0, first - 3) : first]
    if "if" in doubtful or "whether" in doubtful:
        return 0.4
    return min(found.confidence, 0.5) if anaphoric else found.confidence


def co_occurrences(findings: Findings, reading: Reading, at: int, named: list[Mention]) -> None:
    """Join each name with the next three of its sentence."""
    sentence = reading.sentences[at]
    for first, mention in enumerate(named):
        for other in named[first + 1 : first + 1 + WINDOW]:
            if other.name != mention.name:
                span = (mention.start, other.end)
                findings.assertion(
                    mention, other, "co_occurs_with", sentence, cue="same sentence", span=span, confidence=0.3
                )
