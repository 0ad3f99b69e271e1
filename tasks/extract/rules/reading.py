"""One document read: sentences, tags, names with their types, dates and quantities."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from corpusgraph.schemas.annotation import Recognized
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.extract.rules.findings import Findings
from corpusgraph.tasks.extract.rules.known_names import GIVEN, ORGANISATIONS, PLACES, ROLES, TITLES
from corpusgraph.tasks.extract.rules.lexicon import LEXICON
from corpusgraph.tasks.extract.rules.names import (
    GLUED,
    GUESSED,
    HEADINGS,
    SURE,
    Evidence,
    NameSpan,
    continues,
    decide,
    find_aliases,
    find_names,
    find_titles,
    is_common,
    named,
)
from corpusgraph.tasks.extract.rules.quantities import FoundQuantity, find_quantities
from corpusgraph.tasks.extract.rules.scripts import caseless
from corpusgraph.tasks.extract.rules.tagger import Sentence, read, tag, words_of
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.text.dates import MONTHS, FoundDate, find_dates, infer_years
from corpusgraph.tasks.text.languages import detect
from corpusgraph.tasks.text.sentences import sentence_spans

LONGEST_ACRONYM = 6
_VERBS = frozenset("VEBHOM")
_LITTLE = frozenset('.,:;-–—()@/&*"“”') | {"the", "a", "an", "of", "and", "for"}
_SHORTENED = frozenset({"inc", "ltd", "co", "corp", "bros", "jr", "sr"})


def recognized_spans(
    sentences: Sequence[Sentence], recognized: Sequence[Recognized], source: str
) -> list[list[NameSpan]]:
    """Return the names of a recognizer as words, sentence by sentence."""
    names: list[list[NameSpan]] = [[] for _ in sentences]
    starts = [sentence.start for sentence in sentences]
    for start, end, kind, confidence in sorted(recognized):
        at = bisect_right(starts, start) - 1
        if at < 0 or end > sentences[at].end:
            continue
        sentence = sentences[at]
        for first, last in _name_pieces(sentence, *words_of(sentence, start, end)):
            if names[at] and first < names[at][-1].last:
                continue
            role = kind == "person" and sentence.lows[first] in ROLES - TITLES and last - first > 1
            name = named(sentence, at, source, first + role, last + continues(sentence, first, last))
            name.recognized, name.confidence = kind, confidence
            if role:
                name.attributes["role"] = sentence.lows[first]
            names[at].append(name)
    return names


def _name_pieces(sentence: Sentence, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield a stretch of words without little words at its ends, cut at verbs: "Board fined Acme" is two."""
    cased = first < last and sentence.words[first][0].isupper()
    verbs = [at for at in range(first, last) if sentence.tags[at] in _VERBS and sentence.words[at].islower()]
    for before, after in pairwise([first - 1, *(verbs if cased else ()), last]):
        inside = [at for at in range(before + 1, after) if sentence.lows[at] not in _LITTLE]
        if inside[1:] and inside[0] == 0 and sentence.lows[0] in GLUED:
            continue  # a heading that text taken from a page glues to what follows
        if inside:
            end = inside[-1] + 1
            yield inside[0], end + (sentence.lows[end - 1] in _SHORTENED and "." in sentence.words[end:after])


def combined(ruled: list[NameSpan], trained: list[NameSpan], sentence: Sentence) -> list[NameSpan]:
    """Return the names of a recognizer, and those found by rules that overlap none of them."""
    trained = [name for name in trained if _is_likely(name, ruled, sentence)]
    for whole in ruled:
        parts = [name for name in trained if name.overlaps(whole)]
        joined = len(parts) > 1 and sentence.lows[parts[0].last] == "and"  # Southwark and Vauxhall Company
        if joined and parts[0].first == whole.first and parts[-1].last == whole.last:
            trained = [name for name in trained if name not in parts]
    for name in trained:
        for other in filter(name.overlaps, ruled):
            name.attributes = other.attributes | name.attributes
            if other.kind == "alias":
                name.kind = "alias"
    return trained + [name for name in ruled if not any(map(name.overlaps, trained))]


def _is_likely(name: NameSpan, ruled: list[NameSpan], sentence: Sentence) -> bool:
    """Tell a recognized name from one that rules or parser know better: no proper noun, or a cut title."""
    if name.text.islower() and name.confidence < SURE:  # small letters, where the writer knows capitals
        return not any(word[0].isupper() and word != "I" for word in sentence.words)
    if name.text.isupper() and len(name.text) > LONGEST_ACRONYM and " " not in name.text:
        return name.confidence >= SURE  # a heading, a shouted word
    beside = [other for other in ruled if name.overlaps(other)]
    if not beside:
        opening = name.initial and name.last - name.first == 1
        if opening and LEXICON.get(sentence.lows[name.first]) == "N":
            return False  # "Cholera struck London": any noun has a capital there
        return name.confidence >= SURE or (not opening and "P" in sentence.tags[name.first : name.last])
    titles = [other for other in beside if other.cue == "quoted title"]
    return all(name.first <= title.first and title.last <= name.last for title in titles)


