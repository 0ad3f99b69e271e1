"""What a question speaks of, by rules: its names, its other noun phrases, and its remaining words."""

import re
from dataclasses import dataclass

from corpusgraph.schemas.base import nfc
from corpusgraph.tasks.extract.query_names import query_names, read_question
from corpusgraph.tasks.text.wordlist import wordset
from corpusgraph.tasks.text.words import STOP_WORDS, words

LONGEST = 4000
"""Characters of a question that are read: what it asks stands in the first of them."""
MOST_WORDS = 10
"""A longer run of nouns is no phrase but a list, or noise."""
_NOUN_PHRASE = re.compile(r"L+|[JNP][JQNPK]*(?<=[NP])")
"""Tags of adjectives and nouns that end in a noun, and of dates."""
_ASKING = wordset("name names tell list give describe explain compare summarize summarise show find")


@dataclass(frozen=True)
class Spoken:
    """Names, noun phrases without a name in them, and words in neither, each once and in order."""

    names: tuple[str, ...]
    phrases: tuple[str, ...]
    rest: tuple[str, ...]


def spoken_of(query: str) -> Spoken:
    """Read a question; in a language without rules of its own every word is in `rest`."""
    text = nfc(query)[:LONGEST]
    names = query_names(text)
    left = without(text, names)
    phrases = [
        left[sentence.starts[run.start()] : sentence.ends[run.end() - 1]]
        for sentence in read_question(left).sentences
        for run in _NOUN_PHRASE.finditer(sentence.tags)
    ]
    phrases = [
        phrase
        for phrase in dict.fromkeys(phrases)
        if len(said := words(phrase)) <= MOST_WORDS and not set(said) <= STOP_WORDS | _ASKING
    ]
    inside = {word for phrase in phrases for word in words(phrase)}
    rest = [w for w in words(left) if w not in STOP_WORDS and w not in inside and w not in _ASKING]
    return Spoken(tuple(names), tuple(phrases), tuple(dict.fromkeys(rest)))


def without(text: str, names: list[str]) -> str:
    """Blank names in a text, the longest first."""
    for name in sorted(set(names), key=lambda n: (-len(n), n)):
        text = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text)
    return text


def distinct(texts: list[str]) -> tuple[str, ...]:
    """Return texts on one line each, trimmed, without blanks and without repeats that differ in case only."""
    found: dict[str, str] = {}
    for text in texts:
        tidy = " ".join(nfc(text).split())
        if tidy:
            found.setdefault(tidy.casefold(), tidy)
    return tuple(found.values())
