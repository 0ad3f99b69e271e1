"""Claims and how they bear on each other: verbs of saying, modals, and the connectives of argument."""

import itertools
import re

from corpusgraph.tasks.index.rules.cues import AMBIGUOUS, CUES, INNER
from corpusgraph.tasks.index.rules.speakers import read_speaker
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.unit import Unit
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

_VERBAL = re.compile("[VBMOHE]")
_STRONG_MODALS = wordset(
    "must should ought cannot need shall can't muss müssen soll sollte doit doivent faut"
)
_EVALUATIVE = re.compile(
    r"\b(?:it|that|this|nothing|there)\s+"
    r"(?:is|was|seems|appears|has been|(?:can|cannot|must|will|may|could) be)\s+"
    r"(?:\w+\s+){0,2}?(?:certain|evident|clear|likely|unlikely|probable|improbable|possible|impossible|necessary|"
    r"true|false|plain|obvious|doubtful|doubt|manifest|undeniable|wrong|right|worse|better|remarked|observed|known|"
    r"absurd|unjust|just|important|essential|reason to)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = frozenset({"i", "we", "my", "our"})
_REFUTED = wordset("false wrong refuted disproved mistaken denied untrue untenable")


def units_of(sentence: Sentence, at: int) -> list[Unit]:
    """Cut a sentence into units at semicolons, contrasts and reasons, and read each one's connective."""
    if not _declarative(sentence):
        return []
    bounds = _bounds(sentence)
    units: list[Unit] = []
    for (first, cut), (last, _) in itertools.pairwise(bounds):
        unit = _unit(sentence, at, first, last)
        if unit is None:
            continue
        if cut == "reason" and units:
            unit.reason_for, unit.kind, unit.cue = units[-1], "reason", sentence.lows[first]
        units.append(unit)
    return units


def _declarative(sentence: Sentence) -> bool:
    return (
        len(sentence.words) >= 5 and sentence.words[-1] != "?" and _VERBAL.search(sentence.tags) is not None
    )


def _bounds(sentence: Sentence) -> list[tuple[int, str]]:
    """Return (word, kind of cut) for every place where a unit begins, and the sentence's end."""
    lows, tags, size = sentence.lows, sentence.tags, len(sentence.lows)
    bounds = [(0, "")]
    for at in range(3, size - 3):
        mark = tags[at - 1]
        if mark not in ",;" and lows[at] not in ("because", "weil", "denn"):
            continue
        if at - bounds[-1][0] < 4 or not _clausal(tags, at, size):
            continue
        if (lows[at] in ("because", "weil", "denn") and lows[at + 1] != "of") or (
            lows[at] in ("for", "since", "car")
            and mark in ",;"
            and tags[at + 1] in "DUPN"
            and _clause_after_for(tags, at)
        ):
            bounds.append((at, "reason"))
        elif mark == ";" or (mark == "," and lows[at] in ("but", "yet") and tags[at + 1] in "DUP"):
            bounds.append((at, "contrast"))
    return [*bounds, (size, "")]


def _clausal(tags: str, at: int, size: int) -> bool:
    return _VERBAL.search(tags, at, min(size, at + 14)) is not None


def _clause_after_for(tags: str, at: int) -> bool:
    """Tell "for it nourishes" from "for the sake of": a finite verb comes before any comma."""
    for tag in tags[at + 1 : at + 9]:
        if tag in "VBMOH":
            return True
        if tag in ",;T.":
            return False
    return False


def _unit(sentence: Sentence, at: int, first: int, last: int) -> Unit | None:
    lows, tags = sentence.lows, sentence.tags
    unit = Unit(at, first, last)
    while unit.first < last and tags[unit.first] in ',;."Z)':
        unit.first += 1
    if unit.first < last and lows[unit.first] == "and":
        unit.first += 1
    _read_connective(sentence, unit)
    while unit.first < last and tags[unit.first] in ",;":
        unit.first += 1
    while unit.last > unit.first and tags[unit.last - 1] in ".,;Z":
        unit.last -= 1
    if lows[unit.first] in ("because", "for", "since", "weil", "denn", "car") and unit.first == first:
        unit.first += 1
    if unit.last - unit.first < 3 or not _has_finite(tags, unit.first, unit.last):
        return None
    _read_strength(sentence, unit)
    return unit


def _has_finite(tags: str, first: int, last: int) -> bool:
    """Tell whether a finite verb is among the words; a past form needs a subject right before it."""
    return any(
        tags[at] in "VBMOH" or (tags[at] == "E" and tags[at - 1] in "NPUR)") for at in range(first, last)
    )


def _read_connective(sentence: Sentence, unit: Unit) -> None:
    lows = sentence.lows
    for words, kind in CUES.get(lows[unit.first] if unit.first < unit.last else "", ()):
        if tuple(lows[unit.first : unit.first + len(words)]) != words:
            continue
        text = " ".join(words)
        after = unit.first + len(words)
        if text == "it follows" and lows[after : after + 1] not in (["that"], [","], [":"], ["from"]):
            return
        if text in AMBIGUOUS and not _opens_argument(sentence, text, after):
            return
        unit.kind, unit.cue = kind, text
        if (
            text not in ("instead of", "of the first", "contrary to", "notwithstanding")
            and words[0] not in ("this", "these", "it", "we", "the")
            and "this" not in words
        ):
            unit.first = after
        return
    for at in range(unit.first, min(unit.last, unit.first + 8)):
        kind = INNER.get(lows[at], "")
        if kind and sentence.tags[at - 1 : at] in (",", "V", "B", "M", "N"):
            unit.kind, unit.cue = kind, lows[at]
            return


def _opens_argument(sentence: Sentence, cue: str, after: int) -> bool:
    tags = sentence.tags
    if tags[after : after + 1] == ",":
        return cue not in ("for", "since")
    if cue in ("for", "since"):
        return tags[after : after + 1] in ("U", "D", "P", "N") and _clause_after_for(tags, after - 1)
    return cue in ("so", "thus") and tags[after : after + 1] in ("D", "U")


def _read_strength(sentence: Sentence, unit: Unit) -> None:
    """Weigh what makes a unit a claim: a speaker, a modal, an evaluation, a connective."""
    lows, tags = sentence.lows[unit.first : unit.last], sentence.tags[unit.first : unit.last]
    unit.denies = _denies(lows, tags)
    read_speaker(sentence, unit)
    if unit.speaker or unit.strength:
        return
    if any(low in _STRONG_MODALS for low in lows):
        unit.strength, unit.cue = 0.7, unit.cue or next(low for low in lows if low in _STRONG_MODALS)
    elif unit.kind:
        unit.strength = 0.65
    elif any(low in ("may", "might", "will", "would", "could", "can") for low in lows) or "M" in tags:
        unit.strength, unit.cue = 0.4, unit.cue or "modal"


def _denies(lows: list[str], tags: str) -> bool:
    """Tell whether the first verb group is negated, or the unit calls something refuted."""
    if not _REFUTED.isdisjoint(lows):
        return True
    verb = next((at for at, tag in enumerate(tags) if tag in "BMHOVE"), 0)
    around = lows[max(0, verb - 2) : verb + 4]
    return (
        any(low in ("not", "never", "nor", "cannot") or low.endswith("n't") for low in around)
        or "no" in lows[:2]
    )


def narrates(sentence: Sentence, unit: Unit) -> bool:
    """Tell whether the first finite verb of a unit is in the past: a report rather than a thesis."""
    if "M" in sentence.tags[unit.first : unit.last]:
        return False
    for at in range(unit.first, unit.last):
        tag, low = sentence.tags[at], sentence.lows[at]
        if tag in "BHO":
            return low in ("was", "were", "had", "did")
        if tag in "VE":
            return VERBS.get(low, ("", "F"))[1] in "AF"
    return True


def evaluative(text: str) -> bool:
    """Tell whether a text judges: "it is evident that", "it can never be true"."""
    return bool(_EVALUATIVE.search(text))


def first_person(sentence: Sentence) -> bool:
    """Tell whether the writer speaks of themselves."""
    return not _FIRST_PERSON.isdisjoint(sentence.lows)
