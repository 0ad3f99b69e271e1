"""What a name names: heads, lexicons and the words around it, agreed over the whole document."""

import itertools
from collections import Counter, defaultdict

from corpusgraph.tasks.index.rules.known_names import (
    CONCEPT_HEADS,
    DEMONYMS,
    GIVEN,
    ORG_HEADS,
    PLACE_FIRST,
    PLACE_HEADS,
    ROLE_OF,
    ROLES,
    TITLES,
)
from corpusgraph.tasks.index.rules.known_organisations import ORGANISATIONS
from corpusgraph.tasks.index.rules.known_places import PLACES
from corpusgraph.tasks.index.rules.lexicon import LEXICON
from corpusgraph.tasks.index.rules.name_context import SAYING, by_context
from corpusgraph.tasks.index.rules.name_guess import Kind, fallback, follow
from corpusgraph.tasks.index.rules.name_span import NameSpan
from corpusgraph.tasks.index.rules.persons import describe
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.verbs import VERBS, lemma
from corpusgraph.tasks.index.rules.wordlist import wordset

_ASSEMBLIES = wordset("congress senate parliament knesset duma reichstag bundestag")
_MEMBERS = wordset("representatives commons lords burgesses delegates deputies councillors assembly")
_CORPORATE = wordset("company corporation limited ltd inc university airlines plc gmbh")
_ROMAN = wordset("i ii iii iv v vi vii viii ix x xi xii")
_HEADS = (("organisation", ORG_HEADS), ("place", PLACE_HEADS), ("concept", CONCEPT_HEADS))
_WEAK_FIRST = wordset("el new great upper lower")
_LEADING_HEADS = wordset("air") | wordset(
    "universität université universidad università universitas académie accademia société compagnie"
)
_NAMING_TITLES = wordset(
    "general major saint st st. king queen prince princess duke earl bishop canon dean lady father"
)
"""Titles that also begin the names of streets, schools and offices: "General Board of Health"."""
_PEOPLE = ("ans", "ites", "ards", "yons")


def by_form(span: NameSpan, sentence: Sentence) -> Kind | None:
    """Judge a name by its own words: title, head, given name, gazetteer."""
    words = sentence.words[span.first : span.last]
    lows = [low.rstrip(".") for low in sentence.lows[span.first : span.last]]
    if span.kind and span.kind != "alias":
        return _preset(span, words, lows)
    if len(words) > 1 and len(words[-1]) > 2 and all(_is_initial(word) for word in words[:-1]):
        return "person", 0.85, "initials"
    headed = _by_head(words, lows) if lows[0] in _NAMING_TITLES else None
    if lows[0] in TITLES and len(words) > 1 and "of" not in lows[1:2] and not headed and not _is_phrase(lows):
        return "person", 0.95, "title"
    return (
        _by_gazetteer(span.text.removeprefix("The "), words)
        or _people(span, sentence, lows)
        or _with_role(words, lows)
        or _by_head(words, lows)
        or _by_given(words, lows)
    )


def _preset(span: NameSpan, words: list[str], lows: list[str]) -> Kind:
    """Judge what was typed when it was found: a title in quotation marks, a term with its acronym."""
    headed = None
    if span.cue == "quoted title" and len(words) > 1 and lows[-1] in _CORPORATE:
        headed = ("organisation", 0.8, "head")
    elif span.cue == "term with acronym" and words[-1][:1].isupper():
        headed = _by_head(words, lows)
    return headed or (span.kind, span.confidence, span.cue)


def _by_gazetteer(text: str, words: list[str]) -> Kind | None:
    if text in PLACES:
        return "place", 0.9 if len(words) > 1 or words[0] not in GIVEN else 0.6, "gazetteer"
    return ("organisation", 0.85, "gazetteer") if text in ORGANISATIONS else None


