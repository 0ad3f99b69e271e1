"""Relations that prepositions, dates and juxtaposition carry: born in, held on, "Leith, Scotland"."""

import re
from collections.abc import Callable, Iterator

from corpusgraph.tasks.index.rules.clauses import Clauses
from corpusgraph.tasks.index.rules.found import Found
from corpusgraph.tasks.index.rules.frames import DATE_TYPES, FRAMES, LOCATED, NOUN_FRAMES, PLACE_TYPES
from corpusgraph.tasks.index.rules.known_names import ROLES
from corpusgraph.tasks.index.rules.name_context import SAYING
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.subjects import doer, group_at, through_copula
from corpusgraph.tasks.index.rules.verbs import VERBS, third_person
from corpusgraph.tasks.index.rules.wordlist import wordset

KindOf = Callable[[Phrase], str]
_AT = wordset("in on at near from since around of by until")
_PLACE_WORDS = wordset("in at on near within outside off")
_GROUPS = wordset(
    "number majority minority group groups pair set series mixture body class list collection couple"
)
_PARTS = wordset(
    "part parts portion section branch branches arm tip side wing component components half third bank banks"
)
_VERB = re.compile("[VEJ]")
_FINITE = re.compile("[VE]")
_NAMED = wordset("person organisation place")
_LIGHT = wordset("have do be become go come get take make give let keep seem appear")
_MADE = wordset("founded published released created recorded opened dissolved")
_SELF = wordset("open close start premiere form")
_MAKERS = wordset("person organisation")


def find_located(clauses: Clauses, kind_of: KindOf) -> Iterator[Found]:
    """Return these relations of one sentence; `kind_of` tells person, place, date ... of a phrase."""
    yield from _verbs(clauses, kind_of)
    yield from _stated(clauses, kind_of)
    for phrase in clauses.phrases:
        yield from _beside(clauses, phrase, kind_of)


def _verbs(clauses: Clauses, kind_of: KindOf) -> Iterator[Found]:
    """Read the places and dates after a verb: "was born on 15 March 1813 in York"."""
    tags, lows = clauses.tags, clauses.lows
    for match in _VERB.finditer(tags):
        at, tag = match.start(), match[0]
        base = VERBS.get(lows[at], ("", ""))[0]
        stem = LOCATED.get(base) or ("occurred" if lows[at : at + 2] == ["took", "place"] else None)
        if not stem or (tag == "J" and tags[at - 1] != ")"):
            continue
        group = group_at(clauses, at)
        if base in (
            "bear",
            "found",
            "establish",
            "release",
            "build",
            "form",
            "record",
            "open",
            "close",
            "start",
            "begin",
        ) and not (group.passive or tags[at - 1] in "(,NP"):
            continue
        subjects = doer(clauses, group)[:2] if tags[at - 1 : at] != "(" else clauses.head(at - 1)
        seen: set[str] = set()
        if stem in _MADE and not group.passive and tags[at - 1] != "(":
            made = clauses.object(group.last)
            if not made and base not in _SELF:
                continue
            subjects = made[:2] or subjects
        for phrase in _adverbials(clauses, group.last):
            found = _placed(clauses, phrase, kind_of, stem)
            if found in seen:
                continue
            seen.add(found or "")
            for subject in subjects if found else ():
                yield Found(
                    subject,
                    phrase,
                    str(found),
                    group.first,
                    phrase.first,
                    f"{base} {lows[phrase.first - 1]}",
                    group.negated,
                )


def _stated(clauses: Clauses, kind_of: KindOf) -> Iterator[Found]:
    """Read any other verb between two names: "Snow persuaded the Board" gives persuades."""
    for match in _FINITE.finditer(clauses.tags):
        at = match.start()
        base = VERBS.get(clauses.lows[at], ("", ""))[0]
        if not base or base in FRAMES or base in SAYING or base in LOCATED or base in _LIGHT:
            continue
        group = group_at(clauses, at)
        by = clauses.lows[at + 1 : at + 2] == ["by"]
        if group.passive and not by:
            continue
        subjects = [p for p in doer(clauses, group) if kind_of(p) in _NAMED]
        objects = [p for p in clauses.object(at + 1 + by) if kind_of(p) in _NAMED] if subjects else []
        for subject in subjects:
            for thing in objects:
                source, target = (thing, subject) if by else (subject, thing)
                yield Found(
                    source, target, third_person(base), group.first, at + 1 + by, base, group.negated, 0.5
                )


def _adverbials(clauses: Clauses, at: int) -> Iterator[Phrase]:
    """Return the phrases after prepositions to the right of a verb, in its clause, nearest first."""
    tags, lows, stop = clauses.tags, clauses.lows, min(len(clauses.tags), at + 24)
    clauses_start = at
    while at < stop and tags[at] not in ';.VMBW"':
        start = at
        if tags[at] == "(" and at > clauses_start + 3:
            return
        while start < stop and tags[start] in "DQR":
            start += 1
        phrase = clauses.by_first.get(start)
        if phrase is None:
            at += 1
            continue
        if (
            at
            and (
                lows[at - 1] in _AT
                or lows[at - 1] in _PLACE_WORDS
                or lows[at - 1] == "during"
                or tags[at - 1] == "("
            )
        ) or tags[start] == "L":
            yield phrase
        at = phrase.last


def _placed(clauses: Clauses, phrase: Phrase, kind_of: KindOf, stem: str) -> str | None:
    first = phrase.first
    while first and clauses.tags[first - 1] in "DQR":
        first -= 1
    before = clauses.lows[first - 1] if first else ""
    kind = kind_of(phrase)
    if before == "during" and kind != "date":
        return "occurred_during"
    if kind == "date" and (before in _AT or before in "(,"):
        return DATE_TYPES[stem]
    if kind == "place" and before in _PLACE_WORDS:
        return "located_near" if before == "near" else PLACE_TYPES[stem]
    return None


def _beside(clauses: Clauses, phrase: Phrase, kind_of: KindOf) -> Iterator[Found]:
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
