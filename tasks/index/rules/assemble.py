"""From a reading to evidence: mentions, assertions, claims, arguments, events."""

from bisect import bisect_right
from collections.abc import Sequence

from corpusgraph.schemas.base import JsonDict, stable_id
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.evidence import Event, Evidence, Mention
from corpusgraph.tasks.index.rules.argue import Argument
from corpusgraph.tasks.index.rules.clauses import Clauses
from corpusgraph.tasks.index.rules.dates import FoundDate
from corpusgraph.tasks.index.rules.events import find_events
from corpusgraph.tasks.index.rules.findings import Findings
from corpusgraph.tasks.index.rules.foreign import find_foreign
from corpusgraph.tasks.index.rules.found import Found
from corpusgraph.tasks.index.rules.located import find_located
from corpusgraph.tasks.index.rules.name_span import NameSpan
from corpusgraph.tasks.index.rules.phrases import Phrase, worth_a_mention
from corpusgraph.tasks.index.rules.reading import Reading, words_of
from corpusgraph.tasks.index.rules.relations import find_relations
from corpusgraph.tasks.index.rules.scripts import caseless, find_repeated
from corpusgraph.tasks.index.rules.tagger import Sentence

CO_OCCURRENCE_WINDOW = 3


def assemble(reading: Reading, chunks: Sequence[Chunk]) -> Evidence:
    """Collect everything the rules find."""
    findings = Findings(reading.document, chunks)
    happened: list[Event] = []
    for at, sentence in enumerate(reading.sentences):
        named = entities(reading, findings, at)
        clauses = Clauses(sentence, reading.phrases[at])
        relations(reading, findings, at, clauses)
        happened += events(reading, findings, at, clauses)
        _co_occurrences(findings, reading, at, named)
    if caseless(reading.document.text):
        _repeated(reading, findings)
    argument = Argument(reading, findings)
    argument.collect()
    ordered = sorted(findings.mentions.values(), key=lambda m: (m.start, m.end))
    return Evidence(
        document_id=reading.document.id,
        mentions=tuple(ordered),
        assertions=tuple(sorted(findings.assertions.values(), key=lambda a: (a.start, a.end, a.id))),
        claims=tuple(argument.claims),
        arguments=tuple(sorted(argument.relations.values(), key=lambda r: (r.start, r.id))),
        events=tuple(happened),
        lower_words=reading.lower_words,
    )


def _repeated(reading: Reading, findings: Findings) -> None:
    """Add what repeats in a text whose script has no capitals."""
    starts = [sentence.start for sentence in reading.sentences]
    taken = sorted(findings.mentions)
    for start, end, kind, confidence in find_repeated(reading.document.text):
        near = bisect_right(taken, (start, end))
        if any(s < end and start < e for s, e in taken[max(0, near - 3) : near + 3]):
            continue
        at = bisect_right(starts, start) - 1
        if at >= 0 and end <= reading.sentences[at].end:
            findings.mention(start, end, kind, reading.sentences[at], confidence=confidence, cue="repeated")


def entities(reading: Reading, findings: Findings, at: int) -> list[Mention]:
    """Add names, dates, quantities and noun phrases of a sentence; return the names in order."""
    sentence = reading.sentences[at]
    for date in reading.dates[at]:
        findings.mention(
            date.start,
            date.end,
            "date",
            sentence,
            confidence=0.95,
            cue="date",
            attributes=date_attributes(date),
        )
    named = [_name(reading, findings, name) for name in reading.names[at]]
    for quantity in reading.quantities[at]:
        attributes: JsonDict = {"value": quantity.value} | ({"unit": quantity.unit} if quantity.unit else {})
        start, end = sentence.starts[quantity.first], sentence.ends[quantity.last - 1]
        findings.mention(
            start, end, "quantity", sentence, confidence=0.9, cue="number", attributes=attributes
        )
    for phrase in reading.phrases[at]:
        if worth_a_mention(phrase, sentence):
            phrase_mention(reading, findings, at, phrase)
    return named


def date_attributes(date: FoundDate) -> JsonDict:
    """Return iso, iso_end and whether the year was inferred."""
    attributes: JsonDict = {}
    if date.first:
        attributes["iso"] = date.first
    if date.last:
        attributes["iso_end"] = date.last
    if date.year_inferred:
        attributes["year_inferred"] = True
    return attributes


def _name(reading: Reading, findings: Findings, name: NameSpan) -> Mention:
    sentence = reading.sentences[name.at]
    attributes = dict(name.attributes)
    if name.initial:
        attributes["sentence_initial"] = True
    start, end = sentence.starts[name.first], sentence.ends[name.last - 1]
    return findings.mention(
        start,
        end,
        name.kind,
        sentence,
        confidence=name.confidence,
        cue=name.cue,
        name=name.text,
        attributes=attributes,
    )


