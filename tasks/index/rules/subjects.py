"""Verb groups and their subjects: who does it, through auxiliaries, relative clauses and conjunctions."""

from corpusgraph.tasks.index.rules.clauses import REACH, Clauses, Group
from corpusgraph.tasks.index.rules.known_names import DEMONYMS
from corpusgraph.tasks.index.rules.known_places import PLACES
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.verbs import VERBS
from corpusgraph.tasks.index.rules.wordlist import wordset

_NEGATIVE = wordset("not never no neither nor cannot n't hardly scarcely without nothing")
_RAISING = wordset("""
    seem appear tend likely help continue begin believe think say know find show suppose serve expect
    suspect fail prove assume consider hold able sufficient certain sure enough come suffice
""")
_BE = wordset("be is are was were am been being")

_SKIPPED = wordset("thus itself himself herself themselves")


def group_at(clauses: Clauses, verb: int) -> Group:
    """Collect the auxiliaries, adverbs and negations to the left of a verb."""
    tags, lows = clauses.tags, clauses.lows
    first, negated, passive, finite = verb, False, False, tags[verb] == "V"
    while (
        first > 0
        and verb - first < 8
        and (tags[first - 1] in "MBHOXRT" or lows[first - 1] in ("been", "fail", "failed", "fails"))
    ):
        first -= 1
        negated = (
            negated
            or lows[first] in _NEGATIVE
            or lows[first].endswith("n't")
            or lows[first].startswith("fail")
        )
        passive = passive or lows[first] in _BE
        finite = (
            finite or tags[first] in "MO" or lows[first] in ("is", "are", "was", "were", "has", "have", "had")
        )
    negated = negated or (tags[verb] == "G" and lows[first - 1 : first] == ["without"])
    while first < verb and (tags[first] == "R" and lows[first] not in _NEGATIVE):
        first += 1
    kind = VERBS.get(lows[verb], (lows[verb], "V"))
    participle = kind[1] in "EF" or (
        kind[1] == "V"
        and lows[verb] in ("spread", "put", "set", "cut", "hit", "shut", "cast", "shed", "split", "read")
    )
    by = lows[verb + 1 : verb + 2] == ["by"]
    having = any(tags[k] == "H" for k in range(first, verb))
    passive = participle and ((passive and tags[verb - 1] != "H") or (by and not having))
    return Group(
        first, verb, verb + 1, kind[0], passive, negated, finite or (tags[verb] == "E" and not passive)
    )


def subject(clauses: Clauses, group: Group, depth: int = 0) -> list[Phrase]:
    """Return the phrases that are the subject of a verb group, nearest first; empty where unclear."""
    tags, lows = clauses.tags, clauses.lows
    at = group.first - 1
    to = at if at >= 0 and tags[at] == "T" else group.first if tags[group.first] == "T" else None
    if to is not None:
        return _raised(clauses, to, depth)
    while at >= 0 and (tags[at] == "R" or lows[at] in _SKIPPED):
        at -= 1
    if at >= 0 and _relative(clauses, at):
        return _of_relative(clauses, at)
    if at > 0 and tags[at] == "," and tags[group.verb] == "G" and depth < 3 and not _lists(lows[group.verb]):
        shared = _shared(clauses, at, depth)
        if shared:
            return shared
    if at >= 0 and tags[at] == ",":
        at = _before_parenthesis(clauses, at, group)
    if at >= 0 and tags[at] == "C" and depth < 3:
        return _shared(clauses, at, depth)
    while at >= 0 and tags[at] == ")":
        at = clauses.opening(at) - 1
    if tags[group.verb] == "G" and at >= 0 and tags[at] == "I" and not group.passive:
        return _shared(clauses, at, depth) if depth < 3 else []
    restricted = _restricted(clauses, at) if group.finite else None
    return clauses.head(at + 1) if restricted is None else restricted


def _lists(form: str) -> bool:
    """Tell ", including" from ", resulting in": it speaks of the noun before, not of the whole clause."""
    return form in ("including", "comprising", "containing", "featuring", "encompassing")


def _relative(clauses: Clauses, at: int) -> bool:
    """Tell whether a word is a relative pronoun: which, who, or "that" right after a phrase."""
    if clauses.tags[at] == "W":
        return True
    return clauses.lows[at] == "that" and at > 0 and (at in clauses.by_last or clauses.tags[at - 1] == ",")


def _of_relative(clauses: Clauses, pronoun: int) -> list[Phrase]:
    """Return what a relative pronoun stands for: the phrase before it, for "who" not a place."""
    at = pronoun - 1
    while at >= 0 and (clauses.tags[at] == "I" or clauses.lows[at] == ","):
        at -= 1
    nearest = clauses.ending(at + 1)
    place = nearest and " ".join(clauses.sentence.words[nearest.first : nearest.last]) in PLACES
    if place and clauses.lows[pronoun] == "who":
        return clauses.head(at + 1)
    return _antecedent(clauses, at + 1)


def _raised(clauses: Clauses, to: int, depth: int) -> list[Phrase]:
    """Find the subject of "X is likely to", "X was thought to"."""
    at = to - 1
    while at >= 0 and clauses.tags[at] in "RX":
        at -= 1
    if at < 0 or depth > 2:
        return []
    base = VERBS.get(clauses.lows[at], (clauses.lows[at], ""))[0]
    if clauses.tags[at] in "VEJG" and base in _RAISING:
        return subject(clauses, group_at(clauses, at), depth + 1)
    if clauses.tags[at] in "BH":
        return subject(clauses, Group(at, at, at + 1, "be", False, False, finite=True), depth + 1)
    return []


