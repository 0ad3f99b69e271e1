"""Which connectors hold one name together: "Board of Guardians", not "John Snow of London"."""

import re

from corpusgraph.tasks.index.rules.known_names import (
    CONCEPT_HEADS,
    GIVEN,
    ORG_HEADS,
    PLACE_HEADS,
    ROLE_OF,
    TITLES,
)
from corpusgraph.tasks.index.rules.known_places import PLACES
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.wordlist import wordset

HEADS = ORG_HEADS | PLACE_HEADS | CONCEPT_HEADS
_CUT_BEFORE_OF = wordset("clause article section people west east north south")
_INSTITUTIONS = wordset("""
    board university college department ministry committee society association institute institution council
    commission agency bureau office bank hospital infirmary school academy church court union foundation trust
    authority service services fund centre center campaign museum library party movement organisation
    organization press corps synod inquiry
""")
"""Heads after which "for" goes on with the name: "Centre for the Deaf", not "Records for"."""
_AND = wordset("e y al do am das")
_JOINT = re.compile(r"[^TAI]+")


def cut(sentence: Sentence, shape: str, first: int, last: int) -> list[tuple[int, int]]:
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
    lows, before = sentence.lows, sentence.lows[left - 1]
    kind = shape[left]
    if kind == "d":
        return _particle_holds(sentence, begin, left, right)
    if kind == "K":
        after = lows[right:last]
        return begin < left and after[min(len(after), 2) - 1] in HEADS and after[0] not in TITLES
    if kind == "f":
        return before in _INSTITUTIONS or any(low in _INSTITUTIONS for low in lows[begin:left])
    if kind == "a":
        return _coordination_holds(sentence, shape, begin, left, right, last)
    if shape[left:right].endswith("y"):
        return before in CONCEPT_HEADS
    return _of_holds(sentence, shape, begin, left, right)


def _particle_holds(sentence: Sentence, begin: int, left: int, right: int) -> bool:
    """Judge "van", "de", "y" and a hyphen between spaces."""
    low, words = sentence.lows[left], sentence.words
    if low in "-–":
        touching = sentence.starts[left] == sentence.ends[left - 1]
        return touching or (words[left - 1].isalpha() and words[right].isalpha())
    if sentence.language == "de" and low not in ("von", "van"):
        return False
    single = right - left == 1 and begin == left - 1
    return not (low in _AND and single and sentence.lows[left - 1] in HEADS)


def _of_holds(sentence: Sentence, shape: str, begin: int, left: int, right: int) -> bool:
    """Judge "of": it holds after a head, and not after a person or a place."""
    lows, words, before = sentence.lows, sentence.words, sentence.lows[left - 1]
    if before in _CUT_BEFORE_OF or before.endswith(("uls", "unes")):
        return False
    if before in HEADS and before not in ("church", "house"):
        return True
    person = words[begin] in GIVEN and before not in HEADS and before not in ROLE_OF
    titled = shape[begin] == "T" and lows[begin].rstrip(".") not in ROLE_OF
    place = left - begin == 1 and words[begin] in PLACES and before not in HEADS
    if not (person or titled or place):
        return True
    return words[begin] in GIVEN and left - begin == 1 and words[right] in PLACES


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
        return words[right] not in GIVEN and lows[left - 1] not in HEADS
    bureau = head in ORG_HEADS and run - right > 1 and begin > 0 and lows[begin - 1] == "the"
    if bureau and left - begin <= 2 and lows[left - 1] not in HEADS and words[begin] not in GIVEN | PLACES:
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
    return company and run - right > 1 - (head in ("sons", "brothers")) and lows[left - 1] not in HEADS
