"""Spans of words that name something: capitals joined over connectors, quoted titles, peoples."""

import re
from dataclasses import dataclass, field

from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks.index.rules.known_names import (
    CONCEPT_HEADS,
    DEMONYMS,
    GIVEN,
    LOWER_HEADS,
    ORDINALS,
    ORG_HEADS,
    PLACE_HEADS,
    ROLE_OF,
    TITLES,
)
from corpusgraph.tasks.index.rules.known_places import PLACES
from corpusgraph.tasks.index.rules.languages import FOREIGN_WORDS
from corpusgraph.tasks.index.rules.lexicon import FUNCTION_WORDS, LEXICON
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

_CONNECTORS = {"of": "o", "the": "t", "and": "a", "&": "a", "for": "f", "'s": "K", "’s": "K"}
_CONNECTORS |= dict.fromkeys(
    [
        "de",
        "la",
        "du",
        "des",
        "van",
        "von",
        "der",
        "den",
        "di",
        "da",
        "del",
        "della",
        "dell'",
        "le",
        "les",
        "el",
        "al",
        "bin",
        "ibn",
        "ben",
        "y",
        "e",
        "zu",
        "zur",
        "zum",
        "am",
        "dos",
        "das",
        "do",
        "v.",
        "vs.",
        "d'",
        "l'",
        "es",
        "-",
        "–",
    ],
    "d",
)
_SPAN = re.compile(r"[TAI]+(?:(?:ot?|oy|d{1,3}|K|a|ft?)[TAI]+)*(?:oy)?")
_JOINT = re.compile(r"[^TAI]+")
_HEADS = ORG_HEADS | PLACE_HEADS | CONCEPT_HEADS
_CALENDAR = wordset("""monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december mondays tuesdays wednesdays thursdays fridays saturdays sundays i i'm
    i've i'll i'd ok oh ah god's figure fig table chapter section appendix vol no nos p pp""")
_PEOPLES = wordset("british english french spanish dutch irish welsh swiss chinese japanese portuguese")
_COMPASS = wordset("north south east west")
_GENERIC = wordset("state states people art ep lp bc ad mr mrs american")
_NOT_FIRST = "RVEGQWSIMBOHDUXCT"
_QUOTED = re.compile(
    r"[\"“«„]([^\"”»“\n]{2,80}(?:\n[^\"”»“\n]{1,60})?)[\"”»“]|``([^`']{2,80})''|《([^》]{1,40})》|(?<!\*)\*([^*\n]{3,80})\*(?!\*)|(?<!\w)_([^_\n]{3,80})_(?!\w)"
)


@dataclass(slots=True)
class NameSpan:
    """Words `first` to `last` (half-open) of one sentence, and what is known of the name they form."""

    at: int
    first: int
    last: int
    text: str
    initial: bool = False
    kind: str = ""
    confidence: float = 0.5
    cue: str = ""
    attributes: JsonDict = field(default_factory=dict)


def find_names(sentence: Sentence, at: int, source: str) -> list[NameSpan]:
    """Return the capitalised spans of one sentence (number `at` of its document), not typed yet."""
    if sum(word[0].isupper() for word in sentence.words) < 2 and _plain_start(sentence):
        return []
    shape = _shape(sentence)
    if "A" not in shape and "I" not in shape and "T" not in shape:
        return []
    spans: list[NameSpan] = []
    for match in _SPAN.finditer(shape):
        for first, last in _cut(sentence, shape, match.start(), match.end()):
            span = _trimmed(sentence, shape, first, last)
            if span:
                text = " ".join(source[sentence.starts[span[0]] : sentence.ends[span[1] - 1]].split())
                spans.append(NameSpan(at, *span, text, initial=_opens(sentence, span[0])))
    return spans


def _plain_start(sentence: Sentence) -> bool:
    """Tell whether the only capital is a common word's, at the start: the usual case, decided fast."""
    low = sentence.lows[0]
    return sentence.words[0][0].isupper() and (
        low in FUNCTION_WORDS or (low in LEXICON and low not in _HEADS)
    )


def _opens(sentence: Sentence, first: int) -> bool:
    """Tell whether only quotation marks, numbers and the like stand before a word in its sentence."""
    return all(tag in '"(Z.Q' for tag in sentence.tags[:first])


