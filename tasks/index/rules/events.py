"""Dated events: the verb phrase nearest to a date, who did it and where."""

from dataclasses import dataclass, replace

from corpusgraph.tasks.index.rules.clauses import Clauses, Group
from corpusgraph.tasks.index.rules.dates import FoundDate
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.reading import Reading, words_of
from corpusgraph.tasks.index.rules.subjects import group_at, subject
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.wordlist import wordset

_UNTIL = wordset("to until till through")
_LIGHT = wordset("is are was were be been being am has have had 's")
LONGEST_LABEL = 7


@dataclass(frozen=True, slots=True)
class FoundEvent:
    """A dated verb group: `first` to `last` are the words of its clause."""

    date: FoundDate
    first: int
    last: int
    activity: str
    subjects: tuple[Phrase, ...]


def find_events(reading: Reading, at: int, clauses: Clauses) -> list[FoundEvent]:
    """Return one event for every date of a sentence that has a verb and a known time."""
    sentence = reading.sentences[at]
    told = _ranges(sentence, reading.dates[at]) or reading.relative[at]
    dates = [date for date in told if date.first and not date.first.startswith("--")]
    groups = _groups(clauses) if dates else []
    chosen: dict[int, tuple[FoundDate, Group]] = {}
    for date in dates:
        first, last = words_of(sentence, date.start, date.end)
        group = _nearest(sentence, groups, first, last)
        if group and (
            group.verb not in chosen or len(date.first or "") > len(chosen[group.verb][0].first or "")
        ):
            chosen[group.verb] = (date, group)
    bounds = _spans(sentence, [words_of(sentence, d.start, d.end) for d, _ in chosen.values()], list(chosen))
    return [
        FoundEvent(date, *bounds[verb], _label(sentence, clauses, group), tuple(subject(clauses, group)))
        for verb, (date, group) in chosen.items()
    ]


def _ranges(sentence: Sentence, dates: list[FoundDate]) -> list[FoundDate]:
    """Join the two dates of "from 1929 to 1941" and "between 1929 and 1941" into one stretch of time."""
    joined: list[FoundDate] = []
    for date in dates:
        first = words_of(sentence, date.start, date.end)[0]
        before = joined[-1] if joined else None
        last = words_of(sentence, before.start, before.end)[1] if before else -1
        word = sentence.lows[first - 1] if first else ""
        start = words_of(sentence, before.start, before.end)[0] if before else 0
        between = word == "and" and start > 0 and sentence.lows[start - 1] == "between"
        whole = before is not None and before.first and date.first and before.last is None
        if before and whole and first - last == 1 and (word in _UNTIL or between):
            joined[-1] = replace(before, end=date.end, last=date.last or date.first)
        else:
            joined.append(date)
    return joined


def _groups(clauses: Clauses) -> list[Group]:
    """Return the verb groups of a sentence; a form of "be" counts where it is the only verb."""
    tags = clauses.tags
    groups = [
        group_at(clauses, at)
        for at, tag in enumerate(tags)
        if tag in "VE" or (tag == "G" and at and tags[at - 1] in "BR")
    ]
    covered = {word for group in groups for word in range(group.first, group.last)}
    for at, tag in enumerate(tags):
        if tag in "BH" and at not in covered and tags[at + 1 : at + 2] not in ("B", "H"):
            groups.append(Group(at, at, at + 1, "be", False, False, finite=True))
    return sorted(groups, key=lambda group: group.verb)


def _nearest(sentence: Sentence, groups: list[Group], first: int, last: int) -> Group | None:
    """Choose the verb before the date in its clause, else the first one after it."""
    before = [g for g in groups if g.last <= first and ";" not in sentence.tags[g.verb : first]]
    if before:
        finite = [g for g in before if g.finite or g.passive]
        near = before[-1]
        return near if first - near.verb <= 6 or not finite else finite[-1]
    after = [g for g in groups if g.first >= last]
    return after[0] if after else None


def _spans(sentence: Sentence, dates: list[tuple[int, int]], verbs: list[int]) -> dict[int, tuple[int, int]]:
    """Give each event its clause: all words for one, else a cut between them at a comma or conjunction."""
    size = len(sentence.words)
    while size and sentence.tags[size - 1] == ".":
        size -= 1
    order = sorted(range(len(verbs)), key=lambda k: verbs[k])
    spans, begin = {}, 0
    for position, k in enumerate(order):
        end = size
        if position + 1 < len(order):
            following = order[position + 1]
            low = max(verbs[k], dates[k][1] if dates[k][0] < verbs[following] else verbs[k]) + 1
            high = min(
                verbs[following], dates[following][0] if dates[following][0] > verbs[k] else verbs[following]
            )
            cuts = [w for w in range(low, max(low, high)) if sentence.tags[w] in ",;C"]
            end = cuts[0] if cuts else max(low, high)
        spans[verbs[k]] = (begin, max(end, begin + 1))
        begin = end
        while begin < size and sentence.tags[begin] in ",;C":
            begin += 1
    return spans


def _label(sentence: Sentence, clauses: Clauses, group: Group) -> str:
    """Return a short verb phrase: the verb, a particle, and its object with the determiner."""
    words, tags = sentence.words, sentence.tags
    first = group.first if group.passive or group.lemma == "be" else group.verb
    parts = [words[k] for k in range(first, group.last) if tags[k] not in "RX" or sentence.lows[k] == "not"]
    at = group.last
    for _ in range(2):
        if tags[at : at + 1] in ("I", "T", "R"):
            if tags[at] == "I" and tags[at + 1 : at + 2] == "L":
                break
            parts.append(words[at])
            at += 1
    phrase = next(iter(clauses.object(at)), None)
    if phrase is None or tags[phrase.first] == "L":
        while (
            parts and sentence.lows[at - 1] == parts[-1].lower() and tags[at - 1] in "ITR" and len(parts) > 1
        ):
            parts.pop()
            at -= 1
        return " ".join(parts)
    return " ".join([*parts, *words[at : phrase.last][:LONGEST_LABEL]])
