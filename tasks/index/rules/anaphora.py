"""What "he", "it" and "the film" stand for: the nearest fitting subject before, where that is plain."""

from dataclasses import dataclass, field

from corpusgraph.tasks.index.rules.name_span import NameSpan
from corpusgraph.tasks.index.rules.phrases import Phrase
from corpusgraph.tasks.index.rules.tagger import Sentence
from corpusgraph.tasks.index.rules.wordlist import wordset

_PERSONS = frozenset({"he", "she"})
_CLASSES = wordset("""
    film movie novel book album song single play opera journal magazine newspaper airline company band
    club team party school university college hospital board committee battle war city town village river
    island country bridge building church doctor physician engineer registrar curate garden game series
    poem painting festival law act
""")


@dataclass(slots=True)
class Topic:
    """The last subject of each sort: (sentence number, phrase); `seen`: where a pronoun last stood for it."""

    person: tuple[int, Phrase] | None = None
    thing: tuple[int, Phrase] | None = None
    many: tuple[int, Phrase] | None = None
    seen: dict[tuple[int, Phrase], int] = field(default_factory=dict)


def resolve(
    sentences: list[Sentence], phrases: list[list[Phrase]], names: list[list[NameSpan]]
) -> dict[tuple[int, int], tuple[int, Phrase]]:
    """Map (sentence, word) of a pronoun or definite noun at a sentence's start to what it stands for.

    Only subjects that open a sentence are resolved, and only to the subject of one of the two sentences
    before:
    a wrong link is worse than none. Definite nouns need a name that was said to be one ("X is a film").
    """
    topic, classes = Topic(), dict[str, tuple[int, Phrase]]()
    links: dict[tuple[int, int], tuple[int, Phrase]] = {}
    for at, sentence in enumerate(sentences):
        opening = _opening(sentence, phrases[at])
        found = _pronoun(sentence, topic) or _definite(sentence, at, opening, classes)
        if found:
            word, target = found
            if at - topic.seen.get(target, target[0]) <= 2 or word[1] == "class":
                links[at, word[0]] = target
                topic.seen[target] = at
        elif opening:
            _remember(topic, at, opening, sentence, names[at])
        _classify(sentence, at, opening, names[at], classes)
    return links


def _opening(sentence: Sentence, phrases: list[Phrase]) -> Phrase | None:
    """Return the first subject of a sentence: before its first verb, not after a preposition."""
    for phrase in phrases:
        if sentence.tags[phrase.first] == "L":
            continue
        before = sentence.tags[: phrase.first].rstrip('DQR"')
        if any(tag in "VBHMOU" for tag in before):
            return None
        if not before or before[-1] not in "IF":
            return phrase
    return None


def _pronoun(sentence: Sentence, topic: Topic) -> tuple[tuple[int, str], tuple[int, Phrase]] | None:
    for word, tag in enumerate(sentence.tags[:14]):
        if tag in "NPVE":
            return None
        if tag == "U":
            low = sentence.lows[word]
            target = (
                topic.person
                if low in _PERSONS
                else topic.thing
                if low == "it"
                else topic.many
                if low == "they"
                else None
            )
            plain = low != "it" or (
                sentence.tags[word + 1 : word + 2] not in ("M", "J") and not _dummy(sentence, word)
            )
            return ((word, "pronoun"), target) if target and plain else None
    return None


def _dummy(sentence: Sentence, word: int) -> bool:
    """Tell "it is evident that" from "it is a film"."""
    return "that" in sentence.lows[word + 1 : word + 7] or (
        sentence.tags[word + 1 : word + 3] in ("BJ", "BE", "BR") and "T" in sentence.tags[word + 1 : word + 6]
    )


def _definite(
    sentence: Sentence, at: int, opening: Phrase | None, classes: dict[str, tuple[int, Phrase]]
) -> tuple[tuple[int, str], tuple[int, Phrase]] | None:
    if (
        opening
        and opening.last - opening.first == 1
        and opening.first
        and sentence.lows[opening.first - 1] in ("the", "this")
    ):
        target = classes.get(sentence.lows[opening.first])
        if target and target[0] != at:
            return (opening.first, "class"), target
    return None


def _remember(topic: Topic, at: int, phrase: Phrase, sentence: Sentence, names: list[NameSpan]) -> None:
    name = next((n for n in names if n.last == phrase.last and n.first >= phrase.first), None)
    plural = sentence.lows[phrase.last - 1].endswith("s") and not (name and name.kind != "concept")
    if name and name.kind == "person":
        topic.person = (at, phrase)
    elif plural:
        topic.many, topic.thing = (at, phrase), None
    else:
        topic.thing = (at, phrase)


def _classify(
    sentence: Sentence,
    at: int,
    opening: Phrase | None,
    names: list[NameSpan],
    classes: dict[str, tuple[int, Phrase]],
) -> None:
    """Note "X is a film" and the last word of names ("African Airlines", "Board of Health")."""
    if opening is None or not any(n.last == opening.last for n in names):
        return
    for word in range(opening.last, min(len(sentence.tags), opening.last + 28)):
        if sentence.lows[word] in _CLASSES and "B" in sentence.tags[opening.last : word]:
            classes[sentence.lows[word]] = (at, opening)
            return
