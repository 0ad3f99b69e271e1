"""Search by words, by vectors and by the graph at once, around what vectors find, and results re-ranked."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import numpy as np
from pydantic import BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.answer import SimilarItem
from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError, MissingResourceError
from corpusgraph.schemas.graph import CommunityReport, Entity, Relationship
from corpusgraph.schemas.ports import Corpus, Embedder, GraphView, Ints, Reranker, RetrievalMode, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, one_of, warned
from corpusgraph.tasks.answer.sentences import documents_by_id
from corpusgraph.tasks.build.aggregate import shorten
from corpusgraph.tasks.graph.compiled import (
    CompiledGraph,
    Doubles,
    adjacency,
    chunk_ids,
    compiled,
    distinct,
    relationship_ids,
)
from corpusgraph.tasks.graph.inputs import Query, TopK
from corpusgraph.tasks.graph.linking import bearers, link_names
from corpusgraph.tasks.graph.names import observations_of
from corpusgraph.tasks.graph.passages import WalkOptions, passage_graph
from corpusgraph.tasks.graph.ppr import personalised_pagerank
from corpusgraph.tasks.graph.ranking import Row, best, near, ranked
from corpusgraph.tasks.graph.terms import Bm25
from corpusgraph.tasks.llm.prompting import query_read
from corpusgraph.tasks.method.run import normalized
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.text.words import stems
from corpusgraph.tasks.tools.answer import Kind, noun_of, searched, similar
from corpusgraph.tasks.tools.memory._inputs import (
    ENHANCED,
    Depth,
    Shape,
    ShortId,
    Success,
    clamped_depth,
    spelled,
)
from corpusgraph.tasks.tools.memory.neighbourhood import around

# Joining ranked lists of one kind of item, or two scorings of one list: by scaled scores, or by ranks.

Fusion = Literal["weighted", "rrf"]
RRF_K = 10
"""Chosen on held-out questions (benchmarks/retrieval/RERANK.md); the paper's 60 is flat for few lists."""
RrfK = Annotated[
    int, Field(ge=0, le=10_000, description="of rrf: the smaller, the more the first places of a list count")
]
Hits = Sequence[tuple[str, float]]
"""Ids with scores on any scale, best first."""
Name = TypeVar("Name", bound=str)


class Fused(NamedTuple):
    """An item's joint score, and what it is made of."""

    id: str
    score: float
    components: dict[str, float]


def fused(
    parts: Mapping[Name, Hits], weights: Mapping[Name, float], how: Fusion, top_k: int, rrf_k: int
) -> list[Fused]:
    """Join lists into one, best first, ties by id; weights are scaled to a sum of 1.

    weighted: the sum of weight x score, each list's scores scaled to 0..1 (min-max; all 1 where they are
    equal); an item that a list does not hold gets 0 from it. rrf: the sum of weight / (rrf_k + rank),
    reciprocal rank fusion (Cormack, Clarke & Büttcher 2009), which looks at no score. Components have the
    scaled score of each list under its name, its own under `<name>_score` and the rank under `<name>_rank`.
    """
    total = math.fsum(weights[name] for name in parts) or 1.0
    shares: dict[str, list[float]] = {}
    components: dict[str, dict[str, float]] = {}
    for name, hits in parts.items():
        scaled = normalized([score for _, score in hits], "minmax")
        for rank, ((id_, score), part) in enumerate(zip(hits, scaled, strict=True), start=1):
            share = part if how == "weighted" else 1 / (rrf_k + rank)
            shares.setdefault(id_, []).append(weights[name] / total * share)
            components.setdefault(id_, dict.fromkeys(parts, 0.0)).update(
                {name: round(part, 6), f"{name}_score": score, f"{name}_rank": float(rank)}
            )
    scores = {id_: round(math.fsum(some), 9) for id_, some in shares.items()}
    order = sorted(scores, key=lambda id_: (-scores[id_], id_))[:top_k]
    return [Fused(id_, scores[id_], components[id_]) for id_ in order]


