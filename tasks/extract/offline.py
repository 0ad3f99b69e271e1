"""Extraction without a language model: names by rules, all else by patterns over parsed sentences."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from corpusgraph.schemas.annotation import Annotation, Annotator, Recognizer
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import ArgumentRelation, Claim, Event, Evidence, Mention
from corpusgraph.tasks.extract.claims import find_claims
from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.events import find_events
from corpusgraph.tasks.extract.name_forms import person_name
from corpusgraph.tasks.extract.naming import evidence_of, note_aliases, word_classes
from corpusgraph.tasks.extract.patterns import Patterns
from corpusgraph.tasks.extract.phrases import repeated_phrases, without_idle
from corpusgraph.tasks.extract.reference import resolve_references
from corpusgraph.tasks.extract.relations import find_relations
from corpusgraph.tasks.extract.rules.reading import language_of, names_of, read_document
from corpusgraph.tasks.extract.rules.scripts import caseless, find_repeated
from corpusgraph.tasks.extract.tree import trees
from corpusgraph.tasks.progress import counted

VERSION = "21"
"""Raise it with every change of rules: cached evidence of older rules is then made again."""
WINDOW = 3
"""How many of the following names a name is joined with."""


class OfflineExtractor:
    """Implements `stages.Extractor`: no key, no download.

    Parameters
    ----------
    annotator : Annotator, optional
        Parses the sentences. A document in a language that it has no pipeline for gives names and
        co-occurrence only, as all documents do without an annotator.
    patterns : mapping of str to Patterns, optional
        Language -> what states a relation in it. In a language without patterns the open statements of its
        sentences are read.
    names : Recognizer, optional
        A trained recognizer, whose names come before those found by rules.

    """

    def __init__(
        self,
        annotator: Annotator | None = None,
        patterns: Mapping[str, Patterns] | None = None,
        names: Recognizer | None = None,
    ) -> None:
        self._annotator = annotator
        self._names = names
        self._patterns = dict(patterns or {})

    @property
    def fingerprint(self) -> str:
        """Identify rules and pipelines."""
        parser = self._annotator.fingerprint if self._annotator is not None else "rules"
        patterns = (
            f"{language}:{self._patterns[language].fingerprint}" for language in sorted(self._patterns)
        )
        names = (self._names.fingerprint,) if self._names is not None else ()
        return "-".join((f"offline-{VERSION}", parser, *patterns, *names))

    @property
    def languages(self) -> frozenset[str]:
        """Languages whose sentences are parsed."""
        return frozenset() if self._annotator is None else self._annotator.languages

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> Evidence:
        """Return the evidence of one document; spans point into `document.text`."""
        recognized = None if self._names is None else self._names.recognize(document.text)
        annotation = self._annotated(document)
        if annotation is None:
            reading = read_document(document, recognized=recognized)
            return _evidence(Context.of(document, chunks, reading, []), Patterns([]))
        sentences = trees(document.text, annotation)
        reading = read_document(
            document,
            [(tree.start, tree.end) for tree in sentences],
            word_classes(sentences),
            evidence_of(sentences),
            annotation.names if self._names is None else recognized,
        )
        patterns = self._patterns.get(annotation.language) or Patterns([])
        return _evidence(Context.of(document, chunks, reading, sentences), patterns)

    def _annotated(self, document: Document) -> Annotation | None:
        language = language_of(document)
        if self._annotator is None or language not in self.languages:
            return None
        annotation = self._annotator.annotate([document.text], language)[0]
        return annotation if len(annotation) else None


def _evidence(context: Context, patterns: Patterns) -> Evidence:
    findings, reading = context.findings, context.reading
    note_aliases(reading)
    context.names = [names_of(reading, findings, sentence) for sentence in range(len(reading.sentences))]
    claims: list[Claim] = []
    arguments: list[ArgumentRelation] = []
    events: list[Event] = []
    if context.trees:
        resolve_references(context)
        for sentence in counted(range(len(context.trees)), "sentences understood", every=64):
            find_relations(context, sentence, patterns)
        events = find_events(context)
    phrases = repeated_phrases(context)
    for sentence, names in enumerate(context.names):
        both = sorted([*names, *phrases.get(sentence, ())], key=lambda mention: mention.start)
        co_occurrences(context, sentence, both)
    if caseless(context.document.text):
        _repeated(context)
    if context.trees:
        claims, arguments = find_claims(context)
    speakers = _speakers(context, claims)
    claims = [claim.model_copy(update={"speaker": speakers.get(claim.speaker or "")}) for claim in claims]
    assertions = [
        assertion.model_copy(update={"speaker": speakers.get(assertion.speaker or "")})
        for assertion in findings.assertions.values()
    ]
    evidence = Evidence(
        document_id=context.document.id,
        mentions=tuple(sorted(findings.mentions.values(), key=lambda m: (m.start, m.end))),
        assertions=tuple(sorted(assertions, key=lambda a: (a.start, a.end, a.id))),
        claims=tuple(claims),
        arguments=tuple(sorted(arguments, key=lambda r: (r.start, r.id))),
        events=tuple(events),
        lower_words=reading.lower_words,
    )
    return without_idle(evidence)


def _speakers(context: Context, claims: Sequence[Claim]) -> dict[str, str]:
    """Return for each speaker the fullest way in which the document writes the same person's name.

    "Mr. Farr" and "Farr" are William Farr, if he is the only Farr.
    """
    people = {mention.name for mention in context.findings.mentions.values() if mention.type == "person"}
    tokens = {name: person_name(name).tokens for name in people}
    spoken = {claim.speaker for claim in claims} | {a.speaker for a in context.findings.assertions.values()}
    fullest = {}
    for speaker in filter(None, spoken):
        own = person_name(speaker).tokens
        fuller = [name for name in people if own[-1:] == tokens[name][-1:] and set(own) <= set(tokens[name])]
        longest = max(fuller, key=lambda name: (len(tokens[name]), -len(name), name), default=speaker)
        one = all(set(tokens[name]) <= set(tokens[longest]) for name in fuller)
        fullest[speaker] = longest if speaker in people and one else speaker
    return fullest


def co_occurrences(context: Context, sentence: int, names: Sequence[Mention]) -> None:
    """Join each name with the next three of its sentence."""
    named = [name for name in names if name.type not in ("date", "quantity")]
    for first, mention in enumerate(named):
        for other in named[first + 1 : first + 1 + WINDOW]:
            if other.name != mention.name:
                context.findings.assertion(
                    mention,
                    other,
                    "co_occurs_with",
                    context.reading.sentences[sentence],
                    cue="same sentence",
                    span=(mention.start, other.end),
                    confidence=0.3,
                )


def _repeated(context: Context) -> None:
    """Add what repeats in a text whose script has no capitals."""
    findings, sentences = context.findings, context.reading.sentences
    starts = [sentence.start for sentence in sentences]
    taken = sorted(findings.mentions)
    for start, end, kind, confidence in find_repeated(context.document.text):
        near = bisect_right(taken, (start, end))
        if any(s < end and start < e for s, e in taken[max(0, near - 3) : near + 3]):
            continue
        at = bisect_right(starts, start) - 1
        if at >= 0 and end <= sentences[at].end:
            findings.mention(start, end, kind, sentences[at], confidence=confidence, cue="repeated")
