"""One graph of entities and passages, and a walk over it that ranks the passages for a question.

After HippoRAG 2 (Gutiérrez et al. 2025, arXiv:2502.14802), with BM25 in place of a dense encoder.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.compiled import Doubles, adjacency
from corpusgraph.tasks.graph.linking import is_proper
from corpusgraph.tasks.graph.ppr import personalised_pagerank
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.graph.words import words

COMMON_NOUN = 0.1
"""Weight of what leads to a common noun, beside 1 for a name: nouns are everywhere and lead astray."""
OWN_PAGE = 4.0
"""Weight of the edge from an entity to the document titled after it."""
TO_TITLE = 1.0
"""Weight of the edge from an entity to the one its document is titled after."""
RELATION = 0.5
"""Weight of an edge stated by a relationship."""
CO_OCCURRENCE = "co_occurs_with"
"""Standing in one sentence is no relation: the passage already says so."""
TEXT_SHARE, SHARPNESS = 0.05, 3
"""What a passage's words count beside a seed's 1: 0.05 x (BM25 between 0 and 1) ** 3."""
BRIDGED = 0.5
"""Where fewer of the passages share a name with another, or the question names only common nouns, the graph
has little to say: the walk and the words count half each."""

_QUALIFIER = re.compile(r"\s*\([^()]*\)$")
Edge = tuple[int, int, float]


class PassageScores(NamedTuple):
    """Scores of all chunks, in id order: between 0 and 1, and BM25 as it is.

    `mode` is graph (the walk decided), text (words did) or graph and text (half each).
    """

    scores: Doubles
    bm25: Doubles
    mode: str


class PassageGraph:
    """Entities and chunks as nodes. `titles` maps document id to title."""

    def __init__(self, graph: GraphView, titles: Mapping[str, str]) -> None:
        self._entity_at = {entity.id: i for i, entity in enumerate(graph.entities)}
        self._n_entities, self._n_chunks = len(graph.entities), len(graph.chunks)
        self._chunk_counts = {id_: len(chunks) for id_, chunks in graph.entity_chunks().items()}
        self._worth = {e.id: 1.0 if is_proper(e) else COMMON_NOUN for e in graph.entities}
        self._bm25 = Bm25([f"{titles.get(chunk.source_doc, '')}\n{chunk.content}" for chunk in graph.chunks])
        edges = [*self._mentions(graph, titles), *self._relations(graph)]
        self._matrix = adjacency(
            self._n_entities + self._n_chunks,
            np.array([edge[0] for edge in edges], dtype=np.int64),
            np.array([edge[1] for edge in edges], dtype=np.int64),
            np.array([edge[2] for edge in edges], dtype=np.float64),
            directed=False,
        )
        bridges = [c for e, c in graph.entity_chunks().items() if len(c) > 1 and self._worth[e] == 1]
        self.bridged = len({id_ for chunks in bridges for id_ in chunks}) / (self._n_chunks or 1)

    def _mentions(self, graph: GraphView, titles: Mapping[str, str]) -> Iterator[Edge]:
        """Yield edges between entities and the chunks they are in, and the entity the document is about."""
        chunk_at = {chunk.id: self._n_entities + i for i, chunk in enumerate(graph.chunks)}
        inside: dict[str, list[str]] = {chunk.id: [] for chunk in graph.chunks}
        for entity_id, chunks in graph.entity_chunks().items():
            for chunk_id in chunks:
                inside[chunk_id].append(entity_id)
        names = {entity.id: entity.name for entity in graph.entities}
        for chunk in graph.chunks:
            about = _about(titles.get(chunk.source_doc, ""), {id_: names[id_] for id_ in inside[chunk.id]})
            for id_ in inside[chunk.id]:
                own = OWN_PAGE if id_ in about else 1.0
                yield self._entity_at[id_], chunk_at[chunk.id], own * self._worth[id_]
                for title_id in about - {id_}:
                    yield self._entity_at[id_], self._entity_at[title_id], TO_TITLE * self._worth[id_]

    def _relations(self, graph: GraphView) -> Iterator[Edge]:
        for r in graph.relationships:
            if r.type != CO_OCCURRENCE:
                worth = self._worth[r.source_id] * self._worth[r.target_id]
                yield self._entity_at[r.source_id], self._entity_at[r.target_id], RELATION * worth

    def seeds(self, candidates: Mapping[str, int]) -> dict[str, float]:
        """Return entity id -> weight: 1 / chunks that mention it / entities of that name.

        `candidates` maps entity id to how many entities bear its name; one in no chunk is left out.
        """
        known = {id_: n for id_, n in candidates.items() if self._chunk_counts[id_]}
        return {id_: self._worth[id_] / (self._chunk_counts[id_] * n) for id_, n in known.items()}

    def rank(self, query: str, seeds: Mapping[str, float]) -> PassageScores:
        """Score the chunks for a question by a walk from its seeds, or by its words where there are none."""
        bm25 = self._bm25.scores(query)
        span = np.ptp(bm25) if len(bm25) else 0.0
        likeness = (bm25 - bm25.min()) / span if span > 0 else np.zeros_like(bm25)
        if not any(seeds.values()):
            return PassageScores(likeness, bm25, "text")
        reset = np.zeros(self._n_entities + self._n_chunks)
        for id_, weight in seeds.items():
            reset[self._entity_at[id_]] = weight
        reset[self._n_entities :] = TEXT_SHARE * likeness**SHARPNESS
        walked = personalised_pagerank(self._matrix, reset).scores[self._n_entities :]
        walked /= walked.max() or 1.0
        if self.bridged >= BRIDGED and any(self._worth[id_] == 1 for id_ in seeds):
            return PassageScores(walked, bm25, "graph")
        return PassageScores((walked + likeness) / 2, bm25, "graph and text")


def _about(title: str, names: Mapping[str, str]) -> set[str]:
    """Return the entities a document is titled after: those called so, or so but for the parenthesis."""
    whole, short = words(title), words(_QUALIFIER.sub("", title))
    if not whole:
        return set()
    exact = {id_ for id_, name in names.items() if words(name) == whole}
    return exact or {id_ for id_, name in names.items() if words(_QUALIFIER.sub("", name)) == short}
