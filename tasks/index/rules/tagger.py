"""Tokens of a sentence with one-letter word classes, from lexicons, suffixes and the neighbours.

D determiner, J adjective, N noun, P name, Q number, V finite or base verb, E past form or participle,
G -ing form, B be, H have, O do, M modal, T to, F of, I preposition, C and/or/but, S subordinator, W relative
or question word, U pronoun, R adverb, X negation, K possessive 's, L date, and punctuation: , ; . ( ) " and
Z for the rest.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from corpusgraph.tasks.index.rules.idioms import tag_idiom
from corpusgraph.tasks.index.rules.lexicon import LEXICON, by_suffix
from corpusgraph.tasks.index.rules.verbs import AMBIGUOUS, VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

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


_BEFORE_TO = wordset(
    """
    due owing thanks prior led rise attributed traced ascribed opposed contributed essential necessary
    indispensable obstacle bar impediment hindrance barrier threat enemy danger aid fatal hostile contrary
    similar subject equal common related linked
    """
)
"""Words after which "to" is a preposition more often than the mark of an infinitive."""


def tag(sentence: Sentence) -> None:
    """Set `tags`, resolving the words that may be of two classes by their neighbours."""
    tags = list(map(raw_tag, sentence.lows))
    words = sentence.words
    for at, word in enumerate(words):
        if at and word[0].isupper() and tags[at] in "NJVazeg":
            tags[at] = "P"
    tags.append(".")
    for at, raw in enumerate(tags):
        if (
            raw == "S"
            and sentence.lows[at] == "that"
            and at
            and tags[at - 1] in "IF"
            and tags[at + 1] in "NJaz"
        ):
            tags[at] = "D"
        elif raw == "T" and at and sentence.lows[at - 1] in _BEFORE_TO:
            tags[at] = "I"
        elif raw == "R" and at and tags[at - 1] == "D" and tags[at + 1] in "BVMHOFI.,e":
            tags[at] = "N"
        elif raw in "azegJ":
            tags[at] = _RESOLVE[raw](tags, at, sentence.lows)
        elif raw in "IF" and sentence.lows[at + 1 : at + 2]:
            tag_idiom(tags, at, sentence.lows)
    tags.pop()
    sentence.tags = "".join(tags)


def _before(tags: list[str], at: int) -> str:
    """Return the tag before a word, looking past adverbs; "." at the start."""
    at -= 1
    while at >= 0 and tags[at] == "R":
        at -= 1
    return tags[at] if at >= 0 else "."


_NEVER_AFTER_PLURAL = wordset("land water")


def _base(tags: list[str], at: int, lows: list[str]) -> str:
    before, after = _before(tags, at), tags[at + 1]
    if before in "TMXOUW":
        return "V"
    if before in "NP" and lows[at - 1].endswith("s") and not lows[at - 1].endswith("ss"):
        return "V" if after in "DUT" or (after in "NJP" and lows[at] not in _NEVER_AFTER_PLURAL) else "N"
    return "V" if before in ".,C;S" and after in "DU" else "N"


def _verbless(tags: list[str], at: int) -> bool:
    """Tell whether the clause around a word has no other verb: then the word is likely to be it."""
    for left in range(at - 1, -1, -1):
        if tags[left] in ";S":
            break
        if tags[left] in "VBMHOE":
            return False
    for right in range(at + 1, len(tags)):
        if tags[right] in ",;.S":
            break
        if tags[right] in "VBMHOe":
            return False
    return True


def _third(tags: list[str], at: int, lows: list[str]) -> str:
    before, after = _before(tags, at), tags[at + 1]
    if before in "UWX":
        return "V"
    if lows[at] in ("leads", "results", "means") and before in "NPE)":
        return "V" if lows[at + 1 : at + 2] in (["to"], ["in"], ["from"], ["that"]) or after in "DU" else "N"
    if before in "NP)C," and after in "DUPQTSJN" and not (before in "C," and after in "PNJ"):
        plural = at and lows[at - 1].endswith("s") and not lows[at - 1].endswith("ss")
        return "N" if plural and after in "PNJS" and not _verbless(tags, at) else "V"
    return "V" if before in "NP" and after in "NPJDU" and _verbless(tags, at) else "N"


_NAMING = wordset(
    "named called appointed elected made declared given paid considered deemed crowned denied sent"
)


def _past(tags: list[str], at: int, lows: list[str]) -> str:
    before, after = _before(tags, at), tags[at + 1]
    if before == "," and _verbless(tags, at):
        return "E"
    if after in "NJ" and before in "DJIFKQ.,;CVTGSE" and not (before == "," and lows[at + 1] == "that"):
        return "J"
    if (after == "P" and before in "DJKF") or (before == "B" and after == "N" and lows[at] not in _NAMING):
        return "J"
    if before == "D" and after not in "NJP":
        return "N"
    return "E"


_PREPOSED = wordset("being having owing according including following regarding concerning during")


def _gerund(tags: list[str], at: int, lows: list[str]) -> str:
    before, after = _before(tags, at), tags[at + 1]
    if after in "NJ" and (
        before in "DJFKQ" or (before == "T" and lows[at - 2 : at - 1] in (["due"], ["owing"], ["led"]))
    ):
        return "J"
    if before in "DJK" and after not in "NJP":
        return "N"
    if after == "N" and before == "." and tags[at + 2 : at + 3] and tags[at + 2] in "BMVHO":
        return "J"
    if after in ".,;)VBMHOC" and before in ".,;CSTVEIFDe" and lows[at] not in ("being", "having"):
        return "N" if before != "I" or lows[at] not in VERBS else "G"
    return "N" if after in "eza" and before in ".,;CS" and lows[at] not in _PREPOSED else "G"


def _adjective(tags: list[str], at: int, lows: list[str]) -> str:
    """Take "the dead" and the "panic" of "caused panic" as nouns; else leave the adjective."""
    before, after = tags[at - 1] if at else ".", tags[at + 1]
    if before == "D" and after in "FBMVHOWICE.,;)" and lows[at - 1] not in ("more", "less", "most", "very"):
        return "N"
    guessed = lows[at] not in LEXICON and before in "VEI" and after in ".,;CIS"
    return "N" if guessed and not lows[at].endswith(("ous", "ful", "able", "ible", "less")) else "J"


_RESOLVE = {"a": _base, "z": _third, "e": _past, "g": _gerund, "J": _adjective}
