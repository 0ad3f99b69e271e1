"""Whether a text is in a language that the rules of extraction read."""

import re

from corpusgraph.schemas.documents import Document

_WORD = re.compile(r"[^\W\d_]+")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f\u1e00-\u1eff]")
_FUNCTION_WORDS = (
    "the of and to in a is was that for it with as his he be on by at had not are but from or this were",
    "which have an they she her been their has would all one when we there who will",
)
_ENGLISH = frozenset(word for line in _FUNCTION_WORDS for word in line.split())
FEWEST_WORDS = 20
"""With fewer words the share of function words says little."""
SMALLEST_SHARE = 0.12
"""English prose has about four function words in ten; other languages share a few spellings."""


def reads(document: Document) -> bool:
    """Return whether the document can be English: by its stated language, else by script and small words."""
    if document.language:
        return document.language.casefold().startswith(("en", "english"))
    words = _WORD.findall(document.text)
    latin = sum(bool(_LATIN.match(word)) for word in words)
    if latin * 2 < len(words):
        return False
    share = sum(word.casefold() in _ENGLISH for word in words)
    return len(words) < FEWEST_WORDS or share >= SMALLEST_SHARE * len(words)
