"""Spans of words that name something: capitals joined over connectors, quoted titles, peoples."""

import re

from corpusgraph.tasks.index.rules.joints import HEADS, cut
from corpusgraph.tasks.index.rules.known_names import (
    DEMONYMS,
    GIVEN,
    LOWER_HEADS,
    ORDINALS,
    TITLES,
)
from corpusgraph.tasks.index.rules.known_places import PLACES
from corpusgraph.tasks.index.rules.languages import FOREIGN_WORDS
from corpusgraph.tasks.index.rules.lexicon import FUNCTION_WORDS, LEXICON, by_suffix
from corpusgraph.tasks.index.rules.name_span import NameSpan
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

_CONNECTORS = {"of": "o", "the": "t", "and": "a", "&": "a", "for": "f", "'s": "K", "’s": "K"}
_CONNECTORS |= dict.fromkeys(
    wordset("""
        de la du des van von der den di da del della dell' le les el al bin ibn ben y e
        zu zur zum am dos das do v. vs. d' l' es - –
    """),
    "d",
)
_SPAN = re.compile(r"[TAI]+(?:(?:ot?|oy|d{1,3}|K|a|ft?)[TAI]+)*(?:oy)?")
_CALENDAR = wordset("""
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july
    august september october november december mondays tuesdays wednesdays thursdays fridays saturdays
    sundays i i'm i've i'll i'd ok oh ah god's figure fig table chapter section appendix vol no nos p pp
""")
_PEOPLES = wordset("british english french spanish dutch irish welsh swiss chinese japanese portuguese")
_ERAS = wordset("dynasty era period act")
_ADJECTIVAL = ("istic", "ian", "ean", "esque", "an", "ese", "ist", "enic", "otic")
_COMPASS = wordset("north south east west")
_INCORPORATED = (["inc"], ["inc."], ["ltd"], ["ltd."], ["llc"], ["plc"], ["l.l.c."])
_GENERIC = wordset(
    """
    state states people art ep lp bc ad mr mrs american am pm est edt cst cdt pst pdt gmt utc bst cet kst jst
    usd gbp eur cd dvd tv
    """
)
_HYPHENED = (
    "-language",
    "-based",
    "-born",
    "-style",
    "-era",
    "-speaking",
    "-century",
    "-led",
    "-owned",
    "-like",
)
_NOT_FIRST = "RVEGQWSIMBOHDUXCT"


def find_names(sentence: Sentence, at: int, source: str) -> list[NameSpan]:
    """Return the capitalised spans of one sentence (number `at` of its document), not typed yet."""
    if _plain_start(sentence) and not any(word[0].isupper() for word in sentence.words[1:]):
        return []
    shape = _shape(sentence)
    if "A" not in shape and "I" not in shape and "T" not in shape:
        return []
    spans: list[NameSpan] = []
    for match in _SPAN.finditer(shape):
        for first, last in cut(sentence, shape, match.start(), match.end()):
            span = _trimmed(sentence, shape, first, last)
            if span:
                text = " ".join(source[sentence.starts[span[0]] : sentence.ends[span[1] - 1]].split())
                spans.append(NameSpan(at, *span, text, initial=_opens(sentence, span[0])))
    return spans


def _plain_start(sentence: Sentence) -> bool:
    """Tell whether the only capital is a common word's, at the start: the usual case, decided fast."""
    low = sentence.lows[0]
    return sentence.words[0][0].isupper() and (low in FUNCTION_WORDS or (low in LEXICON and low not in HEADS))


def _opens(sentence: Sentence, first: int) -> bool:
    """Tell whether only quotation marks, numbers and the like stand before a word in its sentence."""
    return all(tag in '"(Z.Q' for tag in sentence.tags[:first])


def _shape(sentence: Sentence) -> str:
    """Describe every word by a letter: A name-like, I initial, T title, connectors, - the rest."""
    shape: list[str] = []
    foreign = FOREIGN_WORDS.get(sentence.language, frozenset())
    for at, (word, low, tag) in enumerate(zip(sentence.words, sentence.lows, sentence.tags, strict=True)):
        first = word[0]
        if word == low or not (first.isupper() or first.istitle()):
            shape.append(_CONNECTORS.get(low) or ("y" if tag == "L" and first.isdigit() else "-"))
        elif low.endswith(_HYPHENED):
            shape.append("-")
        elif low in ORDINALS and _shared_head(sentence, at):
            shape.append("A")
        elif low in ORDINALS or (low == "i" and shape and shape[-1] == "A" and not _acts(sentence, at + 1)):
            shape.append("A" if low == "i" or _capital(sentence, at + 1) else "-")
        elif (
            tag == "L"
            or low in _CALENDAR
            or low in foreign
            or (low in FUNCTION_WORDS and (len(word) > 1 or word in "AI"))
        ):
            shape.append("-")
        elif low.rstrip(".") in TITLES and len(low) > 1:
            shape.append("T")
        elif len(word.rstrip(".")) == 1:
            shape.append("I" if len(word) == 2 or word.isupper() else "A")
        else:
            shape.append("A")
    _unmark_start(sentence, shape)
    return "".join(shape)


