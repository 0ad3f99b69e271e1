"""Mentions of one sentence: names, dates, quantities and noun phrases."""

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.index.rules.dates import FoundDate
from corpusgraph.tasks.index.rules.findings import Findings
from corpusgraph.tasks.index.rules.name_span import NameSpan
from corpusgraph.tasks.index.rules.quantities import FoundQuantity
from corpusgraph.tasks.index.rules.reading import Reading
from corpusgraph.tasks.index.rules.tagger import Sentence


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


def _date(sentence: Sentence, findings: Findings, date: FoundDate) -> Mention:
    told = date_attributes(date)
    return findings.mention(
        date.start, date.end, "date", sentence, confidence=0.95, cue="date", attributes=told
    )


def _quantity(sentence: Sentence, findings: Findings, quantity: FoundQuantity) -> Mention:
    told: JsonDict = {"value": quantity.value} | ({"unit": quantity.unit} if quantity.unit else {})
    start, end = sentence.starts[quantity.first], sentence.ends[quantity.last - 1]
    return findings.mention(start, end, "quantity", sentence, confidence=0.9, cue="number", attributes=told)