def phrase_mention(reading: Reading, findings: Findings, at: int, phrase: Phrase) -> Mention:
    """Return the mention a phrase stands for: the name, date or quantity it ends in, else itself."""
    reference = reading.references.get((at, phrase.first)) if phrase.last - phrase.first == 1 else None
    if reference and reference[0] != at:
        return phrase_mention(reading, findings, *reference)
    sentence = reading.sentences[at]
    for name in reading.names[at]:
        if name.last == phrase.last and name.first >= phrase.first:
            return _name(reading, findings, name)
    start, end = sentence.starts[phrase.first], sentence.ends[phrase.last - 1]
    for date in reading.dates[at]:
        if words_of(sentence, date.start, date.end) == (phrase.first, phrase.last):
            return findings.mention(
                date.start,
                date.end,
                "date",
                sentence,
                confidence=0.95,
                cue="date",
                attributes=date_attributes(date),
            )
    for quantity in reading.quantities[at]:
        if quantity.last == phrase.last:
            start = sentence.starts[quantity.first]
            return findings.mention(start, end, "quantity", sentence, confidence=0.9, cue="number")
    if phrase.stem:
        end = start + len(sentence.words[phrase.first].rpartition("-")[0])
    return findings.mention(
        start, end, "concept", sentence, confidence=0.5, cue="noun phrase", attributes={"noun_phrase": True}
    )


def events(reading: Reading, findings: Findings, at: int, clauses: Clauses) -> list[Event]:
    """Return the dated events of a sentence; actors: its subject, else its persons and organisations."""
    made = []
    for found in find_events(reading, at, clauses):
        sentence = reading.sentences[at]
        start, end = sentence.starts[found.first], sentence.ends[found.last - 1]
        inside = findings.between(start, end)
        subjects = [phrase_mention(reading, findings, at, phrase) for phrase in found.subjects]
        actors = [m for m in subjects if m.type in ("person", "organisation")] or [
            m for m in inside if m.type in ("person", "organisation")
        ]
        made.append(
            Event(
                id=stable_id("evt", reading.document.id, start, end, found.date.start),
                case=reading.document.id,
                activity=found.activity,
                text=" ".join(reading.document.text[start:end].split()),
                timestamp=found.date.first or "",
                timestamp_end=found.date.last,
                granularity=found.date.granularity,
                actors=tuple(dict.fromkeys(m.id for m in actors)),
                places=tuple(dict.fromkeys(m.id for m in inside if m.type == "place")),
                confidence=0.6 if found.date.year_inferred else 0.75,
                cue=_time_words(reading, at, found.date),
                **findings.where(start, end, sentence),
            )
        )
    return made


def _time_words(reading: Reading, at: int, date: FoundDate) -> str:
    """Return the words that tell the time, marked where they tell it by an earlier date."""
    words = " ".join(reading.document.text[date.start : date.end].split())
    return f"relative: {words}" if date in reading.relative[at] else words


def relations(reading: Reading, findings: Findings, at: int, clauses: Clauses) -> None:
    """Add the relations a sentence states."""
    sentence = reading.sentences[at]
    if reading.language == "en":
        everything = find_relations(clauses)
        everything += find_located(clauses, lambda phrase: kind_of(reading, at, phrase))
    else:
        everything = list(find_foreign(clauses, reading.language))
    for found in everything:
        source = phrase_mention(reading, findings, at, found.source)
        target = phrase_mention(reading, findings, at, found.target)
        anaphoric = min(source.start, target.start) < sentence.start
        ends = [m for m in (source, target) if sentence.start <= m.start < sentence.end]
        span = (
            min([sentence.starts[found.first], *(m.start for m in ends)]),
            max([sentence.ends[found.last - 1], *(m.end for m in ends)]),
        )
        findings.assertion(
            source,
            target,
            found.type,
            sentence,
            cue=f"{reading.language}:{found.pattern}",
            span=span,
            confidence=_confidence(found, sentence, anaphoric=anaphoric),
            negated=found.negated,
        )


def _confidence(found: Found, sentence: Sentence, *, anaphoric: bool) -> float:
    """Trust a relation less behind "if", "whether" or a pronoun."""
    first = min(found.source.first, found.target.first)
    doubtful = sentence.lows[max(0, first - 3) : first]
    if "if" in doubtful or "whether" in doubtful:
        return 0.4
    return min(found.confidence, 0.5) if anaphoric else found.confidence


def kind_of(reading: Reading, at: int, phrase: Phrase) -> str:
    """Return the entity type of the phrase, or "phrase" where it names nothing."""
    sentence = reading.sentences[at]
    if sentence.tags[phrase.first] == "L":
        return "date"
    for name in reading.names[at]:
        if name.last == phrase.last and name.first >= phrase.first:
            return name.kind
    return "phrase"


def _co_occurrences(findings: Findings, reading: Reading, at: int, named: list[Mention]) -> None:
    """Join each name with the next three of its sentence."""
    sentence = reading.sentences[at]
    for first, mention in enumerate(named):
        for other in named[first + 1 : first + 1 + CO_OCCURRENCE_WINDOW]:
            if other.name != mention.name:
                span = (mention.start, other.end)
                findings.assertion(
                    mention, other, "co_occurs_with", sentence, cue="same sentence", span=span, confidence=0.3
                )
