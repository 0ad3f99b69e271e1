"""What a name names: its own words, what its sentences say of it, agreed over the whole document."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable
from itertools import pairwise

from corpusgraph.tasks.index.rules.known_names import (
    CONCEPT_HEADS,
    DEMONYMS,
    GIVEN,
    HEADS,
    KIND_OF,
    ORG_HEADS,
    ORGANISATIONS,
    PLACE_FIRST,
    PLACE_HEADS,
    PLACES,
    ROLE_OF,
    ROLES,
    SAYING,
    TITLES,
)
from corpusgraph.tasks.index.rules.lexicon import LEXICON
from corpusgraph.tasks.index.rules.names import COMPASS, FAMILY, ROMAN, NameSpan, is_acronym
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

Kind = tuple[str, float, str]
"""Kind of entity, confidence, cue."""
Evidence = Callable[[NameSpan, Sentence], Counter[str]]
"""What the words around a name say of it: weights by kind."""
GUESSED = frozenset({"capitals", "sentence start", "listed", "ending"})
"""Cues of types that were guessed from capitals and neighbours."""
_HEADS = (("organisation", ORG_HEADS), ("place", PLACE_HEADS), ("concept", CONCEPT_HEADS))
_ASSEMBLIES = wordset("congress senate parliament knesset duma reichstag bundestag")
_MEMBERS = wordset("representatives commons lords burgesses delegates deputies councillors assembly")
_CORPORATE = wordset("""
    company corporation limited ltd inc university airlines plc gmbh group holdings bank industries systems
    motors records pictures studios farms foods technologies
""")
_COUNTRIES = wordset("union confederacy commonwealth empire kingdom republic")
"""Heads that alone, with a capital, are the country that a text is about."""
_OCCASIONS = wordset("storm hurricane typhoon cyclone operation project mission resolution uss hms rms hmas")
_WEAK_FIRST = wordset("el new great upper lower")
_LEADING_HEADS = wordset("""
    air institut banque banco banca musée museo museu ministère ministerio partido partito hôpital lycée école
    instituto istituto universität université universidad università universitas académie accademia société
    compagnie
""")
_NAMING_TITLES = wordset(
    "general major saint st st. king queen prince princess duke earl bishop canon dean lady father"
)
"""Titles that also begin the names of streets, schools and offices: "General Board of Health"."""
_PEOPLE = ("ans", "ites", "ards", "yons")
SURE = 0.8
"""Confidence from which on what a recognizer says is not weighed against the words around a name."""
_SURNAMES = wordset("hill wood brook field day church bush parliament bishop banks woods fields")
"""Heads that after one given name are surnames: Octavia Hill, George Bush."""
_PLACE_ENDINGS = tuple(
    wordset("""
    shire ville burg burgh bury chester stan polis mouth stadt abad pur grad minster wick dorf heim borough
    ington hampton sylvania landia
""")
)
_ABSTRACT = tuple(wordset("tion sion ment ness ance ence ity ture ship ism ics logy graphy ing"))
_PARTICLES = wordset("de la du des van von der den di da del della le el al bin ibn ben zu dos das do")
_BEFORE_PLACES = wordset("North South East West Upper Lower High Low Great Little New Nether Over Port Fort")
_TECHNICAL = wordset("hiv aids gdp gnp suv abv mvp ceo dna rna pc iq id gps usb ufo r&b")


def decide(spans: list[NameSpan], sentences: list[Sentence], evidence: Evidence | None = None) -> None:
    """Give every span a kind, the same for the same name, surname and full name in the document."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    strongest: dict[str, Counter[str]] = defaultdict(Counter)
    mentions = Counter(span.text for span in spans)
    certain: dict[str, Kind] = {}
    for span in spans:
        sentence = sentences[span.at]
        kind = _by_form(span, sentence)
        if kind and kind[1] > certain.get(span.text, ("", 0.0, ""))[1]:
            certain[span.text] = kind
        weights = (evidence or by_words)(span, sentence)
        votes[span.text].update(weights)
        strongest[span.text] |= weights
    for text, kind in list(certain.items()):
        best, weight = _best(votes[text])
        often = kind[1] < 0.65 and weight >= max(3, mentions[text] / 4)
        described = strongest[text][best] >= 4 and votes[text][kind[0]] <= 0 and kind[1] < 0.9
        described = described and (kind[0], best) != ("organisation", "place")  # its building
        if best != kind[0] and (described or often):
            certain[text] = (best, 0.6, "context")
    _add_recognized(spans, votes)
    _link_parts(certain)
    _link_neighbours(spans, sentences, certain, votes)
    previous: NameSpan | None = None
    for span in sorted(spans, key=lambda s: (s.at, s.first)):
        known = certain.get(span.text) or _voted(span, votes[span.text])
        kind = known or _fallback(span, sentences[span.at], votes[span.text])
        if span.kind == "alias" and previous:
            kind = certain[span.text] = (previous.kind, 0.8, "alias")
        elif span.initial and not known and not span.recognized and kind[2] != "heading":
            kind = (kind[0] if span.last - span.first > 1 else "concept", 0.35, "sentence start")
        span.kind, span.confidence, span.cue = kind
        previous = span
    _follow(spans, sentences)
    for span in spans:
        _describe(span, sentences[span.at])


