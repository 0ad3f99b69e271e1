"""One graph of entities and passages, and a walk over it that ranks the passages for a question.

After HippoRAG 2 (Gutiérrez et al. 2025, arXiv:2502.14802).
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np
from pydantic import Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.base import Described, nfc
from corpusgraph.schemas.errors import InvalidInputError, MissingResourceError
from corpusgraph.schemas.graph import CO_OCCURRENCE, VALUES
from corpusgraph.schemas.ports import Corpus, Embedder, GraphView, Ints, Vectors
from corpusgraph.tasks.digits import COSINE
from corpusgraph.tasks.graph.compiled import Doubles, adjacency, per_graph
from corpusgraph.tasks.graph.linking import is_proper
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.graph.ppr import personalised_pagerank
from corpusgraph.tasks.graph.ranking import best, is_lexical, near
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.progress import counted, step
from corpusgraph.tasks.text.words import STOP_WORDS, stems, words, written_words

if TYPE_CHECKING:
    from scipy.sparse import csr_array

THRESHOLD, TOP_K = 0.8, 10
"""Of HippoRAG's synonymy edges (Gutiérrez et al. 2024, arXiv:2405.14831, section 2.2)."""
GRAMS = (2, 3, 4)
"""Lengths of the groups of letters that two names are compared by."""
_BLOCK = 1024
_SLACK = 1e-9
_CUT = 0.8  # less: more groups are multiplied; more: more pairs are looked at twice


class Pair(NamedTuple):
    """Places of two names, the smaller first, and how alike they are.

    Attributes
    ----------
    one, other : int
    score : float
        Cosine, 0 to 1.

    """

    one: int
    other: int
    score: float


def synonym_pairs(
    names: Sequence[str],
    threshold: float = THRESHOLD,
    top_k: int = TOP_K,
) -> list[Pair]:
    """Return the pairs of names that are alike, in order of place.

    The cosine is that of counted groups of 2 to 4 letters of the
    case-folded words. A pair is kept if it is among the `top_k` best of either name.

    Parameters
    ----------
    names : sequence of str
        The names.
    threshold : float
        Least cosine, above 0 and at most 1.
    top_k : int
        Pairs of each name, 1 or more.

    Returns
    -------
    list of Pair
        Places (i, j), i < j, with their cosine; a place is an index into `names`.

    Raises
    ------
    InvalidInputError
        For a threshold or `top_k` out of range.

    References
    ----------
    Gutiérrez et al. 2024 (HippoRAG), section 2.2; the search of all pairs: Bayardo et al. 2007.

    """
    if not 0 < threshold <= 1 or top_k < 1:
        raise InvalidInputError(
            f"A threshold of {threshold} and top_k of {top_k} make no pairs.",
            hint="The threshold is above 0 and at most 1, top_k at least 1.",
        )
    return strongest(*_alike(_unit(_counted(names)), threshold), top_k)


def contained_pairs(names: Sequence[str]) -> list[tuple[int, int, float]]:
    """Return (i, j, share) where all words of name j stand together inside name i, in order of place.

    "Meet Me in St. Louis" holds "St. Louis". `share` is the part of i's words that j has, below 1. A name
    of nothing but stop words or digits is held by none.

    Parameters
    ----------
    names : sequence of str
        The names.

    Returns
    -------
    list of (int, int, float)
        Places are indices into `names`; empty where no name holds another.

    """
    split = [tuple(words(name)) for name in counted(names, "names split")]
    telling = [any(word not in STOP_WORDS and not word.isdigit() for word in name) for name in split]
    bearers = grouped((split[place], place) for place, tells in enumerate(telling) if tells)
    longest = max(map(len, bearers), default=0)
    return [
        (place, held, round((end - start) / len(name), COSINE))
        for place, name in enumerate(counted(split, "names held by names"))
        for start in range(len(name))
        for end in range(start + 1, min(len(name), start + longest) + 1)
        if end - start < len(name)
        for held in bearers.get(name[start:end], ())
    ]