def _shared_head(sentence: Sentence, at: int) -> bool:
    """Tell the "First" of "First and Second World Wars"."""
    after = sentence.lows[at + 1 : at + 3]
    return (
        len(after) == 2 and after[0] in ("and", "or") and after[1] in ORDINALS and _capital(sentence, at + 2)
    )


def _acts(sentence: Sentence, at: int) -> bool:
    return sentence.tags[at : at + 1] in ("V", "E", "B", "H", "M", "O", "X")


def _capital(sentence: Sentence, at: int) -> bool:
    return at < len(sentence.words) and sentence.words[at][0].isupper()


def common(low: str) -> bool:
    """Tell by its ending that a word is an adverb, participle or abstract noun, or a listed word's plural."""
    if low.endswith(("tion", "ment", "ness", "ance", "ence", "ity")) or by_suffix(low) in "RGE":
        return True
    return low.endswith("s") and (low[:-1] in LEXICON or low[:-1] in VERBS)


def _unmark_start(sentence: Sentence, shape: list[str]) -> None:
    """Take the capital of a sentence's first word for grammar where the lexicon knows the word."""
    for at, letter in enumerate(shape):
        if sentence.tags[at] in '"(Z.Q' and letter == "-":
            continue
        low, word = sentence.lows[at], sentence.words[at]
        known = low in LEXICON or low in VERBS or common(low)
        alone = at + 1 >= len(shape) or shape[at + 1] not in "TAI"
        grammar = sentence.tags[at] in _NOT_FIRST or low.endswith("ly")
        grammar = grammar or (alone and (low not in HEADS or shape[at + 1 : at + 2] != ["o"]))
        if letter == "A" and known and grammar and word not in GIVEN and word not in PLACES:
            shape[at] = "-"
        break


def _trimmed(sentence: Sentence, shape: str, first: int, last: int) -> tuple[int, int] | None:
    """Drop what does not belong at the ends; return None where no name is left."""
    lows, words = sentence.lows, sentence.words
    if last - first > 2 and lows[first].removesuffix("s") in TITLES and lows[first].endswith("s"):
        first += 1
    while last > first and (shape[last - 1] in "otafKd" or (shape[last - 1] == "I" and last - first == 1)):
        last -= 1
    if " ".join(words[first:last]) in PLACES:
        return first, last
    while (
        last - first > 1 and lows[first] in DEMONYMS - _COMPASS and _alone(sentence, shape, first + 1, last)
    ):
        first += 1
    more = _continues(sentence, first, last)
    if more:
        return first, last + more
    if last - first > 2 and words[last - 1] in PLACES and lows[last - 2] in _ERAS:
        last -= 1
    if last - first == 1:
        return _single(sentence, shape, first)
    titles = all(letter == "T" for letter in shape[first:last])
    if last <= first or titles or all(low in DEMONYMS for low in lows[first:last]):
        return None
    if _opens(sentence, first) and sentence.tags[first] in "RVEGQ" and words[first] not in GIVEN | PLACES:
        return _trimmed(sentence, shape, first + 1, last) if shape[first + 1] in "TAI" else None
    return first, last


def _continues(sentence: Sentence, first: int, last: int) -> int:
    """Count the words after a name that belong to it: "Amphictyonic council", "Mystery, Inc."."""
    lows = sentence.lows
    if sentence.tags[last : last + 1] == "," and lows[last + 1 : last + 2] in _INCORPORATED:
        return 2
    if last >= len(lows) or lows[last] not in LOWER_HEADS or last - first > 3:
        return 0
    headless = lows[last - 1] not in HEADS or lows[last] == "pump"
    return int(headless and sentence.tags[last] in "NP" and lows[first] not in DEMONYMS)


def _alone(sentence: Sentence, shape: str, at: int, last: int) -> bool:
    """Tell whether what follows a demonym is a name without it: "American Margaret Keane"."""
    single = last - at == 1 and sentence.lows[at] not in HEADS and sentence.lows[at] not in DEMONYMS
    return shape[at] == "T" or sentence.words[at] in GIVEN or single


def _single(sentence: Sentence, shape: str, first: int) -> tuple[int, int] | None:
    """Judge a name of one word."""
    low, word = sentence.lows[first], sentence.words[first]
    after = sentence.tags[first + 1 : first + 2]
    if shape[first] == "T":
        return None
    if low in DEMONYMS:
        the = first > 0 and sentence.lows[first - 1] == "the"
        people = low.endswith("s") and low[:-1] in DEMONYMS
        alone = not after or after not in "JNPQ"
        return (first, first + 1) if people or (the and low in _PEOPLES and alone) else None
    unit = first > 0 and sentence.tags[first - 1] == "Q" and word.isupper() and len(word) < 4
    if unit or [low] in _INCORPORATED or len(word) == 1 or not word[0].isalpha() or low in _GENERIC:
        return None
    if low.endswith(_ADJECTIVAL) and after and after in "NJ" and word not in PLACES and word not in GIVEN:
        return None
    return first, first + 1
