"""How a graph is built: its size, centrality, paths, communities, and the topics of these."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BeforeValidator, Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.base import JsonDict, Noun, nfc
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import VALUES, Community, Entity, EntityRef, Path, Relationship
from corpusgraph.schemas.ports import GraphView, Ints, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.schemas.study import CommunityOptions
from corpusgraph.tasks.build.communities import find_communities, undirected
from corpusgraph.tasks.digits import settled
from corpusgraph.tasks.graph import centrality
from corpusgraph.tasks.graph.columnar import values_of
from corpusgraph.tasks.graph.communities import deepest
from corpusgraph.tasks.graph.compiled import CompiledGraph, Doubles, chunk_ids, compiled, relationship_ids
from corpusgraph.tasks.graph.inputs import SPELLINGS, TopK, directions, reference, resolved
from corpusgraph.tasks.graph.paths import Direction, Route, Routes
from corpusgraph.tasks.graph.ppr import Walk
from corpusgraph.tasks.graph.ranking import leading, ranked, vector_status
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.text.words import STOP_WORDS, stem, written_words
from corpusgraph.tasks.tools.memory._inputs import (
    ENDS,
    ENHANCED,
    MaybeEntities,
    Shape,
    Success,
    Types,
    as_list,
    spelled,
    unknown_types,
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
    types = sorted(Counter(arrays.types.tolist()).items(), key=lambda pair: (-pair[1], pair[0]))
    status: QdrantStatus = "connected" if backend.connected else "disconnected"
    if backend.backend != "qdrant":
        status = "not_configured"
    counts: JsonDict = {
        "entities": n,
        "relationships": m,
        "avg_relationships_per_entity": round(m / n, 2) if n else 0.0,
        "causal_relationships": int(np.count_nonzero(values_of(graph.relationships, "is_causal"))),
    }
    statistics = Statistics(
        **counts,
        relationship_types=tuple(TypeCount(relation_type=name, count=count) for name, count in types),
        qdrant_available=backend.available,
        qdrant_connected=backend.connected,
        vector_backend=backend.backend,
    )
    return GraphStatistics(statistics=statistics, health=Health(**counts, qdrant_status=status))


# Centrality

Least = Annotated[float, Field(ge=0, description="look at relationships of at least this weight")]
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


class Centralities(Success):
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
    sources = centrality.sampled(n, ask.samples or (n if n * m <= EXACT else SAMPLES))
    measures = _measures(ask, arrays, sources)
    scores = {name: measures[name]() for name in ask.measures}
    values = {name: some for name, some in scores.items() if some is not None}
    unsettled = (f"{name} does not converge on this graph." for name in ask.measures if name not in values)
    rough = [m for m in ask.measures if m in BY_PATHS and len(sources) < n]
    message = f"{', '.join(rough)}: estimated from the paths of {len(sources)} of {n} entities."
    data = Centralities(
        entity_count=n,
        relationship_count=m,
        measures=list(values),
        estimated=rough,
        samples=len(sources) if BY_PATHS & set(ask.measures) else None,
        entities=_ranked(ask, graph, values),
    )
    warnings = (
        *(ToolWarning(code="not_converged", message=one) for one in unsettled),
        *warned("estimated", message, when=rough),
        *unknown_types(graph, ask.relationship_types),
    )
    return Noted(data=data, warnings=warnings)


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
    near = cache(lambda: centrality.nearness(steps(), sources, directed=directed))
    powers = cache(lambda: centrality.hits(arrays.adjacency(directed=True)))

    def strength(ends: Ints, which: Any = ...) -> Any:
        return np.bincount(ends[which], arrays.weight[which], minlength=n)

    def settled_or_none(walk: Walk | centrality.Power) -> Doubles | None:
        return walk.scores if walk.converged else None

    return {
        "degree": lambda: arrays.degrees * scale,
        "in_degree": lambda: np.bincount(arrays.target, minlength=n) * scale,
        "out_degree": lambda: np.bincount(arrays.source, minlength=n) * scale,
        "strength": lambda: strength(arrays.target) + strength(arrays.source, apart),
        "in_strength": lambda: strength(arrays.target),
        "out_strength": lambda: strength(arrays.source),
        "betweenness": lambda: centrality.betweenness(steps(), sources, directed=directed) / pairs,
        "closeness": lambda: near().closeness,
        "harmonic": lambda: near().harmonic,
        "pagerank": lambda: settled_or_none(
            centrality.pagerank(weights(), damping=ask.damping_factor, max_iterations=1000)
        ),
        "eigenvector": lambda: settled_or_none(centrality.eigenvector(weights())),
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
    max_hops: int = Field(4, ge=1, le=20, description="relationships of a path at most")
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


class FoundPaths(Success):
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
    data = FoundPaths(
        source=source.id,
        target=target.id,
        mode=ask.mode,
        path_count=len(paths),
        truncated=len(routes) > ask.top_k or gave_up,
        paths=paths,
    )
    warnings = (
        *warned("truncated", ended, when=gave_up),
        *warned("unreached", none, when=not routes and not gave_up),
        *unknown_types(graph, ask.relationship_types),
    )
    return Noted(data=data, warnings=warnings)


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
        steps=tuple(_in_words(graph, i) for i in route.edges),
    )
    parts = {"hops": float(hops), "cost": cost}
    return Scored[FoundPath](item=path, score=score, rank=rank, scorer=ask.mode, components=parts)


def _in_words(graph: GraphView, edge: int) -> str:
    relationship, arrays = graph.relationships[edge], compiled(graph)
    source, target = (graph.entities[int(end[edge])].name for end in (arrays.source, arrays.target))
    return f"{source} {relationship.type.replace('_', ' ')} {target}"


# Communities and their topics


class Parting(ToolInput):
    """How the graph is parted."""

    resolution: float = Field(1.0, gt=0, le=1000, description="higher: more and smaller communities")
    level: NonNegativeInt | None = Field(
        0, description="0: the coarsest; n: communities above max_size divided n times; null: to the end"
    )
    max_size: PositiveInt = Field(10, description="a larger community is divided on the next level")
    min_size: PositiveInt = Field(2, description="leave out communities of fewer entities")
    seed: int = Field(0xDEADBEEF, description="of the order in which entities are looked at")
    relationship_types: Types = None
    min_weight: Least = 0.0


def parted(ask: Parting, graph: GraphView) -> tuple[list[Community], list[Relationship], int]:
    """Part the graph by hierarchical Leiden, in steps of a fixed order; dates and quantities are in none.

    Returns communities that share no entity, by size, then id; the relationships they were made from; and how
    many levels there are.
    """
    options = CommunityOptions(
        max_size=ask.max_size, resolution=ask.resolution, seed=ask.seed, algorithm="stable"
    )
    types = ask.relationship_types
    used = [
        r
        for r in counted(graph.relationships, "relationships read")
        if r.is_stated and r.weight >= ask.min_weight and (types is None or r.type in types)
    ]
    every = find_communities(graph.entities, used, options)
    levels = max((community.level for community in every), default=-1) + 1
    lowest = deepest(c for c in every if ask.level is None or c.level <= ask.level)
    large = [c for c in lowest if len(c.entity_ids) >= ask.min_size]
    return sorted(large, key=lambda c: (-len(c.entity_ids), c.id)), used, levels


class DetectCommunities(Parting):
    """How the graph is parted, and how many communities are told."""

    top_k: TopK = 50


class Group(Community):
    """A community with the names of its members, in the order of their ids."""

    names: tuple[str, ...]


class Communities(Success):
    """A partition of the connected entities, the largest community first."""

    community_count: int = Field(description="communities of at least min_size entities")
    level_count: int = Field(description="levels there are; `level` goes down to the last of them")
    modularity: float = Field(description="of the communities counted, others as entities of their own")
    covered: int = Field(description="entities in a community")
    truncated: bool
    communities: list[Group]


@tool(
    writes="detected_communities",
    needs=ENDS,
    optional="Relationship.weight type, Entity.name type",
    adds="Group.names",
    cite="Traag, Waltman & van Eck 2019; modularity: Newman & Girvan 2004",
)
def detect_communities(ask: DetectCommunities, graph: GraphView) -> Noted[Communities]:
    """Find communities by hierarchical Leiden in the graph with all that was added by hand; none is stored.

    Dates and quantities are left out, and so is an entity without a relationship.
    """
    communities, used, levels = parted(ask, graph)
    message = "No two entities are related here."
    if levels:
        message = f"No community has {ask.min_size} entities; lower min_size."
    names = {entity.id: entity.name for entity in graph.entities}
    shown = communities[: ask.top_k]
    data = Communities(
        community_count=len(communities),
        level_count=levels,
        modularity=_modularity(communities, used, graph, ask.resolution),
        covered=sum(len(community.entity_ids) for community in communities),
        truncated=len(shown) < len(communities),
        communities=[
            Group(**dict(community), names=tuple(names[id_] for id_ in community.entity_ids))
            for community in shown
        ],
    )
    notes = warned("no_communities", message, when=not communities)
    return Noted(data=data, warnings=(*unknown_types(graph, ask.relationship_types), *notes))


def _modularity(
    communities: Sequence[Community],
    relationships: Sequence[Relationship],
    graph: GraphView,
    resolution: float,
) -> float:
    """Return how much more weight lies inside communities than chance puts there (Newman & Girvan 2004).

    An entity in no community is one of its own, and a relationship of one with itself does not count. 0
    without relationships.
    """
    from networkx import Graph
    from networkx.algorithms.community import modularity

    among = {entity.id for entity in graph.entities if entity.type not in VALUES}
    edges = undirected(
        r
        for r in counted(relationships, "modularity: relationships counted")
        if r.source_id != r.target_id and {r.source_id, r.target_id} <= among
    )
    joined = Graph()
    joined.add_weighted_edges_from((*ends, weight) for ends, weight in edges.items())
    members = [joined.nodes & set(community.entity_ids) for community in communities]
    alone = [{id_} for id_ in joined.nodes - set().union(*members)]
    return round(modularity(joined, [*members, *alone], resolution=resolution), 6) if edges else 0.0


WeightedText = tuple[str, float]
"""A text and how much of it is about the class."""


def keywords(
    classes: Mapping[str, Iterable[WeightedText]], top_k: int, wanted: Collection[str] | None = None
) -> dict[str, list[tuple[str, float]]]:
    """Return the words that tell each class from the others with their weights, best first.

    Class-based TF-IDF (Grootendorst 2022, arXiv:2203.05794): share of the word in its class x ln(1 + A / f),
    f how often it is in all classes and A the mean number of words of a class. Words with one stem are one,
    shown as they are mostly written; stop words and bare numbers are left out. `wanted`, unless all, are the
    classes whose words are returned; the others count for f and A.
    """
    words_of = cache(_words)  # a text may be about several classes
    written: dict[str, Counter[str]] = defaultdict(Counter)
    total: dict[str, float] = defaultdict(float)
    by_class: dict[str, dict[str, float]] = {name: defaultdict(float) for name in classes}
    for name, texts in classes.items():
        for text, weight in counted(iter(texts), "keywords: texts of groups", every=64):
            for (key, form), n in words_of(text).items():
                written[key][form] += n
                total[key] += weight * n
                by_class[name][key] += weight * n
    mean = math.fsum(total.values()) / max(1, len(classes))
    rows: dict[str, list[tuple[str, float]]] = {}
    for name in by_class if wanted is None else (name for name in by_class if name in wanted):
        counts = by_class[name]
        size = math.fsum(counts.values())
        weights = {key: n / size * math.log1p(mean / total[key]) for key, n in counts.items()}
        best = sorted((-round(weight, 12), key) for key, weight in weights.items())[:top_k]
        rows[name] = [(_mostly(written[key]), round(weights[key], 6)) for _, key in best]
    return rows


def _words(text: str) -> Counter[tuple[str, str]]:
    """Count the words of a text that tell something: stem, and the word as it is written."""
    said = (word for word in written_words(nfc(text)) if word.casefold() not in STOP_WORDS)
    telling = (word for word in said if not word.isdigit() and (len(word) > 1 or not word.isascii()))
    return Counter((stem(word.casefold()), word) for word in telling)


def _mostly(forms: Counter[str]) -> str:
    return min(forms, key=lambda form: (-forms[form], not form.islower(), form))


class IdentifyTopics(Parting):
    """How the graph is parted, and how much is told of each topic."""

    top_k: TopK = 20
    max_keywords: PositiveInt = Field(10, le=100, description="keywords of a topic at most")
    max_entities: PositiveInt = Field(5, description="entities that stand for a topic at most")
    max_bridges: PositiveInt = Field(20, description="bridges, and entities that connect, at most")


class Keyword(Noun):
    """A word that tells a topic from the others, with its class-based TF-IDF."""

    word: str
    weight: float


class Topic(Noun):
    """A domain of knowledge: what a community of entities is about."""

    id: str = Field(description="id of the community; the same entities have the same id")
    label: str = Field(description="its first three keywords")
    keywords: list[Keyword]
    entities: list[Scored[Entity]] = Field(description="by the weight of their relationships inside")
    size: int = Field(description="entities in it")
    weight: float = Field(description="of the relationships inside")
    chunk_count: int = Field(description="chunks that mention an entity of it")


class Bridge(Noun):
    """Relationships that lead between two topics."""

    source: str = Field(description="id of the larger topic")
    target: str
    weight: float = Field(description="of all relationships between the two")
    relationship_count: int
    relationships: list[str] = Field(description="ids of the heaviest five")


class Topics(Success):
    """Topics, the largest first, and what connects them."""

    topic_count: int
    truncated: bool
    topics: list[Topic]
    bridges: list[Bridge]
    connectors: list[Scored[Entity]] = Field(
        description="entities whose relationships spread over topics: 1 - sum of squared shares"
    )


@tool(
    writes="topics",
    needs=ENDS,
    optional="Relationship.weight, Entity.name description, Chunk.content entities",
    adds="Scored.score, Keyword.word weight",
    cite="keywords: Grootendorst 2022, arXiv:2203.05794; communities: Traag, Waltman & van Eck 2019; "
    "participation coefficient: Guimerà & Amaral 2005",
)
def identify_topics(ask: IdentifyTopics, graph: GraphView) -> Noted[Topics]:
    """Name the topics of the graph by keywords and entities, and the bridges between those domains.

    A topic is a community; its words are those of its entities' names and descriptions, and of the chunks
    that mention them, each chunk counting by the share of its mentions that are of the topic.
    """
    communities, used, _ = parted(ask, graph)
    shown, chunks = communities[: ask.top_k], _chunks(graph, communities)
    texts = {community.id: _texts(graph, community, chunks[community.id]) for community in communities}
    words = keywords(texts, ask.max_keywords, {community.id for community in shown})
    ties, bridges = _ties(used, communities)
    inside = {id_: ties[id_].get(c.id, 0.0) for c in communities for id_ in c.entity_ids}
    message = "No two entities are related here, or no community is of min_size."
    data = Topics(
        topic_count=len(communities),
        truncated=len(shown) < len(communities),
        topics=[
            Topic(
                id=community.id,
                label=", ".join(word for word, _ in words[community.id][:3]) or str(community.title),
                keywords=[Keyword(word=word, weight=weight) for word, weight in words[community.id]],
                entities=_strongest(graph, {id_: inside[id_] for id_ in community.entity_ids}, ask),
                size=len(community.entity_ids),
                weight=settled(sum(inside[id_] for id_ in community.entity_ids) / 2),
                chunk_count=len(chunks[community.id]),
            )
            for community in shown
        ],
        bridges=bridges[: ask.max_bridges],
        connectors=_connectors(graph, ties, ask.max_bridges),
    )
    notes = warned("no_communities", message, when=not communities)
    return Noted(data=data, warnings=(*unknown_types(graph, ask.relationship_types), *notes))


def _chunks(graph: GraphView, communities: Sequence[Community]) -> dict[str, dict[str, float]]:
    """Return community -> chunk that mentions it -> share of the chunk's mentions that are of it."""
    counts, every = graph.mention_counts(), Counter[str]()
    for of_entity in counts.values():
        every.update(of_entity)
    shares: dict[str, dict[str, float]] = {}
    for community in communities:
        own = Counter[str]()
        for id_ in community.entity_ids:
            own.update(counts[id_])
        shares[community.id] = {chunk: n / every[chunk] for chunk, n in own.items()}
    return shares