def _counted(names: Sequence[str]) -> "csr_array":
    """Count the groups of letters of each name (names, groups); columns from the rarest group on."""
    from scipy.sparse import coo_array

    vocabulary: dict[str, int] = {}
    rows, columns, counts = [], [], []
    for row, name in enumerate(counted(names, "names spelt out")):
        said = words(name)
        text = f" {' '.join(said)} " if said else ""
        groups = Counter(text[i : i + n] for n in GRAMS for i in range(len(text) - n + 1))
        for group, count in groups.items():
            rows.append(row)
            columns.append(vocabulary.setdefault(group, len(vocabulary)))
            counts.append(float(count))
    seen = np.bincount(np.asarray(columns, np.int64), minlength=len(vocabulary))
    rank = np.empty(len(vocabulary), np.int64)
    rank[np.argsort(seen, kind="stable")] = np.arange(len(vocabulary))
    at = (np.asarray(rows, np.int64), rank[np.asarray(columns, np.int64)])
    return coo_array((np.asarray(counts), at), shape=(len(names), len(vocabulary))).tocsr()


def _unit(matrix: "csr_array") -> "csr_array":
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    matrix.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(matrix.indptr))
    matrix.sort_indices()
    return matrix


def _alike(units: "csr_array", threshold: float) -> tuple[Ints, Ints, Doubles]:
    """Return the pairs with at least that cosine, exactly, without comparing all with all.

    Of each name its most frequent groups are left out, as long as they are shorter than `cut`. What two names
    have in common there adds less than `cut` to their cosine, so the rest of them must reach the difference
    to the threshold (Bayardo et al. 2007).
    """
    cut = _CUT * threshold
    rarest = _rarest(units, cut)
    others = rarest.T.tocsr()
    ones, twos = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for at in range(0, units.shape[0], _BLOCK):
        step("names compared", at, units.shape[0])
        found = (rarest[at : at + _BLOCK] @ others).tocoo()
        kept = (found.data > threshold - cut - _SLACK) & (found.row + at < found.col)
        ones.append(found.row[kept].astype(np.int64) + at)
        twos.append(found.col[kept].astype(np.int64))
    one, other = np.concatenate(ones), np.concatenate(twos)
    scores = np.asarray(units[one].multiply(units[other]).sum(axis=1)).ravel()
    kept = scores >= threshold - _SLACK
    return one[kept], other[kept], np.round(scores[kept], COSINE)


def _rarest(units: "csr_array", cut: float) -> "csr_array":
    """Leave out of each row its last columns whose squares sum to less than that of `cut`."""
    from scipy.sparse import csr_array

    squares = units.data**2
    until = np.concatenate([[0.0], np.cumsum(squares)])
    ends = np.repeat(until[units.indptr[1:]], np.diff(units.indptr))
    data = np.where(ends - until[:-1] >= cut**2 - _SLACK, units.data, 0.0)
    kept = csr_array((data, units.indices.copy(), units.indptr.copy()), shape=units.shape)
    kept.eliminate_zeros()
    return kept


def strongest(one: Ints, other: Ints, scores: Doubles, top_k: int) -> list[Pair]:
    """Keep the pairs that are among the best of either of the two; ties go to the smaller place.

    Parameters
    ----------
    one, other : array of int, shape (p,)
        Places of the two of each pair.
    scores : array of float, shape (p,)
        The higher, the better.
    top_k : int
        Pairs of one place at most, but for those that are among the best of the other.

    Returns
    -------
    list of Pair
        In order.

    """
    pair = np.concatenate([np.arange(len(one)), np.arange(len(one))])
    mine, theirs = np.concatenate([one, other]), np.concatenate([other, one])
    order = np.lexsort((theirs, -scores[pair], mine))
    starts = np.flatnonzero(np.r_[True, np.diff(mine[order]) != 0]) if len(order) else order
    sizes = np.diff(np.r_[starts, len(order)])
    rank = np.arange(len(order)) - np.repeat(starts, sizes)
    kept = sorted(set(pair[order[rank < top_k]].tolist()), key=lambda i: (one[i], other[i]))
    return [Pair(int(one[i]), int(other[i]), float(scores[i])) for i in kept]


MANY = 50_000
"""Names beyond which none are compared: that would take more than some seconds."""
LEAST = 1e-9
"""Weight of an edge that is one at all."""
Edge = tuple[int, int, float]

QUALIFIER = re.compile(r"\s*\([^()]*\)$")


Weight = Annotated[float, Field(ge=0, le=1e6)]
Positive = Annotated[float, Field(ge=1e-3, le=1e6)]
PathWeight = Annotated[float, Field(ge=0, le=20)]