def _shape(sentence: Sentence) -> str:
    """Describe every word by a letter: A name-like, I initial, T title, connectors, - the rest."""
    shape: list[str] = []
    foreign = FOREIGN_WORDS.get(sentence.language, frozenset())
    for at, (word, low, tag) in enumerate(zip(sentence.words, sentence.lows, sentence.tags, strict=True)):
        first = word[0]
        if not (first.isupper() or first.istitle()):
            shape.append(_CONNECTORS.get(low) or ("y" if tag == "L" and first.isdigit() else "-"))
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


def _acts(sentence: Sentence, at: int) -> bool:
    return sentence.tags[at : at + 1] in ("V", "E", "B", "H", "M", "O", "X")


def _capital(sentence: Sentence, at: int) -> bool:
    return at < len(sentence.words) and sentence.words[at][0].isupper()


def _unmark_start(sentence: Sentence, shape: list[str]) -> None:
    """Take the capital of a sentence's first word for grammar where the lexicon knows the word."""
    for at, letter in enumerate(shape):
        if sentence.tags[at] in '"(Z.Q' and letter == "-":
            continue
        low, word = sentence.lows[at], sentence.words[at]
        known = (
            low in LEXICON or low in VERBS or low.endswith(("tion", "ment", "ness", "ance", "ence", "ity"))
        )
        alone = at + 1 >= len(shape) or shape[at + 1] not in "TAI"
        if letter == "A" and known and word not in GIVEN and word not in PLACES:
            if (
                sentence.tags[at] in _NOT_FIRST
                or (alone and low not in _HEADS)
                or low.endswith("ly")
                or (alone and shape[at + 1 : at + 2] != ["o"])
            ):
                shape[at] = "-"
        break


def _cut(sentence: Sentence, shape: str, first: int, last: int) -> list[tuple[int, int]]:
    """Split a span at the connectors that do not hold it together."""
    pieces, begin = [], first
    for joint in _JOINT.finditer(shape, first, last):
        if not _holds(sentence, shape, begin, joint.start(), joint.end(), last):
            pieces.append((begin, joint.start()))
            begin = joint.end()
    if begin < last:
        pieces.append((begin, last))
    return pieces


def _holds(sentence: Sentence, shape: str, begin: int, left: int, right: int, last: int) -> bool:
    """Decide whether the connector at words `left` to `right` lies inside one name."""
    lows, words = sentence.lows, sentence.words
    kind, before = shape[left], lows[left - 1]
    if kind == "d" and sentence.language == "de" and lows[left] not in ("von", "van", "-", "–"):
        return False
    if kind == "d" and lows[left] in "-–":
        return sentence.starts[left] == sentence.ends[left - 1] or (
            words[left - 1].isalpha() and words[right].isalpha()
        )
    if kind == "d":
        return not (
            lows[left] in ("e", "y", "al", "do", "am", "das")
            and right - left == 1
            and begin == left - 1
            and before in _HEADS
        )
    if kind == "K":
        after = [low for low in lows[right:last]]
        return (
            bool(after)
            and after[min(len(after), 2) - 1] in _HEADS
            and begin < left
            and after[0] not in TITLES
        )
    if kind == "f":
        return before in ORG_HEADS or any(low in ORG_HEADS for low in lows[begin:left])
    if kind == "a":
        return _coordination_holds(sentence, shape, begin, left, right, last)
    if shape[left:right].endswith("y"):
        return before in CONCEPT_HEADS
    if before in (
        "clause",
        "article",
        "section",
        "people",
        "west",
        "east",
        "north",
        "south",
    ) or before.endswith(("uls", "unes")):
        return False
    if before in _HEADS and before not in ("church", "house"):
        return True
    person = words[begin] in GIVEN and before not in _HEADS and before not in ROLE_OF
    titled = shape[begin] == "T" and lows[begin].rstrip(".") not in ROLE_OF
    if person or titled or (left - begin == 1 and words[begin] in PLACES and before not in _HEADS):
        return (
            words[begin] in GIVEN
            and left - begin == 1
            and words[right][0].isupper()
            and words[right] in PLACES
        )
    return True


def _coordination_holds(sentence: Sentence, shape: str, begin: int, left: int, right: int, last: int) -> bool:
    lows, words = sentence.lows, sentence.words
    if lows[left] == "&":
        return True
    run = right
    while run < last and shape[run] in "TAI":
        run += 1
    head = lows[run - 1]
    inside_of = "o" in shape[begin:left] and any(low in ORG_HEADS for low in lows[begin:left])
    if inside_of and left - begin <= 5 and run - right == 1 and words[right] not in PLACES:
        return words[right] not in GIVEN and lows[left - 1] not in _HEADS
    bureau = head in ORG_HEADS and run - right > 1 and begin > 0 and lows[begin - 1] == "the"
    if bureau and left - begin <= 2 and lows[left - 1] not in _HEADS and words[begin] not in GIVEN | PLACES:
        return True
    company = head in (
        "company",
        "co",
        "sons",
        "brothers",
        "society",
        "ltd",
        "department",
        "act",
        "committee",
        "museum",
        "railway",
    )
    return company and run - right > 1 - (head in ("sons", "brothers")) and lows[left - 1] not in _HEADS