def _add_recognized(spans: list[NameSpan], votes: dict[str, Counter[str]]) -> None:
    """Add a vote for what a recognizer calls a name most often: its mistakes with one name are alike."""
    kinds: dict[str, Counter[str]] = defaultdict(Counter)
    for span in spans:
        if span.recognized:
            kinds[span.text][span.recognized] += 1
    for text in kinds:
        votes[text][_best(kinds[text])[0]] += 1
    for span in spans:
        if span.recognized:
            span.recognized = _best(kinds[span.text])[0]


def _best(votes: Counter[str]) -> tuple[str, int]:
    return max(sorted(votes.items()), key=lambda item: item[1], default=("", 0))


def _voted(span: NameSpan, votes: Counter[str]) -> Kind | None:
    best, weight = _best(votes)
    if best == "person" and is_acronym(span.text):
        best = "organisation"
    rest = max((other for kind, other in votes.items() if kind != best), default=0)
    return (best, 0.5 + 0.05 * min(weight, 6), "context") if weight >= 2 and weight > rest else None


# --- the words of the name


def _by_form(span: NameSpan, sentence: Sentence) -> Kind | None:
    """Judge a name by its own words: title, head, given name, gazetteer."""
    words = sentence.words[span.first : span.last]
    lows = [low.rstrip(".") for low in sentence.lows[span.first : span.last]]
    if span.recognized and span.confidence >= SURE:
        return span.recognized, 0.96, "recognizer"
    if span.kind and span.kind != "alias":  # a title in quotation marks, a term with its acronym
        capital = span.cue == "term with acronym" and words[-1][:1].isupper()
        return (_by_head(words, lows) if capital else None) or (span.kind, span.confidence, span.cue)
    compass = words[0] in ("N", "S", "E", "W")
    if len(words) > 1 and len(words[-1]) > 2 and not compass and all(map(_is_initial, words[:-1])):
        return "person", 0.85, "initials"
    headed = _by_head(words, lows) if lows[0] in _NAMING_TITLES else None
    if lows[0] in TITLES and "of" not in lows[1:2] and not headed:
        if len(words) > 1:
            return "person", 0.95, "title"
        return ("person", 0.6, "title") if lows[0] in FAMILY else ("concept", 0.5, "office")
    return (
        _by_gazetteer(span.text.removeprefix("The "), words)
        or (("concept", 0.7, "taxon") if lows[-1].endswith(("aceae", "idae", "inae")) else None)
        or _people(span, sentence, lows)
        or _by_head(words, lows)
        or _by_given(words, lows)
    )


def _by_gazetteer(text: str, words: list[str]) -> Kind | None:
    written = text.title() if text.isupper() and len(text) > 4 else text
    if text in PLACES or written in PLACES:
        return "place", 0.9 if len(words) > 1 or words[0] not in GIVEN else 0.6, "gazetteer"
    return ("organisation", 0.9, "gazetteer") if {text, written} & ORGANISATIONS else None


def _people(span: NameSpan, sentence: Sentence, lows: list[str]) -> Kind | None:
    """Read a people: "the Athenians"."""
    the = span.first > 0 and sentence.lows[span.first - 1] == "the"
    plural = lows[0].endswith("s") and lows[0][:-1] in DEMONYMS
    adjective = lows[0] in DEMONYMS - COMPASS and (
        the or not span.recognized
    )  # English is a language as well
    people = len(lows) == 1 and (adjective or plural or (lows[0].endswith(_PEOPLE) and the))
    return ("organisation", 0.7, "people") if people else None


def _is_initial(word: str) -> bool:
    return len(word.rstrip(".")) == 1 and word[0].isupper()


