"""Chunks: searched, and ranked by the relationships they state and the entities that occur in them."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import BeforeValidator, Field, PositiveInt, model_validator

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError, MissingAttributeError
from corpusgraph.schemas.graph import EntityRef
from corpusgraph.schemas.ports import Corpus, Embedder, GraphView, Vectors
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning, warned
from corpusgraph.tasks.graph.compiled import (
    Doubles,
    chunk_ids,
    compiled,
    edge_of,
    mentions,
    neighbours_at,
    node_of,
    per_graph,
    relationship_chunks,
    relationship_ids,
    spread,
    stated,
)
from corpusgraph.tasks.graph.inputs import (
    EntityRefs,
    Query,
    RelationshipRefs,
    RelationshipScores,
    TopK,
    VectorSearch,
    grades,
    resolved,
    seeds,
    summed,
    weights,
)
from corpusgraph.tasks.graph.linking import bearers, link_names, not_linked
from corpusgraph.tasks.graph.names import grouped
from corpusgraph.tasks.graph.passages import (
    EdgeWeights,
    PassageGraph,
    PassageScores,
    PathWeights,
    TextScore,
    WalkOptions,
    Weight,
    given_scores,
    passage_graph,
    text_scores,
)
from corpusgraph.tasks.graph.ranking import Row, best, leading, nearest, ranked, then
from corpusgraph.tasks.llm.prompting import query_read
from corpusgraph.tasks.method.run import normalized
from corpusgraph.tasks.registry import Reads, tool
from corpusgraph.tasks.text.words import words

# Tool 12: score chunks by the relationships they state.


class ChunkScoreAggregate(ToolInput):
    """The relationships' scores, and how a chunk's become one."""

    relationship_scores: RelationshipScores
    chunk_relationship_map: dict[str, list[str]] | None = Field(
        None, description="chunk id: ids of the relationships it states; the index's own, unless given"
    )
    top_k: TopK = 10
    aggregation: Literal["sum", "max", "weighted"] = Field(
        "sum",
        description="weighted: each score times the mentions of its ends in the chunk, their sum divided by "
        "ln(1 + tokens of the chunk)",
    )
    normalize: Literal["none", "minmax"] = Field("none", description="minmax: scores from 0 to 1")


@tool(
    12,
    needs="Chunk.relationships",
    optional="Relationship.chunk_ids, Chunk.content n_tokens entities",
    adds="Scored.score components.relationships",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Chunk.Aggregator; Gutiérrez et al. 2024 (HippoRAG)",
    aliases=("T60",),
)
def chunk_score_aggregate(ask: ChunkScoreAggregate, graph: GraphView) -> list[Scored[Chunk]]:
    """Score chunks by the scores of the relationships they state: sum, max or weighted; above 0 only."""
    ids = relationship_ids(graph)
    pairs = [(ids[edge_of(graph, ref)], score) for ref, score in ask.relationship_scores.items()]
    states = _states(ask, graph)
    said = ((chunk_id, pair) for pair in summed(pairs).items() for chunk_id in states.get(pair[0], ()))
    told = grouped(said)
    found = {id_: _total(ask.aggregation, graph, id_, parts) for id_, parts in told.items()}
    found = {id_: score for id_, score in found.items() if score > 0}
    least = [0.0] if len(found) < len(graph.chunks) else []  # of the chunks that state none of them
    found = dict(zip(found, normalized([*found.values(), *least], ask.normalize), strict=False))
    order = leading(found, ask.top_k)
    rows = ((graph.chunk(i), score, {"relationships": len(told[i])}) for i, score in order)
    return ranked(rows, ask.aggregation)


def _states(ask: ChunkScoreAggregate, graph: GraphView) -> Mapping[str, Sequence[str]]:
    """Return relationship id -> ids of the chunks that state it."""
    if ask.chunk_relationship_map is None:
        return stating_chunks(graph)
    given = ask.chunk_relationship_map.items()
    return grouped(dict.fromkeys((id_, graph.chunk(ref).id) for ref, ids in given for id_ in ids))


def stating_chunks(graph: GraphView) -> Mapping[str, Sequence[str]]:
    """Return relationship id -> chunks that state it.

    Parameters
    ----------
    graph : GraphView
        Of the index.

    Returns
    -------
    mapping of str to sequence of str
        In text order.

    Raises
    ------
    MissingAttributeError
        Where the graph has relationships and does not tell.

    """
    found = relationship_chunks(graph)
    if found and not len(stated(graph).item):
        raise MissingAttributeError(
            "The graph does not tell which chunk states which relationship.",
            hint="It needs Chunk.relationships or Relationship.chunk_ids.",
        )
    return found


def _total(aggregation: str, graph: GraphView, chunk_id: str, parts: Sequence[tuple[str, float]]) -> float:
    if aggregation == "max":
        return max(score for _, score in parts)
    if aggregation == "sum":
        return math.fsum(score for _, score in parts)
    chunk = graph.chunk(chunk_id)
    tokens = len(words(chunk.content)) if chunk.n_tokens is None else chunk.n_tokens
    weighted = math.fsum(score * _mentions(graph, chunk_id, relationship) for relationship, score in parts)
    return weighted / math.log(1 + max(1, tokens))


def _mentions(graph: GraphView, chunk_id: str, relationship_id: str) -> int:
    """Count how often the chunk mentions the relationship's ends; it states it, so at least once."""
    edge, arrays, lists = edge_of(graph, relationship_id), compiled(graph), mentions(graph)
    at = chunk_ids(graph).place(chunk_id)
    places = (lists.of(int(end)) for end in {arrays.source[edge], arrays.target[edge]})
    return int(sum(lists.count[where][lists.item[where] == at].sum() for where in places)) or 1


