"""Search by vectors and by the graph around what they find."""

from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import TYPE_CHECKING, Literal, NamedTuple, Self

import numpy as np
from pydantic import AliasChoices, Field, PositiveInt, model_validator

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.ports import Embedder, GraphView, Ints, RetrievalMode, Vectors
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.build.aggregate import shorten
from corpusgraph.tasks.graph.compiled import CompiledGraph, Doubles, adjacency, compiled, distinct
from corpusgraph.tasks.graph.inputs import Query
from corpusgraph.tasks.graph.names import observations_of
from corpusgraph.tasks.graph.ppr import personalised_pagerank
from corpusgraph.tasks.graph.ranking import near
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._columns import around
from corpusgraph.tasks.tools.memory._inputs import Shape, clamped_depth
from corpusgraph.tasks.tools.memory.get_entity_neighbors import ENHANCED

if TYPE_CHECKING:
    from scipy.sparse import csr_array

FAN = 50
"""Relationships of one entity that are followed at a hop: those with most evidence."""


class Neighbourhood(NamedTuple):
    """Nodes in order, and of each how central it is, 0 to 1, the most central 1."""

    nodes: Ints
    centrality: Doubles


def neighbourhood(graph: GraphView, seeds: Mapping[int, float], depth: int) -> Neighbourhood:
    """Follow relationships some hops out from weighted seeds, and see where a walk from these comes to.

    Centrality is the share of a personalised PageRank (Haveliwala 2002) that arrives over relationships, not
    by starting there: an entity that nothing leads to has 0.
    """
    arrays = compiled(graph)
    edges = _followed(arrays, np.array(sorted(seeds), dtype=np.int64), depth)
    nodes = distinct(np.concatenate([np.array(sorted(seeds)), arrays.source[edges], arrays.target[edges]]))
    nodes = nodes.astype(np.int64)
    place = {node: at for at, node in enumerate(nodes.tolist())}
    source, target = (
        np.searchsorted(nodes, arrays.source[edges]),
        np.searchsorted(nodes, arrays.target[edges]),
    )
    matrix = adjacency(len(nodes), source, target, arrays.weight[edges], directed=False)
    reset = np.zeros(len(nodes))
    for node, weight in seeds.items():
        reset[place[node]] = weight
    if not reset.any():
        reset[:] = 1.0
    arrived = _arriving(matrix, personalised_pagerank(matrix, reset).scores)
    most = arrived.max(initial=0.0)
    return Neighbourhood(nodes, arrived / most if most > 0 else arrived)


def _followed(arrays: CompiledGraph, frontier: Ints, depth: int) -> Ints:
    """Return the relationships followed, each once: at a node no more than the `FAN` weightiest."""
    seen = np.zeros(len(arrays.ids), dtype=bool)
    seen[frontier] = True
    found: list[Ints] = [np.zeros(0, dtype=np.int64)]
    for _ in range(depth):
        edges, whose = arrays.edges_at(frontier)
        order = np.lexsort((edges, -arrays.weight[edges], whose))
        ranked = whose[order]
        first = np.searchsorted(ranked, np.arange(len(frontier)))
        kept = edges[order[np.arange(len(order)) - first[ranked] < FAN]]
        found.append(kept)
        reached = distinct(np.concatenate([arrays.source[kept], arrays.target[kept]]))
        frontier = reached[~seen[reached]]
        seen[frontier] = True
    every = distinct(np.concatenate(found))
    apart: Ints = every[arrays.source[every] != arrays.target[every]]
    return apart


def _arriving(matrix: "csr_array", scores: Doubles) -> Doubles:
    """Return what one step of the walk brings each node (n,)."""
    strength = np.asarray(matrix.sum(axis=1)).ravel()
    share = np.divide(scores, strength, out=np.zeros_like(scores), where=strength > 0)
    return np.asarray(matrix.T @ share).ravel()


POOL = 50
"""Entities looked at for vector scores, at least; four times the limit where that is more."""
NEIGHBOURS = 10
"""Neighbours listed of each result."""
CONTENT = 480
"""Characters of a result's content."""