class EdgeWeights(Described):
    """What each kind of edge weighs, beside 1 for a name's mention in a passage; 0 leaves the kind out."""

    relation_weight: Weight = 0.5
    """edges stated by relationships"""
    co_occurrence_weight: Weight = Field(0.0, description="edges between names of one sentence")
    """That is no relation, and the passage already says so."""
    own_page_weight: Positive = 4.0
    """edges from entities to the document titled after them"""
    title_weight: Weight = 1.0
    """edges from entities to the one their document is titled after"""
    held_name_weight: Weight = Field(
        1.0, description="edges from names to names inside them, times the share of words"
    )
    """From "Eastern Uganda" to "Uganda"."""
    synonym_weight: Weight = Field(
        1.0, description="edges between names of like spelling, up to 50,000 names"
    )
    """Such as "Austria" and "Austrian", times their cosine; see MANY."""
    common_noun_weight: Positive = Field(0.1, le=1, description="factor of what leads to a common noun")
    """Nouns are everywhere and lead astray."""
    repeats: bool = True
    """n mentions in a passage count 1 + ln n"""


class PassageEdges:
    """Edges of a graph of entities and passages: `(node, node, weight)`, when iterated over.

    Parameters
    ----------
    graph : GraphView
        The graph.
    titles : mapping of str to str
        Document id -> title.
    weights : EdgeWeights
        What each kind of edge weighs.

    """

    def __init__(self, graph: GraphView, titles: Mapping[str, str], weights: EdgeWeights) -> None:
        self._graph, self._titles, self._weights = graph, titles, weights
        entities = enumerate(counted(graph.entities, "passage graph: entities read"))
        self.at = {entity.id: i for i, entity in entities}
        self.proper = {entity.id: is_proper(entity) for entity in graph.entities}
        self._worth = {
            id_: 1.0 if proper else weights.common_noun_weight for id_, proper in self.proper.items()
        }
        self._names = {entity.id: entity.name for entity in graph.entities}

    def __iter__(self) -> Iterator[Edge]:
        """Yield edges without direction: entities by place, passages after them; weights above 0."""
        every = chain(self._mentions(), self._relations(), self._held(), self._synonyms())
        return (edge for edge in every if edge[2] > LEAST)

    def _mentions(self) -> Iterator[Edge]:
        """Yield edges between entities and the chunks they are in, and the entity the document is about."""
        chunks_read = counted(self._graph.chunks, "passage graph: passages read")
        inside: dict[str, dict[str, int]] = {chunk.id: {} for chunk in chunks_read}
        every = self._graph.mention_counts()  # walked over: asking for one entity after another is far slower
        for entity_id, counts in counted(every.items(), "passage graph: entities", every=256):
            for chunk_id, count in counts.items():
                inside[chunk_id][entity_id] = count
        chunks_of = counted(self._graph.chunks, "passage graph: passages", every=256)
        for place, chunk in enumerate(chunks_of, start=len(self.at)):
            title = self._titles.get(chunk.source_doc, "")
            about = titled(title, {id_: self._names[id_] for id_ in inside[chunk.id]}) if title else set()
            for id_, count in inside[chunk.id].items():
                own = self._weights.own_page_weight if id_ in about else 1.0
                said = count if self._weights.repeats else 1
                yield self.at[id_], place, own * self._worth[id_] * (1 + math.log(max(1, said)))
                for title_id in sorted(about - {id_}):
                    yield self.at[id_], self.at[title_id], self._weights.title_weight * self._worth[id_]

    def _relations(self) -> Iterator[Edge]:
        weights = self._weights
        for r in counted(self._graph.relationships, "passage graph: relationships"):
            if r.is_stated:
                kind = weights.co_occurrence_weight if r.type == CO_OCCURRENCE else weights.relation_weight
                worth = self._worth[r.source_id] * self._worth[r.target_id]
                yield self.at[r.source_id], self.at[r.target_id], kind * worth

    def _held(self) -> Iterator[Edge]:
        """Yield edges from names to the names they hold; a person's first or last name alone is nobody's."""
        if not self._weights.held_name_weight:
            return
        entities = self._graph.entities
        names = [entity.name if self.proper[entity.id] else "" for entity in entities]
        for place, held, share in contained_pairs(names):
            if entities[held].type != "person" or len(words(entities[held].name)) > 1:
                yield place, held, self._weights.held_name_weight * share

    def _synonyms(self) -> Iterator[Edge]:
        compared = [e for e in self._graph.entities if self.proper[e.id] and e.type not in VALUES]
        if not self._weights.synonym_weight or len(compared) > MANY:
            return
        places = [self.at[entity.id] for entity in compared]
        for pair in synonym_pairs([entity.name for entity in compared]):
            yield places[pair.one], places[pair.other], self._weights.synonym_weight * pair.score