_DIGIT = re.compile(r"\d")
_MONTH_NAMES = frozenset(MONTHS)
LONGEST = 4000
"""Characters of one sentence that are read; a longer one is a table or noise and is cut into pieces."""


@dataclass(slots=True)
class Reading:
    """Parallel lists, one item per sentence."""

    document: Document
    language: str
    sentences: list[Sentence]
    names: list[list[NameSpan]] = field(default_factory=list)
    dates: list[list[FoundDate]] = field(default_factory=list)
    quantities: list[list[FoundQuantity]] = field(default_factory=list)
    lower_words: dict[str, int] = field(default_factory=dict)


def language_of(document: Document) -> str:
    """Return the language a document is read in: its own, as it says or as its words tell, else English."""
    own = (document.language or "").lower().partition("-")[0]
    return own or ("und" if caseless(document.text) else detect(document.text) or "en")


def read_document(
    document: Document,
    spans: Sequence[tuple[int, int]] | None = None,
    classes: Mapping[int, str] | None = None,
    evidence: Evidence | None = None,
    recognized: Sequence[Recognized] | None = None,
) -> Reading:
    """Read a document once: every later step works on the words found here.

    Parameters
    ----------
    document : Document
        The text.
    spans : sequence of (int, int), optional
        Its sentences where a parser found them.
    classes : mapping of int to str, optional
        Character at which a word begins -> its UPOS, where a parser read it.
    evidence : Evidence, optional
        What the words around a name say of it.
    recognized : sequence of Recognized, optional
        Names that a trained recognizer found; they come before those that rules find in their place.

    """
    text = document.text
    language = language_of(document)
    elision = language in ("fr", "it")
    sentences = [
        read(text, start, end, elision=elision)
        for start, end in counted(spans or _pieces(text), "sentences read", every=256)
    ]
    reading = Reading(document, language, sentences)
    for sentence in sentences:
        sentence.language = language
        tag(sentence, classes)
    reading.lower_words = small(Counter(word for sentence in sentences for word in sentence.words))
    _dates(reading)
    _names(reading, evidence, recognized)
    reading.quantities = [find_quantities(sentence) for sentence in sentences]
    return reading


