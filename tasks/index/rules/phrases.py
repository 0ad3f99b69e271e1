"""Base noun phrases: runs of adjectives and nouns, without determiners."""

import re
from dataclasses import dataclass

from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.wordlist import wordset

_RUN = re.compile(r"[JQNPK]++")
_VAGUE = wordset("""
    way ways time times part parts kind kinds sort sorts case cases fact facts thing things day days year
    years month months week weeks hour hours minute minutes manner respect degree point number deal lot
    order regard hand side one ones addition example instance account reason place view end
""")
_EMPTY_ADJECTIVES = wordset(
    "same such other own many few more most less certain various several last next first"
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words `first` to `last` (half-open).

    `stem`: only what stands before the last hyphen is meant; `pronoun`: the phrase stands for another.
    """

    first: int
    last: int
    stem: bool = False
    pronoun: bool = False


def find_phrases(tags: str) -> list[Phrase]:
    """Return the noun phrases of a tag string, without leading numbers."""
    found = []
    for run in _RUN.finditer(tags):
        first, last = run.span()
        while first < last and tags[first] in "QK":
            first += 1
        while last > first and tags[last - 1] not in "NP":
            last -= 1
        if first < last:
            found.append(Phrase(first, last))
    return found


def worth_a_mention(phrase: Phrase, sentence: Sentence) -> bool:
    """Tell whether a phrase of several words says enough to be a concept of its own."""
    words = sentence.lows[phrase.first : phrase.last]
    if len(words) < 2 or "K" in sentence.tags[phrase.first : phrase.last]:
        return False
    if words[-1] in _VAGUE or len(words[-1]) < 2:
        return False
    return not (len(words) == 2 and words[0] in _EMPTY_ADJECTIVES)
