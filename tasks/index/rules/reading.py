"""One document read: sentences, tags, names with their types, dates and quantities."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from corpusgraph.schemas.documents import Document
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.index.rules.aliases import find_aliases
from corpusgraph.tasks.index.rules.dates import MONTHS, FoundDate, find_dates, infer_years
from corpusgraph.tasks.index.rules.known_names import GIVEN
from corpusgraph.tasks.index.rules.known_places import PLACES
from corpusgraph.tasks.index.rules.languages import detect, tag_foreign
from corpusgraph.tasks.index.rules.lexicon import LEXICON
from corpusgraph.tasks.index.rules.name_span import NameSpan
from corpusgraph.tasks.index.rules.name_types import decide
from corpusgraph.tasks.index.rules.names import common, find_names
from corpusgraph.tasks.index.rules.phrases import Phrase, find_phrases
from corpusgraph.tasks.index.rules.quantities import FoundQuantity, find_quantities
from corpusgraph.tasks.index.rules.quoted import find_quoted, find_title
from corpusgraph.tasks.index.rules.relative_dates import find_relative
from corpusgraph.tasks.index.rules.tagger import Sentence, read, tag
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset
from corpusgraph.tasks.index.sentences import sentence_spans

_DIGIT = re.compile(r"\d")
_UNITS = wordset("day days morning evening week weeks month months year years")
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
    relative: list[list[FoundDate]] = field(default_factory=list)
    quantities: list[list[FoundQuantity]] = field(default_factory=list)
    phrases: list[list[Phrase]] = field(default_factory=list)
    lower_words: dict[str, int] = field(default_factory=dict)


def language_of(document: Document) -> str:
    """Return the language a document is read in: its own, as it says or as its words tell."""
    return (document.language or "").lower().partition("-")[0] or detect(document.text)


def read_document(document: Document, spans: Sequence[tuple[int, int]] | None = None) -> Reading:
    """Read a document once: every later step works on the words found here.

    `spans` are its sentences where an annotator found them.
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
        if language == "en":
            tag(sentence)
        else:
            tag_foreign(sentence)
    reading.lower_words = _lower_words(sentences)
    _dates(reading)
    _names(reading)
    for at, sentence in enumerate(counted(sentences, "sentences parsed", every=256)):
        reading.quantities.append(find_quantities(sentence))
        reading.phrases.append(_phrases(reading, at))
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


