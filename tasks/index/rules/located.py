"""Relations that prepositions, dates and juxtaposition carry: born in, held on, "Leith, Scotland"."""

import re
from collections.abc import Iterator

from corpusgraph.tasks.index.rules.beside import KindOf, beside
from corpusgraph.tasks.index.rules.clauses import Clauses
from corpusgraph.tasks.index.rules.found import Found
from corpusgraph.tasks.index.rules.frames import DATE_TYPES, FRAMES, LOCATED, PLACE_TYPES
from corpusgraph.tasks.index.rules.name_context import SAYING
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.subjects import doer, group_at
from corpusgraph.tasks.index.rules.verbs import VERBS, third_person
from corpusgraph.tasks.index.rules.wordlist import wordset

_AT = wordset("in on at near from since around of by until")
_PLACE_WORDS = wordset("in at on near within outside off")
_VERB = re.compile("[VEJ]")
_FINITE = re.compile("[VE]")
_NAMED = wordset("person organisation place")
_LIGHT = wordset("have do be become go come get take make give let keep seem appear")
_MADE = wordset("founded published released created recorded opened dissolved")
_SELF = wordset("open close start premiere form")


def find_located(clauses: Clauses, kind_of: KindOf) -> Iterator[Found]:
    """Return these relations of one sentence; `kind_of` tells person, place, date ... of a phrase."""
    yield from _verbs(clauses, kind_of)
    yield from _stated(clauses, kind_of)
    for phrase in clauses.phrases:
        yield from beside(clauses, phrase, kind_of)


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
    if kind == "date" and (before in _AT or before in "(," or before == stem):
        return DATE_TYPES[stem]
    if kind == "place" and before in _PLACE_WORDS:
        return "located_near" if before == "near" else PLACE_TYPES[stem]
    return None
