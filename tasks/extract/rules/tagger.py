"""Tokens of a sentence with one-letter word classes, from a parser or from lexicons and suffixes.

D determiner, J adjective, N noun, P name, Q number, V finite or base verb, E past form or participle,
G -ing form, B be, H have, O do, M modal, T to, F of, I preposition, C and/or/but, S subordinator, W relative
or question word, U pronoun, R adverb, X negation, K possessive 's, L date, and punctuation: , ; . ( ) " and
Z for the rest.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from corpusgraph.tasks.extract.rules.lexicon import LEXICON, by_suffix
from corpusgraph.tasks.extract.rules.verbs import AMBIGUOUS, VERBS

TOKEN = re.compile(
    r"""(?:[^\W\d_]\.){2,}+|\d+(?:[.,]\d+)*+(?:[^\W\d_]{1,3}\b)?
    |(?:Dr|Mr|Mrs|Ms|St|Rev|Prof|Gen|Col|Capt|Lt|Jr|Sr|Hon|Gov|Sen|Messrs|Sgt|Maj|Lieut|Mme|Mlle|Ste)\.
    |[^\W\d_]\.(?=\s?\w)
    |(?:\bcan(?=not\b)|\bcan(?='t\b))
    |\w+(?:-\w+|–[^\W\d]\w*|[’'](?!s\b)\w+)*+|[’']s\b|\S""",
    re.VERBOSE,
)
ELISION = re.compile(
    r"""(?:[^\W\d_]\.){2,}+|\d+(?:[.,]\d+)*+(?:[^\W\d_]{1,3}\b)?|(?:Dr|Mr|St|Ste|Mme|Mlle|MM?)\.
    |[^\W\d_]\.(?=\s?\w)|(?:[ldjnmtscLDJNMTSC]|[Qq]u|[Ll]orsqu|[Pp]uisqu)[’']|\w+(?:-\w+)*+|\S""",
    re.VERBOSE,
)
"""French and Italian: l', d', qu' are words of their own."""
_MARKS = {",": ",", ";": ";", ":": ";", "—": ";", "–": ";", "(": "(", "[": "(", ")": ")", "]": ")"}
_MARKS |= (
    dict.fromkeys(".!?…。！？؟", ".") | dict.fromkeys("\"“”«»„「」『』《》``''", '"') | {"'s": "K", "’s": "K"}
)


@dataclass(slots=True)
class Sentence:
    """Words with character offsets in the document; `tags` holds one letter per word."""

    start: int
    end: int
    words: list[str]
    lows: list[str]
    starts: list[int]
    ends: list[int]
    tags: str = ""
    language: str = "en"
    parsed: bool = False
    """Whether a parser told the word classes."""

    def text(self, source: str) -> str:
        """Return the sentence as written."""
        return source[self.start : self.end]

    def retag(self, first: int, last: int, tag: str) -> None:
        """Give the words from `first` up to, not including, `last` one tag."""
        self.tags = self.tags[:first] + tag * (last - first) + self.tags[last:]


def read(text: str, start: int, end: int, *, elision: bool = False) -> Sentence:
    """Split a sentence into words; tags are not set yet."""
    found = list((ELISION if elision else TOKEN).finditer(text, start, end))
    words = [match[0] for match in found]
    return Sentence(
        start=start,
        end=end,
        words=words,
        lows=list(map(str.lower, words)),
        starts=[match.start() for match in found],
        ends=[match.end() for match in found],
    )


_PARTS = ["", "", "half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
FRACTIONS = {word + s: part for part, word in enumerate(_PARTS) if word for s in ("", "s")} | {"halves": 2}
"""Word -> divisor: thirds, 3."""
_BY_KIND = {"V": "V", "Z": "V", "A": "V", "E": "e", "F": "e", "G": "g"}


@lru_cache(maxsize=65536)
def raw_tag(low: str) -> str:
    """Tag a word by itself; a, z: base and -s forms that may be nouns; e, g: -ed and -ing forms."""
    fixed = LEXICON.get(low) or _MARKS.get(low)
    verb = VERBS.get(low)
    if fixed and not (verb and fixed in "NJ" and low in AMBIGUOUS):
        return fixed
    if verb:
        base, kind = verb
        ambiguous = kind in "VZ" and base in AMBIGUOUS
        return {"V": "a", "Z": "z"}[kind] if ambiguous else _BY_KIND[kind]
    return _unknown(low)


def _unknown(low: str) -> str:
    """Tag a word that no list holds: a number, a mark, or by its ending."""
    if low[0].isdigit():
        return "J" if low[-1].isalpha() else "Q"
    if not low[0].isalnum():
        return "Z"
    if low.endswith("n't"):
        return "O"
    tens, _, ones = low.partition("-")
    if LEXICON.get(tens) == "Q" and (LEXICON.get(ones) == "Q" or ones in FRACTIONS):
        return "Q"
    return by_suffix(low.rpartition("-")[2] or low).replace("E", "e").replace("G", "g")


_OPEN = frozenset("NJPVREGazeg")
"""Tags of open classes, of which a parser knows more than the lists."""
_CLASSES = {"NOUN": "N", "PROPN": "P", "X": "P", "ADJ": "J", "ADV": "R", "NUM": "Q", "DET": "D", "PRON": "U",
            "AUX": "B", "ADP": "I", "SCONJ": "S", "CCONJ": "C", "PART": "X", "VERB": "V"}  # fmt: skip


def tag(sentence: Sentence, classes: Mapping[int, str] | None = None) -> None:
    """Set `tags`: as a parser told (character at which a word begins -> its UPOS), else word by word."""
    sentence.parsed = classes is not None
    raw = list(map(raw_tag, sentence.lows))
    tags = [
        _parsed(raw[at], (classes or {}).get(start, "")) or _alone(raw, at, sentence.words[at])
        for at, start in enumerate(sentence.starts)
    ]
    sentence.tags = "".join(tags)


def _parsed(raw: str, upos: str) -> str:
    """Return a word's tag by its UPOS; the lists still tell closed classes and the forms of verbs."""
    if raw not in _OPEN:
        return raw if upos else ""
    return raw.upper() if upos == "VERB" and raw in "egEG" else _CLASSES.get(upos, "")


def _alone(raw: list[str], at: int, word: str) -> str:
    """Return a word's tag without a parser: a capital inside is a name, a word that may be a noun is one."""
    if at and word[0].isupper() and raw[at] in _OPEN:
        return "P"
    verb = raw[at - 1 : at] in (["T"], ["M"], ["O"]) or raw[at + 1 : at + 2] in (["D"], ["U"])
    if raw[at] == "a" and verb:
        return "V"
    return {"a": "N", "z": "N"}.get(raw[at], raw[at].upper() if raw[at] in "eg" else raw[at])


def words_of(sentence: Sentence, start: int, end: int) -> tuple[int, int]:
    """Return the half-open range of words that a span of characters touches."""
    return bisect_right(sentence.ends, start), bisect_left(sentence.starts, end)