def _trimmed(sentence: Sentence, shape: str, first: int, last: int) -> tuple[int, int] | None:
    """Drop what does not belong at the ends; return None where no name is left."""
    lows, words = sentence.lows, sentence.words
    while last > first and (shape[last - 1] in "otafKd" or (shape[last - 1] == "I" and last - first == 1)):
        last -= 1
    if " ".join(words[first:last]) in PLACES:
        return first, last
    while (
        last - first > 1
        and lows[first] in DEMONYMS - _COMPASS
        and _name_alone(sentence, shape, first + 1, last)
    ):
        first += 1
    if (
        last < len(lows)
        and lows[last] in LOWER_HEADS
        and last - first <= 3
        and (lows[last - 1] not in _HEADS or lows[last] == "pump")
    ):
        if sentence.tags[last] in "NP" and lows[first] not in DEMONYMS:
            return first, last + 1
    if (
        last - first > 1
        and words[last - 1] in PLACES
        and lows[last - 2] in ("dynasty", "era", "period", "act")
    ):
        last -= 1
    if last - first == 1:
        return _single(sentence, shape, first)
    if last <= first or all(low in DEMONYMS for low in lows[first:last]):
        return None
    if all(letter == "T" for letter in shape[first:last]):
        return None
    if _opens(sentence, first) and sentence.tags[first] in "RVEGQ" and words[first] not in GIVEN | PLACES:
        return _trimmed(sentence, shape, first + 1, last) if shape[first + 1] in "TAI" else None
    return first, last


def _name_alone(sentence: Sentence, shape: str, at: int, last: int) -> bool:
    """Tell whether what follows a demonym is a name without it: "Polish General", "American Margaret Keane"."""
    single = last - at == 1 and sentence.lows[at] not in _HEADS and sentence.lows[at] not in DEMONYMS
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
    if len(word) == 1 or not word[0].isalpha() or low in _GENERIC:
        return None
    if low.endswith(("istic", "ian", "ean", "esque")) and after and after in "NJ":
        return None
    return first, first + 1


def find_title(sentence: Sentence, at: int, title: str) -> list[NameSpan]:
    """Return where the document's own title stands in a sentence: a name even with commas in it."""
    wanted = title.split()
    if len(wanted) < 2 or not any(word[0].isupper() for word in wanted[1:]):
        return []
    pieces = [word for part in wanted for word in ([part[:-1], ","] if part[-1] == "," else [part])]
    size = len(pieces)
    return [
        NameSpan(at, first, first + size, title)
        for first in range(len(sentence.words) - size + 1)
        if sentence.words[first] == pieces[0] and sentence.words[first : first + size] == pieces
    ]


def find_quoted(sentence: Sentence, at: int, source: str) -> list[NameSpan]:
    """Return titles of works in quotation marks: short, and capitalised but for little words."""
    found = []
    for match in _QUOTED.finditer(source, sentence.start, sentence.end):
        group = next(number for number in range(1, 6) if match[number])
        start, end = match.span(group)
        inside = source[start:end]
        if not _is_title(inside.split()):
            continue
        inner = [
            k for k in range(len(sentence.words)) if start <= sentence.starts[k] and sentence.ends[k] <= end
        ]
        while inner and sentence.words[inner[-1]] in ",.":
            inner.pop()
        if inner:
            text = " ".join(source[sentence.starts[inner[0]] : sentence.ends[inner[-1]]].split())
            found.append(
                NameSpan(
                    at, inner[0], inner[-1] + 1, text, kind="concept", confidence=0.8, cue="quoted title"
                )
            )
    return found


def _is_title(words: list[str]) -> bool:
    if not words or len(words) > 9 or (words[-1][-1] in ".?!," and len(words) > 4):
        return False
    content = [word for word in words if word.lower().strip(",.!?'") not in FUNCTION_WORDS]
    first = words[0][0]
    cased = first.isupper() or not (first.islower() or (first.isalpha() and first.lower() != first.upper()))
    return cased and bool(content) and all(not word[0].islower() for word in content)
