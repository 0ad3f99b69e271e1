"""Tool 12: score chunks by the relationships they state."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import MissingAttributeError
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks.graph.compiled import (
    chunk_ids,
    compiled,
    edge_of,
    mentions,
    relationship_chunks,
    relationship_ids,
    stated,
)
from corpusgraph.tasks.graph.inputs import RelationshipScores, TopK, summed
from corpusgraph.tasks.graph.ranking import leading, ranked
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.text.words import words


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
    writes="chunks",
    needs={"Chunk.relationships"},
    optional={"Relationship.chunk_ids", "Chunk.content", "Chunk.n_tokens", "Chunk.entities"},
    adds={"Scored.score", "Scored.components.relationships"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Chunk.Aggregator; Gutiérrez et al. 2024 (HippoRAG)",
    aliases=("T60",),
)
def chunk_score_aggregate(ask: ChunkScoreAggregate, graph: GraphView) -> list[Scored[Chunk]]:
    """Score chunks by the scores of the relationships they state: sum, max or weighted; above 0 only."""
    ids = relationship_ids(graph)
    pairs = [(ids[edge_of(graph, ref)], score) for ref, score in ask.relationship_scores.items()]
    states = _states(ask, graph)
    told: dict[str, list[tuple[str, float]]] = {}
    for relationship_id, score in summed(pairs).items():
        for chunk_id in states.get(relationship_id, ()):
            told.setdefault(chunk_id, []).append((relationship_id, score))
    found = {id_: _total(ask.aggregation, graph, id_, parts) for id_, parts in told.items()}
    found = {id_: score for id_, score in found.items() if score > 0}
    if ask.normalize == "minmax":
        found = _minmax(found, n_chunks=len(graph.chunks))
    order = leading(found, ask.top_k)
    rows = ((graph.chunk(i), score, {"relationships": len(told[i])}) for i, score in order)
    return ranked(rows, ask.aggregation)


def _states(ask: ChunkScoreAggregate, graph: GraphView) -> Mapping[str, Sequence[str]]:
    """Return relationship id -> ids of the chunks that state it."""
    if ask.chunk_relationship_map is None:
        return stating_chunks(graph)
    inverted: dict[str, dict[str, None]] = {}
    for ref, relationships in ask.chunk_relationship_map.items():
        for relationship_id in relationships:
            inverted.setdefault(relationship_id, {})[graph.chunk(ref).id] = None
    return {relationship_id: tuple(chunks) for relationship_id, chunks in inverted.items()}


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


def _minmax(scores: Mapping[str, float], n_chunks: int) -> dict[str, float]:
    """Scale so that the best is 1 and the least of all chunks 0; when all are equal, all are 1."""
    low = min(scores.values(), default=0.0) if len(scores) == n_chunks else 0.0
    high = max(scores.values(), default=0.0)
    return {id_: (score - low) / (high - low) if high > low else 1.0 for id_, score in scores.items()}
