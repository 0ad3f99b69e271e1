"""Search by words, by vectors and by the graph at once."""

import math
from collections.abc import Callable, Mapping, Sequence
from math import fsum
from typing import Literal, NamedTuple, Self

import numpy as np
from pydantic import AliasChoices, Field, model_validator

from corpusgraph.schemas.answer import SimilarItem
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.errors import MissingResourceError
from corpusgraph.schemas.ports import Corpus, Embedder, GraphView, RetrievalMode, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning
from corpusgraph.tasks.graph.compiled import Doubles, compiled, relationship_ids
from corpusgraph.tasks.graph.inputs import Query, TopK
from corpusgraph.tasks.graph.linking import bearers, link_names
from corpusgraph.tasks.graph.passages import PassageGraph, WalkOptions, passage_graph
from corpusgraph.tasks.graph.ppr import personalised_pagerank
from corpusgraph.tasks.graph.ranking import best, near, ranked
from corpusgraph.tasks.llm.prompting import query_read
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.answer.similarity_search import Kind, searched, similar
from corpusgraph.tasks.tools.memory._fusing import RRF_K, Fused, Fusion, Hits, RrfK, fused

Ranked = list[tuple[str, float]]
SEEDS = 5
"""Entities from which the walk starts where the query names none: those most like it."""


def graph_scores(
    kind: str,
    query: str,
    graph: GraphView,
    vectors: Vectors | None,
    embedder: Embedder | None,
    most: int,
    corpus: Corpus | None = None,
) -> Ranked:
    """Return the items of a kind that a walk from the query's entities comes to, best first, ties by id.

    An entity's score is its personalised PageRank; a relationship's the sum of its ends'; a report's the sum
    of its community's members' divided by the root of their number, so that neither one large nor one small
    community always leads; a chunk's its own in a graph of entities and passages (HippoRAG 2). Nothing where
    the query leads to no entity.
    """
    starts = _starts(query, graph, vectors, embedder, passage_graph(graph, corpus))
    if not starts:
        return []
    scored: Mapping[str, Callable[[], Ranked]] = {
        "entity": lambda: _first(_walk(graph, starts), compiled(graph).ids, most),
        "relationship": lambda: _relationships(graph, _walk(graph, starts), most),
        "report": lambda: _reports(graph, _walk(graph, starts), most),
        "chunk": lambda: _chunks(passage_graph(graph, corpus), graph, query, starts, most),
    }
    return scored[kind]()


def _starts(
    query: str,
    graph: GraphView,
    vectors: Vectors | None,
    embedder: Embedder | None,
    passages: PassageGraph,
) -> dict[str, float]:
    """Return entity id -> weight: those the query names, rare ones first, else those most like it."""
    named, _ = link_names(graph, query)
    found: Mapping[str, float] = passages.seeds(bearers(named), everywhere=True)
    if found or vectors is None:
        return dict(found)
    hits = vectors.match("entity", query, SEEDS)
    if not hits and embedder is not None and (vector := embedder.embed([query])[0]).any():
        hits = [hit for hit in near(vectors, "entity", query, vector, SEEDS) if hit[1] > 0]
    return {id_: score for id_, score in hits if score > 0}


def _walk(graph: GraphView, starts: Mapping[str, float]) -> Doubles:
    arrays = compiled(graph)
    reset = np.zeros(len(arrays.ids))
    for id_, weight in starts.items():
        reset[arrays.at[id_]] = weight
    return personalised_pagerank(arrays.adjacency(directed=False), reset).scores


def _first(scores: Doubles, ids: Sequence[str], most: int) -> Ranked:
    return [(ids[i], float(scores[i])) for i in best(scores, most)]


def _relationships(graph: GraphView, walked: Doubles, most: int) -> Ranked:
    arrays = compiled(graph)
    return _first(walked[arrays.source] + walked[arrays.target], relationship_ids(graph), most)


def _reports(graph: GraphView, walked: Doubles, most: int) -> Ranked:
    at = compiled(graph).at
    members = {community.id: community.entity_ids for community in graph.communities}
    found = []
    for report in graph.reports:
        nodes = [at[id_] for id_ in members.get(report.community_id, ()) if id_ in at]
        if score := math.fsum(float(walked[i]) for i in nodes) / math.sqrt(len(nodes) or 1):
            found.append((report.id, score))
    return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:most]


def _chunks(
    passages: PassageGraph, graph: GraphView, query: str, starts: Mapping[str, float], most: int
) -> Ranked:
    there = {id_: weight for id_, weight in starts.items() if graph.entity_chunks().get(id_)}
    if not there:
        return []
    walked = passages.rank(there, passages.bm25(query), WalkOptions(lean=False)).walked
    return [(graph.chunks[i].id, float(walked[i])) for i in best(walked, most)]


Part = Literal["bm25", "vector", "graph"]


class HybridSearch(ToolInput):
    """What to look for, and what each way of looking counts."""

    query: Query
    kind: Kind = Field(
        "chunk",
        validation_alias=AliasChoices("kind", "item_type"),
        description="what is looked for",
    )
    top_k: TopK = 10
    bm25_weight: float = Field(
        0.1,
        ge=0,
        le=1e6,
        validation_alias=AliasChoices("bm25_weight", "text_weight"),
        description="of the words both have; 0: not looked at. The three are scaled to a sum of 1",
    )
    vector_weight: float = Field(0.1, ge=0, le=1e6, description="of the likeness of vectors")
    graph_weight: float = Field(
        0.8, ge=0, le=1e6, description="of a walk over the graph from the entities that the query names"
    )
    fusion: Fusion = Field(
        "rrf",
        description="weighted: sum of scores scaled to 0..1; "
        "rrf: sum of weight / (rrf_k + rank), by rank alone",
    )
    rrf_k: RrfK = RRF_K
    pool: int = Field(
        100, ge=1, le=10_000, description="items that each way of looking brings, at least top_k"
    )

    @model_validator(mode="after")
    def _looks_at_something(self) -> Self:
        if not self.bm25_weight + self.vector_weight + self.graph_weight > 0:
            raise ValueError("one weight at least must be above 0")
        return self

    @property
    def weights(self) -> dict[Part, float]:
        """Return what each part counts, those that count nothing left out."""
        given: dict[Part, float] = {
            "bm25": self.bm25_weight,
            "vector": self.vector_weight,
            "graph": self.graph_weight,
        }
        return {part: weight for part, weight in given.items() if weight > 0}


