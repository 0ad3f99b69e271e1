"""Tool 10: score relationships by the scores of their ends."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.graph.compiled import ends, incident
from corpusgraph.tasks.graph.inputs import EntityScores, TopK, summed
from corpusgraph.tasks.graph.ranking import ranked

METHODS: Mapping[str, Callable[[Sequence[float]], float]] = {"sum": sum, "product": math.prod, "max": max}


class RelationshipScoreAggregate(ToolInput):
    """The entities' scores, and how two become one."""

    entity_scores: EntityScores
    score_method: Literal["sum", "product", "max"] = "sum"
    top_k: TopK = 10


@tool(
    10,
    writes="relationships",
    needs={"Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    adds={"Scored.score"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Rel.Aggregator; Gutiérrez et al. 2024 (HippoRAG)",
)
def relationship_score_aggregate(
    ask: RelationshipScoreAggregate, graph: GraphView
) -> list[Scored[Relationship]]:
    """Score relationships by the scores of their ends: sum, product or max; above 0 only.

    An entity without a score counts 0; a relationship from an entity to itself has one end.
    """
    scores = summed((graph.entity(ref).id, score) for ref, score in ask.entity_scores.items())
    around = incident(graph)
    touched = {r.id: r for id_, score in scores.items() if score > 0 for r in around[id_]}
    combine = METHODS[ask.score_method]
    found = [(r, combine([scores.get(end, 0.0) for end in ends(r)])) for r in touched.values()]
    return ranked(((r, score, {}) for r, score in found if score > 0), ask.score_method, ask.top_k)
