"""Names of a trained recognizer, put together with those that rules find in the same sentence."""

from bisect import bisect_right
from collections.abc import Sequence

from corpusgraph.schemas.annotation import Recognized
from corpusgraph.tasks.index.rules.known_names import ROLES, TITLES
from corpusgraph.tasks.index.rules.name_types import SURE
from corpusgraph.tasks.index.rules.names import NameSpan, continues, named
from corpusgraph.tasks.index.rules.tagger import Sentence, words_of

_NOT_LAST = frozenset(".,:;-–—(@/&") | {"the", "of", "and", "for"}


def recognized_spans(
    sentences: Sequence[Sentence], recognized: Sequence[Recognized], source: str
) -> list[list[NameSpan]]:
    """Return the names of a recognizer as words, sentence by sentence."""
    names: list[list[NameSpan]] = [[] for _ in sentences]
    starts = [sentence.start for sentence in sentences]
    for start, end, kind, confidence in sorted(recognized):
        at = bisect_right(starts, start) - 1
        if at < 0 or end > sentences[at].end:
            continue
        sentence = sentences[at]
        first, last = words_of(sentence, start, end)
        role = kind == "person" and sentence.lows[first] in ROLES - TITLES and last - first > 1
        first += role
        while first < last and sentence.lows[last - 1] in _NOT_LAST:
            last -= 1
        if first < last and not (names[at] and first < names[at][-1].last):
            name = named(sentence, at, source, first, last + continues(sentence, first, last))
            name.recognized, name.confidence = kind, confidence
            if role:
                name.attributes["role"] = sentence.lows[first - 1]
            names[at].append(name)
    return names


def combined(ruled: list[NameSpan], trained: list[NameSpan], sentence: Sentence) -> list[NameSpan]:
    """Return the names of a recognizer, and those found by rules that overlap none of them."""
    trained = [name for name in trained if _is_likely(name, ruled, sentence)]
    for whole in ruled:
        parts = [name for name in trained if name.overlaps(whole)]
        joined = len(parts) > 1 and sentence.lows[parts[0].last] == "and"  # Southwark and Vauxhall Company
        if joined and parts[0].first == whole.first and parts[-1].last == whole.last:
            trained = [name for name in trained if name not in parts]
    for name in trained:
        for other in filter(name.overlaps, ruled):
            name.attributes = other.attributes | name.attributes
            if other.kind == "alias":
                name.kind = "alias"
    return trained + [name for name in ruled if not any(map(name.overlaps, trained))]


def _is_likely(name: NameSpan, ruled: list[NameSpan], sentence: Sentence) -> bool:
    """Tell a recognized name from one that rules or parser know better: no proper noun, or a cut title."""
    beside = [other for other in ruled if name.overlaps(other)]
    if not beside:
        opening = name.initial and name.last - name.first == 1
        return name.confidence >= SURE or (not opening and "P" in sentence.tags[name.first : name.last])
    titles = [other for other in beside if other.cue == "quoted title"]
    return all(name.first <= title.first and title.last <= name.last for title in titles)
