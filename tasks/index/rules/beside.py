"""Relations of what stands side by side: appositions, "X in Y", "part of X", "the poet X"."""

from collections.abc import Callable, Iterator

from corpusgraph.tasks.index.rules.clauses import Clauses
from corpusgraph.tasks.index.rules.found import Found
from corpusgraph.tasks.index.rules.known_names import ROLES
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.possessives import possessed
from corpusgraph.tasks.index.rules.predicates import NOUN_FRAMES
from corpusgraph.tasks.index.rules.subjects import group_at, subject, through_copula
from corpusgraph.tasks.index.rules.wordlist import wordset

KindOf = Callable[[Phrase], str]
"""Tells person, place, date ... of a phrase, "phrase" where it names nothing."""


_GROUPS = wordset(
    "number majority minority group groups pair set series mixture body class list collection couple"
)

_PARTS = wordset(
    "part parts portion section branch branches arm tip side wing component components half third bank banks"
)

MADE_BY = dict.fromkeys(
    wordset("novel book poem play story essay article lyric biography study paper"), "written_by"
)
MADE_BY |= dict.fromkeys(wordset("film movie documentary"), "directed_by")
MADE_BY |= dict.fromkeys(wordset("music score soundtrack opera symphony"), "composed_by")
MADE_BY |= dict.fromkeys(wordset("painting sculpture portrait statue design drawing"), "created_by")
"""Noun -> what "by" and the possessive say of it; else it is performed."""
_ISSUED = wordset(
    "film movie album single song novel book game series ep drama comedy thriller documentary opera"
)
_MAKERS = wordset("person organisation")


def beside(clauses: Clauses, phrase: Phrase, kind_of: KindOf) -> Iterator[Found]:
    """Read what follows a phrase directly: a place, an apposition, a maker, a bracket."""
    tags, lows, after = clauses.tags, clauses.lows, phrase.last
    mark = tags[after : after + 1]
    if phrase.first and tags[phrase.first - 1] == "L":
        yield from _yeared(clauses, phrase)
    if mark == ",":
        yield from _apposition(clauses, phrase, kind_of)
    elif mark == "(" and kind_of(phrase) == "person":
        inside = clauses.by_first.get(after + 1)
        if inside and kind_of(inside) == "organisation" and tags[inside.last : inside.last + 1] == ")":
            yield Found(phrase, inside, "works_for", after, after + 1, "(X)", confidence=0.6)
    elif mark == "I":
        yield from _prepositional(clauses, phrase, kind_of, lows[after])
    elif mark == "F":
        yield from _partitive(clauses, phrase)
    if mark == "(" and phrase.last + 2 < len(tags):
        yield from _dated(clauses, phrase, kind_of)
    if "K" in tags[phrase.first : phrase.last]:
        yield from possessed(clauses, phrase, kind_of)
    if phrase.last - phrase.first > 1:
        yield from _described(clauses, phrase, kind_of)


def _apposition(clauses: Clauses, phrase: Phrase, kind_of: KindOf) -> Iterator[Found]:
    tags, at = clauses.tags, phrase.last + 1
    kind = kind_of(phrase)
    if kind == "place" and at in clauses.by_first:
        other = clauses.by_first[at]
        if (
            kind_of(other) == "place"
            and tags[other.last : other.last + 1] != "C"
            and not _listed(clauses, phrase, other, kind_of)
        ):
            yield Found(phrase, other, "located_in", phrase.last, at, "X, Y", confidence=0.6)
        return
    if kind not in ("person", "organisation", "place") or tags[at : at + 1] != "D":
        return
    noun = clauses.by_first.get(at + 1)
    if noun is None or kind_of(noun) not in ("concept", "person", "phrase") or _listed(clauses, phrase, noun):
        return
    stop = tags[noun.last : noun.last + 1]
    if stop not in (",", ".", "F", "", "C", ";", "I", "W", ")"):
        return
    article, head = clauses.lows[at], clauses.lows[noun.last - 1]
    own = article in ("his", "her", "their") and head in ROLES
    many = head.endswith("s") and not head.endswith("ss")
    if not (own or (article in ("a", "an", "the", "one") and not many)):
        return
    frame = NOUN_FRAMES.get(clauses.lows[noun.last - 1])
    if frame and stop == "F":
        for other in clauses.object(noun.last + 1):
            source, target = (other, phrase) if frame[1] else (phrase, other)
            yield Found(
                source,
                target,
                frame[0],
                at,
                noun.last + 1,
                f"X, the {clauses.lows[noun.last - 1]} of Y",
                confidence=0.7,
            )
    else:
        yield Found(phrase, noun, "is_a", phrase.last, noun.first, "X, a Y", confidence=0.6)


def _listed(clauses: Clauses, phrase: Phrase, other: Phrase, kind_of: KindOf | None = None) -> bool:
    """Tell a list ("London, Paris and Rome") from an apposition."""
    at: int | None = other.last
    while at is not None and clauses.tags[at : at + 1] == ",":
        if clauses.tags[at + 1 : at + 2] == "C":
            return True
        following = clauses.by_first.get(at + 1)
        at = following.last if following else None
    if at is not None and clauses.tags[at : at + 1] == "C" and clauses.lows[at] in ("and", "or"):
        return True
    before = phrase.first - 1
    while before >= 0 and clauses.tags[before] in "DR":
        before -= 1
    chain = clauses.by_last.get(before) if before >= 1 and clauses.tags[before] == "," else None
    return chain is not None and not (kind_of and kind_of(chain) == "place")


