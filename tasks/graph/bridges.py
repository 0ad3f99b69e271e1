"""Paths of two passages: what a passage high in the ranking names leads on to the passage about it.

A question of several hops asks for a passage it has no word of. The walk comes there, but spreads over all
that is near; a path from a high passage over a name to another, scored by the name's rarity and by what the
second passage says of the question's rest, tells which was meant. After the paths of propositions of PropRAG
(Wang & Han 2025, arXiv:2504.18070), without propositions.
"""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.tasks.graph.compiled import Doubles
from corpusgraph.tasks.graph.passage_edges import QUALIFIER
from corpusgraph.tasks.graph.ranking import best
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.graph.words import STOP_WORDS, stems, words, written_words

if TYPE_CHECKING:
    from scipy.sparse import csr_array

POOL = 100
"""Passages, from the first, that a path may end in: hardly any comes among the first ten from farther."""


@dataclass(frozen=True)
class PathWeights:
    """What the steps of a path add to the logarithm of a passage's score, times the rarity of its name.

    Rarity is ln(n / passages with the name) / ln(n), from 0 to 1.
    """

    higher: int = 6
    """Passages, from the first, that a path may begin in; 0: no paths, and no `asked`."""
    shared: float = 1.0
    """Of a name in both passages that is not the question's."""
    titled: float = 2.0
    """More, where the name stands in the second passage's title, or is the title."""
    rest: float = 2.0
    """More, times the share of the question's words (by idf) in the second passage and not in the first."""
    asked: float = 2.0
    """Of a title that stands in the question."""


class Said(NamedTuple):
    """A text by its words, folded and as written, each between spaces."""

    folded: str
    written: str

    @classmethod
    def of(cls, text: str) -> "Said":
        """Read a text."""
        written = f" {' '.join(written_words(nfc(text)))} "
        return cls(written.casefold(), written)

    def has(self, title: "Title") -> bool:
        """Tell whether a title stands in the text; one of a single word as it is written: "It" is no "it"."""
        if title.words > 1:
            return title.said.folded in self.folded
        return title.words == 1 and title.said.written in self.written


class Title(NamedTuple):
    """A title without its parenthesis; `words` is 0 where it has none but stop words."""

    said: Said
    stems: frozenset[str]
    words: int


@lru_cache(maxsize=20_000)
def title_of(text: str) -> Title:
    """Read a title."""
    short = QUALIFIER.sub("", text)
    folded = words(short)
    telling = not all(word in STOP_WORDS for word in folded)
    return Title(Said.of(short), frozenset(stems(text)), len(folded) if telling else 0)


class Lead(NamedTuple):
    """A name in passages that a path may begin in: how rare it is, its stems, and which of them it is in."""

    rarity: float
    stems: frozenset[str]
    starts: frozenset[int]