def _texts(graph: GraphView, community: Community, chunks: Mapping[str, float]) -> Iterator[WeightedText]:
    for entity in map(graph.entity, community.entity_ids):
        yield f"{entity.name} {entity.description or ''}", 1.0
    places = np.array([chunk_ids(graph).find(id_) for id_ in chunks], dtype=np.int64)
    yield from zip(values_of(graph.chunks, "content", places), chunks.values(), strict=True)


def _ties(
    relationships: Iterable[Relationship], communities: Sequence[Community]
) -> tuple[dict[str, dict[str, float]], list[Bridge]]:
    """Return entity -> topic -> weight of the relationships that lead there, and bridges, heaviest first."""
    order = {id_: place for place, community in enumerate(communities) for id_ in community.entity_ids}
    ties: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    across: dict[tuple[int, int], list[Relationship]] = defaultdict(list)
    for r in counted(relationships, "topics: relationships placed"):
        own, other = order.get(r.source_id), order.get(r.target_id)
        if own is None or other is None or r.source_id == r.target_id:
            continue
        ties[r.source_id][communities[other].id] += r.weight
        ties[r.target_id][communities[own].id] += r.weight
        if own != other:
            across[min(own, other), max(own, other)].append(r)
    bridges = [
        Bridge(
            source=communities[own].id,
            target=communities[other].id,
            weight=settled(sum(r.weight for r in some)),
            relationship_count=len(some),
            relationships=[r.id for r in sorted(some, key=lambda r: (-r.weight, r.id))[:5]],
        )
        for (own, other), some in across.items()
    ]
    return ties, sorted(bridges, key=lambda bridge: (-bridge.weight, bridge.source, bridge.target))


def _strongest(graph: GraphView, inside: Mapping[str, float], ask: IdentifyTopics) -> list[Scored[Entity]]:
    first = leading(inside, ask.max_entities)
    return ranked(((graph.entity(id_), score, {}) for id_, score in first), "strength inside")


def _connectors(
    graph: GraphView, ties: Mapping[str, Mapping[str, float]], top_k: int
) -> list[Scored[Entity]]:
    """Rank entities by the participation coefficient 1 - sum (k_c / k)^2 over topics c (Guimerà & Amaral)."""
    strength = {id_: sum(to.values()) for id_, to in ties.items() if len(to) > 1}
    spread = {
        id_: round(1 - sum((k / total) ** 2 for k in ties[id_].values()), 6)
        for id_, total in strength.items()
    }
    rows = (
        (graph.entity(id_), score, {"topics": float(len(ties[id_])), "strength": strength[id_]})
        for id_, score in leading(spread, top_k)
    )
    return ranked(rows, "participation")