# Tool 13: the chunks that state relationships.


class ChunkFromRelationships(ToolInput):
    """The relationships, best first."""

    relationships: RelationshipRefs
    include_context: bool = Field(True, description="add the chunks before and after each, ranked below all")
    top_k: PositiveInt | None = Field(None, description="keep this many, context apart; all, unless given")


@tool(
    13,
    needs="Chunk.relationships, Relationship.id",
    optional="Relationship.chunk_ids, Chunk.source_doc position",
    adds="Scored.score components.context",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Chunk.FromRel; Guo et al. 2024 (LightRAG)",
    aliases=("T61",),
)
def chunk_from_relationships(ask: ChunkFromRelationships, graph: GraphView) -> list[Scored[Chunk]]:
    """Return the chunks that state the relationships, in the order of the first that each states.

    The score is 1 / (1 + place of that relationship, from 0). A chunk of context scores half of the least
    score times its neighbour's, so it comes after every chunk that states a relationship.
    """
    states = stating_chunks(graph)
    ids = relationship_ids(graph)
    order = dict.fromkeys(ids[edge_of(graph, ref)] for ref in ask.relationships)
    found: dict[str, float] = {}
    for place, relationship_id in enumerate(order):
        for chunk_id in states[relationship_id]:
            found.setdefault(chunk_id, 1 / (1 + place))
    hits: list[Row[Chunk]] = [(graph.chunk(i), score, {}) for i, score in leading(found, ask.top_k)]
    context = _context(graph, hits) if ask.include_context else ()
    return ranked([*hits, *context], "from_relationships")


def _context(graph: GraphView, hits: Sequence[Row[Chunk]]) -> Iterator[Row[Chunk]]:
    """Yield the chunks next to hits, once each, for its best neighbour."""
    seen = {chunk.id for chunk, _, _ in hits}
    for chunk, score, _ in hits:
        for step in (-1, 1):
            near = chunk_at(graph).get((chunk.source_doc, chunk.position + step))
            if near and near not in seen:
                seen.add(near)
                yield graph.chunk(near), score * hits[-1][1] / 2, {"context": 1.0}


@per_graph
def chunk_at(graph: GraphView) -> dict[tuple[str, int], str]:
    """Return (document id, position) -> chunk id, of chunks that know their document.

    Parameters
    ----------
    graph : GraphView
        Of the index.

    Returns
    -------
    dict of tuple of str and int to str
        Positions count from 0 in each document.

    """
    return {(c.source_doc, c.position): c.id for c in graph.chunks if c.source_doc}


# Tool 14: rank chunks by the entities that occur in them.

Counted = Iterator[tuple[str, float, Mapping[str, float]]]
"""Chunk id, score, and what the score is made of."""
Method = Literal["relationship_endpoints", "entity_order", "cooccurrence"]


class ChunkEntityOccurrence(ToolInput):
    """Which entities, or relationships between them, and what counts."""

    entities: Annotated[EntityRefs | None, Reads("entities")] = Field(
        None, description="entities by id, short id or name"
    )
    min_entities: PositiveInt = Field(2, description="of method cooccurrence: distinct entities in a chunk")
    top_k: TopK = 10
    relationships: Annotated[RelationshipRefs | None, Reads("relationships")] = Field(
        None, description="relationships by id or short id"
    )
    method: Method | None = Field(
        None,
        description="relationship_endpoints (unless given, where relationships are): how many relationships "
        "have both ends in the chunk; cooccurrence (unless given, otherwise): how many of the entities; "
        "entity_order: chunks of the first entity first, then how many of its neighbours",
    )

    @model_validator(mode="after")
    def _has_what_its_method_counts(self) -> "ChunkEntityOccurrence":
        counted = "relationships" if self.counting == "relationship_endpoints" else "entities"
        if getattr(self, counted) is None:
            raise ValueError(f"method {self.counting} needs {counted}")
        return self

    @property
    def counting(self) -> Method:
        """The method that counts."""
        return self.method or ("relationship_endpoints" if self.relationships else "cooccurrence")


