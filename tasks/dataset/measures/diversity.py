"""Lexical diversity that does not fall with the length of a text."""

from collections import Counter
from collections.abc import Sequence

FACTOR = 0.72
"""Where the type-token ratio of a stretch falls below this, a factor is complete (McCarthy & Jarvis 2010)."""
LEAST = 50
"""Shorter texts have no stable value (Zenker & Kyle 2021)."""


def mtld(words: Sequence[str]) -> float | None:
    """Return the measure of textual lexical diversity (McCarthy & Jarvis 2010), mean of both directions.

    None for fewer than 50 words, and where no word comes twice: then no factor ever begins.
    """
    if len(words) < LEAST:
        return None
    found = factors(words), factors(words[::-1])
    return sum(len(words) / number for number in found) / 2 if all(found) else None


def factors(words: Sequence[str]) -> float:
    """Count stretches in which the type-token ratio falls below the threshold; the rest counts in part."""
    complete, types, tokens = 0.0, set[str](), 0
    for word in words:
        types.add(word)
        tokens += 1
        if len(types) / tokens < FACTOR:
            complete, types, tokens = complete + 1, set(), 0
    return complete + ((1 - len(types) / tokens) / (1 - FACTOR) if tokens else 0.0)


def mattr(words: Sequence[str], window: int = LEAST) -> float | None:
    """Return the mean type-token ratio of all windows of so many words (Covington & McFall 2010).

    None for a text shorter than the window.
    """
    if len(words) < window:
        return None
    inside = Counter(words[:window])
    total = len(inside)
    for out, new in zip(words, words[window:], strict=False):
        inside[new] += 1
        inside[out] -= 1
        if not inside[out]:
            del inside[out]
        total += len(inside)
    return total / window / (len(words) - window + 1)