def titled(title: str, names: Mapping[str, str]) -> set[str]:
    """Return the entities a document is titled after: those called so, or so but for the parenthesis.

    Parameters
    ----------
    title : str
        Title of a document.
    names : mapping of str to str
        Entity id -> name, of the entities to look at.

    Returns
    -------
    set of str
        Ids.

    """
    whole, short = words(title), words(QUALIFIER.sub("", title))
    if not whole:
        return set()
    exact = {id_ for id_, name in names.items() if words(name) == whole}
    return exact or {id_ for id_, name in names.items() if words(QUALIFIER.sub("", name)) == short}


POOL = 100
"""Passages, from the first, that a path may end in: hardly any comes among the first ten from farther."""


class PathWeights(Described):
    """What the steps of a path add to the logarithm of a passage's score, times the rarity of its name.

    Rarity is ln(n / passages with the name) / ln(n), from 0 to 1.
    """

    higher_passages: NonNegativeInt = Field(
        6,
        le=100,
        description="where the walk decides: passages, from the first, from which paths lead on to passages "
        "of other titles, whose score is raised e ** the sum of the four weights below, times the name's "
        "rarity; a tenth of all passages at most; 0: none",
    )
    shared_name_weight: PathWeight = 1.0
    """of a path over a name in both passages and not in the query"""
    titled_name_weight: PathWeight = 2.0
    """more, where the name stands in the title of the second passage, or is it"""
    rest_weight: PathWeight = Field(
        2.0, description="more, times the share of the query's words in the second passage only"
    )
    """Words weigh their idf."""
    asked_title_weight: PathWeight = 2.0
    """of a title that stands in the query"""


class Said(NamedTuple):
    """A text by its words, each between spaces.

    Attributes
    ----------
    folded : str
        Case-folded.
    written : str
        As written.

    """

    folded: str
    written: str

    @classmethod
    def of(cls, text: str) -> "Said":
        """Read a text.

        Parameters
        ----------
        text : str
            A text.

        Returns
        -------
        Said
            Its words between blanks, with and without capitals.

        """
        written = f" {' '.join(written_words(nfc(text)))} "
        return cls(written.casefold(), written)

    def has(self, title: "Title") -> bool:
        """Tell whether a title stands in the text; one of a single word as it is written: "It" is no "it".

        Parameters
        ----------
        title : Title
            A title.

        Returns
        -------
        bool
            Whole words only; a title without a telling word stands nowhere.

        """
        if title.words > 1:
            return title.said.folded in self.folded
        return title.words == 1 and title.said.written in self.written


class Title(NamedTuple):
    """A title without its parenthesis.

    Attributes
    ----------
    said : Said
        Its words.
    stems : frozenset of str
        Stems of the whole title, the parenthesis too.
    words : int
        How many there are; 0 where it has none but stop words.

    """

    said: Said
    stems: frozenset[str]
    words: int


@lru_cache(maxsize=20_000)
def title_of(text: str) -> Title:
    """Read a title.

    Parameters
    ----------
    text : str
        A title.

    Returns
    -------
    Title
        Without the qualifier in brackets; its `words` are 0 where it has stop words only.

    """
    short = QUALIFIER.sub("", text)
    folded = words(short)
    telling = not all(word in STOP_WORDS for word in folded)
    return Title(Said.of(short), frozenset(stems(text)), len(folded) if telling else 0)


class Lead(NamedTuple):
    """A name in passages that a path may begin in.

    Attributes
    ----------
    rarity : float
        ln(n / passages with the name) / ln(n), 0 to 1.
    stems : frozenset of str
    starts : frozenset of int
        Which of the passages that a path may begin in have it, from 0 for the first.

    """

    rarity: float
    stems: frozenset[str]
    starts: frozenset[int]


