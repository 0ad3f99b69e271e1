"""Directed relations that a sentence states: verb frames, relational nouns and causal connectives."""

from collections.abc import Iterator
from dataclasses import replace

from corpusgraph.tasks.index.rules.clauses import REACH, Clauses, Group
from corpusgraph.tasks.index.rules.connectives import (
    CONNECTIVES,
    EFFECTS,
    as_cause,
    compound,
    connective,
    effect_of,
    unrelated,
)
from corpusgraph.tasks.index.rules.copulas import copula, denied_by_no
from corpusgraph.tasks.index.rules.found import Found
from corpusgraph.tasks.index.rules.frames import FRAMES, Frame
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.subjects import doer, group_at
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

_NEGATIVE_HEADS = wordset(
    "want lack absence loss shortage scarcity removal interception deficiency failure suppression"
)


def find_relations(clauses: Clauses) -> list[Found]:
    """Return the relations of one sentence, each pair and type once."""
    seen: dict[tuple[int, int, str], Found] = {}
    for loose in _all(clauses):
        found = replace(loose, source=_whole(clauses, loose.source), target=_whole(clauses, loose.target))
        if found.source == found.target or "L" in (
            clauses.tags[found.source.first],
            clauses.tags[found.target.first],
        ):
            continue
        seen.setdefault((found.source.first, found.target.first, found.type), found)
    return list(seen.values())


def _whole(clauses: Clauses, phrase: Phrase) -> Phrase:
    """Keep "of water" with "loss": of such nouns the head alone would say the contrary."""
    if (
        clauses.lows[phrase.last - 1] in _NEGATIVE_HEADS
        and clauses.tags[phrase.last : phrase.last + 1] == "F"
    ):
        inner = clauses.object(phrase.last + 1)
        return Phrase(phrase.first, inner[0].last) if inner else phrase
    return phrase


def _all(clauses: Clauses) -> Iterator[Found]:
    tags, lows = clauses.tags, clauses.lows
    if clauses.sentence.words[-1] == "?":
        return
    for at, (tag, low) in enumerate(zip(tags, lows, strict=True)):
        if tag == "B":
            yield from copula(clauses, at)
        elif tag in "VEG" and low in _FRAMED:
            yield from _verb(clauses, at)
        if low in _OPENERS:
            yield from _wordy(clauses, at)
        elif "-" in low and tag in "JNP" and low.endswith(_COMPOUNDS):
            yield from compound(clauses, at)


_COMPOUNDS = ("-induced", "-caused", "-borne", "-related", "-driven")
_OPENERS = EFFECTS | CONNECTIVES.keys() | {"as", "nothing"}
_FRAMED = frozenset(form for form, (base, _) in VERBS.items() if base in FRAMES)
"""Every form of a verb that states a relation."""


def _wordy(clauses: Clauses, at: int) -> Iterator[Found]:
    """Read what fixed words state: "because of", "as the cause of", "the effect of"."""
    lows = clauses.lows
    if lows[at] in CONNECTIVES:
        yield from connective(clauses, at)
    if lows[at] == "as" and at + 3 < len(lows):
        yield from as_cause(clauses, at)
    if lows[at : at + 4] == ["nothing", "to", "do", "with"]:
        yield from unrelated(clauses, at)
    if lows[at] in EFFECTS and clauses.tags[at] == "N":
        yield from effect_of(clauses, at)


def _frame(clauses: Clauses, group: Group) -> tuple[Frame, int] | None:
    """Choose the frame whose particle follows the verb; return it and the word after the particle."""
    lows, tags = clauses.lows, clauses.tags
    for frame in FRAMES[group.lemma]:
        if frame.passive and not (group.passive or (tags[group.verb] == "E" and frame.particle)):
            continue
        at = group.last
        while at < len(lows) and tags[at] == "R":
            at += 1
        particle = frame.particle
        if not particle:
            return (frame, at) if not group.passive or lows[at : at + 1] == ["by"] or frame.passive else None
        if tuple(lows[at : at + len(particle)]) == particle:
            return frame, at + len(particle)
        gap = _particle_after_object(lows, at, particle, tags)
        if gap and frame.type in ("relates_to", "causes", "located_in"):
            return frame, gap
    return None


def _particle_after_object(lows: list[str], at: int, particle: tuple[str, ...], tags: str) -> int | None:
    """Find "led in 1753 to": the particle after a date."""
    if at + 1 < len(tags) and tags[at] == "I" and tags[at + 1] == "L":
        at += 2
        while at < len(tags) and tags[at] == "L":
            at += 1
        if tuple(lows[at : at + len(particle)]) == particle:
            return at + len(particle)
    return None


def _verb(clauses: Clauses, at: int) -> Iterator[Found]:
    group = group_at(clauses, at)
    chosen = _frame(clauses, group)
    if chosen is None:
        return
    frame, after = chosen
    turned = frame.turned
    if group.passive and not frame.particle:
        turned, after = not turned, after + 1
    subjects, objects = doer(clauses, group), clauses.object(after)
    negated = group.negated or denied_by_no(clauses, subjects) or denied_by_no(clauses, objects)
    pattern = " ".join((frame.lemma, *frame.particle)) + (" (passive)" if group.passive else "")
    confidence = 0.75 if _stands_alone(group) else 0.6
    for subject in subjects:
        for thing in objects:
            source, target = (thing, subject) if turned else (subject, thing)
            yield Found(source, target, frame.type, group.first, after, pattern, negated, confidence)
    yield from _rejected_alternative(clauses, subjects, objects, frame, turned, group, after)


def _stands_alone(group: Group) -> bool:
    """Tell whether a verb group stands on its own."""
    return group.finite or group.passive


def _rejected_alternative(
    clauses: Clauses,
    subjects: list[Phrase],
    objects: list[Phrase],
    frame: Frame,
    turned: bool,
    group: Group,
    after: int,
) -> Iterator[Found]:
    """Read "water, not air, caused cholera" as a denial for air."""
    for at in range(max(0, group.first - REACH), group.first):
        if clauses.lows[at] == "not" and at and clauses.tags[at - 1] == ",":
            for denied in clauses.object(at + 1)[:1]:
                for thing in objects:
                    if denied in subjects or denied.last > group.first:
                        continue
                    source, target = (thing, denied) if turned else (denied, thing)
                    yield Found(source, target, frame.type, at, after, f"not X {frame.lemma}", negated=True)