def _pieces(text: str) -> list[tuple[int, int]]:
    """Return the sentences, cut at a space where they are longer than LONGEST characters."""
    pieces = []
    for begin, end in sentence_spans(text):
        start = begin
        while end - start > LONGEST:
            cut = text.rfind(" ", start + LONGEST // 2, start + LONGEST)
            cut = cut if cut > 0 else start + LONGEST
            pieces.append((start, cut))
            start = cut + (text[cut] == " ")
        pieces.append((start, end))
    return pieces


def small(counts: Counter[str]) -> dict[str, int]:
    """Return the counts of words in lower case, in alphabetical order."""
    return {
        word: counts[word] for word in sorted(counts) if len(word) > 1 and word.islower() and word.isalpha()
    }


def _dates(reading: Reading) -> None:
    year: int | None = year_of(reading.document)
    text = reading.document.text
    for sentence in reading.sentences:
        dates = find_dates(text, sentence.start, sentence.end) if _may_date(sentence, text) else []
        dates, year = infer_years(dates, year)
        reading.dates.append(dates)
        for date in dates:
            sentence.retag(*words_of(sentence, date.start, date.end), "L")


def _may_date(sentence: Sentence, text: str) -> bool:
    """Tell fast whether a sentence can hold a date at all: a digit, a month or a century."""
    if _DIGIT.search(text, sentence.start, sentence.end):
        return True
    century = text.find("entury", sentence.start, sentence.end) >= 0
    return century or not _MONTH_NAMES.isdisjoint(sentence.lows)


def year_of(document: Document) -> int | None:
    """Return the year of the document itself: it dates a letter's "8 September"."""
    digits = str(document.metadata.get("date", ""))[:4]
    return int(digits) if len(digits) == 4 and digits.isdigit() else None


def _names(reading: Reading, evidence: Evidence | None, recognized: Sequence[Recognized] | None) -> None:
    text = reading.document.text
    title = reading.document.title.partition(" (")[0].removeprefix("The ")
    spans: list[NameSpan] = []
    trained = recognized_spans(reading.sentences, recognized or (), text)
    for at, sentence in enumerate(reading.sentences):
        here = find_titles(sentence, at, text, title)
        here += [name for name in find_names(sentence, at, text) if not any(map(name.overlaps, here))]
        here += find_aliases(sentence, at, list(here), text)
        terms = [name for name in here if name.cue == "term with acronym"]
        here = [name for name in here if name in terms or not any(map(name.overlaps, terms))]
        spans += combined(here, trained[at], sentence)
    spans = _confirmed(spans, reading, title)
    decide(spans, reading.sentences, evidence)
    if recognized is not None:
        spans = [span for span in spans if span.recognized or span.cue not in GUESSED]
    if reading.language == "de":  # its nouns are capitalised like names
        spans = [span for span in spans if span.recognized or span.cue not in GUESSED | {"context", "people"}]
    reading.names = [[] for _ in reading.sentences]
    for span in sorted(spans, key=lambda s: (s.at, s.first)):
        reading.names[span.at].append(span)
        sentence = reading.sentences[span.at]
        first, last = sentence.starts[span.first], sentence.ends[span.last - 1]
        dates = reading.dates[span.at]
        reading.dates[span.at] = [date for date in dates if not (first <= date.start and date.end <= last)]
        if span.cue != "quoted title" or span.last - span.first < 7:
            sentence.retag(span.first, span.last, "P")


def _confirmed(spans: list[NameSpan], reading: Reading, title: str) -> list[NameSpan]:
    """Drop a lone capital at a sentence's start that the document elsewhere writes small and never inside."""
    inside = {span.text for span in spans if not span.initial}
    parts = {word for text in inside for word in text.split()}
    confirmed = []
    for span in spans:
        if span.kind == "" and _is_shouted(span, reading):
            continue
        if span.initial and span.last - span.first == 1 and span.kind == "":
            if span.text in inside or span.text in parts or span.text == title:
                span.initial = False
            elif span.text.lower() in reading.lower_words or _modifies(span, reading.sentences[span.at]):
                continue
        else:
            span.initial = False
        confirmed.append(span)
    return confirmed


def _modifies(span: NameSpan, sentence: Sentence) -> bool:
    """Tell a common word that only begins its sentence: "Beaver dams slow the stream"."""
    if not sentence.parsed or span.text.isupper() or span.text in PLACES | GIVEN | ORGANISATIONS:
        return False
    after = sentence.words[span.last : span.last + 1]
    return bool(after) and after[0].islower() and sentence.tags[span.last] in "NP"


def _is_shouted(span: NameSpan, reading: Reading) -> bool:
    """Tell words in capitals for emphasis or as a heading ("NECESSARY", "OBITUARY") from names."""
    if not span.text.isupper() or max(map(len, span.text.split())) < 4:
        return False
    written = span.text.title()
    if written in PLACES or written.split()[0] in GIVEN or {written, span.text} & ORGANISATIONS:
        return False
    lows = span.text.lower().split()
    return all(is_common(low) or low in reading.lower_words or low in HEADINGS for low in lows)


# --- mentions


def names_of(reading: Reading, findings: Findings, at: int) -> list[Mention]:
    """Add the names, dates and quantities of a sentence; return them in text order."""
    sentence = reading.sentences[at]
    mentions = [_name(sentence, findings, name) for name in reading.names[at]]
    for date in reading.dates[at]:
        told = {"iso": date.first, "iso_end": date.last, "year_inferred": date.year_inferred}
        attributes: JsonDict = {key: value for key, value in told.items() if value}
        place = (date.start, date.end, "date", sentence)
        mentions.append(findings.mention(*place, confidence=0.95, cue="date", attributes=attributes))
    for quantity in reading.quantities[at]:
        value: JsonDict = {"value": quantity.value} | ({"unit": quantity.unit} if quantity.unit else {})
        start, end = sentence.starts[quantity.first], sentence.ends[quantity.last - 1]
        mentions.append(
            findings.mention(start, end, "quantity", sentence, confidence=0.9, cue="number", attributes=value)
        )
    return sorted(mentions, key=lambda mention: (mention.start, mention.end))


def _name(sentence: Sentence, findings: Findings, name: NameSpan) -> Mention:
    return findings.mention(
        sentence.starts[name.first],
        sentence.ends[name.last - 1],
        name.kind,
        sentence,
        confidence=name.confidence,
        cue=name.cue,
        name=name.text,
        attributes=name.attributes | ({"sentence_initial": True} if name.initial else {}),
    )
