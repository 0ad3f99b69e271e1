"""What a question asks for, and what a sentence that tells it often holds (English)."""

import re

_NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten|dozen|hundred|thousand|million"
_MONTHS = "January|February|March|April|June|July|August|September|October|November|December"
_ASKED = {
    "person": r"\b(who|whom|whose)\b",
    "place": r"\bwhere\b|\b(what|which) (city|country|place|street|state|town|village|parish)\b",
    "date": r"\bwhen\b|\b(what|which) (year|date|day|month)\b",
    "number": r"\bhow (many|much|old|long|far|large|tall|often)\b",
    "reason": r"\b(why|what caused|what causes)\b",
}
_NAME = re.compile(r"(?<!^)(?<![.!?]\s)\b[^\W\d_a-zß-öø-ÿ]\w+")
"""A capitalised word that does not open a sentence."""
_TOLD = {
    "person": _NAME,
    "place": _NAME,
    "date": re.compile(rf"\d{{4}}|\d(st|nd|rd|th)\b|\b({_MONTHS})\b|\d May\b|\bMay \d"),
    "number": re.compile(rf"\d|\b({_NUMBERS})\b"),
    "reason": re.compile(r"\b(because|caus\w+|due to|owing to|since|therefore|reason|result\w*|led to)\b"),
}
KINDS = [(re.compile(asked, re.IGNORECASE), _TOLD[kind]) for kind, asked in _ASKED.items()]


def sought(query: str) -> re.Pattern[str] | None:
    """Return what a sentence should hold to answer the question, or None where the question does not tell."""
    return next((told for asked, told in KINDS if asked.search(query)), None)


_SPEECH = re.compile(
    r"(?i:\b(what|how) (do|does|did|has|have|had|can|is|are|was|were)\b.{0,80}?)"
    r"\b(says?|said|tell|told|writes?|wrote|written)\b"
    r"(?= (about|of|on|concerning|regarding|against|for|that)\b)"
)
_RELATION = re.compile(r"(?i:\b(relation|relationship|connection|link)s?(?= (between|of)\b))")


def topic_of(query: str) -> str:
    """Return a question without the words that frame it: "What does Snow say about …" is on no saying."""
    without = _SPEECH.sub(lambda found: found.group(0)[: found.start(3) - found.start(0)], query)
    return _RELATION.sub("", without)
