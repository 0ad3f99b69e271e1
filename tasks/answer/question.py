"""What a question asks for: a kind of thing, several things, causes, a time, or the whole."""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from corpusgraph.tasks.extract.rules.known_names import ROLES
from corpusgraph.tasks.text.dates import MONTH_NAMES, WEEKDAYS
from corpusgraph.tasks.text.wordlist import listed
from corpusgraph.tasks.text.wordlist import words as lexicon
from corpusgraph.tasks.text.words import STOP_WORDS, stem, words

Expected = Literal["definition", "date", "number", "place", "organisation", "person", "reason"]

_PERSONS = "|".join(listed("answers.persons"))
_PLACES = "|".join(listed("answers.places"))
_ORGANISATIONS = "|".join(listed("answers.organisations"))
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

NUMBERS = (
    "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|"
    "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|dozens?|hundreds?|thousands?|millions?"
)
MONTHS = "|".join(name.title() for name in MONTH_NAMES if name != "may")
DAYS = "|".join(name.title() for name in WEEKDAYS)
_NAME = re.compile(r"(?<!^)(?<![.!?]\s)\b[^\W\d_a-zß-öø-ÿ]\w+")
"""A capitalised word that does not open a sentence."""
_HOW_MANY = re.compile(r"\bhow many (?:(?:other|more|different|of the) )?(\w+)", re.IGNORECASE)
_HOW_LONG = re.compile(r"\bhow (?:long|old)\b", re.IGNORECASE)
_WHAT_IS = re.compile(r"^\W*(?:what|who) (?:is|are|was|were) (?:an? |the )?([^?]{1,60})\W*$", re.IGNORECASE)
_SPANS = r"(second|minute|hour|day|night|week|month|year|decade|centur)\w*"
HELD: Mapping[Expected, re.Pattern[str]] = {
    "definition": re.compile(r"^.{0,80}?\b(is|are|was|were|means|refers to)\b"),
    "date": re.compile(
        rf"\d{{4}}|\d(st|nd|rd|th)\b|\b({MONTHS})\b|\d May\b|\bMay \d|\b\d\d?:\d\d\b|\b({DAYS})\b"
    ),
    "number": re.compile(rf"\d(?!\d*(st|nd|rd|th)\b)|\b({NUMBERS})(?!-\w+(st|nd|rd|th)\b|\w)", re.IGNORECASE),
    "place": _NAME,
    "organisation": _NAME,
    "person": re.compile(rf"{_NAME.pattern}|\b(?:{_PERSONS}|{'|'.join(sorted(ROLES))})s?\b"),
    "reason": re.compile(
        r"\b(because|caus\w+|due to|owing to|since|reasons?|result\w*|led to|so that"
        r"|as a consequence|thanks to|on account of|in order to)\b"
    ),
}


def expected(query: str) -> Expected | None:
    """Return what kind of answer a question asks for by its question word and its noun, if it tells.

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    Expected or None
        None where it does not tell.

    """
    return next((kind for kind, asked in _ASKED.items() if re.search(asked, query, re.IGNORECASE)), None)


def counted_by(query: str) -> re.Pattern[str] | None:
    """Return how a text writes the number that a question asks for, if it says of what: three spirits.

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    re.Pattern or None
        To be searched for, whatever the case.

    """
    if asked := _HOW_MANY.search(query):
        unit = rf"{re.escape(stem(asked[1].casefold()))}\w*"
    elif _HOW_LONG.search(query):
        unit = _SPANS
    else:
        return None
    return re.compile(rf"(\d|\b(?!one\b)({NUMBERS})\b)[\w,.-]*(\W+\w+){{0,2}}?\W+{unit}", re.IGNORECASE)


def defined_by(query: str) -> re.Pattern[str] | None:
    """Return how a text says what the thing is that a question wants defined, if it does.

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    re.Pattern or None
        To be searched for, whatever the case.

    """
    if (asked := _WHAT_IS.search(query)) is None:
        return None
    term = rf"{re.escape(asked[1].rstrip())}\w*"
    return re.compile(
        rf"\b{term}\W{{1,3}}(?:is|are|was|were|means?|refers to)\b(?!\s+to\b)"
        rf"|\b(?:by|call(?:ed)?|define|mean by) (?:an? |the )?{term}",
        re.IGNORECASE,
    )