class Bridges:
    """The names in passages, how rare they are, and the passages' titles: what paths are made of.

    Parameters
    ----------
    matrix : sparse array of float, shape (entities + n, entities + n)
        Of a graph of entities and passages (entities + n, entities + n), entities first.
    proper : sequence of bool, length entities
        Which entities have a name of their own (entities,).
    titles : sequence of str, length n
        Of the passages (n,), "" where there is none. No path joins passages of one title.
    bm25 : Bm25
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
        scores : array of float, shape (n,)
            Of the passages (n,), from 0 on.
        graph : GraphView
            That the matrix was made of.
        question : str
            What is asked.
        seeds : collection of int
            Places of the entities that the question names: no path leads over them.
        weights : PathWeights
            What the steps of a path count.

        Returns
        -------
        Doubles
            The best is 1; the same scores come back where no passage has a word of the question beside its
            names.

        """
        said = list(dict.fromkeys(stems(question)))
        if not weights.higher_passages or not self._asks_more(said, graph, seeds):
            return scores
        pool = best(scores, POOL)
        asked, higher = Said.of(question), pool[: weights.higher_passages]
        texts = [Said.of(graph.chunks[place].content) for place in higher]
        titles = [title_of(self._titles[place]) for place in pool]
        leads = self._leads(graph, higher, frozenset(said), seeds)
        steps = weights.shared_name_weight + weights.rest_weight * self._rest(said, higher, pool)
        gains = np.zeros(len(scores))
        for place, title, gain in zip(pool, titles, steps.T.tolist(), strict=True):
            rarity = self._rarity(self._bearers[self._titles[place]])
            apart = [i for i, start in enumerate(titles[: len(higher)]) if start.said != title.said]
            named = [rarity * (gain[i] + weights.titled_name_weight) for i in apart if texts[i].has(title)]
            shared = [leads[name] for name in self._names(place) if name in leads]
            over = [
                lead.rarity * (gain[i] + weights.titled_name_weight * (lead.stems <= title.stems))
                for lead in shared
                for i in lead.starts.intersection(apart)
            ]
            alone = rarity / max(1, self._bearers[self._titles[place]])  # a title of many tells none of them
            gains[place] = max([0.0, *named, *over]) + weights.asked_title_weight * alone * asked.has(title)
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
        starts = grouped((name, start) for start, place in enumerate(higher) for name in self._names(place))
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


BRIDGED = 0.5
"""Where fewer of the passages share a name with another, the graph has little to say: words count more."""
TELLING = 0.1
"""So it is where the rarest name in a question tells less than this share of what its words tell: a long
sentence that happens to name a country is about its words. Both are told by BM25's idf."""
FLAT, FEW = 0.1, 20
"""And where the walk is spread over more than this share of the passages, as over the turns of a chat that
name everybody all the time; over so few it may be. How many is e ** entropy of the walk."""
LEANING = 0.25
"""What the walk counts where the graph has little to say; the words count the rest."""


class WalkOptions(Described):
    """How far the walk may wander, and what the passages' own texts count."""

    damping_factor: float = Field(0.85, gt=0, lt=1)
    """probability of following an edge"""
    passage_weight: Weight = 0.05
    """weight of the best passage beside a seed's; others by min-max likeness ** sharpness"""
    sharpness: Positive = 3.0
    """how much a near passage outweighs a less near one"""
    depth: PositiveInt = Field(
        200, description="passages from here on, in order of their texts, start no walk"
    )
    """More would weigh more in a larger corpus."""
    pull: Weight = 1.0
    """edges into a passage weigh 1 + pull x likeness ** 2 times as much"""
    lean: bool = Field(
        True,
        description="where few passages share a name, no name among the seeds tells a tenth of what the "
        "query's words do, or the walk is spread over a tenth of the passages: the walk counts a quarter and "
        "the texts the rest",
    )


class PassageScores(NamedTuple):
    """Scores of all n chunks, in id order, between 0 and 1, and what they are made of.

    Attributes
    ----------
    scores : array of float, shape (n,)
    walked : array of float, shape (n,)
        Where the walk spends its time, as a share of the most; 0 where there was none.
    likeness : array of float, shape (n,)
        How like the question the texts are.
    mode : str
        graph (the walk decided), text (the words did) or graph and text (see `LEANING`).

    """

    scores: Doubles
    walked: Doubles
    likeness: Doubles
    mode: str