def _lower_words(sentences: list[Sentence]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for sentence in sentences:
        counts.update(sentence.words)
    return {
        word: counts[word] for word in sorted(counts) if len(word) > 1 and word.islower() and word.isalpha()
    }


def _dates(reading: Reading) -> None:
    year: int | None = _metadata_year(reading.document)
    anchor: FoundDate | None = None
    text = reading.document.text
    for sentence in reading.sentences:
        told_time = find_dates(text, sentence.start, sentence.end) if _may_date(sentence, text) else []
        found, year = infer_years(told_time, year)
        reading.dates.append(found)
        before = anchor if not found else found[0] if found[0].first else anchor
        steps = not _UNITS.isdisjoint(sentence.lows)
        told = find_relative(text, sentence.start, sentence.end, before) if steps else []
        reading.relative.append(told)
        anchor = next((date for date in reversed([*found, *told]) if date.first), anchor)
        for date in found:
            sentence.retag(*words_of(sentence, date.start, date.end), "L")


def _may_date(sentence: Sentence, text: str) -> bool:
    """Tell fast whether a sentence can hold a date at all: a digit, a month or a century."""
    if _DIGIT.search(text, sentence.start, sentence.end):
        return True
    return (
        not _MONTH_NAMES.isdisjoint(sentence.lows) or text.find("entury", sentence.start, sentence.end) >= 0
    )


def _metadata_year(document: Document) -> int | None:
    """Return the year of the document itself: it dates a letter's "8 September"."""
    digits = str(document.metadata.get("date", ""))[:4]
    return int(digits) if len(digits) == 4 and digits.isdigit() else None


def words_of(sentence: Sentence, start: int, end: int) -> tuple[int, int]:
    """Return the half-open range of words that a span of characters touches."""
    return bisect_right(sentence.ends, start), bisect_left(sentence.starts, end)


def _names(reading: Reading) -> None:
    text = reading.document.text
    title = reading.document.title.partition(" (")[0].removeprefix("The ")
    spans: list[NameSpan] = []
    for at, sentence in enumerate(reading.sentences):
        before = len(spans)
        quoted = find_quoted(sentence, at, text)
        quoted += [
            own for own in find_title(sentence, at, title) if not any(_overlap(own, q) for q in quoted)
        ]
        plain = find_names(sentence, at, text)
        spans += quoted + [name for name in plain if not any(_overlap(name, title) for title in quoted)]
        mine = list(spans[before:])
        spans += find_aliases(sentence, at, mine, text)
    spans = _confirmed(spans, reading, title)
    decide(spans, reading.sentences)
    if reading.language == "de":
        spans = [span for span in spans if not _mere_noun(span)]
    reading.names = [[] for _ in reading.sentences]
    for span in sorted(spans, key=lambda s: (s.at, s.first)):
        reading.names[span.at].append(span)
        sentence = reading.sentences[span.at]
        first, last = sentence.starts[span.first], sentence.ends[span.last - 1]
        dates = reading.dates[span.at]
        reading.dates[span.at] = [date for date in dates if not (first <= date.start and date.end <= last)]
        if span.cue != "quoted title" or span.last - span.first < 7:
            sentence.retag(span.first, span.last, "P")


def _mere_noun(span: NameSpan) -> bool:
    """Tell German nouns, capitalised like all, from a name."""
    return span.cue in ("capitals", "sentence start", "context", "heading", "people")


def _overlap(one: NameSpan, other: NameSpan) -> bool:
    return one.first < other.last and other.first < one.last


def _confirmed(spans: list[NameSpan], reading: Reading, title: str) -> list[NameSpan]:
    """Drop a lone capital at a sentence's start that the document elsewhere writes small and never inside."""
    inside = {span.text for span in spans if not span.initial}
    parts = {word for text in inside for word in text.split()}
    kept = []
    for span in spans:
        if span.kind == "" and _emphasis(span, reading):
            continue
        if span.initial and span.last - span.first == 1 and span.kind == "":
            if span.text in inside or span.text in parts or span.text == title:
                span.initial = False
            elif span.text.lower() in reading.lower_words:
                continue
        else:
            span.initial = False
        kept.append(span)
    return kept


_ADVERBIAL = wordset("manner way case turn fashion respect time year day summer winter month week")


def _without_adverbial(sentence: Sentence, phrase: Phrase) -> Phrase:
    """Cut "manner" off "in this manner poverty led": two phrases that only stand side by side."""
    opening = (
        phrase.first > 1 and sentence.tags[phrase.first - 1] == "D" and sentence.tags[phrase.first - 2] == "I"
    )
    if opening and phrase.last - phrase.first > 1 and sentence.lows[phrase.first] in _ADVERBIAL:
        return Phrase(phrase.first + 1, phrase.last)
    return phrase


def _emphasis(span: NameSpan, reading: Reading) -> bool:
    """Tell words in capitals for emphasis ("NECESSARY and PROPER") from names: they are common words."""
    if not span.text.isupper():
        return False
    lows, written = span.text.lower().split(), span.text.title()
    longest = max(len(low) for low in lows)
    sentence = reading.sentences[span.at]
    inside = span.last - span.first < sum(word.isalpha() for word in sentence.words)
    if longest > 6 and inside and written not in PLACES and written.split()[0] not in GIVEN:
        return True
    if longest < 4:
        return False
    return all(low in LEXICON or low in VERBS or low in reading.lower_words or common(low) for low in lows)


def _phrases(reading: Reading, at: int) -> list[Phrase]:
    """Return noun phrases and dates of one sentence, in order."""
    sentence = reading.sentences[at]
    phrases = [_without_adverbial(sentence, phrase) for phrase in find_phrases(sentence.tags)]
    phrases += [Phrase(*words_of(sentence, date.start, date.end)) for date in reading.dates[at]]
    return sorted(phrases, key=lambda p: p.first)
