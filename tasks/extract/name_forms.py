"""How names are compared: case, punctuation, titles, plurals, initials. Letters are never folded to ASCII."""

import re
from functools import lru_cache
from typing import NamedTuple

from corpusgraph.schemas.base import nfc
from corpusgraph.tasks.extract.rules.known_names import EITHER, FEMALE, GIVEN
from corpusgraph.tasks.text.wordlist import table, words, wordset

_DROPPED = dict.fromkeys(map(ord, "\"“”„«»‹›()[]{}!?…‘`´'’"))
_SPACED = dict.fromkeys(map(ord, "-‐‑‒–—―_/·・•,;:"), " ")
_PUNCTUATION = {**_DROPPED, **_SPACED}
_STOP = re.compile(r"\.(?!\d)|(?<!\d)\.")
_POSSESSIVE = re.compile(r"(?:['’]s|(?<=s)['’])$", re.IGNORECASE)
_INITIALS = re.compile(r"(?<=\b[^\W\d_]\.)(?=[^\W\d_])")


GENDERED = table("name_forms.gendered")
HONORIFICS = GENDERED.keys() | words("name_forms.honorifics")
_SUFFIXES = wordset("jr sr ii iii iv esq phd md frs mp")
_NUMERALS = wordset("ii iii iv")
_LINEAGE = _NUMERALS | wordset("jr sr")
_PARTICLES = wordset("van von de der den di da del della dos du la le bin ibn ben al ten ter zu")
_LEGAL_FORMS = wordset("inc incorporated ltd limited llc corp co company plc gmbh ag sa bv nv oy ab")


class PersonName(NamedTuple):
    """A person's name in parts, each folded; `tokens` is without honorifics and suffixes."""

    honorific: str
    tokens: tuple[str, ...]
    lineage: str

    @property
    def is_full(self) -> bool:
        """More than a surname or a given name alone."""
        return len(self.tokens) > 1


@lru_cache(maxsize=65536)
def fold(name: str) -> str:
    """Return the form under which case, punctuation, possessive and spacing no longer matter, in NFC."""
    bare = _POSSESSIVE.sub("", nfc(name).strip())
    plain = _STOP.sub("", bare.translate(_PUNCTUATION))
    return nfc(" ".join(plain.casefold().split())) or nfc(name).casefold()


def is_possessive(name: str) -> bool:
    """Tell whether a name ends in the possessive ('s, or s')."""
    return name.endswith(("'s", "’s", "s'", "s’"))


def without_article(folded: str) -> str:
    """Drop a leading "the" unless nothing else is left."""
    return folded.removeprefix("the ") or folded


def without_legal_form(folded: str) -> str:
    """Drop "Inc", "Ltd" and the like at the end of a company's name."""
    head, _, last = folded.rpartition(" ")
    return head if head and last in _LEGAL_FORMS else folded


def singular(folded: str) -> str:
    """Fold the plural of the last word by the regular rules of English."""
    head, space, word = folded.rpartition(" ")
    return f"{head}{space}{_singular_word(word)}"


def _singular_word(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "ous", "ics", "news")):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y" if len(word) > 4 else word[:-1]
    if word.endswith(("ches", "shes", "xes", "sses", "zzes")):
        return word[:-2]
    return word[:-1]


@lru_cache(maxsize=65536)
def person_name(name: str) -> PersonName:
    """Split a person's name. "J.R. Snow" has the tokens j, r, snow; "van Beethoven" only beethoven.

    The number of a king ("Charles II") is a token: without it he is another.
    """
    words = _INITIALS.sub(" ", _POSSESSIVE.sub("", nfc(name))).split()
    parts = [(part, word[:1].islower()) for word in words for part in fold(word).split()]
    honorific = lineage = ""
    while len(parts) > 1 and parts[0][0] in HONORIFICS and not (parts[0][1] or parts[1][1]):
        honorific = honorific or parts[0][0]
        parts = parts[1:]
    while len(parts) > 1 + (parts[-1][0] in _NUMERALS) and parts[-1][0] in _SUFFIXES:
        lineage = parts[-1][0] if parts[-1][0] in _LINEAGE else lineage
        parts = parts[:-1]
    while len(parts) > 1 and parts[0][0] in _PARTICLES and parts[0][1]:
        parts = parts[1:]
    return PersonName(honorific, tuple(part for part, _ in parts), lineage)


def sex_of(name: str) -> str:
    """Return m or f where the given name of a full name tells, else ""."""
    words = name.split()
    first = words[
        next((at for at, word in enumerate(words) if word.lower().rstrip(".") not in HONORIFICS), 0)
    ]
    if not person_name(name).is_full or first in EITHER:
        return ""
    return "f" if first in FEMALE else "m" if first in GIVEN else ""


def abbreviates(short: PersonName, full: PersonName) -> bool:
    """Tell whether `short` can be `full` with initials for names or middle initials left out.

    Surnames are equal, given names agree from the first on ("George W." is not "George H. W."), and what
    `short` leaves out are initials: a whole middle name left out may be another person.
    """
    if not (short.is_full and full.is_full) or short.tokens[-1] != full.tokens[-1]:
        return False
    given, whole = short.tokens[:-1], full.tokens[:-1]
    if len(given) > len(whole) or short.lineage not in ("", full.lineage):
        return False
    agree = all(_fits(mine, theirs) for mine, theirs in zip(given, whole, strict=False))
    left_out = whole[len(given) :]
    return agree and all(len(token) == 1 for token in left_out) and short != full and given != whole


def _fits(token: str, other: str) -> bool:
    return token == other or (len(token) == 1 and other.startswith(token) and token.isalpha())


def head_noun(folded: str) -> str:
    """Return the head of an organisation's name: "board" of "general board of health"."""
    before = re.split(r" (?:of|for|on|to|and) ", folded, maxsplit=1)[0]
    return before.rpartition(" ")[2]