class Bridges:
    """The names in passages, how rare they are, and the passages' titles: what paths are made of.

    Parameters
    ----------
    matrix
        Of a graph of entities and passages (entities + n, entities + n), entities first.
    proper
        Which entities have a name of their own (entities,).
    titles
        Of the passages (n,), "" where there is none. No path joins passages of one title.
    bm25
        Of the passages' texts.

    """

    def __init__(
        self, matrix: "csr_array", proper: Sequence[bool], titles: Sequence[str], bm25: Bm25
    ) -> None:
        self._matrix, self._proper, self._titles, self._bm25 = matrix, proper, titles, bm25
        self._bearers = Counter(titles)

    def raised(
        self, scores: Doubles, graph: GraphView, question: str, seeds: Collection[int], weights: PathWeights
    ) -> Doubles:
        """Return scores (n,) between 0 and 1, those of the first `POOL` raised by the best path to each.

        Parameters
        ----------
        scores
            Of the passages (n,), from 0 on.
        graph
            That the matrix was made of.
        question
            What is asked.
        seeds
            Places of the entities that the question names: no path leads over them.
        weights
            What the steps of a path count.

        """
        said = list(dict.fromkeys(stems(question)))
        if not weights.higher or not self._asks_more(said, graph, seeds):
            return scores
        pool = best(scores, POOL)
        asked, higher = Said.of(question), pool[: weights.higher]
        texts = [Said.of(graph.chunks[place].content) for place in higher]
        titles = [title_of(self._titles[place]) for place in pool]
        leads = self._leads(graph, higher, frozenset(said), seeds)
        steps = weights.shared + weights.rest * self._rest(said, higher, pool)
        gains = np.zeros(len(scores))
        for place, title, step in zip(pool, titles, steps.T.tolist(), strict=True):
            rarity = self._rarity(self._bearers[self._titles[place]])
            apart = [i for i, start in enumerate(titles[: len(higher)]) if start.said != title.said]
            named = [rarity * (step[i] + weights.titled) for i in apart if texts[i].has(title)]
            shared = [leads[name] for name in self._names(place) if name in leads]
            over = [
                lead.rarity * (step[i] + weights.titled * (lead.stems <= title.stems))
                for lead in shared
                for i in lead.starts.intersection(apart)
            ]
            alone = rarity / max(1, self._bearers[self._titles[place]])  # a title of many tells none of them
            gains[place] = max([0.0, *named, *over]) + weights.asked * alone * asked.has(title)
        raised: Doubles = scores * np.exp(gains - gains.max(initial=0.0))
        return raised / (raised.max(initial=0.0) or 1.0)

    def _asks_more(self, said: Sequence[str], graph: GraphView, seeds: Collection[int]) -> bool:
        """Tell whether passages have words of the question beside its names: else no path leads anywhere."""
        names = {stem for seed in seeds for stem in stems(graph.entities[seed].name)}
        return any(word in self._bm25.terms.vocabulary for word in said if word not in names)

    def _names(self, place: int) -> list[int]:
        """Return the places of the entities with a name of their own that a passage mentions."""
        row = len(self._proper) + place
        inside = self._matrix.indices[self._matrix.indptr[row] : self._matrix.indptr[row + 1]].tolist()
        return [name for name in inside if self._proper[name]]

    def _rarity(self, passages: int) -> float:
        n = len(self._titles)
        return math.log(n / passages) / math.log(n) if 0 < passages < n else 0.0

    def _leads(
        self, graph: GraphView, higher: Sequence[int], said: Collection[str], seeds: Collection[int]
    ) -> dict[int, Lead]:
        """Return the names that the question does not have, by place."""
        starts: dict[int, set[int]] = {}
        for start, place in enumerate(higher):
            for name in self._names(place):
                starts.setdefault(name, set()).add(start)
        leads = {}
        chunks = graph.entity_chunks()
        for name, where in starts.items():
            entity = graph.entities[name]
            known = frozenset(stems(entity.name))
            if name not in seeds and known and not known.issubset(said):
                leads[name] = Lead(self._rarity(len(chunks[entity.id])), known, frozenset(where))
        return leads

    def _rest(self, said: Sequence[str], higher: Sequence[int], pool: Sequence[int]) -> Doubles:
        """Return the share of the question's words, by idf, that a passage has and a higher one lacks.

        Of shape (higher, pool).
        """
        terms = self._bm25.terms
        known = [terms.vocabulary[word] for word in said if word in terms.vocabulary]
        inside = [_among(terms.postings(term)[0], pool) for term in known]
        there = np.array(inside, dtype=bool).reshape(len(known), len(pool))
        worth = self._bm25.idf[known] / (math.fsum(self._bm25.idf[known]) or 1.0)
        lacking = ~there[:, : len(higher)] * worth[:, None]
        share: Doubles = np.einsum("ts,tp->sp", lacking, there.astype(np.float64))
        return share


def _among(ordered: Ints, places: Sequence[int]) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    """Tell which places are among those in order: faster than isin, which sorts them again."""
    at = np.minimum(np.searchsorted(ordered, places), len(ordered) - 1)
    return np.asarray(ordered[at] == places)
