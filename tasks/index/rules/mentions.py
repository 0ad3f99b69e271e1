"""Mentions of one sentence: names, dates, quantities and noun phrases."""

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.index.rules.dates import FoundDate
from corpusgraph.tasks.index.rules.findings import Findings
from corpusgraph.tasks.index.rules.name_span import NameSpan
from corpusgraph.tasks.index.rules.phrases import Phrase, worth_a_mention
from corpusgraph.tasks.index.rules.quantities import FoundQuantity
from corpusgraph.tasks.index.rules.reading import Reading, words_of
from corpusgraph.tasks.index.rules.tagger import Sentence


def entities(reading: Reading, findings: Findings, at: int) -> list[Mention]:
    """Add names, dates, quantities and noun phrases of a sentence; return the names in order."""
    sentence = reading.sentences[at]
    for date in reading.dates[at]:
        _date(sentence, findings, date)
    named = [_name(reading, findings, name) for name in reading.names[at]]
    for quantity in reading.quantities[at]:
        _quantity(sentence, findings, quantity)
    for phrase in reading.phrases[at]:
        if worth_a_mention(phrase, sentence):
            phrase_mention(reading, findings, at, phrase)
    return named


def names_of(reading: Reading, findings: Findings, at: int) -> list[Mention]:
    """Add the names, dates and quantities of a sentence; return them in text order."""
    sentence = reading.sentences[at]
    named = [_name(reading, findings, name) for name in reading.names[at]]
    named += [_date(sentence, findings, date) for date in reading.dates[at]]
    named += [_quantity(sentence, findings, quantity) for quantity in reading.quantities[at]]
    return sorted(named, key=lambda mention: (mention.start, mention.end))


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
            return _date(sentence, findings, date)
    for quantity in reading.quantities[at]:
        if quantity.last == phrase.last:
            return _quantity(sentence, findings, quantity)
    if phrase.stem:
        end = start + len(sentence.words[phrase.first].rpartition("-")[0])
    return findings.mention(
        start, end, "concept", sentence, confidence=0.5, cue="noun phrase", attributes={"noun_phrase": True}
    )


def _date(sentence: Sentence, findings: Findings, date: FoundDate) -> Mention:
    told = date_attributes(date)
    return findings.mention(
        date.start, date.end, "date", sentence, confidence=0.95, cue="date", attributes=told
    )


def _quantity(sentence: Sentence, findings: Findings, quantity: FoundQuantity) -> Mention:
    told: JsonDict = {"value": quantity.value} | ({"unit": quantity.unit} if quantity.unit else {})
    start, end = sentence.starts[quantity.first], sentence.ends[quantity.last - 1]
    return findings.mention(start, end, "quantity", sentence, confidence=0.9, cue="number", attributes=told)


def kind_of(reading: Reading, at: int, phrase: Phrase) -> str:
    """Return the entity type of the phrase, or "phrase" where it names nothing."""
    sentence = reading.sentences[at]
    if sentence.tags[phrase.first] == "L":
        return "date"
    for name in reading.names[at]:
        if name.last == phrase.last and name.first >= phrase.first:
            return name.kind
    return "phrase"
