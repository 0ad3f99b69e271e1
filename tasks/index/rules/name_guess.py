"""What to take a name for where neither its form nor its context tells."""

import itertools
import re

from corpusgraph.tasks.index.rules.known_names import DEMONYMS, TITLES
from corpusgraph.tasks.index.rules.known_places import PLACES
from corpusgraph.tasks.index.rules.lexicon import LEXICON
from corpusgraph.tasks.index.rules.name_span import NameSpan
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

Kind = tuple[str, float, str]
"""Kind of entity, confidence, cue."""
_ACRONYM = re.compile(r"(?:[A-Z]\.?){2,6}$")
_PLACE_ENDINGS = (
    "shire", "ville", "burg", "burgh", "bury", "chester", "stan", "polis", "mouth", "stadt", "abad", "pur",
    "grad", "minster", "wick", "dorf", "heim", "borough", "ington", "hampton", "sylvania", "landia",
)  # fmt: skip
_ABSTRACT = (
    "tion",
    "sion",
    "ment",
    "ness",
    "ance",
    "ence",
    "ity",
    "ture",
    "ship",
    "ism",
    "ics",
    "logy",
    "graphy",
    "ing",
)
_PARTICLES = wordset("de la du des van von der den di da del della le el al bin ibn ben zu dos das do")
_BEFORE_PLACES = wordset(
    "North South East West Upper Lower High Low Great Little New Old Nether Over Port Fort"
)
_TECHNICAL = wordset("hiv aids gdp gnp suv abv mvp ceo dna rna pc iq id gps usb ufo kgb-style r&b")


def fallback(span: NameSpan, sentence: Sentence) -> Kind:
    """Guess from capitals, length and the words on either side."""
    words = sentence.words[span.first : span.last]
    return _by_shape(words) or (_full_name(span, sentence, words) or _lone(span, sentence, words))


def _by_shape(words: list[str]) -> Kind | None:
    """Know acronyms, places by their ending and teams by their town."""
    low = words[-1].lower()
    if len(words) == 1:
        if low in _TECHNICAL:
            return "concept", 0.5, "acronym"
        if low.endswith(("aceae", "idae", "inae")):
            return "concept", 0.6, "taxon"
        place = low.endswith(_PLACE_ENDINGS) and len(low) > 6
        acronym = _ACRONYM.fullmatch(words[0])
        return ("place", 0.45, "ending") if place else ("organisation", 0.4, "capitals") if acronym else None
    if any(len(word) > 1 and word.isupper() and word.isalpha() for word in words):
        return "organisation", 0.45, "capitals"
    team = low.endswith("s") and " ".join(words[:-1]) in PLACES
    return ("organisation", 0.5, "team") if team else None


def _full_name(span: NameSpan, sentence: Sentence, words: list[str]) -> Kind | None:
    """Take two or three unknown words, particles aside, for a person's name."""
    the = span.first > 0 and sentence.lows[span.first - 1] in ("the", "this", "that", "its", "a", "an")
    bare = [word for word in words if word not in _PARTICLES]
    plain = len(bare) > 1 and all(word[0].isupper() and _letters(word) for word in bare)
    if (
        len(words) > 5
        or len(bare) > 3
        or not plain
        or the
        or any(_common(word.lower()) for word in bare[bare[0] in _BEFORE_PLACES :])
    ):
        return None
    if bare[0] in _BEFORE_PLACES:
        return "place", 0.5, "compass"
    return "person", 0.5, "capitals"


def _letters(word: str) -> bool:
    """Tell Hyun-woo and O'Neal, letters but for one mark, from B-52."""
    return word.replace("-", "", 1).replace("'", "", 1).replace("’", "", 1).isalpha()


def _common(low: str) -> bool:
    singular = low.removesuffix("s")
    known = {low, singular} & (LEXICON.keys() | VERBS.keys() | DEMONYMS) if len(low) > 3 else low in LEXICON
    return bool(known) or (low.endswith(_ABSTRACT) and len(low) > 6)


def _lone(span: NameSpan, sentence: Sentence, words: list[str]) -> Kind:
    """Take a lone name that acts for a person's; else it is something that has a name."""
    the = span.first > 0 and sentence.lows[span.first - 1] in ("the", "this", "that", "its")
    alone = span.first == 0 and span.last == len(sentence.words)
    before, after = sentence.tags[: span.first][-1:], sentence.tags[span.last : span.last + 1]
    by = sentence.lows[: span.first][-1:] == ["by"]
    acts = after in ("V", "E", "M", "K", "H") or before in ("V", "E") or by
    if len(words) == 1 and (alone or (acts and not the and not words[0].isupper())):
        return "person", 0.4, "heading" if alone else "capitals"
    return "concept", 0.4, "capitals"


def follow(spans: list[NameSpan], sentences: list[Sentence]) -> None:
    """Let guesses follow what is better known: full names first, then the names they are listed with."""
    _follow_full_names(spans)
    ordered = sorted(spans, key=lambda s: (s.at, s.first))
    pairs = list(itertools.pairwise(ordered))
    for known, guessed in [*pairs, *((b, a) for a, b in reversed(pairs))]:
        if guessed.cue != "capitals" or guessed.kind != "concept" or known.at != guessed.at:
            continue
        left, right = sorted((known, guessed), key=lambda s: s.first)
        joint = sentences[known.at].lows[left.last : right.first]
        if joint in ([","], ["and"], [",", "and"], ["or"]) and known.kind in ("person", "place"):
            lone = guessed.last - guessed.first == 1
            if lone and known.confidence >= 0.45 and (known.kind == "place" or known.last - known.first == 1):
                guessed.kind, guessed.confidence, guessed.cue = known.kind, 0.45, "listed"


def _follow_full_names(spans: list[NameSpan]) -> None:
    """Let a lone surname follow a full name that was only guessed to be a person's."""
    parts = {
        part
        for span in spans
        if span.kind == "person" and 1 < span.last - span.first < 5
        for part in (span.text.split()[0], span.text.split()[-1])
        if part.lower() not in LEXICON and part.rstrip(".").lower() not in TITLES and len(part) > 2
    }
    for span in spans:
        if span.text in parts and span.kind == "concept" and span.confidence < 0.5:
            span.kind, span.confidence, span.cue = "person", 0.55, "part of a full name"
            span.initial = False
