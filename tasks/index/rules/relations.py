"""Directed relations that a sentence states: verb frames, relational nouns and causal connectives."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from corpusgraph.tasks.index.rules.clauses import REACH, Clauses, Group
from corpusgraph.tasks.index.rules.frames import FRAMES, NOUN_FRAMES, STATE_FRAMES, Frame
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

_CONNECTIVES = (
    "because of", "owing to", "due to", "as a result of", "as a consequence of", "in consequence of", "on account of",
    "thanks to", "by reason of", "as a result from", "by virtue of", "for want of",
)  # fmt: skip
_CONNECTIVE_BY_FIRST: dict[str, list[tuple[str, ...]]] = {}
for _line in _CONNECTIVES:
    _CONNECTIVE_BY_FIRST.setdefault(_line.split()[0], []).append(tuple(_line.split()))
_NOMINAL = {"effect": "on", "effects": "on", "impact": "on", "influence": "on"}
_NO_EVIDENCE = frozenset({"evidence", "proof", "reason", "ground", "sign"})
_UNTRUE = wordset(
    "false untrue wrong refuted disproved mistaken untenable unfounded rejected contradicted absurd impossible"
)
_STATEMENTS = wordset(
    "claim idea theory notion view belief doctrine story assertion opinion argument thesis hypothesis"
)
_BE_FORMS = wordset("is was are were be been")
_NEGATIVE_HEADS = wordset(
    "want lack absence loss shortage scarcity removal interception deficiency failure suppression"
)
_PARTLY = wordset("sole only chief main whole entire")


@dataclass(frozen=True, slots=True)
class Found:
    """A relation between two phrases of one sentence; `first` to `last` are the words of its cue."""

    source: Phrase
    target: Phrase
    type: str
    first: int
    last: int
    pattern: str
    negated: bool = False
    confidence: float = 0.7


def find_relations(clauses: Clauses) -> list[Found]:
    """Return the relations of one sentence, each pair and type once."""
    seen: dict[tuple[int, int, str], Found] = {}
    for loose in _all(clauses):
        found = replace(loose, source=_whole(clauses, loose.source), target=_whole(clauses, loose.target))
        if found.source == found.target or "L" in (clauses.tags[found.source.first], clauses.tags[found.target.first]):
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
    opening, refuted = _denied_opening(clauses), _refuted(lows)
    for at, tag in enumerate(tags):
        denied = opening or at in refuted
        if tag in "VEGN" and lows[at] in VERBS:
            base = VERBS[lows[at]][0]
            if tag != "N" and base in FRAMES:
                yield from _verb(clauses, at, denied)
        elif tag == "B":
            yield from _copula(clauses, at, denied)
        if lows[at] in _CONNECTIVE_BY_FIRST:
            yield from _connective(clauses, at)
        if lows[at] in _NOMINAL and tag == "N":
            yield from _nominal(clauses, at)
        if tag in "JN" and lows[at].endswith(("-induced", "-caused", "-borne", "-related", "-driven")):
            yield from _compound(clauses, at)


def _denied_opening(clauses: Clauses) -> bool:
    """Tell whether the sentence opens "There is no evidence that ..." or "It is false that ..."."""
    lows = clauses.lows[:14]
    if "that" not in lows:
        return False
    before = lows[: lows.index("that")]
    return any(low in _UNTRUE for low in before) or (
        "no" in before and any(low in _NO_EVIDENCE for low in before[before.index("no") :])
    )


def _refuted(lows: list[str]) -> range:
    """Return the words of "the claim that ..." where the sentence goes on "is refuted"."""
    if _UNTRUE.isdisjoint(lows):
        return range(0)
    for at, low in enumerate(lows):
        if low in _STATEMENTS and lows[at + 1 : at + 2] == ["that"]:
            for word in range(at + 3, len(lows)):
                if lows[word] in _UNTRUE and _BE_FORMS.intersection(lows[at + 2 : word]):
                    return range(at + 2, word - 1)
    return range(0)


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


def _verb(clauses: Clauses, at: int, denied: bool) -> Iterator[Found]:
    group = clauses.group(at)
    chosen = _frame(clauses, group)
    if chosen is None:
        return
    frame, after = chosen
    turned = frame.turned
    if group.passive and not frame.particle:
        turned, after = not turned, after + 1
    subjects, objects = clauses.doer(group), clauses.object(after)
    negated = group.negated or denied or _no_before(clauses, subjects) or _no_before(clauses, objects)
    pattern = " ".join((frame.lemma, *frame.particle)) + (" (passive)" if group.passive else "")
    confidence = 0.75 if tag_is_finite(group) else 0.6
    for subject in subjects:
        for thing in objects:
            source, target = (thing, subject) if turned else (subject, thing)
            yield Found(source, target, frame.type, group.first, after, pattern, negated, confidence)
    yield from _rejected_alternative(clauses, subjects, objects, frame, turned, group, after)


def tag_is_finite(group: Group) -> bool:
    """Tell whether a verb group stands on its own."""
    return group.finite or group.passive


def _no_before(clauses: Clauses, phrases: list[Phrase]) -> bool:
    return any(p.first and clauses.lows[p.first - 1] in ("no", "neither") for p in phrases)


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


def _copula(clauses: Clauses, at: int, denied: bool) -> Iterator[Found]:
    """Read "X is the cause of Y", "X is responsible for Y", "X is a Y"."""
    lows, tags = clauses.lows, clauses.tags
    after, negated = at + 1, denied
    if "there" in lows[max(0, at - 2) : at]:
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
                clauses.subject(group),
                clauses.object(after + size),
                state,
                (first, after + size),
                negated,
            )
            return
    if lows[after : after + 3] == ["one", "of", "the"]:
        after += 2
    objects = clauses.object(after)
    if not objects or tags[after : after + 1] in ("E", "G", "V"):
        return
    subjects = clauses.subject(group)
    negated = negated or _no_before(clauses, subjects) or lows[after : after + 1] == ["no"]
    for noun in objects[:3]:
        yield from _noun(clauses, subjects, noun, first, negated)


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
    frame = NOUN_FRAMES.get(head) or NOUN_FRAMES.get(head.removesuffix("s"))
    if negated and not _PARTLY.isdisjoint(clauses.lows[noun.first : noun.last]):
        return
    of = clauses.tags[noun.last : noun.last + 1] == "F"
    if frame and of:
        objects = clauses.object(noun.last + 1)
        for found in _pairs(clauses, subjects, objects, frame, (first, noun.last + 1), negated):
            yield Found(
                found.source, found.target, found.type, first, noun.last + 1, f"be {head} of", negated, 0.8
            )
        if not objects:
            yield from _of_subject(clauses, subjects, noun, frame, first, negated)
        return
    before = clauses.lows[noun.first - 1] if noun.first else ""
    plural = head.endswith("s") and before in ("are", "were") and not head.endswith("ss")
    coordinated = before in ("and", "or", ",")
    if (
        before in ("a", "an", "the", "another", "no", "his", "her", "its", "their", "one")
        or plural
        or coordinated
        or clauses.tags[noun.first - 1] == "Q"
    ):
        for subject in subjects[:2]:
            inverse = _inverse(clauses, subject)
            if inverse:
                frame_, objects = inverse
                yield from _pairs(clauses, [noun], objects, frame_, (first, noun.first), negated)
            else:
                yield Found(subject, noun, "is_a", first, noun.first, "is a", negated, 0.6)


def _of_subject(
    clauses: Clauses, subjects: list[Phrase], noun: Phrase, frame: tuple[str, bool], first: int, negated: bool
) -> Iterator[Found]:
    for subject in subjects[:1]:
        yield Found(subject, noun, "is_a", first, noun.first, "is a", negated, 0.5)


def _inverse(clauses: Clauses, subject: Phrase) -> tuple[tuple[str, bool], list[Phrase]] | None:
    """Recognise "the cause of Y is X": the relational noun is the subject."""
    head = clauses.lows[subject.last - 1]
    frame = NOUN_FRAMES.get(head) or NOUN_FRAMES.get(head.removesuffix("s"))
    if frame and clauses.tags[subject.last : subject.last + 1] == "F":
        objects = clauses.object(subject.last + 1)
        return (frame, objects) if objects else None
    return None


def _connective(clauses: Clauses, at: int) -> Iterator[Found]:
    """Read "because of X, Y ..." and "Y owing to X"."""
    lows, tags = clauses.lows, clauses.tags
    for words in _CONNECTIVE_BY_FIRST[lows[at]]:
        if tuple(lows[at : at + len(words)]) != words:
            continue
        if tags[at - 1 : at] == "B" and words in (("due", "to"), ("owing", "to")):
            return
        causes = clauses.object(at + len(words))
        negated = at > 0 and lows[at - 1] == "not"
        for effect in _effects(clauses, at - negated, causes)[:2]:
            for cause in causes:
                yield Found(cause, effect, "causes", at, at + len(words), " ".join(words), negated, 0.65)
        return


def _effects(clauses: Clauses, at: int, causes: list[Phrase]) -> list[Phrase]:
    """Return what a causal connective explains: the clause after it at a sentence's start, else the one before."""
    tags = clauses.tags
    if not causes:
        return []
    opening = all(tag in 'RCS,"' for tag in tags[max(0, at - 3) : at]) or (at > 0 and tags[at - 1] in ";S")
    if opening:
        comma = next((k for k in range(causes[-1].last, len(tags)) if tags[k] == ","), None)
        return clauses.object(comma + 1)[:1] if comma else []
    left = at - 1
    while left >= 0 and tags[left] in "R,":
        left -= 1
    if left >= 0 and tags[left] in "NP":
        return clauses.head(left + 1)[:2]
    for verb in range(left, max(-1, left - REACH), -1):
        if tags[verb] in "VE":
            return clauses.subject(clauses.group(verb))[:2]
        if tags[verb] in ";.":
            break
    return []