class PassageGraph:
    """A graph whose nodes are entities and chunks, and a walk over it that ranks the chunks for a question.

    Parameters
    ----------
    graph : GraphView
        Entities, relationships, chunks and mentions.
    titles : mapping of str to str
        Document id -> title.
    weights : EdgeWeights, optional
        What each kind of edge weighs.

    References
    ----------
    After Gutiérrez et al. 2025 (HippoRAG 2).

    """

    def __init__(
        self, graph: GraphView, titles: Mapping[str, str], weights: EdgeWeights | None = None
    ) -> None:
        weights = weights or EdgeWeights()
        edges = PassageEdges(graph, titles, weights)
        listed = list(edges)
        self._entity_at, self._proper = edges.at, edges.proper
        self._n_entities, self._n_chunks = len(graph.entities), len(graph.chunks)
        self._common = weights.common_noun_weight
        self._chunk_counts = {id_: len(chunks) for id_, chunks in graph.entity_chunks().items()}
        entities = counted(graph.entities, "passage graph: names split")
        self._phrases = {entity.id for entity in entities if len(words(entity.name)) > 1}
        self.chunk_at = {chunk.id: i for i, chunk in enumerate(graph.chunks)}
        step("passage graph: laid out", len(listed))
        one, other = np.array([edge[:2] for edge in listed], dtype=np.int64).reshape(-1, 2).T
        weight = np.array([edge[2] for edge in listed], dtype=np.float64)
        self._matrix = adjacency(self._n_entities + self._n_chunks, one, other, weight, directed=False)
        step("passage graph: joined", len(listed))
        bridges = [c for e, c in graph.entity_chunks().items() if len(c) > 1 and self._proper[e]]
        self.bridged = len({id_ for chunks in bridges for id_ in chunks}) / (self._n_chunks or 1)
        about = [titles.get(chunk.source_doc, "") for chunk in graph.chunks]
        texts = zip(about, graph.chunks, strict=True)
        self._bm25 = Bm25([f"{title}\n{chunk.content}" for title, chunk in texts])
        self._bridges = Bridges(self._matrix, list(edges.proper.values()), about, self._bm25)

    def rarity(self, stem: str) -> float:
        """Return how rare a stem is in the chunks, each read under its document's title.

        Parameters
        ----------
        stem : str
            A stem, known or not.

        Returns
        -------
        float
            See `Bm25.rarity`.

        """
        return self._bm25.rarity(stem)

    def bm25(self, query: str) -> Doubles:
        """Return the BM25 score of every chunk, read under its document's title.

        Parameters
        ----------
        query : str
            Words.

        Returns
        -------
        array of float, shape (n_chunks,)
            From 0 on; in the order of the chunks (Robertson & Zaragoza 2009).

        """
        return self._bm25.scores(query)

    def seeds(self, candidates: Mapping[str, int], *, everywhere: bool = False) -> dict[str, float]:
        """Return entity id -> weight as a seed: 1 / chunks that mention it / entities of that name.

        One in no chunk is left out, unless `everywhere`, and beside names a common noun of one word, which
        tells no more than the word does. A common noun weighs less (`EdgeWeights.common_noun_weight`).

        Parameters
        ----------
        candidates : mapping of str to int
            Entity id -> how many entities bear its name.
        everywhere : bool
            Whether entities in no chunk count too.

        Returns
        -------
        dict of str to float
            Weights above 0, not yet summing to 1; in the order of the candidates.

        """
        known = {id_: n for id_, n in candidates.items() if everywhere or self._chunk_counts[id_]}
        named = any(self._proper[id_] for id_ in known)
        told = (id_ for id_ in known if self._proper[id_] or not named or id_ in self._phrases)
        worth = {id_: 1.0 if self._proper[id_] else self._common for id_ in told}
        return {id_: worth[id_] / (max(1, self._chunk_counts[id_]) * known[id_]) for id_ in worth}

    def rank(
        self,
        seeds: Mapping[str, float],
        text: Doubles,
        options: WalkOptions | None = None,
        alone: Doubles | None = None,
        question: str | None = None,
    ) -> PassageScores:
        """Score the chunks by a walk from the seeds, or by their texts where there are none.

        Parameters
        ----------
        seeds : mapping of str to float
            Entity id -> weight.
        text : array of float, shape (n_chunks,)
            Scores of the chunks' texts on any scale, where the walk starts.
        options : WalkOptions, optional
            How far the walk may wander.
        alone : array of float, shape (n_chunks,), optional
            Scores that draw the walk, and count without it; `text` unless given.
        question : str, optional
            The seeds are weighed against its words, where it is given.

        Returns
        -------
        PassageScores
            All from 0 to 1; with what decided: graph, text or both.

        """
        from scipy.special import entr

        chosen = options or WalkOptions()
        likeness = spread(text if alone is None else alone)
        nothing = np.zeros(self._n_chunks)
        if not any(seeds.values()):
            return PassageScores(likeness, nothing, likeness, "text")
        near = spread(text, chosen.depth)
        walked = self._walk(seeds, near, likeness, chosen)
        spread_over = math.exp(float(entr(walked / (walked.sum() or 1.0)).sum()))  # passages
        is_flat = spread_over > max(FEW, FLAT * len(walked))
        has_say = self.bridged >= BRIDGED and self._tell(seeds, question) and not is_flat
        if has_say or not chosen.lean:
            return PassageScores(walked, walked, near, "graph")
        both = LEANING * walked + (1 - LEANING) * likeness
        return PassageScores(both, walked, likeness, "graph and text")

    def bridged_to(
        self,
        scores: Doubles,
        graph: GraphView,
        question: str,
        seeds: Mapping[str, float],
        weights: PathWeights,
    ) -> Doubles:
        """Return scores raised where a path of names leads to; see `Bridges.raised`.

        Parameters
        ----------
        scores : array of float, shape (n_chunks,)
            From 0 on.
        graph : GraphView
            The graph that this was made of.
        question : str
            What is asked.
        seeds : mapping of str to float
            Entities that the question names, by id.
        weights : PathWeights
            What the steps of a path count.

        Returns
        -------
        array of float, shape (n_chunks,)
            From 0 to 1, or `scores` as they are.

        """
        return self._bridges.raised(scores, graph, question, {self._entity_at[id_] for id_ in seeds}, weights)

    def _tell(self, seeds: Mapping[str, float], question: str | None) -> bool:
        """Tell whether a name is among the seeds that says enough of what the question asks for."""
        counts = [self._chunk_counts[id_] for id_, weight in seeds.items() if weight and self._proper[id_]]
        if not counts or question is None:
            return bool(counts)
        n, rarest = self._n_chunks, min(counts)
        named = math.log1p((n - rarest + 0.5) / (rarest + 0.5))
        return named >= TELLING * self._bm25.information(question)

    def _walk(
        self, seeds: Mapping[str, float], near: Doubles, like: Doubles, options: WalkOptions
    ) -> Doubles:
        reset = np.zeros(self._n_entities + self._n_chunks)
        for id_, weight in seeds.items():
            reset[self._entity_at[id_]] = weight
        reset[self._n_entities :] = options.passage_weight * near**options.sharpness
        matrix = self._pulled(1 + options.pull * like**2) if options.pull else self._matrix
        walk = personalised_pagerank(matrix, reset, damping=options.damping_factor)
        walked: Doubles = walk.scores[self._n_entities :]
        return walked / (walked.max() or 1.0)

    def _pulled(self, pull: Doubles) -> "csr_array":
        """Return the matrix with the weights of all edges into a passage times its `pull` (n,)."""
        from scipy.sparse import csr_array

        matrix = self._matrix
        factor = np.concatenate([np.ones(self._n_entities), pull])
        parts = (matrix.data * factor[matrix.indices], matrix.indices, matrix.indptr)
        return csr_array(parts, shape=matrix.shape)