def _is_phrase(lows: list[str]) -> bool:
    """Tell "General View" from "General Snow"."""
    return lows[0] in ("general", "major") and (
        lows[1] in LEXICON or lows[1] in VERBS or lows[1] in CONCEPT_HEADS
    )


def _people(span: NameSpan, sentence: Sentence, lows: list[str]) -> Kind | None:
    """Read a people: "the Athenians"."""
    the = span.first > 0 and sentence.lows[span.first - 1] == "the"
    plural = lows[0].endswith("s") and lows[0][:-1] in DEMONYMS
    named = len(lows) == 1 and (lows[0] in DEMONYMS or plural or (lows[0].endswith(_PEOPLE) and the))
    return ("organisation", 0.7, "people") if named else None


def _with_role(words: list[str], lows: list[str]) -> Kind | None:
    """Read a role written as a title: "Coach Jeff Quinn"."""
    return ("person", 0.85, "role") if len(words) > 2 and lows[0] in ROLES and words[1] in GIVEN else None


_SURNAMES = wordset("hill wood brook field day church bush parliament bishop")
"""Heads that after one given name are surnames: Octavia Hill, George Bush."""


def _is_initial(word: str) -> bool:
    return len(word.rstrip(".")) == 1 and word[0].isupper()


def _by_head(words: list[str], lows: list[str]) -> Kind | None:
    """Judge by the head: the last word, or the one before "of"."""
    cut = next((k for k, low in enumerate(lows) if low in ("of", "for", "de", "des", "du") and k), len(lows))
    head = lows[cut - 2] if cut > 1 and lows[cut - 1] in _ROMAN else lows[cut - 1]
    if head in _ASSEMBLIES or (cut < len(lows) and head in ("house", "chamber") and lows[-1] in _MEMBERS):
        return "organisation", 0.9, f"head: {head}"
    if len(lows) == 1:
        found = next((kind for kind, heads in _HEADS if head in heads and kind != "place"), None)
        return (found, 0.5, "head") if found else None
    if "v" in lows or "vs" in lows:
        return "concept", 0.8, "case"
    person = words[0] in GIVEN and cut == len(lows) == 2 and head in _SURNAMES
    for kind, heads in () if person else _HEADS:
        if head in heads or head.removesuffix("s") in heads:
            return kind, 0.85, f"head: {head}"
    return _by_first(lows, cut)


def _by_first(lows: list[str], cut: int) -> Kind | None:
    """Judge by the first word of several: Universität München, Air France, Secretary of State, Lake Erie."""
    if lows[0] in _LEADING_HEADS:
        return "organisation", 0.75, f"head: {lows[0]}"
    if lows[0] in ROLE_OF and cut < len(lows):
        return "concept", 0.5, "office"
    if lows[0] in PLACE_FIRST - _WEAK_FIRST:
        return "place", 0.7, f"head: {lows[0]}"
    return None


def _by_given(words: list[str], lows: list[str]) -> Kind | None:
    inner = lows[-2::-1] if len(words) > 3 else []
    headed = next((kind for low in inner for kind, heads in _HEADS[:2] if low in heads), None)
    if headed:
        return headed, 0.6, "inner head"
    if words[0] in GIVEN:
        return "person", 0.9 if len(words) > 1 else 0.6, "given name"
    if len(words) > 1 and len(words[0].rstrip(".")) == 1 and words[0][0].isupper():
        return "person", 0.85, "initials"
    if len(words) > 2 and any(len(word.rstrip(".")) == 1 and word[0].isupper() for word in words[1:-1]):
        return "person", 0.8, "initials"
    if len(words) > 1 and lows[-1] in ("jr", "sr", "esq"):
        return "person", 0.9, "suffix"
    return None