class GraphEnhancedSearch(ToolInput):
    """What to look for, how far around it, and what counts how much."""

    query: Query
    depth: int = Field(
        2,
        validation_alias=AliasChoices("depth", "max_hops", "maxDepth", "max_depth"),
        description="hops around what is found, 1 to 3; any other number is changed to the nearest of these",
    )
    limit: PositiveInt = Field(
        10, validation_alias=AliasChoices("limit", "top_k"), description="how many results at most"
    )
    include_neighbors: bool = Field(True, description="list the neighbours of each result")
    vector_weight: float = Field(
        0.6, ge=0, le=1, description="what likeness to the query counts; the two are scaled to a sum of 1"
    )
    graph_weight: float = Field(0.4, ge=0, le=1, description="what centrality around the matches counts")

    @model_validator(mode="after")
    def _counts_something(self) -> Self:
        if not self.vector_weight + self.graph_weight > 0:
            raise ValueError("vector_weight or graph_weight must be above 0")
        return self


class ResultNeighbor(Shape):
    """A neighbour of a result."""

    entity_id: int | None = Field(description="short id")
    id: str
    name: str
    relation: str
    weight: float = Field(description="confidence of the relationship, 0 to 1")
    depth: int


class SearchResult(Shape):
    """An entity, and why it is here."""

    entity_id: int | None = Field(description="short id")
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


class EnhancedSearch(Shape):
    """Results, the best first."""

    success: Literal[True] = True
    query: str
    result_count: int
    results: tuple[SearchResult, ...]
    search_params: SearchParams
    retrieval_mode: RetrievalMode = Field(description="fulltext: vectors were not compared")


class _Scored(NamedTuple):
    node: int
    vector: float
    graph: float
    combined: float


@tool(
    writes="memory",
    needs={"Entity.id"},
    optional={
        "Entity.name",
        "Entity.type",
        "Entity.description",
        "Relationship.weight",
        "Relationship.confidence",
        "Relationship.type",
    },
    cite=f"{ENHANCED}; centrality: Haveliwala 2002",
)
def graph_enhanced_search(
    ask: GraphEnhancedSearch, graph: GraphView, vectors: Vectors, embedder: Embedder | None
) -> Noted[EnhancedSearch]:
    """Find entities like a query, follow the graph around them, and rank all by likeness and centrality."""
    depth, told = clamped_depth(ask.depth)
    likeness, mode, why = _matched(ask, graph, vectors, embedder)
    total = ask.vector_weight + ask.graph_weight
    shares = ask.vector_weight / total, ask.graph_weight / total
    rows = _scored(graph, likeness, depth, ask.limit, shares)
    results = tuple(_result(row, graph, depth if ask.include_neighbors else 0) for row in rows)
    data = EnhancedSearch(
        query=ask.query,
        result_count=len(results),
        results=results,
        search_params=SearchParams(
            depth=depth, vector_weight=round(shares[0], 6), graph_weight=round(shares[1], 6)
        ),
        retrieval_mode=mode,
    )
    return Noted(data=data, warnings=(*told, *why))


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
        found = near(vectors, "entity", ask.query, vector, width)
        hits, mode = list(found), "vector" if found and found.scorer == "cosine" else "fulltext"
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
) -> list[_Scored]:
    """Rank the matches and what is around the best of them; ties by id."""
    if not likeness:
        return []
    best = sorted(likeness, key=lambda node: (-likeness[node], node))[:limit]
    near_by = neighbourhood(graph, {node: likeness[node] for node in best}, depth)
    central = dict(zip(near_by.nodes.tolist(), near_by.centrality.round(4).tolist(), strict=True))
    rows = []
    for node in {**central, **likeness}:
        like, centre = likeness.get(node, 0.0), central.get(node, 0.0)
        rows.append(_Scored(node, like, centre, combined(like, centre, shares)))
    return sorted(rows, key=lambda row: (-row.combined, -row.vector, row.node))[:limit]


def combined(likeness: float, centrality: float, shares: tuple[float, float]) -> float:
    """Return the weighted sum of two scores, to four decimals, half to even as they are written."""
    parts = zip((likeness, centrality), shares, strict=True)
    total = sum((Decimal(repr(score)) * Decimal(repr(share)) for score, share in parts), Decimal(0))
    return float(total.quantize(Decimal("0.0001"), ROUND_HALF_EVEN))


def _result(row: _Scored, graph: GraphView, depth: int) -> SearchResult:
    entity = graph.entities[row.node]
    near_by = around(graph, row.node, depth=depth, limit=NEIGHBOURS)
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
        vector_score=row.vector,
        graph_score=row.graph,
        combined_score=row.combined,
        neighbors=tuple(neighbors),
        neighbor_count=len(near_by.steps) + near_by.left_out,
        truncated=near_by.left_out,
    )
