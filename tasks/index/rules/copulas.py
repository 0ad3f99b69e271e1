"""What "be" states: "X is the cause of Y", "X is responsible for Y", "X is a Y"."""

from collections.abc import Iterator
from dataclasses import replace

from corpusgraph.tasks.index.rules.clauses import Clauses, Group
from corpusgraph.tasks.index.rules.found import Found
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.predicates import NOUN_FRAMES, STATE_FRAMES
from corpusgraph.tasks.index.rules.subjects import subject as subject_of
from corpusgraph.tasks.index.rules.wordlist import wordset

_ARTICLES = wordset("a an the another no his her its their one")

_JOINTS = {
    "prevents": wordset("to for against upon on"),
    "depends_on": wordset("for"),
    "opposes": wordset("to"),
    "supports": wordset("to"),
}
"""Words besides "of" that join a relational noun to its object: "an obstacle to trade"."""
_PARTLY = wordset("sole only chief main whole entire")


def copula(clauses: Clauses, at: int) -> Iterator[Found]:
    """Read "X is the cause of Y", "X is responsible for Y", "X is a Y"."""
    lows, tags = clauses.lows, clauses.tags
    after, negated = at + 1, False
    if "there" in lows[max(0, at - 4) : at]:
        return
    while after < len(tags) and tags[after] in "RXB":
        negated = negated or tags[after] == "X"
        after += 1
    group = Group(at, at, at + 1, "be", False, False, finite=True)
    first = at
    while first > 0 and tags[first - 1] in "MHXRB":
        first -= 1
        negated = negated or tags[first] == "X"
    group = Group(first, at, at + 1, "be", False, negated, finite=True)
    for size in (3, 2, 1):
        state = STATE_FRAMES.get(tuple(lows[after : after + size]))
        if state:
            yield from _pairs(
                clauses,
                subject_of(clauses, group),
                clauses.object(after + size),
                state,
                (first, after + size),
                negated,
            )
            return
    if lows[after : after + 3] == ["one", "of", "the"]:
        after += 2
    objects = _part(clauses, after) or clauses.object(after)
    if not objects or tags[after : after + 1] in ("E", "G", "V"):
        return
    subjects = subject_of(clauses, group)
    negated = negated or denied_by_no(clauses, subjects) or lows[after : after + 1] == ["no"]
    for noun in objects[:3]:
        yield from _noun(clauses, subjects, noun, first, negated)


def _part(clauses: Clauses, at: int) -> list[Phrase]:
    """Return the part of "is another part of the system", which `object` would read past."""
    phrase = clauses.by_first.get(clauses.begin(at))
    partial = phrase is not None and clauses.lows[phrase.last - 1] in ("part", "parts", "portion", "branch")
    return [phrase] if phrase and partial and clauses.tags[phrase.last : phrase.last + 1] == "F" else []


def _pairs(
    clauses: Clauses,
    subjects: list[Phrase],
    objects: list[Phrase],
    state: tuple[str, bool],
    cue: tuple[int, int],
    negated: bool,
) -> Iterator[Found]:
    type_, turned = state
    pattern = "be " + " ".join(clauses.lows[cue[1] - 2 : cue[1]])
    for subject in subjects:
        for thing in objects:
            source, target = (thing, subject) if turned else (subject, thing)
            yield Found(source, target, type_, *cue, pattern, negated, 0.75)


def _noun(
    clauses: Clauses, subjects: list[Phrase], noun: Phrase, first: int, negated: bool
) -> Iterator[Found]:
    """Read the noun after "is": a relational one with "of", else the class of the subject."""
    head = clauses.lows[noun.last - 1]
    frame = _relational(head)
    if negated and not _PARTLY.isdisjoint(clauses.lows[noun.first : noun.last]):
        return
    joint = clauses.lows[noun.last : noun.last + 1]
    if frame and (joint == ["of"] or (joint and joint[0] in _JOINTS.get(frame[0], ()))):
        objects = clauses.object(noun.last + 1)
        for found in _pairs(clauses, subjects, objects, frame, (first, noun.last + 1), negated):
            yield replace(found, pattern=f"be {head} of", confidence=0.8)
        return
    classed = _classifies(clauses, noun)
    for subject in subjects[:2]:
        inverse = _inverse(clauses, subject)
        if inverse:
            for found in _pairs(clauses, [noun], inverse[1], inverse[0], (first, noun.first), negated):
                yield replace(found, pattern=f"the {clauses.lows[subject.last - 1]} of Y is X")
        elif classed:
            yield Found(subject, noun, "is_a", first, noun.first, "is a", negated, 0.6)


def _relational(head: str) -> tuple[str, bool] | None:
    return NOUN_FRAMES.get(head) or NOUN_FRAMES.get(head.removesuffix("s"))


def _classifies(clauses: Clauses, noun: Phrase) -> bool:
    """Tell "is a pump", "are pumps" and "is a doctor and poet" from "is water"."""
    head, before = clauses.lows[noun.last - 1], clauses.lows[noun.first - 1] if noun.first else ""
    if before in _ARTICLES or before in ("and", "or", ",") or clauses.tags[noun.first - 1] == "Q":
        return True
    return before in ("are", "were") and head.endswith("s") and not head.endswith("ss")


def _inverse(clauses: Clauses, subject: Phrase) -> tuple[tuple[str, bool], list[Phrase]] | None:
    """Recognise "the cause of Y is X": the relational noun is the subject."""
    frame = _relational(clauses.lows[subject.last - 1])
    if frame and clauses.tags[subject.last : subject.last + 1] == "F":
        objects = clauses.object(subject.last + 1)
        return (frame, objects) if objects else None
    return None


def denied_by_no(clauses: Clauses, phrases: list[Phrase]) -> bool:
    """Tell whether one of the phrases has the determiner "no": "causes no fever"."""
    return any(p.first and clauses.lows[p.first - 1] in ("no", "neither") for p in phrases)
