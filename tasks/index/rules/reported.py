"""Who vouches for a statement: "Snow denied that ...", "no proof that ...", "Farr argued that ..."."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from corpusgraph.tasks.index.rules.clauses import Clauses, Group
from corpusgraph.tasks.index.rules.found import Found
from corpusgraph.tasks.index.rules.name_context import SAYING
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.subjects import group_at, subject
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

_DENYING = wordset("deny doubt dispute question reject refute disprove contest contradict challenge rebut")
_BELIEVING = wordset("believe think suppose hold show prove demonstrate find accept admit establish suggest")
_REPORTING = _DENYING | SAYING | _BELIEVING
_STATEMENTS = wordset(
    """
    claim idea theory notion view belief doctrine story assertion opinion argument thesis hypothesis claims
    theories suggestion possibility statement charge conclusion report
    """
)
_NO_EVIDENCE = frozenset({"evidence", "proof", "reason", "ground", "grounds", "sign", "indication"})
_UNTRUE = wordset(
    """
    false untrue wrong refuted disproved mistaken untenable unfounded rejected contradicted absurd
    impossible denied disputed doubted incorrect unlikely doubtful
    """
)
_TRUE = wordset("true certain proved proven established case correct shown clear likely")
_NEVER = wordset("not never hardly nor scarcely cannot")
_NOBODY = wordset("no nobody none neither few")
_OPENERS = _UNTRUE | _TRUE | _NO_EVIDENCE | {"nothing", "according"}
_FORMS = frozenset(form for form, (base, _) in VERBS.items() if base in _REPORTING)
_LOST = 0.1
"""What a relation loses in confidence when the text only reports it."""
Scope = tuple[int, int, bool, Phrase | None]
"""Words `first` to `last` (half-open), whether they are denied, and who says or denies them."""


@dataclass(frozen=True, slots=True)
class Vouched:
    """A relation with the one who says it or denies it, where the sentence names them."""

    found: Found
    speaker: Phrase | None = None
    denied: bool = False


def vouch(clauses: Clauses, relations: list[Found]) -> Iterator[Vouched]:
    """Turn round the denial of what the sentence denies, and name the speaker of what it reports."""
    scopes = list(_scopes(clauses)) if relations else []
    for found in relations:
        inside = [scope for scope in scopes if scope[0] <= found.last - 1 < scope[1]]
        denied = sum(scope[2] for scope in inside) % 2 == 1
        speaker = next((scope[3] for scope in reversed(inside) if scope[3]), None)
        sure = found.confidence - (_LOST if speaker else 0)
        told = replace(found, negated=found.negated != denied, confidence=sure) if inside else found
        yield Vouched(told, speaker, denied)


def _scopes(clauses: Clauses) -> Iterator[Scope]:
    lows = clauses.lows
    if not _OPENERS.isdisjoint(lows):
        yield from _impersonal(clauses)
        yield from _refuted(clauses)
        yield from _according(clauses)
    if _FORMS.isdisjoint(lows):
        return
    for at, low in enumerate(lows):
        if low in _FORMS and clauses.tags[at] in "VEGNJ":
            yield from _said(clauses, at)


def _said(clauses: Clauses, at: int) -> Iterator[Scope]:
    """Read "X denied (the claim) that ..." and "X argued ...": what follows is said, or denied, by X."""
    base = VERBS[clauses.lows[at]][0]
    first = _complement(clauses, at, base)
    if first is None:
        return
    group = group_at(clauses, at)
    subjects = [] if group.passive else subject(clauses, group)
    negated = group.negated or _nobody(clauses, group, subjects)
    denied = base in _DENYING
    if negated and (denied or base in _BELIEVING):
        denied = not denied
    speaker = subjects[0] if subjects and not _nobody(clauses, group, subjects) else None
    yield first, _end(clauses, first, group), denied, speaker


def _nobody(clauses: Clauses, group: Group, subjects: list[Phrase]) -> bool:
    """Tell "no one doubts", "nobody has shown"."""
    near = clauses.lows[max(0, group.first - 2) : group.first]
    before = clauses.lows[subjects[0].first - 1 : subjects[0].first] if subjects else []
    return not _NOBODY.isdisjoint([*near, *before])


def _complement(clauses: Clauses, at: int, base: str) -> int | None:
    """Return the word at which what is said begins: after "that" or "whether", or right after the verb."""
    lows, tags = clauses.lows, clauses.tags
    for word in range(at + 1, min(at + 7, len(lows))):
        if lows[word] in ("that", "whether"):
            between = lows[at + 1 : word]
            noun = word - at == 1 or tags[word - 1] not in "NP" or not _STATEMENTS.isdisjoint(between)
            return word + 1 if noun or base in SAYING else None
        if tags[word] in "VEBMHO;.," and lows[word] not in _STATEMENTS:
            break
    plain = base in SAYING and base not in _DENYING and tags[at] in "VE"
    thing = clauses.object(at + 1) if plain else []
    last = thing[-1].last if thing else at
    return at + 1 if thing and tags[last : last + 1] in ("V", "E", "B", "M", "H") else None


def _end(clauses: Clauses, first: int, group: Group) -> int:
    """Return the word at which what is said ends: a semicolon, a contrast, the next verb of saying."""
    lows, tags = clauses.lows, clauses.tags
    aside = group.first > 0 and tags[group.first - 1] == "W"
    for at in range(first, len(lows)):
        if tags[at] == ";" or (aside and tags[at] == "," and at > first + 3):
            return at
        following = lows[at + 1 : at + 3]
        if tags[at] in ",C" and not _ADVERSATIVE.isdisjoint([lows[at], *following[:1]]):
            return at
        if tags[at] == "C" and not _FORMS.isdisjoint(following):
            return at
    return len(lows)


_ADVERSATIVE = wordset("but yet while whereas although though because")


def _impersonal(clauses: Clauses) -> Iterator[Scope]:
    """Read "there is no proof that", "nothing to show that", "it is false that", "it is not true that"."""
    lows = clauses.lows
    for that in (at for at, low in enumerate(lows) if low == "that"):
        begin = max((at + 1 for at in range(max(0, that - 12), that) if clauses.tags[at] in ";,S"), default=0)
        before = lows[max(begin, that - 12) : that]
        negative = any(low in _NEVER or low.endswith("n't") for low in before)
        nothing = not {"no", "nothing"}.isdisjoint(before) and not _NO_EVIDENCE.isdisjoint(before)
        nothing = nothing or ("nothing" in before and "to" in before)
        nothing = nothing and not any(VERBS.get(low, ("", ""))[0] in _DENYING for low in before)
        untrue = "it" in before and not _UNTRUE.isdisjoint(word for word in before if word not in _FORMS)
        if (
            nothing
            or (untrue and not negative)
            or (negative and "it" in before and not _TRUE.isdisjoint(before))
        ):
            yield that + 1, _end(clauses, that + 1, Group(0, 0, 0, "", False, False, True)), True, None


def _refuted(clauses: Clauses) -> Iterator[Scope]:
    """Read "the claim that ... is refuted"."""
    lows = clauses.lows
    for at, low in enumerate(lows):
        if low in _STATEMENTS and lows[at + 1 : at + 2] == ["that"]:
            for word in range(at + 3, len(lows)):
                if lows[word] in _UNTRUE and not {"is", "was", "are", "were", "be", "been"}.isdisjoint(
                    lows[at + 2 : word]
                ):
                    yield at + 2, word - 1, True, None
                    break


def _according(clauses: Clauses) -> Iterator[Scope]:
    """Read "According to Farr, ..."."""
    if clauses.lows[:2] == ["according", "to"]:
        for speaker in clauses.object(2)[:1]:
            yield speaker.last, len(clauses.lows), False, speaker