def blended(
    read: Sequence[float], prior: Sequence[float | None], weight: float, how: Fusion, rrf_k: int
) -> list[float]:
    """Return a score for each item of a list: its own reading, and with `weight` what it came with.

    weighted: both scaled to 0..1 (min-max), no score as the least. rrf: 1 / (rrf_k + rank) of the reading,
    equal ones in the order given, and of that order itself; the scores given are not looked at.
    """
    if not weight:
        return list(read)
    if how == "rrf":
        before = [1 / (rrf_k + rank) for rank in range(1, len(read) + 1)]
        order = sorted(range(len(read)), key=lambda i: (-read[i], i))
        now = [share for _, share in sorted(zip(order, before, strict=True))]
    else:
        least = min((score for score in prior if score is not None), default=0.0)
        before = normalized([least if score is None else score for score in prior], "minmax")
        now = normalized(read, "minmax")
    return [(1 - weight) * a + weight * b for a, b in zip(now, before, strict=True)]


# All ways at once

SEEDS = 5
"""Entities from which the walk starts where the query names none: those most like it."""


Part = Literal["bm25", "vector", "graph"]


class HybridSearch(ToolInput):
    """What to look for, and what each way of looking counts."""

    query: Query
    kind: Kind = spelled("kind", "item_type", default="chunk", description="what is looked for")
    top_k: TopK = 10
    bm25_weight: float = spelled(
        *("bm25_weight", "text_weight"),
        default=0.1,
        ge=0,
        le=1e6,
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

    _looked_at = one_of(
        *("bm25_weight", "vector_weight", "graph_weight"), otherwise="one weight at least must be above 0"
    )


class HybridResults(Success):
    """Items, the best first; the components of a score are what each part gave."""

    query: str
    kind: Kind
    fusion: Fusion
    weights: dict[Part, float] = Field(description="what each part counted, summing to 1; others had no say")
    retrieval_mode: RetrievalMode = Field(description="fulltext: vectors were not compared")
    result_count: int
    results: list[Scored[SimilarItem]]


@tool(
    writes="hybrid_results",
    needs="Entity.id",
    optional="Entity.name description, Relationship.weight type description, Chunk.content entities, "
    "CommunityReport.title summary",
    adds="Scored.score components.bm25 components.vector components.graph",
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
    there, most = Searched(graph, vectors, embedder, corpus), max(ask.pool, ask.top_k)
    weights: dict[Part, float] = {part: getattr(ask, f"{part}_weight") for part in _WAYS}
    warnings = list(query_read(ask.query)[1]) if weights["graph"] > 0 else []
    parts: dict[Part, Hits] = {}
    for part, look in _WAYS.items():
        if weights[part] > 0:
            hits, why = look(ask, there, most)
            warnings += warned("part_missing", f"{part}: {why}", when=why)
            parts |= {} if why else {part: hits}
    if not parts:
        raise MissingResourceError(
            "Nothing that was to be searched is there: " + " ".join(w.message for w in warnings),
            hint="Give another part a weight: bm25_weight, vector_weight, graph_weight.",
        )
    total = math.fsum(weights[part] for part in parts)
    _, find = searched(graph, ask.kind)
    hits_of_all = fused(parts, weights, ask.fusion, ask.top_k, ask.rrf_k)
    rows = ((similar(find(hit.id)), hit.score, hit.components) for hit in hits_of_all)
    data = HybridResults(
        query=ask.query,
        kind=ask.kind,
        fusion=ask.fusion,
        weights={part: round(weights[part] / total, 6) for part in parts},
        retrieval_mode="vector" if "vector" in parts else "fulltext",
        result_count=len(hits_of_all),
        results=ranked(rows, ask.fusion),
    )
    return Noted(data=data, warnings=tuple(warnings))


class Searched(NamedTuple):
    """What there is to search."""

    graph: GraphView
    vectors: Vectors | None
    embedder: Embedder | None
    corpus: Corpus | None


Looked = tuple[Hits, str | None]
"""What a way of looking brings, or why it brings nothing at all."""


def _by_words(ask: HybridSearch, there: Searched, most: int) -> Looked:
    if there.vectors is None:
        return [], "there is no full-text index."
    return there.vectors.match(ask.kind, ask.query, most), None


def _by_vectors(ask: HybridSearch, there: Searched, most: int) -> Looked:
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


def _by_graph(ask: HybridSearch, there: Searched, most: int) -> Looked:
    """Look for what a walk from the query's entities comes to.

    An entity's score is its personalised PageRank; a relationship's the sum of its ends'; a report's the sum
    of its community's members' divided by the root of their number, so that neither one large nor one small
    community always leads; a chunk's its own in a graph of entities and passages (HippoRAG 2).
    """
    graph, query = there.graph, query_read(ask.query)[0]
    starts, passages = _starts(query, there), passage_graph(graph, there.corpus)
    ids: Sequence[str] = ()
    scores = np.zeros(0)
    if ask.kind == "chunk":
        ids, lists = chunk_ids(graph), graph.entity_chunks()
        if mentioned := {id_: weight for id_, weight in starts.items() if lists.get(id_)}:
            scores = passages.rank(mentioned, passages.bm25(query), WalkOptions(lean=False)).walked
    elif starts:
        ids, scores = _walked(ask.kind, graph, starts)
    hits = [(ids[i], float(scores[i])) for i in best(scores, most)]
    return hits, None if hits else f"the query leads to no entity beside which there is a {ask.kind}."


def _starts(query: str, there: Searched) -> dict[str, float]:
    """Return entity id -> weight: those the query names, rare ones first, else those most like it."""
    entities, _ = link_names(there.graph, query)
    seeds = passage_graph(there.graph, there.corpus).seeds(bearers(entities), everywhere=True)
    if seeds or there.vectors is None:
        return dict(seeds)
    hits = there.vectors.match("entity", query, SEEDS)
    if not hits and there.embedder is not None and (vector := there.embedder.embed([query])[0]).any():
        hits = list(near(there.vectors, "entity", query, vector, SEEDS))
    return {id_: score for id_, score in hits if score > 0}


def _walked(kind: str, graph: GraphView, starts: Mapping[str, float]) -> tuple[Sequence[str], Doubles]:
    """Return the ids of the items of a kind, and the score that a walk over the entities gives each."""
    arrays = compiled(graph)
    reset = np.zeros(len(arrays.ids))
    for id_, weight in starts.items():
        reset[arrays.at[id_]] = weight
    walked = personalised_pagerank(arrays.adjacency(directed=False), reset).scores
    if kind == "entity":
        return arrays.ids, walked
    if kind == "relationship":
        return relationship_ids(graph), walked[arrays.source] + walked[arrays.target]
    members = {
        community.id: [arrays.at[id_] for id_ in community.entity_ids if id_ in arrays.at]
        for community in graph.communities
    }
    nodes = [members.get(report.community_id, []) for report in graph.reports]
    scores = [math.fsum(walked[some].tolist()) / math.sqrt(len(some) or 1) for some in nodes]
    return [report.id for report in graph.reports], np.array(scores, dtype=np.float64)


_WAYS: dict[Part, Callable[[HybridSearch, Searched, int], Looked]] = {
    "bm25": _by_words,
    "vector": _by_vectors,
    "graph": _by_graph,
}


# Around what vectors find

FAN = 50
"""Relationships of one entity that are followed at a hop: those with most evidence."""


def neighbourhood(graph: GraphView, seeds: Mapping[int, float], depth: int) -> tuple[Ints, Doubles]:
    """Follow relationships some hops out from weighted seeds, and see where a walk from these comes to.

    Nodes are in order, each with how central it is, 0 to 1, the most central 1. Centrality is the share of a
    personalised PageRank (Haveliwala 2002) that arrives over relationships, not by starting there: an entity
    that nothing leads to has 0.
    """
    arrays = compiled(graph)
    edges = _followed(arrays, np.array(sorted(seeds), dtype=np.int64), depth)
    some = np.array(list(seeds), dtype=np.int64)
    nodes = distinct(np.concatenate([some, arrays.source[edges], arrays.target[edges]]))
    source, target = (np.searchsorted(nodes, end[edges]) for end in (arrays.source, arrays.target))
    matrix = adjacency(len(nodes), source, target, arrays.weight[edges], directed=False)
    reset = np.zeros(len(nodes))
    reset[np.searchsorted(nodes, some)] = list(seeds.values())
    if not reset.any():
        reset[:] = 1.0
    strength = np.asarray(matrix.sum(axis=1)).ravel()
    walked = personalised_pagerank(matrix, reset).scores
    share = np.divide(walked, strength, out=np.zeros_like(walked), where=strength > 0)
    arrived = np.asarray(matrix.T @ share).ravel()  # what one more step of the walk brings
    return nodes, arrived / (arrived.max(initial=0.0) or 1.0)


def _followed(arrays: CompiledGraph, frontier: Ints, depth: int) -> Ints:
    """Return the relationships followed, each once: at a node no more than the `FAN` weightiest."""
    seen = np.zeros(len(arrays.ids), dtype=bool)
    seen[frontier] = True
    followed: list[Ints] = [np.zeros(0, dtype=np.int64)]
    for _ in range(depth):
        edges, whose = arrays.edges_at(frontier)
        order = np.lexsort((edges, -arrays.weight[edges], whose))
        ranked = whose[order]
        first = np.searchsorted(ranked, np.arange(len(frontier)))
        first_edges = edges[order[np.arange(len(order)) - first[ranked] < FAN]]
        followed.append(first_edges)
        reached = distinct(np.concatenate([arrays.source[first_edges], arrays.target[first_edges]]))
        frontier = reached[~seen[reached]]
        seen[frontier] = True
    every = distinct(np.concatenate(followed))
    apart: Ints = every[arrays.source[every] != arrays.target[every]]
    return apart


POOL = 50
"""Entities looked at for vector scores, at least; four times the limit where that is more."""
NEIGHBOURS = 10
"""Neighbours listed of each result."""
CONTENT = 480
"""Characters of a result's content."""


class GraphEnhancedSearch(ToolInput):
    """What to look for, how far around it, and what counts how much."""

    query: Query
    depth: Depth = 2
    limit: PositiveInt = Field(10, description="how many results at most")
    include_neighbors: bool = Field(True, description="list the neighbours of each result")
    vector_weight: float = Field(
        0.6, ge=0, le=1, description="what likeness to the query counts; the two are scaled to a sum of 1"
    )
    graph_weight: float = Field(0.4, ge=0, le=1, description="what centrality around the matches counts")

    _counted = one_of(
        *("vector_weight", "graph_weight"), otherwise="vector_weight or graph_weight must be above 0"
    )


class ResultNeighbor(Shape):
    """A neighbour of a result."""

    entity_id: ShortId
    id: str
    name: str
    relation: str
    weight: float = Field(description="confidence of the relationship, 0 to 1")
    depth: int


class SearchResult(Shape):
    """An entity, and why it is here."""

    entity_id: ShortId
    id: str
    entity_name: str
    entity_type: str | None
    content: str
    vector_score: float = Field(
        description="cosine to the query, 0 to 1; by full text, the share of the best score"
    )
    graph_score: float = Field(description="centrality around the matches, 0 to 1, the most central 1")
    combined_score: float = Field(description="weighted sum of the two, four decimals, half to even")
    neighbors: tuple[ResultNeighbor, ...]
    neighbor_count: int = Field(description="neighbors, and those left out")
    truncated: int = Field(description="how many neighbours were left out")


class SearchParams(Shape):
    """What was searched with, as it was understood."""

    depth: int
    vector_weight: float
    graph_weight: float


class EnhancedSearch(Success):
    """Results, the best first."""

    query: str
    result_count: int
    results: tuple[SearchResult, ...]
    search_params: SearchParams
    retrieval_mode: RetrievalMode = Field(description="fulltext: vectors were not compared")


@tool(
    writes="memory",
    needs="Entity.id",
    optional="Entity.name type description, Relationship.weight confidence type",
    cite=f"{ENHANCED}; centrality: Haveliwala 2002",
)
def graph_enhanced_search(
    ask: GraphEnhancedSearch, graph: GraphView, vectors: Vectors, embedder: Embedder | None
) -> Noted[EnhancedSearch]:
    """Find entities like a query, follow the graph around them, and rank all by likeness and centrality."""
    depth, clamped = clamped_depth(ask.depth)
    likeness, mode, why = _matched(ask, graph, vectors, embedder)
    total = ask.vector_weight + ask.graph_weight
    shares = ask.vector_weight / total, ask.graph_weight / total
    rows = _scored(graph, likeness, depth, ask.limit, shares)
    results = tuple(_result(row, graph, depth if ask.include_neighbors else 0) for row in rows)
    by_vector, by_graph = (round(share, 6) for share in shares)
    data = EnhancedSearch(
        query=ask.query,
        result_count=len(results),
        results=results,
        search_params=SearchParams(depth=depth, vector_weight=by_vector, graph_weight=by_graph),
        retrieval_mode=mode,
    )
    return Noted(data=data, warnings=(*clamped, *why))


def _matched(
    ask: GraphEnhancedSearch, graph: GraphView, vectors: Vectors, embedder: Embedder | None
) -> tuple[dict[int, float], RetrievalMode, tuple[ToolWarning, ...]]:
    """Return node -> likeness to the query, best first; by full text where vectors cannot be compared."""
    at, width = compiled(graph).ids, max(POOL, 4 * ask.limit)
    hits: list[tuple[str, float]] = []
    mode: RetrievalMode = "fulltext"
    if embedder is not None:
        vector = embedder.embed([ask.query])[0]
        if not vector.any():
            raise InvalidInputError(f"There is no word to search for in {ask.query!r}.", hint="Ask in words.")
        nearest = near(vectors, "entity", ask.query, vector, width)
        hits, mode = list(nearest), "vector" if nearest and nearest.scorer == "cosine" else "fulltext"
    if not hits:
        matched = vectors.match("entity", ask.query, width)
        hits = [(id_, score / (matched[0][1] or 1.0)) for id_, score in matched]
    likeness: dict[int, float] = {}
    for id_, score in hits:
        node = at.find(id_)
        if node is not None and score > 0:
            likeness[node] = max(round(min(score, 1.0), 4), likeness.get(node, 0.0))
    message = "No vectors could be compared; full-text search answered instead."
    return likeness, mode, warned("fulltext_instead", message, when=mode != "vector")


def _scored(
    graph: GraphView, likeness: dict[int, float], depth: int, limit: int, shares: tuple[float, float]
) -> list[tuple[int, float, float, float]]:
    """Rank the matches and what is around the best of them: node, likeness, centrality, both; ties by id."""
    if not likeness:
        return []
    first = sorted(likeness, key=lambda node: (-likeness[node], node))[:limit]
    nodes, centrality = neighbourhood(graph, {node: likeness[node] for node in first}, depth)
    central = dict(zip(nodes.tolist(), centrality.round(4).tolist(), strict=True))
    scores = ((node, likeness.get(node, 0.0), central.get(node, 0.0)) for node in {**central, **likeness})
    rows = [(node, like, centre, combined(like, centre, shares)) for node, like, centre in scores]
    return sorted(rows, key=lambda row: (-row[3], -row[1], row[0]))[:limit]


def combined(likeness: float, centrality: float, shares: tuple[float, float]) -> float:
    """Return the weighted sum of two scores, to four decimals, half to even as they are written."""
    parts = zip((likeness, centrality), shares, strict=True)
    total = sum((Decimal(repr(score)) * Decimal(repr(share)) for score, share in parts), Decimal(0))
    return float(total.quantize(Decimal("0.0001"), ROUND_HALF_EVEN))


def _result(row: tuple[int, float, float, float], graph: GraphView, depth: int) -> SearchResult:
    node, likeness, centrality, both = row
    entity, near_by = graph.entities[node], around(graph, node, depth=depth, limit=NEIGHBOURS)
    neighbors = (
        ResultNeighbor(
            entity_id=graph.entities[step.there].short_id,
            id=graph.entities[step.there].id,
            name=graph.entities[step.there].name,
            relation=graph.relationships[step.edge].type,
            weight=step.confidence,
            depth=step.depth,
        )
        for step in near_by.steps
    )
    return SearchResult(
        entity_id=entity.short_id,
        id=entity.id,
        entity_name=entity.name,
        entity_type=entity.type,
        content=shorten(" ".join(observations_of(entity)), CONTENT),
        vector_score=likeness,
        graph_score=centrality,
        combined_score=both,
        neighbors=tuple(neighbors),
        neighbor_count=len(near_by.steps) + near_by.left_out,
        truncated=near_by.left_out,
    )


# Results in a better order, each read together with the query

_BESIDE = ("score", "scorer", "components")
_ALIKE = {"bm25", "cosine", "tfidf"}
"""Scorers that look at words or vectors alone."""
_JOINED = {"weighted", "rrf"}
"""Those of hybrid_search, which looks at the graph where its components say so."""
Origin = Literal["words", "walk", "unknown"]
"""What put an item in its place: words or vectors; a walk over the graph, or anything else; nobody knows."""


class Candidate(Noun):
    """What is re-ranked, and the score it came with."""

    item: Chunk | Relationship | CommunityReport | Entity | str
    score: float | None = None
    scorer: str | None = None
    components: dict[str, float] = Field(default_factory=dict)

    @property
    def origin(self) -> Origin:
        """Tell by which kind of evidence a search found it."""
        if self.score is None:
            return "unknown"
        joined = self.scorer in _JOINED and "graph" not in self.components
        return "words" if joined or self.scorer in _ALIKE else "walk"


def origin_of(items: Sequence[Candidate]) -> Origin:
    """Tell what most of the items were found by; of as many of several a walk, then words."""
    origins = [item.origin for item in items]
    kinds: tuple[Origin, ...] = ("walk", "words", "unknown")
    return max(kinds, key=origins.count)


def candidates(values: Any) -> Any:
    """Return texts, ids, nouns and scored items as candidates; of JSON the noun that its fields tell."""
    return [_candidate(value) for value in values] if isinstance(values, list | tuple) else values


def _candidate(value: Any) -> Any:
    fields: dict[str, Any] = dict(value) if isinstance(value, Mapping | Noun) else {}
    if fields.get("item") is None:
        return {"item": noun_of(value)}
    beside = {name: fields[name] for name in _BESIDE if fields.get(name) is not None}
    return {"item": noun_of(fields["item"]), **beside}


WINDOW = 8
"""Words within which two words of the query say something together."""


class Lexical(NamedTuple):
    """Scores of texts (n,), each between 0 and 1."""

    bm25: Doubles
    coverage: Doubles
    proximity: Doubles

    @property
    def total(self) -> Doubles:
        """Return the score (n,): (2 bm25 + coverage + proximity) / 4."""
        return (2 * self.bm25 + self.coverage + self.proximity) / 4


def lexical(query: str, texts: Sequence[str]) -> Lexical:
    """Read each text against the query, among the texts given.

    bm25: as a share of the best (Robertson & Zaragoza 2009). coverage: share of the query's words that occur,
    each weighed by its idf. proximity: pairs of different words of the query within 8 words of each other,
    (idf + idf) / distance ^ 2 each pair's best, as a share of the most there could be (after Rasolofo & Savoy
    2003).
    """
    engine = Bm25(texts)
    idf = {word: float(engine.idf[at]) for word, at in engine.terms.vocabulary.items()}
    asked = list(dict.fromkeys(stems(query)))
    unknown = max(idf.values(), default=1.0)
    weight = {word: idf.get(word, unknown) for word in asked}
    bm25 = engine.scores(query)
    read = [_read(stems(text), weight) for text in counted(texts, "texts read", every=64)]
    coverage, proximity = np.array(read, dtype=np.float64).reshape(-1, 2).T
    return Lexical(bm25 / (bm25.max(initial=0.0) or 1.0), coverage, proximity)


def _read(words: Sequence[str], weight: Mapping[str, float]) -> tuple[float, float]:
    """Return coverage and proximity of one text."""
    places = [(at, word) for at, word in enumerate(words) if word in weight]
    total = math.fsum(weight.values()) or 1.0
    covered = math.fsum(weight[word] for word in {word for _, word in places}) / total
    best: dict[tuple[str, str], float] = defaultdict(float)
    for i, (at, word) in enumerate(places):
        for there, other in places[i + 1 : i + 1 + WINDOW]:
            if there - at <= WINDOW and other != word:
                pair = (word, other) if word < other else (other, word)
                best[pair] = max(best[pair], (weight[word] + weight[other]) / (there - at) ** 2)
    most = math.fsum(weight.values()) * 2 - 2 * max(weight.values(), default=0.0) if len(weight) > 1 else 0.0
    near = min(1.0, math.fsum(best.values()) / most) if most > 0 else 0.0
    return covered, near


_ID = re.compile(r"(chk|ent|rel)_[0-9a-f]{16}")
PRIOR: Mapping[Origin, float] = {"walk": 0.9, "words": 0.1, "unknown": 0.0}
"""What the order given counts against a reading by words (benchmarks/retrieval/RERANK.md)."""


class Rerank(ToolInput):
    """What was found, and for what."""

    query: Query
    items: Annotated[
        list[Candidate],
        BeforeValidator(candidates, json_schema_input_type=list[str | Candidate | JsonDict]),
        Reads("chunks"),
    ] = spelled(
        *("items", "results", "documents", "chunks"),
        min_length=1,
        max_length=1000,
        description="texts, ids of chunks, entities or relationships, or the results of a search as they are",
    )
    kind: Literal["lexical", "cross-encoder"] = spelled(
        *("kind", "method", "reranker"),
        default="lexical",
        description="lexical: by the query's words, offline; cross-encoder: by a trained model that reads "
        "query and text together, set by CORPUSGRAPH_RERANKER",
    )
    top_k: TopK = 10
    prior_weight: float | None = Field(
        None,
        ge=0,
        le=1,
        description="what the order given counts; 1: it stays, 0: the reading alone counts. Unless given: 0 "
        "of cross-encoder; of lexical 0.1 for results of words or vectors, 0.9 for those that a walk over "
        "the graph or anything else had a say in, 0 for items without scores",
    )
    fusion: Fusion = Field(
        "rrf",
        description="how order and reading are joined; rrf: sum of share / (rrf_k + rank), by rank alone; "
        "weighted: sum of the scores, each scaled to 0..1",
    )
    rrf_k: RrfK = RRF_K


class Reranked(Success):
    """The items in their new order; `prior_rank` among the components is the place they had."""

    query: str
    kind: Literal["lexical", "cross-encoder"]
    model: str | None = Field(description="name of the model that read them")
    prior_weight: float = Field(description="what the order given counted")
    result_count: int
    results: list[Scored[SimilarItem]]


_Read = tuple[Doubles, list[dict[str, float]], str | None]
"""Scores of texts, what each is made of, and the name of the model."""


@tool(
    writes="reranked",
    needs="Entity.id",
    optional="Chunk.content source_doc, Entity.name description",
    adds="Scored.score components.bm25 components.coverage components.proximity",
    cite="BM25: Robertson & Zaragoza 2009; proximity: Rasolofo & Savoy 2003; cross-encoder: Nogueira & Cho "
    "2019, arXiv:1901.04085; rrf: Cormack, Clarke & Büttcher 2009",
)
def rerank(
    ask: Rerank, graph: GraphView | None, corpus: Corpus | None, reranker: Reranker | None
) -> Noted[Reranked]:
    """Re-rank results by reading each text together with the query, chunks under their documents' titles.

    Read by words alone, hits of BM25 and of vectors get better and those of a walk over the graph worse; so
    the order given has its say, by what found them (prior_weight; benchmarks/retrieval/RERANK.md).

    Raises DependencyMissingError where the cross-encoder's library is not installed, MissingResourceError
    where no model is set.
    """
    items, twice = _items(ask, graph)
    texts = [read_text(item, corpus) for item, _ in items]
    lexically = ask.kind == "lexical"
    read = _lexical(ask.query, texts) if lexically else _by_model(ask.query, texts, reranker)
    found, parts_of, model = read
    weight = PRIOR[origin_of(ask.items)] if lexically else 0.0
    weight = weight if ask.prior_weight is None else ask.prior_weight
    scores = blended(found.tolist(), [prior for _, prior in items], weight, ask.fusion, ask.rrf_k)
    rows: list[Row[SimilarItem]] = []
    for (item, prior), score, parts in zip(items, scores, parts_of, strict=True):
        before = {"prior_rank": len(rows) + 1.0} | ({} if prior is None else {"prior": prior})
        rows.append((item, round(float(score), 6), parts | before))
    results = ranked(rows, ask.kind, ask.top_k)
    data = Reranked(
        query=ask.query,
        kind=ask.kind,
        model=model,
        prior_weight=weight,
        result_count=len(results),
        results=results,
    )
    return Noted(data=data, warnings=twice)


def _items(
    ask: Rerank, graph: GraphView | None
) -> tuple[list[tuple[SimilarItem, float | None]], tuple[ToolWarning, ...]]:
    """Return each item once, in the order given, with its score."""
    items: dict[tuple[str, str], tuple[SimilarItem, float | None]] = {}
    for candidate in ask.items:
        item = similar(_noun(candidate.item, graph))
        items.setdefault((item.kind, item.id), (item, candidate.score))
    lost = len(ask.items) - len(items)
    message = f"{lost} items were given more than once; the first of each counts."
    return list(items.values()), warned("duplicate_items", message, when=lost)


def _noun(item: Any, graph: GraphView | None) -> Any:
    """Return what an id names; any other text is a text."""
    if not isinstance(item, str) or graph is None or not (named := _ID.fullmatch(item)):
        return item
    return {"chk": graph.chunk, "ent": graph.entity, "rel": graph.relationship}[named[1]](item)


def read_text(item: SimilarItem, corpus: Corpus | None) -> str:
    """Return what is read: a chunk under its document's title, which names what its sentences call "it"."""
    if item.chunk is None or corpus is None:
        return item.text
    document = documents_by_id(corpus).get(item.chunk.source_doc)
    return f"{document.title}\n{item.text}" if document else item.text


def _lexical(query: str, texts: Sequence[str]) -> _Read:
    read = lexical(query, texts)
    rows = zip(*read, strict=True)
    return read.total, [dict(zip(read._fields, map(float, row), strict=True)) for row in rows], None


def _by_model(query: str, texts: Sequence[str], reranker: Reranker | None) -> _Read:
    if reranker is None:
        raise MissingResourceError(
            "A cross-encoder needs a model, and none was given.", hint="Use kind: lexical."
        )
    scores = np.asarray(reranker.scores(query, texts), dtype=np.float64)
    return scores, [{"cross_encoder": float(score)} for score in scores], reranker.name
