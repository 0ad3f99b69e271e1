"""One graph of entities and passages, and a walk over it that ranks the passages for a question.

After HippoRAG 2 (Gutiérrez et al. 2025, arXiv:2502.14802).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from corpusgraph.schemas.ports import Corpus, GraphView
from corpusgraph.tasks._steps import counted, step
from corpusgraph.tasks.graph.bridges import Bridges, PathWeights
from corpusgraph.tasks.graph.compiled import Doubles, adjacency
from corpusgraph.tasks.graph.memo import per_graph
from corpusgraph.tasks.graph.passage_edges import EdgeWeights, PassageEdges
from corpusgraph.tasks.graph.ppr import personalised_pagerank
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.graph.words import words

if TYPE_CHECKING:
    from scipy.sparse import csr_array

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


@dataclass(frozen=True)
class WalkOptions:
    """How far the walk may wander, and what the passages' own texts count."""

    damping: float = 0.85
    passage_weight: float = 0.05
    """A passage's reset weight beside a seed's: so much times its likeness (0 to 1) ** `sharpness`."""
    sharpness: float = 3.0
    depth: int = 200
    """Passages that are like the question at all: more would weigh more in a larger corpus."""
    pull: float = 1.0
    """Of an entity's passages the walk prefers the liker: weights are times 1 + pull x likeness ** 2."""
    lean: bool = True
    """Lean on the words where the graph has little to say."""


class PassageScores(NamedTuple):
    """Scores of all chunks, in id order, between 0 and 1, and what they are made of.

    `mode` is graph (the walk decided), text (the words did) or graph and text (see `LEANING`).
    """

    scores: Doubles
    walked: Doubles
    likeness: Doubles
    mode: str


class PassageGraph:
    """Entities and chunks as nodes. `titles` maps document id to title."""

    def __init__(
        self, graph: GraphView, titles: Mapping[str, str], weights: EdgeWeights | None = None
    ) -> None:
        edges = PassageEdges(graph, titles, weights or EdgeWeights())
        listed = list(edges)
        self._entity_at, self._proper = edges.at, edges.proper
        self._n_entities, self._n_chunks = len(graph.entities), len(graph.chunks)
        self._common = (weights or EdgeWeights()).common_noun
        self._chunk_counts = {id_: len(chunks) for id_, chunks in graph.entity_chunks().items()}
        entities = counted(graph.entities, "passage graph: names split")
        self._phrases = {entity.id for entity in entities if len(words(entity.name)) > 1}
        self.chunk_at = {chunk.id: i for i, chunk in enumerate(graph.chunks)}
        step("passage graph: laid out", len(listed))
        self._matrix = adjacency(
            self._n_entities + self._n_chunks,
            np.array([edge[0] for edge in listed], dtype=np.int64),
            np.array([edge[1] for edge in listed], dtype=np.int64),
            np.array([edge[2] for edge in listed], dtype=np.float64),
            directed=False,
        )
        step("passage graph: joined", len(listed))
        bridges = [c for e, c in graph.entity_chunks().items() if len(c) > 1 and self._proper[e]]
        self.bridged = len({id_ for chunks in bridges for id_ in chunks}) / (self._n_chunks or 1)
        about = [titles.get(chunk.source_doc, "") for chunk in graph.chunks]
        texts = zip(about, graph.chunks, strict=True)
        self._bm25 = Bm25([f"{title}\n{chunk.content}" for title, chunk in texts])
        self._bridges = Bridges(self._matrix, list(edges.proper.values()), about, self._bm25)

    def rarity(self, stem: str) -> float:
        """Return how rare a stem is in the chunks, each read under its document's title."""
        return self._bm25.rarity(stem)

    def bm25(self, query: str) -> Doubles:
        """Return the BM25 score of every chunk, read under its document's title."""
        return self._bm25.scores(query)

    def seeds(self, candidates: Mapping[str, int], *, everywhere: bool = False) -> dict[str, float]:
        """Return entity id -> weight: 1 / chunks that mention it / entities of that name.

        `candidates` maps entity id to how many entities bear its name. One in no chunk is left out, unless
        `everywhere`, and beside names a common noun of one word, which tells no more than the word does.
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

        `text` scores the chunks' texts on any scale (n,), where the walk starts; `alone`, unless the same,
        what draws it, and counts without it.
        The seeds are weighed against the words of the `question`, where it is given.
        """
        chosen = options or WalkOptions()
        likeness = spread(text if alone is None else alone)
        nothing = np.zeros(self._n_chunks)
        if not any(seeds.values()):
            return PassageScores(likeness, nothing, likeness, "text")
        near = spread(text, chosen.depth)
        walked = self._walk(seeds, near, likeness, chosen)
        has_say = self.bridged >= BRIDGED and self._tell(seeds, question) and not _is_flat(walked)
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
        """Return scores (n,) raised where a path leads to; see `bridges`."""
        places = {self._entity_at[id_] for id_ in seeds}
        return self._bridges.raised(scores, graph, question, places, weights)

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
        walk = personalised_pagerank(matrix, reset, damping=options.damping)
        walked: Doubles = walk.scores[self._n_entities :]
        return walked / (walked.max() or 1.0)

    def _pulled(self, pull: Doubles) -> "csr_array":
        """Return the matrix with the weights of all edges into a passage times its `pull` (n,)."""
        from scipy.sparse import csr_array

        matrix = self._matrix
        factor = np.concatenate([np.ones(self._n_entities), pull])
        parts = (matrix.data * factor[matrix.indices], matrix.indices, matrix.indptr)
        return csr_array(parts, shape=matrix.shape)


def _is_flat(walked: Doubles) -> bool:
    """Tell whether a walk (n,) is spread over many passages, as e ** entropy counts them."""
    share = walked[walked > 0] / (walked.sum() or 1.0)
    return math.exp(-float((share * np.log(share)).sum())) > max(FEW, FLAT * len(walked))


def spread(scores: Doubles, depth: int | None = None) -> Doubles:
    """Return scores (n,) from 0 to 1: 1 for the best, 0 from the `depth`-th on.

    Where all are equal, as that of an only passage, they are 1 if above 0, else 0.
    """
    if not len(scores):
        return scores
    low = scores.min() if depth is None or depth >= len(scores) else np.partition(scores, -depth)[-depth]
    high = scores.max()
    if not high > low:
        equal: Doubles = np.full(len(scores), float(high > 0) if high <= low else 0.0)
        return equal
    likeness: Doubles = np.clip((scores - low) / (high - low), 0.0, 1.0)
    return likeness


@per_graph
def _passage_graphs(_graph: GraphView) -> dict[tuple[bool, EdgeWeights], PassageGraph]:
    return {}


def passage_graph(
    graph: GraphView, corpus: Corpus | None = None, weights: EdgeWeights | None = None
) -> PassageGraph:
    """Return the graph of entities and passages of a graph; the titles are those of the corpus' documents."""
    made, key = _passage_graphs(graph), (corpus is not None, weights or EdgeWeights())
    if key not in made:
        titles = {document.id: document.title for document in corpus.documents} if corpus else {}
        made[key] = PassageGraph(graph, titles, key[1])
    return made[key]
