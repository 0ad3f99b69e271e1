"""Closed-class words, adjectives and suffixes, each with the one-letter tag of `tagger`."""

from corpusgraph.tasks.text.wordlist import listed, table, words

_SUFFIXES = {tag: tuple(listed(f"lexicon.suffixes.{tag}")) for tag in "NJ"}
LEXICON = table("lexicon.tags")
FUNCTION_WORDS = frozenset().union(*(words(f"lexicon.tags.{tag}") for tag in "DUWBHOMXTFCSIR"))
"""Words that never name anything by themselves."""


def by_suffix(word: str) -> str:
    """Guess the tag of a lower-case word that no list holds: by its ending, else a noun."""
    if word.endswith("ly") and len(word) > 4:
        return "R"
    if word.endswith("ing") and len(word) > 5:
        return "G"
    if word.endswith("ed") and len(word) > 4:
        return "E"
    for tag, endings in _SUFFIXES.items():
        if word.endswith(endings) and len(word) > 4:
            return tag
    return "N"
