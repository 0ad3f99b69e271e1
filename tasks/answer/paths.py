"""Which sentences lead from the names of a question to its answer: name -> passage -> bridge -> passage.

A bridge is a name that the question has not, and that a sentence on one of its names, or of a passage whose
title is one, brings into play: "the singer of Hello Love" leads to Hank Snow, and Hank Snow to where he died
(bridge entities: Yang et al. 2018, HotpotQA, section 2).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.answer.sentences import Sentence, name_words
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.passage_edges import QUALIFIER

EntityOf = Callable[[str], Entity]
"""Finds an entity by its id; one that the graph does not have is a stub that is named as its id."""
Named = Mapping[str, str]
"""Names, as words between spaces, and the types of their entities, blank where they are not known."""

_CAPITALISED = re.compile(
    r"[A-ZÀ-ÖØ-Þ][\w'’.-]*(?:\s+(?:of|the|de|du|von|van|and|&)?\s*[A-ZÀ-ÖØ-Þ][\w'’.-]*)*"
)
_SHORTEST = 2
"""Letters of a name that may be a bridge."""


@dataclass(frozen=True)
class Paths:
    """What each of n sentences has to do with the names of a question."""

    others: Sequence[Named]
    """The names in it that the question has not."""
    seeds: Doubles
    """Share of the question's names that it names, or the title and the metadata above it (n,)."""
    title_bridges: Doubles
    """How well a sentence of another passage ties the title of its passage to the question (n,)."""
    text_bridges: Doubles
    """The same for the best of the names in it (n,)."""


def paths_of(
    query: str,
    sentences: Sequence[Sentence],
    names: Sequence[Collection[str]],
    entity_of: EntityOf | None = None,
) -> Paths:
    """Return how sentences are tied to what the question names.

    `names` are what the question names, each in all its spellings. Without `entity_of`, or for chunks that do
    not tell their entities, words with a capital are names.
    """
    asked = _Asked(query, names)
    titles = [bare_title(sentence) for sentence in sentences]
    others = [asked.leaves(named) for named in _names_in(sentences, entity_of)]
    seeds = np.array(
        [
            max(asked.share_in(s.spaced), float(t in asked.query))
            for s, t in zip(sentences, titles, strict=True)
        ]
    )
    places: dict[str, set[int]] = defaultdict(set)
    for sentence, title in zip(sentences, titles, strict=True):
        if title.strip() and not asked.has(title):
            places[title].add(sentence.passage)
    tied: dict[str, dict[int, float]] = defaultdict(dict)
    for sentence, named, seed in zip(sentences, others, seeds.tolist(), strict=True):
        called = [*named, *(title for title in places if title in sentence.spoken)] if seed else ()
        for name in called:
            tied[name][sentence.passage] = max(seed, tied[name].get(sentence.passage, 0.0))
    n = len(sentences)
    title_bridges, text_bridges = np.zeros(n), np.zeros(n)
    for at, (sentence, title, named) in enumerate(zip(sentences, titles, others, strict=True)):
        title_bridges[at] = _tie(tied.get(title), sentence.passage)
        text_bridges[at] = max((_tie(tied.get(name), sentence.passage) for name in named), default=0.0)
    return Paths(others, seeds, title_bridges, text_bridges)


def _tie(strengths: Mapping[int, float] | None, passage: int) -> float:
    """Return how well a name is tied to the question by another passage than this."""
    return max((seed for other, seed in (strengths or {}).items() if other != passage), default=0.0)


class _Asked:
    """The words and names of a question."""

    def __init__(self, query: str, names: Sequence[Collection[str]]) -> None:
        self.query = name_words(query)
        self.names = [frozenset(map(name_words, spellings)) for spellings in names]

    def share_in(self, spoken: str) -> float:
        """Return the share of the question's names that a text holds."""
        if not self.names or not spoken.strip():
            return 0.0
        return sum(any(name in spoken for name in spellings) for spellings in self.names) / len(self.names)

    def has(self, name: str) -> bool:
        """Tell whether the question has a name, by itself or as part of one of its names."""
        return name in self.query or any(name in other for spellings in self.names for other in spellings)

    def leaves(self, named: Named) -> Named:
        """Return the names that the question has not."""
        return {name: type_ for name, type_ in named.items() if not self.has(name)}


def bare_title(sentence: Sentence) -> str:
    """Return the words of the title above a sentence, between spaces and without its parenthesis."""
    return name_words(QUALIFIER.sub("", sentence.title.rstrip()))


def _names_in(sentences: Sequence[Sentence], entity_of: EntityOf | None) -> list[Named]:
    """Return the names in each sentence: of its chunk's entities, else the words with a capital."""
    known = {s.chunk.id: _entities(s.chunk, entity_of) for s in sentences}
    named: list[Named] = []
    for sentence in sentences:
        entities = known[sentence.chunk.id]
        if entities is None:
            called = (name_words(match[0]) for match in _CAPITALISED.finditer(sentence.text))
            named.append({name: "" for name in called if len(name) > _SHORTEST + 1})
        else:
            named.append({name: type_ for name, type_ in entities.items() if name in sentence.spoken})
    return named


def _entities(chunk: Chunk, entity_of: EntityOf | None) -> Named | None:
    """Return the names of a chunk's entities that are written like names, with their types."""
    if entity_of is None or not chunk.entities:
        return None
    entities = [entity_of(id_) for id_ in chunk.entities]
    named = {
        name: entity.type or ""
        for entity in entities
        if entity.name[:1] != entity.name[:1].lower() or entity.type in {"date", "quantity"}
        if len(name := name_words(entity.name)) > _SHORTEST + 1
    }
    return named or None