def _nominal(clauses: Clauses, at: int) -> Iterator[Found]:
    """Read "the effect of X on Y" as X causes (a change in) Y."""
    lows, tags = clauses.lows, clauses.tags
    if tags[at + 1 : at + 2] != "F":
        return
    causes = clauses.object(at + 2)
    if not causes:
        return
    for word in range(causes[-1].last, min(len(lows), causes[-1].last + 8)):
        if lows[word] in ("on", "upon"):
            for effect in clauses.object(word + 1):
                for cause in causes:
                    yield Found(cause, effect, "causes", at, word + 1, "effect of X on Y", False, 0.6)
            return
        if tags[word] in "V;.":
            return


def _compound(clauses: Clauses, at: int) -> Iterator[Found]:
    """Read "cholera-induced panic" and "water-borne disease"."""
    phrase = next((p for p in clauses.phrases if p.first <= at < p.last), None)
    if phrase is None or at + 1 >= phrase.last:
        return
    type_ = "relates_to" if clauses.lows[at].endswith("-related") else "causes"
    rest = Phrase(at + 1, phrase.last)
    yield Found(
        Phrase(at, at + 1, stem=True),
        rest,
        type_,
        at,
        at + 1,
        "X-" + clauses.lows[at].rpartition("-")[2],
        False,
        0.6,
    )
