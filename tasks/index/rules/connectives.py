"""Causes named without a verb: "because of X", "the effect of X on Y", "X-induced"."""

from collections.abc import Iterator

from corpusgraph.tasks.index.rules.clauses import REACH, Clauses
from corpusgraph.tasks.index.rules.found import Found
from corpusgraph.tasks.index.rules.frames import CAUSAL
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.predicates import NOUN_FRAMES
from corpusgraph.tasks.index.rules.subjects import group_at, subject
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

_PHRASES = (
    "because of|owing to|due to|as a result of|as a consequence of|in consequence of|on account of|thanks to|"
    "due in large part to|due in great part to|owing in part to|"
    "by reason of|as a result from|by virtue of|for want of"
)
CONNECTIVES: dict[str, list[tuple[str, ...]]] = {}
"""First word -> connectives that begin with it."""
for _phrase in _PHRASES.split("|"):
    CONNECTIVES.setdefault(_phrase.split()[0], []).append(tuple(_phrase.split()))
_RULING_OUT = wordset("deny reject exclude dismiss discount eliminate doubt dispute")
EFFECTS = frozenset({"effect", "effects", "impact", "influence"})


def connective(clauses: Clauses, at: int) -> Iterator[Found]:
    """Read "because of X, Y ..." and "Y owing to X"."""
    lows, tags = clauses.lows, clauses.tags
    for words in CONNECTIVES[lows[at]]:
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
    """Return what a connective explains: at a sentence's start the clause after it, else the one before."""
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
            return subject(clauses, group_at(clauses, verb))[:2]
        if tags[verb] in ";.":
            break
    return []


def effect_of(clauses: Clauses, at: int) -> Iterator[Found]:
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


def as_cause(clauses: Clauses, at: int) -> Iterator[Found]:
    """Read "regarded X as the cause of Y", and "rejected X as the cause of Y" as a denial."""
    lows = clauses.lows
    noun = clauses.object(at + 1)[:1]
    frame = NOUN_FRAMES.get(lows[noun[0].last - 1].removesuffix("s")) if noun else None
    source = clauses.ending(at)
    if not frame or not source or frame[0] not in CAUSAL or clauses.tags[noun[0].last] != "F":
        return
    before = {VERBS.get(low, ("", ""))[0] for low in lows[max(0, source.first - 4) : source.first]}
    denied = not _RULING_OUT.isdisjoint(before)
    for target in clauses.object(noun[0].last + 1):
        ends = (target, source) if frame[1] else (source, target)
        yield Found(*ends, frame[0], at, noun[0].last + 1, f"as {lows[noun[0].last - 1]} of", denied, 0.6)


def unrelated(clauses: Clauses, at: int) -> Iterator[Found]:
    """Read "X has nothing to do with Y" as a denial of any link."""
    for subject_ in clauses.head(at - 1)[:2] if at > 1 and clauses.tags[at - 1] == "H" else ():
        for other in clauses.object(at + 4):
            yield Found(subject_, other, "relates_to", at - 1, at + 4, "nothing to do with", True, 0.75)


def compound(clauses: Clauses, at: int) -> Iterator[Found]:
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