@tool(
    14,
    needs="Entity.id, Chunk.entities",
    optional="Relationship.source_id target_id",
    adds="Scored.score components.entities components.mentions",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Chunk.Occurrence; Edge et al. 2024, arXiv:2404.16130",
    aliases=("T62",),
)
def chunk_entity_occurrence(ask: ChunkEntityOccurrence, graph: GraphView) -> list[Scored[Chunk]]:
    """Rank chunks by what occurs in them together: entities, or both ends of relationships."""
    if not len(mentions(graph).item):
        raise MissingAttributeError(
            "The graph does not tell which chunk mentions which entity.", hint="It needs Chunk.entities."
        )
    counters = {
        "relationship_endpoints": _relationship_endpoints,
        "entity_order": _entity_order,
        "cooccurrence": _cooccurrence,
    }
    found = {chunk: (score, parts) for chunk, score, parts in counters[ask.counting](ask, graph)}
    order = leading({chunk: score for chunk, (score, _) in found.items()}, ask.top_k)
    return ranked(((graph.chunk(chunk), score, found[chunk][1]) for chunk, score in order), ask.counting)


def _relationship_endpoints(ask: ChunkEntityOccurrence, graph: GraphView) -> Counted:
    arrays, lists, ids = compiled(graph), mentions(graph), chunk_ids(graph)
    counts: Counter[int] = Counter()
    for edge in dict.fromkeys(edge_of(graph, ref) for ref in ask.relationships or ()):
        one, other = (lists.item[lists.of(int(end[edge]))] for end in (arrays.source, arrays.target))
        counts.update(np.intersect1d(one, other, assume_unique=True).tolist())
    for chunk, count in counts.items():
        yield ids[chunk], count, {"relationships": count}


def _entity_order(ask: ChunkEntityOccurrence, graph: GraphView) -> Counted:
    """Score by the first entity in a chunk, then by how many of its neighbours are in the chunk too."""
    arrays, lists, chunks = compiled(graph), mentions(graph), chunk_ids(graph)
    nodes = list(dict.fromkeys(node_of(graph, ref) for ref in ask.entities or ()))
    seen: set[int] = set()
    for place, node in enumerate(nodes):
        near = lists.item[spread(lists.start, neighbours_at(arrays, node))[0]]
        links = np.bincount(near, minlength=len(chunks))
        for chunk in lists.item[lists.of(node)].tolist():
            if chunk not in seen:
                seen.add(chunk)
                count = int(links[chunk])
                score = then(len(nodes) - place, count)
                yield chunks[chunk], score, {"entity_rank": place + 1, "neighbours": count}


def _cooccurrence(ask: ChunkEntityOccurrence, graph: GraphView) -> Counted:
    """Score by how many of the entities are in a chunk, then by how often."""
    entities, mentions = resolved(graph, ask.entities or ()), graph.mention_counts()
    if ask.min_entities > len(entities):
        raise InvalidInputError(
            f"No chunk can hold {ask.min_entities} of {len(entities)} entities.", hint="Lower min_entities."
        )
    inside = grouped(counted for entity in entities for counted in mentions[entity.id].items())
    for chunk_id, counts in inside.items():
        if len(counts) >= ask.min_entities:
            parts = {"entities": len(counts), "mentions": sum(counts)}
            yield chunk_id, then(len(counts), sum(counts)), parts


# Chunks whose vectors are nearest to a text.


class ChunkVdbSearch(VectorSearch):
    """What to look for."""


@tool(
    needs="Chunk.id content",
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Chunk.VDB (appendix B.1)",
)
def chunk_vdb_search(
    ask: ChunkVdbSearch, graph: GraphView, vectors: Vectors, embedder: Embedder
) -> list[Scored[Chunk]]:
    """Find the chunks whose vectors are nearest to the query (cosine)."""
    hits = nearest("chunk", ask.query, ask.top_k, len(graph.chunks), vectors, embedder, ask.threshold)
    return ranked(((graph.chunk(id_), score, {}) for id_, score in hits), hits.scorer)


# Rank passages by a walk over one graph of entities and passages.

POOL = 1000
"""Passages at least whose vectors are compared with the question: the rest is like none of them."""
HIGHEST = 1e12
"""Of chunks' scores, so that the span between two can be told."""


def _chunk_scores(values: Any) -> Any:
    """Take scored chunks as scores, and an empty list of them too."""
    return {} if values == [] else weights(values)