def _restricted(clauses: Clauses, at: int) -> list[Phrase] | None:
    """Find vapours in "vapours that cause no epidemic may": a relative clause's object is no subject."""
    phrase = clauses.ending(at + 1)
    verb = clauses.skip_determiners(phrase.first) - 1 if phrase else -1
    if verb < 1 or clauses.tags[verb] not in "VE":
        return None
    relative = group_at(clauses, verb).first - 1
    inner = clauses.by_last.get(relative + 1)
    before = clauses.skip_determiners(inner.first) - 1 if inner else -1
    if before > 0 and clauses.lows[before] == "that" and before in clauses.by_last:
        return _antecedent(clauses, before)
    if (
        relative > 0
        and (clauses.tags[relative] == "W" or clauses.lows[relative] == "that")
        and relative in clauses.by_last
    ):
        return _antecedent(clauses, relative)
    return None


def _shared(clauses: Clauses, at: int, depth: int) -> list[Phrase]:
    """Find the subject that a coordinated or following verb shares with the one before it."""
    for verb in range(at - 1, max(-1, at - REACH), -1):
        tag = clauses.tags[verb]
        if tag in ";S" and clauses.lows[verb] != "that":
            return []
        if tag in "VE" or (tag == "B" and clauses.tags[verb + 1] not in "EGR"):
            group = (
                group_at(clauses, verb)
                if tag != "B"
                else Group(_aux_start(clauses, verb), verb, verb + 1, "be", False, False, True)
            )
            if tag == "E" and not group.finite and not group.passive:
                continue
            return subject(clauses, group, depth + 1)
    return []


def _aux_start(clauses: Clauses, verb: int) -> int:
    while verb > 0 and clauses.tags[verb - 1] in "MBHOXR":
        verb -= 1
    return verb


def _before_parenthesis(clauses: Clauses, comma: int, group: Group) -> int:
    """Step over ", a physician," or ", which ...," before a verb; over one comma before a participle."""
    if clauses.tags[group.verb] == "G" or (
        clauses.tags[group.verb] == "E" and group.passive and not group.finite
    ):
        return comma - 1
    for at in range(comma - 1, max(-1, comma - REACH), -1):
        if clauses.tags[at] == "," and (at in clauses.by_last or clauses.tags[at - 1 : at] == ")"):
            return at - 1
        if clauses.tags[at] in ";.":
            break
    return comma - 1


def _antecedent(clauses: Clauses, last: int) -> list[Phrase]:
    """Return what a relative pronoun stands for: the phrase just before it, and those coordinated with it."""
    while last > 0 and clauses.tags[last - 1] == ")":
        last = clauses.opening(last - 1)
    phrase = clauses.ending(last)
    return [phrase, *clauses.coordinated_left(phrase)] if phrase else []


def doer(clauses: Clauses, group: Group) -> list[Phrase]:
    """Return the subject, read through "Big Eyes is a film directed by": not film but Big Eyes."""
    subjects = _sharing(clauses, group)
    if (group.finite and not _reduced(clauses, group)) or not subjects:
        return subjects
    return through_copula(clauses, subjects[0]) or _told_apart(clauses, group) or subjects


def _told_apart(clauses: Clauses, group: Group) -> list[Phrase]:
    """Find the village of "X is a village in the borough of Y, situated between": it is X."""
    comma = group.first - 1
    if comma < 4 or clauses.tags[comma] != "," or clauses.tags[group.verb] != "E":
        return []
    nearest = clauses.ending(comma)
    place = nearest is not None and " ".join(clauses.sentence.words[nearest.first : nearest.last]) in PLACES
    be = clauses.tags.find("B", 0, comma)
    if not place or be < 1 or clauses.lows[be + 1] not in ("a", "an", "the", "one"):
        return []
    return subject(clauses, Group(be, be, be + 1, "be", False, False, finite=True))


def through_copula(clauses: Clauses, phrase: Phrase) -> list[Phrase]:
    """Return what is said to be a phrase: Big Eyes for the film of "Big Eyes is a film", else nothing."""
    first = clauses.skip_determiners(phrase.first)
    while first > 0 and (clauses.tags[first - 1] in "DQRLJGE" or clauses.lows[first - 1] in DEMONYMS):
        first -= 1
    if first > 0 and clauses.tags[first - 1] == "B" and clauses.lows[first] in ("a", "an", "the"):
        return subject(clauses, Group(first - 1, first - 1, first, "be", False, False, finite=True))
    return []


def _reduced(clauses: Clauses, group: Group) -> bool:
    """Tell "the film directed by" and "a firm based in" from "they directed" and "they were based in"."""
    return clauses.tags[group.verb] == "E" and group.first == group.verb


def _sharing(clauses: Clauses, group: Group) -> list[Phrase]:
    """Find the subject of "written by Y" in "a film directed by X, written by Y and starring Z"."""
    at = group.first - 1
    if (group.finite and not _reduced(clauses, group)) or at < 0 or clauses.tags[at] not in ",C":
        return subject(clauses, group)
    for verb in range(at - 1, max(-1, at - REACH), -1):
        if clauses.tags[verb] == "E" and clauses.lows[verb + 1 : verb + 2] == ["by"]:
            return _sharing(clauses, group_at(clauses, verb))
        if clauses.tags[verb] in "V;.BM":
            break
    return subject(clauses, group)
