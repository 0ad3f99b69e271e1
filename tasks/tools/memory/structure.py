"""How a graph is built: its size, how central entities are, how two of them hang together."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Entity, EntityRef, Path
from corpusgraph.schemas.ports import GraphView, Ints, Vectors, VectorStatus
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.tasks.digits import settled
from corpusgraph.tasks.graph.centrality import (
    Power,
    betweenness,
    eigenvector,
    hits,
    nearness,
    pagerank,
    sampled,
)
from corpusgraph.tasks.graph.columnar import values_of
from corpusgraph.tasks.graph.compiled import CompiledGraph, Doubles, compiled, relationship_ids
from corpusgraph.tasks.graph.inputs import SPELLINGS, TopK, directions, reference, resolved
from corpusgraph.tasks.graph.paths import Direction, Route
from corpusgraph.tasks.graph.ppr import Walk
from corpusgraph.tasks.graph.ranking import ranked, vector_status
from corpusgraph.tasks.graph.routes import Routes
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._columns import Least, Types, unknown_types
from corpusgraph.tasks.tools.memory._inputs import (
    ENDS,
    ENHANCED,
    Done,
    MaybeEntities,
    Shape,
    Success,
    as_list,
    spelled,
)

# Size


class GetGraphStatistics(ToolInput):
    """Of which index."""


QdrantStatus = Literal["connected", "disconnected", "not_configured"]


class TypeCount(Shape):
    """A type of relationship, and how many there are of it."""

    relation_type: str
    count: int


class Statistics(Shape):
    """Counts."""

    entities: int
    relationships: int
    relationship_types: tuple[TypeCount, ...] = Field(description="most frequent first")
    avg_relationships_per_entity: float = Field(description="relationships / entities, two decimals")
    causal_relationships: int
    qdrant_available: bool = Field(
        description="this index keeps its vectors in Qdrant, and its client is installed"
    )
    qdrant_connected: bool = Field(description="and it answers")
    vector_backend: str = Field(description="what answers vector searches: memory, lance or qdrant")


class Health(Shape):
    """The same, short."""

    entities: int
    relationships: int
    avg_relationships_per_entity: float
    causal_relationships: int
    qdrant_status: QdrantStatus = Field(description="not_configured: this index is searched without Qdrant")


class GraphStatistics(Success):
    """Statistics and health of a graph."""

    statistics: Statistics
    health: Health


@tool(writes="memory", needs=ENDS, optional="Relationship.type is_causal", cite=ENHANCED)
def get_graph_statistics(
    ask: GetGraphStatistics,  # noqa: ARG001  a tool takes an input
    graph: GraphView,
    vectors: Vectors | None,
) -> GraphStatistics:
    """Count entities, relationships and their types, and tell what answers vector searches."""
    arrays, backend = compiled(graph), vector_status(vectors)
    n, m = len(arrays.ids), len(arrays.source)
    average = round(m / n, 2) if n else 0.0
    causal = int(np.count_nonzero(values_of(graph.relationships, "is_causal")))
    counts: JsonDict = {
        "entities": n,
        "relationships": m,
        "avg_relationships_per_entity": average,
        "causal_relationships": causal,
    }
    statistics = Statistics(
        **counts,
        relationship_types=_types(arrays.types.tolist()),
        qdrant_available=backend.available,
        qdrant_connected=backend.connected,
        vector_backend=backend.backend,
    )
    return GraphStatistics(statistics=statistics, health=Health(**counts, qdrant_status=_status(backend)))


def _types(types: Sequence[str]) -> tuple[TypeCount, ...]:
    counts = sorted(Counter(types).items(), key=lambda pair: (-pair[1], pair[0]))
    return tuple(TypeCount(relation_type=name, count=count) for name, count in counts)


def _status(backend: VectorStatus) -> QdrantStatus:
    if backend.backend != "qdrant":
        return "not_configured"
    return "connected" if backend.connected else "disconnected"


# Centrality

Measure = Literal[
    "pagerank",
    "betweenness",
    "degree",
    "in_degree",
    "out_degree",
    "strength",
    "in_strength",
    "out_strength",
    "closeness",
    "harmonic",
    "eigenvector",
    "hubs",
    "authorities",
]
BY_PATHS = frozenset({"betweenness", "closeness", "harmonic"})
EXACT = 20_000_000
"""Nodes times relationships up to which all shortest paths are looked at: some seconds."""
SAMPLES = 256


def _each_once(measures: list[Measure]) -> list[Measure]:
    if len(set(measures)) < len(measures):
        raise ValueError("measures names one twice")
    return measures


class GraphCentrality(ToolInput):
    """Which measures, over which part of the graph."""

    measures: Annotated[list[Measure], BeforeValidator(as_list), AfterValidator(_each_once)] = spelled(
        *("measures", "measure", "metrics", "metric"),
        default=["pagerank", "betweenness", "degree"],
        min_length=1,
        description="what to compute; entities are ranked by the first. degree counts relationships, "
        "strength sums their weights; pagerank, eigenvector, hubs and authorities go by weight; "
        "betweenness, closeness and harmonic go by the number of steps",
    )
    entities: MaybeEntities = None
    top_k: TopK = 10
    directed: bool = Field(
        False, description="follow relationships from source to target; hubs and authorities always do"
    )
    normalised: bool = spelled(
        *("normalised", "normalized"),
        default=True,
        description="degrees divided by n - 1 and betweenness by the number of pairs; false: counts",
    )
    samples: PositiveInt | None = Field(
        None,
        description="entities from which shortest paths are looked for; unless given, all where the graph "
        "allows, else 256: an estimate, told by a warning",
    )
    damping_factor: float = Field(
        0.85, gt=0, lt=1, description="of pagerank: probability of following an edge"
    )
    relationship_types: Types = None
    min_weight: Least = 0.0


class Centralities(Done):
    """Entities by the first measure, each with all measures as components."""

    entity_count: int
    relationship_count: int = Field(description="relationships looked at")
    measures: list[Measure] = Field(description="those computed, in the order asked for")
    estimated: list[Measure] = Field(description="measures estimated from a sample of entities")
    samples: int | None = Field(description="entities that shortest paths were looked for from")
    entities: list[Scored[Entity]]


@tool(
    writes="centralities",
    needs=ENDS,
    optional="Relationship.weight type",
    adds="Scored.score components.pagerank components.betweenness",
    cite="Page et al. 1999; Freeman 1979; Brandes 2001; Brandes & Pich 2007; Wasserman & Faust 1994; "
    "Marchiori & Latora 2000; Bonacich 1972; Kleinberg 1999",
)
def graph_centrality(ask: GraphCentrality, graph: GraphView) -> Noted[Centralities]:
    """Measure how central entities are: PageRank, betweenness, degrees, closeness, eigenvector, hubs.

    A measure that does not converge (an eigenvector where relationships make no circle) is left out with a
    warning; where it is the first, entities are ranked by the next.
    """
    arrays = chosen(compiled(graph), ask.relationship_types, ask.min_weight)
    n, m = len(arrays.ids), len(arrays.source)
    sources = sampled(n, ask.samples or (n if n * m <= EXACT else SAMPLES))
    measures = _measures(ask, arrays, sources)
    scores = {name: measures[name]() for name in ask.measures}
    values = {name: some for name, some in scores.items() if some is not None}
    lost = [name for name in ask.measures if name not in values]
    rough = [m for m in ask.measures if m in BY_PATHS and len(sources) < n]
    message = f"{', '.join(rough)}: estimated from the paths of {len(sources)} of {n} entities."
    return Noted(
        data=Centralities(
            entity_count=n,
            relationship_count=m,
            measures=list(values),
            estimated=rough,
            samples=len(sources) if BY_PATHS & set(ask.measures) else None,
            entities=_ranked(ask, graph, values),
        ),
        warnings=(
            *(
                ToolWarning(code="not_converged", message=f"{name} does not converge on this graph.")
                for name in lost
            ),
            *warned("estimated", message, when=rough),
            *unknown_types(graph, ask.relationship_types),
        ),
    )


def _ranked(ask: GraphCentrality, graph: GraphView, values: Mapping[Any, Doubles]) -> list[Scored[Entity]]:
    """Rank entities by the first measure; of equals, the first by id."""
    if not values:
        return []
    first = next(iter(values))
    scores, at = values[first], compiled(graph).at
    if ask.entities is None:
        nodes = np.lexsort((np.arange(len(scores)), -scores))[: ask.top_k].tolist()
    else:
        nodes = [at[entity.id] for entity in resolved(graph, ask.entities)]
    rows = (
        (graph.entities[i], float(scores[i]), {name: float(some[i]) for name, some in values.items()})
        for i in nodes
    )
    return ranked(rows, str(first), ask.top_k)


def _measures(ask: GraphCentrality, arrays: CompiledGraph, sources: Ints) -> dict[Measure, Callable[[], Any]]:
    """Return how each measure is computed, what several need once; None is one that does not converge."""
    n, directed = len(arrays.ids), ask.directed
    scale = 1 / max(1, n - 1) if ask.normalised else 1.0
    pairs = (n - 1) * (n - 2) / (1 if directed else 2) if ask.normalised and n > 2 else 1.0
    apart = arrays.source != arrays.target  # a self-loop counts once
    weights = cache(lambda: arrays.adjacency(directed=directed))
    steps = cache(lambda: _steps(arrays, directed=directed))
    near = cache(lambda: nearness(steps(), sources, directed=directed))
    powers = cache(lambda: hits(arrays.adjacency(directed=True)))

    def strength(ends: Ints, which: Any = ...) -> Any:
        return np.bincount(ends[which], arrays.weight[which], minlength=n)

    def settled_or_none(walk: Walk | Power) -> Doubles | None:
        return walk.scores if walk.converged else None

    return {
        "degree": lambda: arrays.degrees * scale,
        "in_degree": lambda: np.bincount(arrays.target, minlength=n) * scale,
        "out_degree": lambda: np.bincount(arrays.source, minlength=n) * scale,
        "strength": lambda: strength(arrays.target) + strength(arrays.source, apart),
        "in_strength": lambda: strength(arrays.target),
        "out_strength": lambda: strength(arrays.source),
        "betweenness": lambda: betweenness(steps(), sources, directed=directed) / pairs,
        "closeness": lambda: near().closeness,
        "harmonic": lambda: near().harmonic,
        "pagerank": lambda: settled_or_none(
            pagerank(weights(), damping=ask.damping_factor, max_iterations=1000)
        ),
        "eigenvector": lambda: settled_or_none(eigenvector(weights())),
        "hubs": lambda: settled_or_none(powers()[0]),
        "authorities": lambda: settled_or_none(powers()[1]),
    }


def _steps(arrays: CompiledGraph, *, directed: bool) -> Any:
    """Return the matrix of who is one step from whom: 0 and 1, without a diagonal."""
    steps = arrays.adjacency(directed=directed).copy()
    steps.data[:] = 1.0
    steps.setdiag(0)
    steps.eliminate_zeros()
    return steps


def chosen(arrays: CompiledGraph, types: Sequence[str] | None, min_weight: float) -> CompiledGraph:
    """Return the graph of some stated relationships; nodes stay, and numbers of edges change."""
    if types is None and min_weight <= 0 and not len(arrays.denied):
        return arrays
    keep: NDArray[np.bool_] = arrays.is_stated & (arrays.weight >= min_weight)
    if types is not None:
        keep = keep & arrays.of_types(types)
    return CompiledGraph(
        ids=arrays.ids,
        source=arrays.source[keep],
        target=arrays.target[keep],
        weight=arrays.weight[keep],
        type_code=arrays.type_code[keep],
        type_names=arrays.type_names,
    )


# Paths

Mode = Literal["shortest", "weighted", "all_simple"]
Cost = Literal["weight", "confidence"]

_DIRECTIONS = {**SPELLINGS, "directed": "out", "undirected": "both"}
End = Annotated[EntityRef, BeforeValidator(reference)]


class FindPaths(ToolInput):
    """Between which entities, what is short, and how far to look."""

    source: End = spelled(
        *("source", "source_id", "source_entity", "start", "from_entity"),
        description="where paths begin: entity by id, short id or name",
    )
    target: End = spelled(
        *("target", "target_id", "target_entity", "end", "to_entity"),
        description="where paths end: entity by id, short id or name",
    )
    mode: Mode = Field(
        "shortest",
        description="shortest: fewest relationships first; weighted: least cost first; all_simple: every "
        "path that passes no entity twice, fewest relationships first",
    )
    cost: Cost = Field(
        "weight",
        description="of a relationship: weight: 1 / weight, so strong ones are short; confidence: "
        "-ln confidence, so the cheapest path is the one most likely to hold throughout",
    )
    max_hops: int = spelled(
        *("max_hops", "max_depth", "depth", "maxDepth"),
        default=4,
        ge=1,
        le=20,
        description="relationships of a path at most",
    )
    top_k: int = spelled(
        *("top_k", "limit", "max_paths"),
        default=10,
        ge=1,
        le=1000,
        description="paths at most; `truncated` tells whether there are more",
    )
    direction: Annotated[Direction, BeforeValidator(directions(_DIRECTIONS))] = Field(
        "both",
        description="out: from source to target of each relationship; in: against it; both: either way",
    )
    relationship_types: Types = None
    min_weight: float = Field(0.0, ge=0, description="follow relationships of at least this weight")
    parallel: bool = Field(
        False,
        description="of several relationships between two entities take each in turn, not the best alone",
    )


class FoundPath(Path):
    """A path with the names on it. `score` is 1 / (1 + cost); by confidence, the product of confidences."""

    names: tuple[str, ...] = Field(description="names of the entities, in order")
    steps: tuple[str, ...] = Field(description="each relationship in words, as the graph states it")


class FoundPaths(Done):
    """Paths, the best first."""

    source: str
    target: str
    mode: Mode
    path_count: int
    truncated: bool = Field(description="there are more than were asked for, or the search gave up")
    paths: list[Scored[FoundPath]]


@tool(
    writes="found_paths",
    needs=f"{ENDS} id",
    optional="Entity.name, Relationship.weight confidence type",
    adds="Scored.score components.hops components.cost",
    cite="Dijkstra 1959; Yen 1971; Hart, Nilsson & Raphael 1968; reliability of paths: Ball, Colbourn & "
    "Provan 1995",
)
def find_paths(ask: FindPaths, graph: GraphView) -> Noted[FoundPaths]:
    """Find the shortest, the cheapest or all simple paths between two entities, up to a number of hops."""
    nodes = compiled(graph).at
    source, target = graph.entity(ask.source), graph.entity(ask.target)
    if source.id == target.id:
        raise InvalidInputError(
            f"Source and target are both {source.name!r}.", hint="A path leads from one entity to another."
        )
    ways = Routes(
        graph,
        ask.max_hops,
        ask.direction,
        "cost" if ask.mode == "weighted" else "hops",
        ask.relationship_types,
        ask.parallel,
        ask.min_weight,
        reliable=ask.cost == "confidence",
    )
    routes = list(islice(ways.between(nodes[source.id], nodes[target.id]), ask.top_k + 1))
    gave_up = ways.budget.left <= 0
    paths = [_scored(ask, graph, route, rank) for rank, route in enumerate(routes[: ask.top_k], start=1)]
    ended = "The search gave up with what it had found; ask for fewer hops, or name types."
    none = f"No path of at most {ask.max_hops} relationships leads from {source.name!r} to {target.name!r}."
    return Noted(
        data=FoundPaths(
            source=source.id,
            target=target.id,
            mode=ask.mode,
            path_count=len(paths),
            truncated=len(routes) > ask.top_k or gave_up,
            paths=paths,
        ),
        warnings=(
            *warned("truncated", ended, when=gave_up),
            *warned("unreached", none, when=not routes and not gave_up),
            *unknown_types(graph, ask.relationship_types),
        ),
    )


def _scored(ask: FindPaths, graph: GraphView, route: Route, rank: int) -> Scored[FoundPath]:
    ids, edges = compiled(graph).ids, relationship_ids(graph)
    cost, hops = settled(route.cost), len(route.edges)
    score = settled(1 / (1 + cost) if ask.cost == "weight" else math.exp(-cost))
    path = FoundPath(
        node_ids=tuple(ids[i] for i in route.nodes),
        edge_ids=tuple(edges[i] for i in route.edges),
        score=score,
        cost=cost,
        names=tuple(graph.entities[i].name for i in route.nodes),
        steps=tuple(_words(graph, i) for i in route.edges),
    )
    parts = {"hops": float(hops), "cost": cost}
    return Scored[FoundPath](item=path, score=score, rank=rank, scorer=ask.mode, components=parts)


def _words(graph: GraphView, edge: int) -> str:
    relationship, arrays = graph.relationships[edge], compiled(graph)
    source, target = (graph.entities[int(end[edge])].name for end in (arrays.source, arrays.target))
    return f"{source} {relationship.type.replace('_', ' ')} {target}"