class _WalkStart(ToolInput):
    """Where the walk starts."""

    query: Query
    seed_entities: Annotated[
        list[EntityRef] | dict[EntityRef, Weight] | None,
        BeforeValidator(seeds),
        Reads("entities"),
        Field(description="entities, or entity: weight; unless given, those that the question names"),
    ] = None
    chunks: Annotated[
        dict[EntityRef, float] | None,
        BeforeValidator(_chunk_scores),
        Reads("chunks"),
        Field(description="chunk: score, on any scale; unless given, as `text` says"),
    ] = None
    text: TextScore = Field(
        "auto",
        description="what scores the passages' texts: bm25; dense (cosine of vectors); mix (half each); "
        "auto: bm25, and where the index has a trained embedder mix for what the walk prefers and leans on; "
        "none: only seeds and chunks",
    )
    top_k: TopK = 10
    reset: Literal["weights", "node_specificity"] = Field(
        "weights",
        description="how much a seed draws the walk back: by its weight (1 in a list), or by weight divided "
        "by the number of chunks that mention it",
    )


class ChunkWalkRank(EdgeWeights, PathWeights, WalkOptions, _WalkStart):
    """Where the walk starts, what its edges weigh, and what the passages' own texts count."""


@tool(
    needs="Chunk.id content",
    optional="Chunk.entities source_doc, Entity.name, Relationship.source_id type",
    adds="Scored.score components.walk components.text",
    cite="Gutiérrez et al. 2025, arXiv:2502.14802 (HippoRAG 2)",
)
def chunk_walk_rank(
    ask: ChunkWalkRank,
    graph: GraphView,
    vectors: Vectors | None,
    embedder: Embedder | None,
    corpus: Corpus | None,
) -> Noted[list[Scored[Chunk]]]:
    """Rank chunks by personalised PageRank over one graph of entities and passages.

    `scorer` tells what decided: graph; text, where there are no seeds; or graph and text, where the graph has
    little to say and the walk counts a quarter.
    """
    asked, short = query_read(ask.query)
    ask = ask.model_copy(update={"query": asked})
    edges = EdgeWeights(**{name: getattr(ask, name) for name in EdgeWeights.model_fields})
    passages = passage_graph(graph, corpus, edges)
    starts, warnings = _starts(ask, passages, graph)
    near, alone = _texts(ask, passages, graph, vectors, embedder)
    ranking = passages.rank(starts, near, ask, alone, ask.query)
    scores = ranking.scores
    if ranking.mode == "graph":
        higher = min(ask.higher_passages, len(graph.chunks) // 10)  # of few passages all are near
        path = ask.model_copy(update={"higher_passages": higher})
        scores = passages.bridged_to(scores, graph, ask.query, starts, path)
    rows = (
        (graph.chunks[i], scores[i], {"walk": float(ranking.walked[i]), "text": float(ranking.likeness[i])})
        for i in best(scores, ask.top_k)
    )
    return Noted(data=ranked(rows, ranking.mode), warnings=(*short, *warnings, *_leaned(ranking, graph)))


def _starts(
    ask: ChunkWalkRank, passages: PassageGraph, graph: GraphView
) -> tuple[dict[str, float], tuple[ToolWarning, ...]]:
    """Return entity id -> weight of the seeds that are in a chunk."""
    given = ask.seed_entities
    if given is None:
        named, unknown = link_names(graph, ask.query)
        return passages.seeds(bearers(named)), not_linked(unknown)
    found = summed((graph.entity(ref).id, float(weight)) for ref, weight in grades(given).items())
    chunks = graph.entity_chunks()
    there = {id_: weight for id_, weight in found.items() if chunks[id_]}
    if ask.reset == "node_specificity":
        there = {id_: weight / len(chunks[id_]) for id_, weight in there.items()}
    return there, ()


def _texts(
    ask: ChunkWalkRank,
    passages: PassageGraph,
    graph: GraphView,
    vectors: Vectors | None,
    embedder: Embedder | None,
) -> tuple[Doubles, Doubles]:
    """Return the passages' scores for the walk, and those that do better alone."""
    if ask.chunks is None:
        n = max(POOL, ask.depth, ask.top_k)
        return text_scores(ask.text, ask.query, passages, vectors, embedder, n)
    given = summed((passages.chunk_at[graph.chunk(ref).id], score) for ref, score in ask.chunks.items())
    if not all(abs(score) <= HIGHEST for score in given.values()):
        raise InvalidInputError(
            f"The scores of chunks must be between {-HIGHEST:g} and {HIGHEST:g}.",
            hint="Leave out what has no score.",
        )
    scores = given_scores(given, len(passages.chunk_at))
    return scores, scores


def _leaned(found: PassageScores, graph: GraphView) -> tuple[ToolWarning, ...]:
    """Return a warning where the graph had little say; of a method that reads none, none is expected."""
    told = {
        "text": "No entity to start from is in a passage: the passages' texts decide.",
        "graph and text": "The graph has little to say: the walk counts a quarter, the texts the rest.",
    }.get(found.mode, "")
    return warned("lean_graph", told, when=told and graph.entities)
