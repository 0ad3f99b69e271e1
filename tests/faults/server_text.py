"""Reading a passage by simple rules: sentences, names, verbs between names. Independent of the package."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


_END = re.compile(r"[.!?][\"'”’)\]]*(?=\s+[\"'“‘(\[]?[A-Z0-9À-Þ])|\n\s*\n|[。！？]")
_SHORT = re.compile(r"(?:\b(?:Dr|Mr|Mrs|Ms|Prof|St|Sir|Capt|Col|Gen|No|vol|p|pp|e\.g|i\.e|vs)|\b[A-Z])\.$")
_NAME = re.compile(
    r"\b[A-ZÀ-Þ][\w’'-]*[\w]\b(?:(?: (?:of|the|de|van|von)(?: the)?)? [A-ZÀ-Þ][\w’'-]*[\w]\b){0,4}"
)
_WORD = re.compile(r"\w+")
_YEAR = re.compile(
    r"\b(?:(?P<day>\d{1,2}) )?(?:(?P<month>January|February|March|April|May|June|July|August|September|"
    r"October|November|December) )?(?P<year>1[0-9]\d\d|20\d\d)\b"
)
_MONTHS = [
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
]
_SAYS = re.compile(
    r"\b(?:said|says|argued|argues|believed|believes|claimed|claims|wrote|denied|denies|thought)\b"
)
_CAUSES = _listed("caused causes led leads resulted produced prevented prevents brought")
_NOT = re.compile(r"\b(?:not|never|no|denied|denies|neither|nor)\b")
_VERB = re.compile(
    r"[a-z]{2,}(?:ed|es|s)|was|is|were|met|led|built|wrote|had|went|saw|held|gave|came|made|sat"
)
_COMMON = _listed(
    """a about after again all also although an and another any are as at be because been before both but by
    came can come could did do each even ever every few first for from get go had has have he her here him his
    how however i if in indeed into is it its just last let like many may me might mister more most much must my
    nay never next no nor not now of off oh on once one only or other our out over perhaps presently quite
    said same see she should so some soon still such than that the their them then there these they this those
    though thus till to too two up upon us very was we well were what when where whether which while who whom
    whose why will with would yes yet you your monday tuesday wednesday thursday friday saturday sunday
    january february march april may june july august september october november december chapter"""
)
_PLACES = _listed("street road square city town river bridge lane park house london paris england")
_BODIES = _listed("board company office society council bank college church committee court union")


@dataclass(frozen=True)
class Name:
    """A name and where it stands."""

    text: str
    start: int
    end: int


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of sentences, trimmed; whole passages where nothing ends one."""
    found, start = [], 0
    for end in (*_ends(text), len(text)):
        piece = text[start:end]
        if piece.strip():
            found.append((start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())))
        start = end
    return found


def _ends(text: str) -> Iterator[int]:
    for mark in _END.finditer(text):
        stop = mark.start() + 1 if mark[0][0] == "." else 0
        if not (stop and _SHORT.search(text[max(0, stop - 6) : stop])):
            yield mark.end()


def names(text: str, start: int, end: int) -> list[Name]:
    """Return the capitalised names in a sentence; a lone common word that begins it is none."""
    found = []
    for mark in _NAME.finditer(text, start, end):
        words = mark[0].split(" ")
        while words and words[0].lower().split("'")[0].split("’")[0] in _COMMON:
            words = words[1:]
        said = " ".join(words)
        if len(said) > 2 and said[:1].isupper():
            found.append(Name(re.sub(r"[’']s$", "", said), mark.end() - len(said), mark.end()))
    return found


def words(text: str) -> set[str]:
    """Return the lower-case words of a text without the commonest."""
    return {word for word in _WORD.findall(text.lower()) if word not in _COMMON}


def type_of(name: str, choices: list[str] | tuple[str, ...] = ()) -> str:
    """Guess a type from the name alone, so that it is the same everywhere; one of `choices` if there are any."""
    parts = {word.lower() for word in name.split()}
    guess = "organisation" if parts & _BODIES else "place" if parts & _PLACES else "person"
    if not choices or guess in choices:
        return guess
    return choices[crc32(name.encode()) % len(choices)]


def relation(between: str) -> tuple[str, bool, bool]:
    """Return type, causal and negated from the words between two names."""
    lower = between.lower()
    found = _VERB.findall(lower)
    verb = next((word for word in _WORD.findall(lower) if word in found and word not in _COMMON), "")
    return verb or "related_to", verb in _CAUSES, bool(_NOT.search(lower))


def date_in(text: str) -> tuple[str, str] | None:
    """Return the first date as written and as ISO 8601."""
    mark = _YEAR.search(text)
    if mark is None:
        return None
    iso = mark["year"]
    if mark["month"]:
        iso += f"-{_MONTHS.index(mark['month']) + 1:02}" + (f"-{int(mark['day']):02}" if mark["day"] else "")
    return mark[0], iso


def says(text: str) -> bool:
    """Tell whether somebody puts something forward."""
    return _SAYS.search(text) is not None


def denies(text: str) -> bool:
    """Tell whether it is put forward as untrue."""
    return re.search(r"\bden(?:y|ies|ied)\b", text) is not None


def one_line(text: str) -> str:
    """Return a text with single blanks."""
    return " ".join(text.split())