def spread(scores: Doubles, depth: int | None = None) -> Doubles:
    """Return scores from 0 to 1: 1 for the best, 0 from the `depth`-th on.

    Where all are equal, as that of an only passage, they are 1 if above 0, else 0.

    Parameters
    ----------
    scores : array of float, shape (n,)
        On any scale.
    depth : int, optional
        Scores that count at all; all unless given.

    Returns
    -------
    array of float, shape (n,)
        In the order of `scores`.

    """
    if not len(scores):
        return scores
    low = scores.min() if depth is None or depth >= len(scores) else np.partition(scores, -depth)[-depth]
    high = scores.max()
    if not high > low:
        return np.full(len(scores), float(high > 0) if high <= low else 0.0)
    likeness: Doubles = np.clip((scores - low) / (high - low), 0.0, 1.0)
    return likeness


@per_graph
def _passage_graphs(_graph: GraphView) -> dict[tuple[bool, EdgeWeights], PassageGraph]:
    return {}


def passage_graph(
    graph: GraphView, corpus: Corpus | None = None, weights: EdgeWeights | None = None
) -> PassageGraph:
    """Return the graph of entities and passages of a graph; the titles are those of the corpus' documents.

    Parameters
    ----------
    graph : GraphView
        The graph.
    corpus : Corpus, optional
        Where the titles are; no titles without it.
    weights : EdgeWeights, optional
        What each kind of edge weighs.

    Returns
    -------
    PassageGraph
        Made once for as long as the graph lives.

    """
    made, key = _passage_graphs(graph), (corpus is not None, weights or EdgeWeights())
    if key not in made:
        titles = {document.id: document.title for document in corpus.documents} if corpus else {}
        made[key] = PassageGraph(graph, titles, key[1])
    return made[key]