class HybridResults(Noun):
    """Items, the best first; the components of a score are what each part gave."""

    success: Literal[True] = True
    query: str
    kind: Kind
    fusion: Fusion
    weights: dict[Part, float] = Field(description="what each part counted, summing to 1; others had no say")
    retrieval_mode: RetrievalMode = Field(description="fulltext: vectors were not compared")
    result_count: int
    results: list[Scored[SimilarItem]]


@tool(
    writes="hybrid_results",
    needs={"Entity.id"},
    optional={
        "Entity.name",
        "Entity.description",
        "Relationship.weight",
        "Relationship.type",
        "Relationship.description",
        "Chunk.content",
        "Chunk.entities",
        "CommunityReport.title",
        "CommunityReport.summary",
    },
    adds={"Scored.score", "Scored.components.bm25", "Scored.components.vector", "Scored.components.graph"},
    cite="BM25: Robertson & Zaragoza 2009; graph: Haveliwala 2002, Gutiérrez et al. 2025 (arXiv:2502.14802); "
    "rrf: Cormack, Clarke & Büttcher 2009",
)
def hybrid_search(
    ask: HybridSearch,
    graph: GraphView,
    vectors: Vectors | None,
    embedder: Embedder | None,
    corpus: Corpus | None,
) -> Noted[HybridResults]:
    """Find entities, chunks, relationships or reports by BM25, vectors and the graph, scores joined.

    A part that is not there (vectors that are unreachable, a query that leads to no entity) is left out with
    a warning, and the others count for it; MissingResourceError where none is there. The weights were chosen
    for chunks, on other questions than they are reported on (benchmarks/retrieval/RERANK.md).
    """
    weights, warnings = ask.weights, list[ToolWarning]()
    if "graph" in weights:
        warnings += query_read(ask.query)[1]
    parts: dict[Part, Hits] = {}
    for part in weights:
        hits, why = _looked(part, ask, Searched(graph, vectors, embedder, corpus))
        parts[part] = hits
        if why is not None:
            warnings.append(why)
            del parts[part]
    if not parts:
        raise MissingResourceError(
            "Nothing that was to be searched is there: " + " ".join(w.message for w in warnings),
            hint="Give another part a weight: bm25_weight, vector_weight, graph_weight.",
        )
    total = fsum(weights[part] for part in parts)
    found = fused(parts, weights, ask.fusion, ask.top_k, ask.rrf_k)
    return Noted(
        data=HybridResults(
            query=ask.query,
            kind=ask.kind,
            fusion=ask.fusion,
            weights={part: round(weights[part] / total, 6) for part in parts},
            retrieval_mode="vector" if "vector" in parts else "fulltext",
            result_count=len(found),
            results=_items(found, graph, ask),
        ),
        warnings=tuple(warnings),
    )


def _items(found: list[Fused], graph: GraphView, ask: HybridSearch) -> list[Scored[SimilarItem]]:
    _, find = searched(graph, ask.kind)
    return ranked(((similar(find(hit.id)), hit.score, hit.components) for hit in found), ask.fusion)


class Searched(NamedTuple):
    """What there is to search."""

    graph: GraphView
    vectors: Vectors | None
    embedder: Embedder | None
    corpus: Corpus | None


def _looked(part: Part, ask: HybridSearch, there: Searched) -> tuple[Hits, ToolWarning | None]:
    """Return what one way of looking brings, or why it brings nothing at all."""
    ways = {"bm25": _by_words, "vector": _by_vectors, "graph": _by_graph}
    hits, why = ways[part](ask, there, max(ask.pool, ask.top_k))
    return hits, None if why is None else ToolWarning(code="part_missing", message=f"{part}: {why}")


def _by_words(ask: HybridSearch, there: Searched, most: int) -> tuple[Hits, str | None]:
    if there.vectors is None:
        return [], "there is no full-text index."
    return there.vectors.match(ask.kind, ask.query, most), None


def _by_vectors(ask: HybridSearch, there: Searched, most: int) -> tuple[Hits, str | None]:
    if there.vectors is None or there.embedder is None:
        return [], "there are no vectors."
    vector = there.embedder.embed([ask.query])[0]
    if not vector.any():
        return [], f"there is no word to compare in {ask.query!r}."
    hits = near(there.vectors, ask.kind, ask.query, vector, most)
    if hits.scorer != "cosine":
        return [], "the vectors are unreachable, and full-text search answers alone."
    if not hits and searched(there.graph, ask.kind)[0]:
        return [], f"no {ask.kind} has a vector."
    return hits, None


def _by_graph(ask: HybridSearch, there: Searched, most: int) -> tuple[Hits, str | None]:
    query, _ = query_read(ask.query)
    found = graph_scores(ask.kind, query, there.graph, there.vectors, there.embedder, most, there.corpus)
    return found, None if found else f"the query leads to no entity beside which there is a {ask.kind}."
