"""What a question asks for, and whether a sentence holds such a thing (English)."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from corpusgraph.tasks.graph.words import stem

Expected = Literal["definition", "date", "number", "place", "organisation", "person", "reason"]

_PERSONS = (
    "person|man|woman|king|queen|emperor|president|governor|mayor|minister|leader|founder|director|producer|"
    "actor|actress|author|writer|poet|singer|rapper|composer|musician|artist|painter|scientist|politician|"
    "player|coach|husband|wife|spouse|father|mother|son|daughter|brother|sister"
)
_PLACES = (
    "place|location|city|town|village|capital|parish|borough|county|district|province|state|region|territory|"
    "area|country|nation|continent|island|mountain|river|lake|sea|ocean|street|port|neighbou?rhood|municipality|"
    "building|hall|hotel|restaurant|venue|room"
)
_ORGANISATIONS = (
    "organi[sz]ation|company|firm|manufacturer|publisher|label|studio|network|station|newspaper|magazine|bank|"
    "institution|agency|association|party|church|university|college|school|team|club|league|band|group"
)
_QUANTITIES = "number|amount|population|percentage|area|length|height|depth|weight|age|total|price|cost|size"
_SOONER = r"\b(first|earlier|later)\b"
_WHICH = r"\b(?:what|which)\s+(?:\w+\s+){0,2}"
"""What city, which of the cities, what was the city."""
_OF = "(of|in|on|at|for|from|to|with|by|that|which|who|whose|where|when|name|named|called)"
"""Words of a question about something of a thing, which asks for more than what the thing is."""
_ASKED: Mapping[Expected, str] = {
    "reason": r"\b(why|what caused|what causes|for what reason)\b",
    "date": rf"\bwhen\b|\b(older|oldest|younger|youngest)\b|{_SOONER}.*\bor\b|\bor\b.*{_SOONER}"
    rf"|{_WHICH}(year|date|day|month|decade|century|time)\b",
    "number": rf"\bhow (many|much|old|long|far|large|tall|often|big|high|deep)\b|{_WHICH}({_QUANTITIES})\b",
    "place": rf"\bwhere\b|{_WHICH}({_PLACES})\b",
    "organisation": rf"{_WHICH}({_ORGANISATIONS})\b",
    "definition": rf"^\W*(what|who) (is|are|was|were) (?!.*\b{_OF}\b)[^,]{{1,60}}\W*$|\bwhat does .* mean\b",
    "person": rf"\b(who|whom|whose)\b|{_WHICH}({_PERSONS})\b",
}
_TYPES: Mapping[Expected, frozenset[str]] = {
    "date": frozenset({"date"}),
    "number": frozenset({"quantity"}),
    "place": frozenset({"place"}),
    "organisation": frozenset({"organisation", "person"}),
    "person": frozenset({"person", "organisation"}),
}
"""Types of entities that may be the answer: rules often take a band for a person, and the other way round."""

_NUMBERS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|"
    "eighty|ninety|dozens?|hundreds?|thousands?|millions?"
)
_MONTHS = "January|February|March|April|June|July|August|September|October|November|December"
_DAYS = "(Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_NAME = re.compile(r"(?<!^)(?<![.!?]\s)\b[^\W\d_a-zß-öø-ÿ]\w+")
"""A capitalised word that does not open a sentence."""
_HOW_MANY = re.compile(r"\bhow many (?:(?:other|more|different|of the) )?(\w+)", re.IGNORECASE)
_HOW_LONG = re.compile(r"\bhow (?:long|old)\b", re.IGNORECASE)
_SPANS = r"(second|minute|hour|day|night|week|month|year|decade|centur)\w*"
_HELD: Mapping[Expected, re.Pattern[str]] = {
    "definition": re.compile(r"^.{0,80}?\b(is|are|was|were|means|refers to)\b"),
    "date": re.compile(
        rf"\d{{4}}|\d(st|nd|rd|th)\b|\b({_MONTHS})\b|\d May\b|\bMay \d|\b\d\d?:\d\d\b|\b{_DAYS}\b"
    ),
    "number": re.compile(
        rf"\d(?!\d*(st|nd|rd|th)\b)|\b({_NUMBERS})(?!-\w+(st|nd|rd|th)\b|\w)", re.IGNORECASE
    ),
    "place": _NAME,
    "organisation": _NAME,
    "person": _NAME,
    "reason": re.compile(
        r"\b(because|caus\w+|due to|owing to|since|therefore|reasons?|result\w*|led to|so that"
        r"|as a consequence|thanks to|on account of|in order to)\b"
    ),
}


def expected(query: str) -> Expected | None:
    """Return what kind of answer a question asks for by its question word and its noun, if it tells."""
    return next((kind for kind, asked in _ASKED.items() if re.search(asked, query, re.IGNORECASE)), None)


def counted_by(query: str) -> re.Pattern[str] | None:
    """Return how a text writes the number that a question asks for, if it says of what: three spirits."""
    if asked := _HOW_MANY.search(query):
        unit = rf"{re.escape(stem(asked[1].casefold()))}\w*"
    elif _HOW_LONG.search(query):
        unit = _SPANS
    else:
        return None
    return re.compile(rf"(\d|\b(?!one\b)({_NUMBERS})\b)[\w,.-]*(\W+\w+){{0,2}}?\W+{unit}", re.IGNORECASE)


def holds_kind(
    kind: Expected | None, text: str, names: Mapping[str, str], counted: re.Pattern[str] | None = None
) -> float:
    """Tell from 0 to 1 whether a text holds something of a kind.

    `names` are the names in it that the question has not, with their types; `counted` is how a number of what
    is asked for is written. Without a type that fits, a word with a capital may still be the person or place
    that is asked for, which counts half; so does a number of something else.
    """
    if kind is None:
        return 0.0
    if kind == "number" and counted is not None:
        return 1.0 if counted.search(text) else 0.5 * (_HELD[kind].search(text) is not None)
    if not _TYPES.get(kind, frozenset()).isdisjoint(names.values()):
        return 1.0
    if _HELD[kind].search(text) is None:
        return 0.0
    return 0.5 if _HELD[kind] is _NAME else 1.0


_SPEECH = re.compile(
    r"(?i:\b(?:what|how|why|when|where) (?:do|does|did|has|have|had|can|is|are|was|were)\b.{0,80}?"
    r"|\b(?:who|which \w+) )"
    r"(?P<says>\b(says?|said|tell|told|writes?|wrote|written|speaks?|spoke|spoken|talked|argues?|argued)\b)"
    r"(?= (about|of|on|concerning|regarding|against|for|that)\b)"
)
_FRAME = re.compile(
    r"\b(what|which) (is|was|are|were) the (full )?"
    r"(name|title|(?P<date>date|year)|(?P<place>place|location))s? of\b"
    r"|\b(what|which) (kind|sort|type)s? of\b|\b(take|takes|took|taken|taking) place\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"^\W*(?:are|is|was|were|do|does|did|have|has|can)\b.*\b(?:both|same|than|or|and)\b"
    r"|\b(?:which|who|what)\b.*\bor\b|\bbetween\b.*\band\b",
    re.IGNORECASE | re.DOTALL,
)
_SOURCE = re.compile(r"\baccording\b(?= to\b)", re.IGNORECASE)
_RELATION = re.compile(r"(?i:\b(relation|relationship|connection|link)s?(?= (between|of)\b))")


def topic_of(query: str) -> str:
    """Return a question without the words that frame it: "What does Snow say about …" is on no saying."""
    without = _SPEECH.sub(lambda said: said[0][: said.start("says") - said.start()], query)
    return _RELATION.sub("", _SOURCE.sub("", _FRAME.sub(_short_frame, without)))


def _short_frame(frame: re.Match[str]) -> str:
    """Return the question word that says as much: what is the date of, when."""
    return "When " if frame["date"] else "Where " if frame["place"] else " "


def compares(query: str) -> bool:
    """Tell whether a question asks of several things the same: whether both are, which of the two is more."""
    return _COMPARED.search(query) is not None


def is_written_as_name(spellings: Collection[str]) -> bool:
    """Tell whether a name is written with a capital or a digit in one of its spellings: no common noun."""
    return any(name != name.lower() or name[:1].isdigit() for name in spellings)


def without_names(query: str, names: Sequence[Collection[str]]) -> str:
    """Return a question without its names that are written as such: what it asks about them."""
    spellings = {name for every in names if is_written_as_name(every) for name in every}
    for name in sorted(spellings, key=len, reverse=True):
        query = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", query)
    return query
