"""Names of a trained recognizer, put together with those that rules find in the same sentence."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise

from corpusgraph.schemas.annotation import Recognized
from corpusgraph.tasks.index.rules.known_names import ROLES, TITLES
from corpusgraph.tasks.index.rules.name_types import SURE
from corpusgraph.tasks.index.rules.names import GLUED, NameSpan, continues, named
from corpusgraph.tasks.index.rules.tagger import Sentence, words_of

LONGEST_ACRONYM = 6
_VERBS = frozenset("VEBHOM")
_LITTLE = frozenset('.,:;-–—()@/&*"“”') | {"the", "a", "an", "of", "and", "for"}
_SHORTENED = frozenset({"inc", "ltd", "co", "corp", "bros", "jr", "sr"})


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
        for first, last in _pieces(sentence, *words_of(sentence, start, end)):
            if names[at] and first < names[at][-1].last:
                continue
            role = kind == "person" and sentence.lows[first] in ROLES - TITLES and last - first > 1
            name = named(sentence, at, source, first + role, last + continues(sentence, first, last))
            name.recognized, name.confidence = kind, confidence
            if role:
                name.attributes["role"] = sentence.lows[first]
            names[at].append(name)
    return names


def _pieces(sentence: Sentence, first: int, last: int) -> Iterator[tuple[int, int]]:
    """Yield a stretch of words without little words at its ends, cut at verbs: "Board fined Acme" is two."""
    cased = first < last and sentence.words[first][0].isupper()
    verbs = [at for at in range(first, last) if sentence.tags[at] in _VERBS and sentence.words[at].islower()]
    for before, after in pairwise([first - 1, *(verbs if cased else ()), last]):
        inside = [at for at in range(before + 1, after) if sentence.lows[at] not in _LITTLE]
        if inside[1:] and inside[0] == 0 and sentence.lows[0] in GLUED:
            continue  # a heading that text taken from a page glues to what follows
        if inside:
            end = inside[-1] + 1
            yield inside[0], end + (sentence.lows[end - 1] in _SHORTENED and "." in sentence.words[end:after])


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
    if name.text.islower() and name.confidence < SURE:  # small letters, where the writer knows capitals
        return not any(word[0].isupper() and word != "I" for word in sentence.words)
    if name.text.isupper() and len(name.text) > LONGEST_ACRONYM and " " not in name.text:
        return name.confidence >= SURE  # a heading, a shouted word
    beside = [other for other in ruled if name.overlaps(other)]
    if not beside:
        opening = name.initial and name.last - name.first == 1
        return name.confidence >= SURE or (not opening and "P" in sentence.tags[name.first : name.last])
    titles = [other for other in beside if other.cue == "quoted title"]
    return all(name.first <= title.first and title.last <= name.last for title in titles)