def holds_kind(
    kind: Expected | None, text: str, names: Mapping[str, str], counted: re.Pattern[str] | None = None
) -> float:
    """Tell from 0 to 1 whether a text holds something of a kind.

    `names` are the names in it that the question has not, with their types; `counted` is how a number of what
    is asked for is written, or a definition. Without a type that fits, a word with a capital may still be the
    person or place that is asked for, which counts half; so does a number of something else.

    Parameters
    ----------
    kind : Expected or None
        What the question asks for.
    text : str
        A sentence.
    names : mapping of str to str
        Name -> type, blank where it is not known.
    counted : re.Pattern, optional
        Made by `counted_by` or `defined_by`.

    Returns
    -------
    float
        0, 0.5 or 1.

    """
    if kind is None:
        return 0.0
    if counted is not None and kind in {"number", "definition"}:
        return 1.0 if counted.search(text) else 0.5 * (HELD[kind].search(text) is not None)
    if not _TYPES.get(kind, frozenset()).isdisjoint(names.values()):
        return 1.0
    if HELD[kind].search(text) is None:
        return 0.0
    return 0.5 if kind in _TYPES and kind not in {"date", "number"} else 1.0


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
    r"\W*(?:are|is|was|were|do|does|did|have|has|can)\b.*\b(?:both|same|than|or|and)\b"
    r"|(?>.*?\b(?:which|who|what)\b).*\bor\b|(?>.*?\bbetween\b).*\band\b",
    re.IGNORECASE | re.DOTALL,
)
"""Matched from the beginning, with the first question word alone, in time linear in the question's length."""
_SOURCE = re.compile(r"\baccording\b(?= to\b)", re.IGNORECASE)
_RELATION = re.compile(r"(?i:\b(relation|relationship|connection|link)s?(?= (between|of)\b))")


def topic_of(query: str) -> str:
    """Return a question without the words that frame it: "What does Snow say about …" is on no saying.

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    str
        Perhaps the question itself.

    """
    without = _SPEECH.sub(lambda said: said[0][: said.start("says") - said.start()], query)
    return _RELATION.sub("", _SOURCE.sub("", _FRAME.sub(_short_frame, without)))


def _short_frame(frame: re.Match[str]) -> str:
    """Return the question word that says as much: what is the date of, when."""
    return "When " if frame["date"] else "Where " if frame["place"] else " "


def compares(query: str) -> bool:
    """Tell whether a question asks of several things the same: whether both are, which of the two is more.

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    bool
        By how it begins.

    """
    return _COMPARED.match(query) is not None


def is_written_as_name(spellings: Collection[str]) -> bool:
    """Tell whether a name is written with a capital or a digit in one of its spellings: no common noun.

    Parameters
    ----------
    spellings : collection of str
        Of one name.

    Returns
    -------
    bool
        False for no spellings.

    """
    return any(name != name.lower() or name[:1].isdigit() for name in spellings)


def without_names(query: str, names: Sequence[Collection[str]]) -> str:
    """Return a question without its names that are written as such: what it asks about them.

    Parameters
    ----------
    query : str
        The question.
    names : sequence of collection of str
        Each in all its spellings.

    Returns
    -------
    str
        A blank in the place of each.

    """
    spellings = {name for every in names if is_written_as_name(every) for name in every}
    for name in sorted(spellings, key=len, reverse=True):
        query = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", " ", query)
    return query


Role = Literal["effect", "cause", "prevented", "preventer"]
"""The side of an arrow that a question names, to be told the other."""

_CAUSE = (
    r"(?:caus|produc|occasion|provok|creat|induc)\w*|(?:lead|leads|led) to|(?:bring|brings|brought) about"
    r"|result\w* in"
)
_PREVENT = r"(?:prevent|hinder|avert|avoid|stop)\w*|guard\w* against"
_DOES = r"\bwhat (?:do|does|did|can|could|may|might|will|would)\b.+\b"
_HAS = r"\bwhat (?:(?:has|have|had|can|could|may|might|will|would|first|really) )*"
_IS_THE = r"\bwhat (?:is|are|was|were) the "
_ASKED_RELATION: Mapping[str, tuple[Role, ...]] = {
    rf"{_DOES}(?:{_CAUSE})\W*$|{_IS_THE}(?:effect|result|consequence)s? of\b": ("cause",),
    rf"{_DOES}(?:{_PREVENT})\W*$": ("preventer",),
    rf"{_HAS}(?:{_CAUSE})|{_IS_THE}(?:cause|reason)s? (?:of|for)\b": ("effect",),
    rf"{_HAS}(?:{_PREVENT})": ("prevented",),
    r"\bwhy\b.*(?:\b(?:not|no|never)\b|n['’]t\b)": ("effect", "prevented"),
    r"\b(?:why|for what reason)\b": ("effect",),
}
"""Forms of questions, the first that fits, and which side of an arrow they name."""
CUES = re.compile(rf"{_CAUSE}|{_PREVENT}|\b(?:effect|result|consequence|cause|reason)s?\b", re.IGNORECASE)
"""Words of a question that say how it asks, not what about."""


def roles_of(query: str) -> tuple[Role, ...]:
    """Return the sides that a question may name; none where it asks for no cause or effect.

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    tuple of Role
        Such as cause and effect.

    """
    return next(
        (roles for asked, roles in _ASKED_RELATION.items() if re.search(asked, query, re.IGNORECASE)), ()
    )


