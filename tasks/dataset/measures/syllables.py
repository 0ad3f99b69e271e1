"""Syllables of English words by their spelling, and how easily a text reads."""

import re
from functools import lru_cache

_VOWELS = re.compile(r"[aeiouy]+")
_SILENT = re.compile(
    r"(?:(?:[^aeiouyl]|[aeiouyl]l)e"
    r"|(?:[^aeiouytdl]|[aeiouyl]l)ed"
    r"|(?:[^aeiouysxzcghl]|[^cs]h|[aeiouyl]l)es)$"
)
_APART = re.compile(r"(?<![cglnstx])i[aou](?!ge)|[aeiouy]ing")
RULE = "syllables are runs of vowels: a silent e, es, ed at the end is none; ia, io, iu mostly are two"


@lru_cache(maxsize=100_000)
def syllables(word: str) -> int:
    """Count the syllables of a lower-case English word by its spelling.

    A run of vowels (a, e, i, o, u, y) is one. A final `e` is silent after a consonant, but for `le` after
    one (ta-ble); so are `ed` and `es` that add no sound (jumped, times; not wanted, boxes, settled). In
    `ia`, `io`, `iu` (mi-asma, not na-tion) and before `ing` (go-ing) two vowels are two. Parts joined by a
    hyphen are counted apart; every part, and so a number, has at least one.
    """
    return sum(max(_of_part(part), 1) for part in re.split(r"[-–]", word))


def _of_part(word: str) -> int:
    letters = re.sub(r"['’]s?$", "", word)
    silent = 1 if _SILENT.search(letters) else 0
    return len(_VOWELS.findall(letters)) + len(_APART.findall(letters)) - silent


def reading_ease(words: int, sentences: int, syllables: int) -> float:
    """Return reading ease (Flesch 1948): about 100 for very easy text, below 30 for very hard."""
    return 206.835 - 1.015 * words / sentences - 84.6 * syllables / words
