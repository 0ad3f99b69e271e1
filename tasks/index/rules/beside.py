"""Relations of what stands side by side: appositions, "X in Y", "part of X", "the poet X"."""

from collections.abc import Callable, Iterator

from corpusgraph.tasks.index.rules.clauses import Clauses
from corpusgraph.tasks.index.rules.found import Found
from corpusgraph.tasks.index.rules.frames import NOUN_FRAMES
from corpusgraph.tasks.index.rules.known_names import ROLES
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.subjects import through_copula
from corpusgraph.tasks.index.rules.wordlist import wordset

KindOf = Callable[[Phrase], str]
"""Tells person, place, date ... of a phrase, "phrase" where it names nothing."""


_GROUPS = wordset(
    "number majority minority group groups pair set series mixture body class list collection couple"
)

_PARTS = wordset(
    "part parts portion section branch branches arm tip side wing component components half third bank banks"
)

_MAKERS = wordset("person organisation")


def beside(clauses: Clauses, phrase: Phrase, kind_of: KindOf) -> Iterator[Found]:
    """Read what follows a phrase directly: a place, an apposition, a maker, a bracket."""
    tags, lows, after = clauses.tags, clauses.lows, phrase.last
    mark = tags[after : after + 1]
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
            and not _listed(clauses, phrase, other)
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


def _listed(clauses: Clauses, phrase: Phrase, other: Phrase) -> bool:
    """Tell a list ("London, Paris and Rome") from an apposition."""
    at: int | None = other.last
    while at is not None and clauses.tags[at : at + 1] == ",":
        following = clauses.by_first.get(at + 1)
        at = following.last if following else None
    if at is not None and clauses.tags[at : at + 1] == "C" and clauses.lows[at] in ("and", "or"):
        return True
    before = phrase.first - 1
    while before >= 0 and clauses.tags[before] in "DR":
        before -= 1
    return before >= 1 and clauses.tags[before] == "," and before in clauses.by_last


def _prepositional(clauses: Clauses, phrase: Phrase, kind_of: KindOf, preposition: str) -> Iterator[Found]:
    objects = clauses.object(phrase.last + 1)[:1]
    if not objects:
        return
    kind = kind_of(objects[0])
    cue = (phrase.last, phrase.last + 1)
    if kind_of(phrase) == "date":
        return
    if kind == "place" and preposition in ("in", "at", "near", "within"):
        type_ = "located_near" if preposition == "near" else "located_in"
        for named in through_copula(clauses, phrase)[:1] or [phrase]:
            yield Found(named, objects[0], type_, *cue, f"X {preposition} Y", confidence=0.5)
    elif kind in _MAKERS and preposition == "by" and kind_of(phrase) != "place":
        yield Found(
            (clauses.head(phrase.last) or [phrase])[0],
            objects[0],
            "performed_by",
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