_HAPPENED = re.compile(
    r"^\W*what\b.{0,30}?\b(?:happen(?:s|ed)?|occurr?(?:s|ed)?|(?:takes?|took) place)\s+(?:in|on|during)\s+"
    rf"(?:the year\s+)?(?:(?P<month>{'|'.join(MONTH_NAMES)})\s+)?(?:(?P<day>\d\d?),?\s+)?"
    r"(?P<year>\d{4})\W*$",
    re.IGNORECASE,
)
WHEN = re.compile(r"\b(when|year|date|day|month|decade|century|time)\b", re.IGNORECASE)
"""Words of a question that say that it asks for a time, not of what."""


def time_asked_about(query: str) -> str:
    """Return the time of "What happened in September 1786?" as ISO 8601; blank for other questions.

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    str
        A year, month or day.

    """
    asked = _HAPPENED.search(query)
    if asked is None:
        return ""
    month = f"-{MONTH_NAMES.index(asked['month'].casefold()) + 1:02}" if asked["month"] else ""
    day = f"-{int(asked['day']):02}" if month and asked["day"] else ""
    return f"{asked['year']}{month}{day}"


def asks_when(query: str) -> bool:
    """Tell whether a question asks for the time of one thing.

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    bool
        False where it compares.

    """
    return expected(query) == "date" and not compares(query)


_OF_THE_WHOLE = re.compile(
    r"\b(themes?|topics?|overview|summar(y|ise|ize|ies)|gist|takeaways?|storylines?|outline"
    r"|(main|key|central|major|important) "
    r"(ideas?|points?|issues?|subjects?|questions?|arguments?|findings?|events?)"
    r"|what (is|are|was|were) .{0,40}\babout)\b"
    r"|th[èe]mes?\b|\btemas?\b|\bThem(a|en)\b|chủ đề|主题|主題|テーマ|الموضوعات",
    re.IGNORECASE,
)
_SAYS_NOTHING = lexicon("answers.about_the_whole")
"""Words that ask for themes without saying of what."""
_CHINESE = re.compile("[主要题題是什么甚麼哪些有的呢吗嗎文档集テーマは何ですか]")
"""The same in scripts without spaces between words."""


def asks_for_themes(query: str) -> bool:
    """Tell whether a question is about the whole: "What are the main themes?", "Give an overview".

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    bool
        By words that ask for the whole.

    """
    return bool(_OF_THE_WHOLE.search(query))


def matter(query: str) -> str:
    """Return the words of a question about the whole that say what about: "… of the debate on slavery".

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    str
        Blank where it says nothing of what.

    """
    return " ".join(
        w for w in words(_CHINESE.sub(" ", query)) if w not in _SAYS_NOTHING and w not in STOP_WORDS
    )


_TITLE = re.compile(r"(?<=\s)[A-Z][\w'’-]*(?:\s+(?:(?:of|the|and|in|on|a|an|to|for|me|&)\s+)*[A-Z][\w'’-]*)+")
"""Words with capitals in a row, also with small ones between them, that do not open a question."""


def titles_in(query: str) -> list[str]:
    """Return what may be a title in a question: "Pride and Prejudice", each word of which is a word too.

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    list of str
        Each once.

    """
    return list(dict.fromkeys(match[0] for match in _TITLE.finditer(query)))


_WHETHER = re.compile(
    r"^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|must|may|might)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:no|not|never|nor|neither|none|nobody|nothing|without|cannot|hardly|scarcely|false|den(?:y|ies|ied))\b|n['’]t\b",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"\b(?:if|unless|whether|would|could|should|might|may|perhaps|probably|possibly|suppos\w*|seem\w*|but|though"
    r"|although|except|said|say|says|believ\w*|think\w*|thought|claim\w*|ask\w*|wish\w*|hope\w*)\b|[?]",
    re.IGNORECASE,
)
"""Words that leave open whether something is so, or who says it."""


def asks_whether(query: str) -> bool:
    """Tell whether a question wants a yes or a no, on one thing and without a "not" of its own.

    Parameters
    ----------
    query : str
        The question.

    Returns
    -------
    bool
        By how it begins.

    """
    return bool(_WHETHER.search(query)) and not (compares(query) or _DENIES.search(query))


def verdict_of(text: str) -> Literal["Yes", "No"] | None:
    """Return whether a sentence on what a question asks states or denies it, where it does either.

    Parameters
    ----------
    text : str
        A sentence.

    Returns
    -------
    {"Yes", "No"} or None
        None for doubt, and for two denials.

    """
    denials = len(_DENIES.findall(text))
    if _OPEN.search(text) or denials > 1:
        return None
    return "No" if denials else "Yes"
