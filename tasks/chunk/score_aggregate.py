"""Tool 12: score chunks by the relationships they state."""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from pydantic import Field

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import MissingAttributeError
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.graph.compiled import ends, relationship_chunks
from corpusgraph.tasks.graph.inputs import RelationshipScores, TopK, summed
from corpusgraph.tasks.graph.ranking import ranked
from corpusgraph.tasks.graph.words import words


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
    scores = summed((graph.relationship(ref), score) for ref, score in _by_id(ask, graph).items())
    stated: dict[str, list[tuple[Relationship, float]]] = {}
    states = _states(ask, graph)
    for relationship, score in scores.items():
        for chunk_id in states.get(relationship.id, ()):
            stated.setdefault(chunk_id, []).append((relationship, score))
    found = {id_: _total(ask.aggregation, graph, graph.chunk(id_), parts) for id_, parts in stated.items()}
    found = {id_: score for id_, score in found.items() if score > 0}
    if ask.normalize == "minmax":
        found = minmax(found)
    rows = ((graph.chunk(i), score, {"relationships": len(stated[i])}) for i, score in found.items())
    return ranked(rows, ask.aggregation, ask.top_k)