def decide(spans: list[NameSpan], sentences: list[Sentence]) -> None:
    """Give every span a kind, the same for the same name, surname and full name in the document."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    certain: dict[str, Kind] = {}
    for span in spans:
        sentence = sentences[span.at]
        kind = by_form(span, sentence)
        if kind and kind[1] > certain.get(span.text, ("", 0.0, ""))[1]:
            certain[span.text] = kind
        votes[span.text].update(by_context(span, sentence))
    for text, kind in list(certain.items()):
        if kind[1] < 0.65 and votes[text]:
            best, weight = max(sorted(votes[text].items()), key=lambda item: item[1])
            if weight >= 3 and best != kind[0]:
                certain[text] = (best, 0.6, "context")
    _link_parts(spans, sentences, certain)
    _link_neighbours(spans, sentences, certain, votes)
    previous: NameSpan | None = None
    for span in sorted(spans, key=lambda s: (s.at, s.first)):
        kind = certain.get(span.text) or _voted(votes[span.text]) or fallback(span, sentences[span.at])
        alone = span.cue == "" and kind[2] == "heading"
        if (
            span.initial
            and not alone
            and span.text not in certain
            and max(votes[span.text].values(), default=0) < 3
        ):
            kind = ("concept", 0.3, "sentence start")
        if span.kind == "alias" and previous:
            kind = certain[span.text] = (previous.kind, 0.8, "alias")
        span.kind, span.confidence, span.cue = kind
        previous = span
    follow(spans, sentences)
    for span in spans:
        describe(span, sentences[span.at])


def _link_neighbours(
    spans: list[NameSpan], sentences: list[Sentence], certain: dict[str, Kind], votes: dict[str, Counter[str]]
) -> None:
    """Let a name follow the one it is listed with: "Leith and Newhaven", "Thomas Street, Horsleydown"."""
    ordered = sorted(spans, key=lambda s: (s.at, s.first))
    for one, other in itertools.pairwise(ordered):
        if one.at != other.at or other.first - one.last != 1:
            continue
        joint = sentences[one.at].lows[one.last]
        head = _plural_head(other) if joint in ("and", "or", "&") else None
        if head and one.last - one.first == 1:
            certain[one.text] = (head, 0.7, "shared head")
        for known, unknown in ((one, other), (other, one)):
            kind = certain.get(known.text, ("", 0.0, ""))
            listed = joint in ("and", "or", "&") or (joint == "," and kind[0] == "place")
            listed = listed or (
                joint == "," and kind[0] == "person" and unknown.last - unknown.first in (2, 3)
            )
            if listed and kind[1] >= 0.6 and unknown.text not in certain and kind[0] in ("place", "person"):
                long = kind[0] == "place" and joint != "," and unknown.last - unknown.first > 1
                votes[unknown.text][kind[0]] += 1 if long else 2


def _plural_head(span: NameSpan) -> str | None:
    """Return the kind of "Wars" in "Second World Wars", which "First" before "and" shares."""
    head = span.text.split()[-1].lower()
    if span.last - span.first < 2 or not head.endswith("s"):
        return None
    return next((kind for kind, heads in _HEADS if head[:-1] in heads or head[:-3] + "y" in heads), None)


def _voted(votes: Counter[str]) -> Kind | None:
    if not votes:
        return None
    best, weight = max(sorted(votes.items()), key=lambda item: item[1])
    return (best, 0.5 + 0.05 * min(weight, 6), "context") if weight >= 2 else None


def _link_parts(spans: list[NameSpan], sentences: list[Sentence], certain: dict[str, Kind]) -> None:
    """Let "Snow" follow "John Snow": a surname or first name alone is the person's."""
    for span in spans:
        kind = certain.get(span.text)
        if not kind or kind[0] != "person" or span.last - span.first < 2:
            continue
        words = sentences[span.at].words
        for part in (words[span.last - 1], words[span.first]):
            known = certain.get(part)
            if len(part) > 2 and part.rstrip(".").lower() not in TITLES and (known is None or known[1] < 0.7):
                certain[part] = ("person", 0.75, "part of a full name")


def is_saying(form: str) -> bool:
    """Tell whether a verb form is one of saying or thinking."""
    return lemma(form) in SAYING