TextScore = Literal["auto", "bm25", "dense", "mix", "none"]


def text_scores(
    kind: TextScore,
    query: str,
    passages: PassageGraph,
    vectors: Vectors | None,
    embedder: Embedder | None,
    n: int,
) -> tuple[Doubles, Doubles]:
    """Return scores of all chunks: where a walk starts, and what draws it and does better alone.

    `auto` is bm25 for the start, and where the embedder is trained a mix else: paths begin where the words of
    a question are, and of the passages on them those near in meaning are meant too.

    Parameters
    ----------
    kind : {"auto", "bm25", "dense", "mix", "none"}
        What scores the texts; `none`: 0 for all.
    query : str
        The question.
    passages : PassageGraph
        The chunks.
    vectors : Vectors, optional
        Vectors of the chunks.
    embedder : Embedder, optional
        What makes the question's vector.
    n : int
        Nearest chunks to score by vector.

    Returns
    -------
    start : array of float, shape (n_chunks,)
        Scores where the walk starts, on the scale of what made them.
    alone : array of float, shape (n_chunks,)
        Scores that draw the walk and count without it; often the same.

    Raises
    ------
    MissingResourceError
        Where dense scores are asked for without vectors or embedder.

    """
    if kind == "none":
        return np.zeros(len(passages.chunk_at)), np.zeros(len(passages.chunk_at))
    trained = kind == "auto" and vectors is not None and embedder is not None and not is_lexical(embedder)
    if kind == "bm25" or (kind == "auto" and not trained):
        scores = passages.bm25(query)
        return scores, scores
    dense = _dense(query, passages, vectors, embedder, n)
    if kind == "dense":
        return dense, dense
    by_words = passages.bm25(query)
    mixed = (spread(dense) + spread(by_words)) / 2
    return (by_words, mixed) if kind == "auto" else (mixed, mixed)


def given_scores(scores: Mapping[int, float], n: int) -> Doubles:
    """Return the scores of all chunks of those given by place: one not given is like the least.

    Where all that are given have one score above 0, one not given has 0.

    Parameters
    ----------
    scores : mapping of int to float
        Place of a chunk -> score.
    n : int
        Chunks.

    Returns
    -------
    array of float, shape (n,)
        In the order of the chunks.

    """
    least, most = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    found = np.full(n, least if most > least else min(least, 0.0))
    for place, score in scores.items():
        found[place] = score
    return found


def _dense(
    query: str, passages: PassageGraph, vectors: Vectors | None, embedder: Embedder | None, n: int
) -> Doubles:
    """Return the cosine of the `n` nearest chunks; another is like the least of them."""
    if vectors is None or embedder is None:
        raise MissingResourceError("Dense scores of passages need vectors.", hint="Use text: bm25.")
    hits = near(vectors, "chunk", query, embedder.embed([query])[0], n)
    at = passages.chunk_at
    return given_scores({at[id_]: score for id_, score in hits if id_ in at}, len(at))