def _by_head(words: list[str], lows: list[str]) -> Kind | None:
    """Judge by the head: the last word, or the one before "of"."""
    cut = next((k for k, low in enumerate(lows) if low in ("of", "for", "de", "des", "du") and k), len(lows))
    head = lows[cut - 2] if cut > 1 and lows[cut - 1] in ROMAN else lows[cut - 1]
    if len(lows) == 1 and head in _COUNTRIES:
        return "place", 0.5, "head"
    if head in _ASSEMBLIES or (cut < len(lows) and head in ("house", "chamber") and lows[-1] in _MEMBERS):
        return "organisation", 0.9, f"head: {head}"
    if len(lows) == 1:
        alone = next((kind for kind, heads in _HEADS if head in heads and kind != "place"), None)
        return (alone, 0.5, "head") if alone else None
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
    if lows[0] in _OCCASIONS and len(lows) > 1:
        return "concept", 0.7, f"head: {lows[0]}"
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
    if words[0] in GIVEN or words[0].title() in GIVEN:
        return "person", 0.9 if len(words) > 1 else 0.6, "given name"
    initials = len(words) == 2 and words[0] not in PLACES and re.fullmatch(r"(?:[A-Z]\.)+", words[0])
    middle = len(words) > 2 and any(map(_is_initial, words[1:-1]))
    if initials or middle or (len(words) > 2 and _is_initial(words[0]) and "." in words[0]):
        return "person", 0.8, "initials"
    if len(words) > 1 and lows[-1] in ("jr", "sr", "esq"):
        return "person", 0.9, "suffix"
    if len(words) == 2 and words[1] in GIVEN and words[0] not in _BEFORE_PLACES:
        return "person", 0.6, "given name"
    return None


# --- the words around it, where no parser read them


def by_words(span: NameSpan, sentence: Sentence) -> Counter[str]:
    """Weigh the words around a name."""
    votes: Counter[str] = Counter()
    lows, first, last = sentence.lows, span.first, span.last
    before, after = (lows[first - 1] if first else ""), lows[last : last + 2]
    if before in ROLES:
        votes["person"] += 3
    elif before in KIND_OF:
        votes[KIND_OF[before]] += 3
    elif before in ("in", "at", "near"):
        votes["place"] += 2
    if after[:1] in (["who"], ["whose"]) or after in (["was", "born"], ["(", "born"]):
        votes["person"] += 3
    elif after and VERBS.get(after[0], ("", ""))[0] in SAYING:
        votes["person"] += 2
    if after[:1] in ([","], ["is"], ["was"]) and after[1:] in (["a"], ["an"], ["the"]):
        nouns = (low for low in lows[last + 2 : last + 8] if low in ROLES or low in KIND_OF)
        noun = next(nouns, None)
        if noun:
            votes["person" if noun in ROLES else KIND_OF[noun]] += 3
    return votes


# --- names that share words, or stand side by side


def _link_neighbours(
    spans: list[NameSpan], sentences: list[Sentence], certain: dict[str, Kind], votes: dict[str, Counter[str]]
) -> None:
    """Let a name follow the one it is listed with: "Leith and Newhaven", "Thomas Street, Horsleydown"."""
    for one, other in pairwise(sorted(spans, key=lambda s: (s.at, s.first))):
        if one.at != other.at or other.first - one.last != 1:
            continue
        joint = sentences[one.at].lows[one.last]

        for known, unknown in ((one, other), (other, one)):
            kind = certain.get(known.text, ("", 0.0, ""))
            listed = joint in ("and", "or", "&") or (joint == "," and kind[0] == "place")
            listed = listed or (
                joint == "," and kind[0] == "person" and unknown.last - unknown.first in (2, 3)
            )
            if listed and kind[1] >= 0.6 and unknown.text not in certain and kind[0] in ("place", "person"):
                long = kind[0] == "place" and joint != "," and unknown.last - unknown.first > 1
                votes[unknown.text][kind[0]] += 1 if long else 2


def _link_parts(certain: dict[str, Kind]) -> None:
    """Let "Snow" follow "John Snow", and "Milden" the firm "Milden Farms"."""
    for text, kind in list(certain.items()):
        parts = text.split()
        if len(parts) < 2:
            continue
        if kind[0] == "organisation" and parts[-1].lower() in _CORPORATE:
            certain.setdefault(parts[0], ("organisation", 0.6, "part of a full name"))
        for part in (parts[-1], parts[0]) if kind[0] == "person" else ():
            low = part.rstrip(".").lower()
            if len(low) > 1 and low not in TITLES | HEADS and certain.get(part, ("", 0.0))[1] < 0.7:
                certain[part] = ("person", 0.75, "part of a full name")


def _follow(spans: list[NameSpan], sentences: list[Sentence]) -> None:
    """Let guesses follow what is better known: full names first, then the names they are listed with."""
    _follow_full_names(spans)
    pairs = list(pairwise(sorted(spans, key=lambda s: (s.at, s.first))))
    for known, guessed in [*pairs, *((b, a) for a, b in reversed(pairs))]:
        if guessed.cue != "capitals" or known.at != guessed.at or known.cue in GUESSED - {"listed"}:
            continue
        left, right = sorted((known, guessed), key=lambda s: s.first)
        joint = sentences[known.at].lows[left.last : right.first]
        lone = guessed.last - guessed.first == 1
        alike = known.kind == "place" or (known.kind == "person" and known.last - known.first == 1)
        if joint in ([","], ["and"], [",", "and"], ["or"]) and lone and alike and known.confidence >= 0.45:
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
        if span.text in parts and span.cue in GUESSED:
            span.kind, span.confidence, span.cue = "person", 0.55, "part of a full name"
            span.initial = False