def _prepositional(clauses: Clauses, phrase: Phrase, kind_of: KindOf, preposition: str) -> Iterator[Found]:
    objects = clauses.object(phrase.last + 1)[:1]
    if not objects:
        return
    kind = kind_of(objects[0])
    cue = (phrase.last, phrase.last + 1)
    if kind_of(phrase) == "date":
        return
    inside = clauses.tags[: phrase.first].rstrip('DQR"')[-1:] == "I"
    role = clauses.lows[phrase.last - 1] in ROLES and kind_of(phrase) == "phrase"
    if (
        role
        and (kind == "organisation" or preposition == "from")
        and preposition in ("at", "for", "with", "from")
    ):
        type_ = "comes_from" if preposition == "from" else "works_for"
        named_as = through_copula(clauses, phrase) or _serving_as(clauses, phrase)
        for named in named_as[:1] if kind in ("organisation", "place") else ():
            yield Found(named, objects[0], type_, *cue, f"{clauses.lows[phrase.last - 1]} {preposition}")
    elif kind == "place" and preposition in ("in", "at", "near", "within"):
        type_ = "located_near" if preposition == "near" else "located_in"
        for named in through_copula(clauses, phrase)[:1] or [phrase]:
            yield Found(named, objects[0], type_, *cue, f"X {preposition} Y", confidence=0.5)
    elif kind in _MAKERS and preposition == "by" and kind_of(phrase) != "place" and not inside:
        yield Found(
            (clauses.head(phrase.last) or [phrase])[0],
            objects[0],
            MADE_BY.get(clauses.lows[phrase.last - 1].removesuffix("s"), "performed_by"),
            *cue,
            "X by Y",
            confidence=0.5,
        )
    elif preposition == "against" and kind_of(phrase) == "phrase":
        head = clauses.head(phrase.last) or [phrase]
        yield Found(head[0], objects[0], "opposes", *cue, "X against Y", confidence=0.5)
    elif preposition == "between" and clauses.lows[phrase.last - 1] in (
        "war",
        "rivalry",
        "dispute",
        "conflict",
        "quarrel",
    ):
        two = clauses.object(phrase.last + 1)[:2]
        if len(two) == 2:
            yield Found(two[0], two[1], "opposes", *cue, "war between X and Y", confidence=0.6)


def _serving_as(clauses: Clauses, phrase: Phrase) -> list[Phrase]:
    """Return who serves in "Nielson has served as the head coach at"."""
    at = clauses.skip_determiners(phrase.first) - 1
    if at < 1 or clauses.lows[at] != "as" or clauses.tags[at - 1] not in "VE":
        return []
    return subject(clauses, group_at(clauses, at - 1))


def _yeared(clauses: Clauses, phrase: Phrase) -> Iterator[Found]:
    """Read "X is a 1956 Indian film": the year before the noun is when it came out."""
    date = clauses.by_last.get(phrase.first)
    if date and clauses.tags[date.first] == "L" and clauses.lows[phrase.last - 1] in _ISSUED:
        for named in through_copula(clauses, phrase)[:1]:
            yield Found(named, date, "released_on", date.first, phrase.last, "a (date) X", confidence=0.65)


def _dated(clauses: Clauses, phrase: Phrase, kind_of: KindOf) -> Iterator[Found]:
    """Read "The Switch (1978)": the year in which a work came out."""
    date = clauses.by_first.get(phrase.last + 1)
    named = kind_of(phrase) == "concept" and clauses.tags[phrase.last - 1] in 'P"'
    if date and named and kind_of(date) == "date" and clauses.tags[date.last : date.last + 1] == ")":
        yield Found(phrase, date, "released_on", phrase.last, date.first, "X (date)", confidence=0.55)


def _partitive(clauses: Clauses, phrase: Phrase) -> Iterator[Found]:
    head = clauses.lows[phrase.last - 1]
    before = clauses.tags[: phrase.first].rstrip("DQR")[-1:]
    if (head not in _GROUPS and head not in _PARTS) or before in (",", "B", "V", "E"):
        return
    for other in clauses.object(phrase.last + 1)[:3]:
        if clauses.tags[other.first] == "L":
            continue
        source, target = (phrase, other) if head in _PARTS else (other, phrase)
        yield Found(source, target, "part_of", phrase.last, phrase.last + 1, f"{head} of", confidence=0.5)


def _described(clauses: Clauses, phrase: Phrase, kind_of: KindOf) -> Iterator[Found]:
    """Read "the American artist Margaret Keane": the words before the name say what it is."""
    if kind_of(phrase) not in ("person", "organisation"):
        return
    first = next((k for k in range(phrase.first + 1, phrase.last) if clauses.tags[k] == "P"), None)
    if first is None or clauses.tags[first - 1] != "N" or clauses.lows[first - 1] not in ROLES:
        return
    yield Found(
        phrase, Phrase(phrase.first, first), "is_a", first - 1, first, "role before a name", confidence=0.7
    )