# --- where nothing tells


def _fallback(span: NameSpan, sentence: Sentence, votes: Counter[str]) -> Kind:
    """Guess from capitals, length and the weakest of signs."""
    if span.recognized:
        return span.recognized, 0.6, "recognizer"
    words = sentence.words[span.first : span.last]
    return _by_shape(words) or _full_name(span, sentence, words) or _lone(span, sentence, words, votes)


def _by_shape(words: list[str]) -> Kind | None:
    """Know acronyms, places by their ending and teams by their town."""
    low = words[-1].lower()
    if len(words) == 1:
        if low in _TECHNICAL:
            return "concept", 0.5, "acronym"
        place = low.endswith(_PLACE_ENDINGS) and len(low) > 6
        acronym = re.fullmatch(r"(?:[A-Z]\.?){2,6}", words[0])
        return ("place", 0.45, "ending") if place else ("organisation", 0.4, "capitals") if acronym else None
    if any(
        len(word) > 1 and word.isupper() and word.isalpha() and word.lower() not in ROMAN for word in words
    ):
        return "organisation", 0.45, "capitals"
    team = low.endswith("s") and " ".join(words[:-1]) in PLACES
    return ("organisation", 0.5, "team") if team else None


def _full_name(span: NameSpan, sentence: Sentence, words: list[str]) -> Kind | None:
    """Take two or three unknown words, particles aside, for a person's name."""
    bare = [word for word in words if word not in _PARTICLES and word.lower() not in ROMAN]
    plain = (
        len(bare) + (words[-1].lower() in ROMAN) > 1
        and len(bare[-1]) > 1
        and all(word[0].isupper() and _letters(word) for word in bare)
    )
    if (
        len(words) > 5
        or len(bare) > 3
        or not plain
        or _determined(span, sentence)
        or any(_is_word(word.lower()) for word in bare[bare[0] in _BEFORE_PLACES :])
        or (sentence.parsed and _is_thing(span, sentence))
    ):
        return None
    if bare[0] in _BEFORE_PLACES:
        return "place", 0.5, "compass"
    return "person", 0.5, "capitals"


def _determined(span: NameSpan, sentence: Sentence) -> bool:
    return span.first > 0 and sentence.lows[span.first - 1] in ("the", "this", "that", "its", "a", "an")


def _is_thing(span: NameSpan, sentence: Sentence) -> bool:
    """Tell "Guitar Legends" from a person: a verb, or a plural."""
    here = range(span.first, span.last)
    return any(
        sentence.tags[at] in "VEGRQ" or (sentence.tags[at] == "N" and sentence.lows[at].endswith("s"))
        for at in here
        if len(sentence.words[at]) > 3
    )


def _letters(word: str) -> bool:
    """Tell Hyun-woo and O'Neal, letters but for one mark, from B-52."""
    return word.replace("-", "", 1).replace("'", "", 1).replace("’", "", 1).isalpha()


def _is_word(low: str) -> bool:
    singular = low.removesuffix("s")
    known = {low, singular} & (LEXICON.keys() | VERBS.keys() | DEMONYMS) if len(low) > 3 else low in LEXICON
    return bool(known) or (low.endswith(_ABSTRACT) and len(low) > 6)


def _lone(span: NameSpan, sentence: Sentence, words: list[str], votes: Counter[str]) -> Kind:
    """Take a lone name for what little is said of it; else it is something that has a name."""
    if len(words) == 1 and span.first == 0 and span.last == len(sentence.words):
        return "person", 0.4, "heading"
    best, weight = _best(votes)
    unknown = len(words) == 1 and _letters(words[0]) and not _is_word(words[0].lower())
    if weight > 0 and unknown and not words[0].isupper() and words[0].lower() not in HEADS:
        return best, 0.4, "capitals"
    return "concept", 0.4, "capitals"


def _describe(span: NameSpan, sentence: Sentence) -> None:
    """Note the titles of a person."""
    if span.kind != "person":
        span.attributes.pop("role", None)
        return
    titles = []
    for word in sentence.words[span.first : span.last - 1]:
        if word.lower().rstrip(".") not in TITLES:
            break
        titles.append(word)
    if titles:
        span.attributes["title"] = " ".join(titles)
