"""Tool 10: score relationships by the scores of their ends."""

from collections.abc import Callable, Mapping
from typing import Annotated, Literal

import numpy as np
from pydantic import BeforeValidator, Field

from corpusgraph.schemas.graph import EntityRef, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks.graph.compiled import Doubles, compiled, distinct, node_of, relationship_ids
from corpusgraph.tasks.graph.inputs import EntityScores, TopK, references
from corpusgraph.tasks.graph.paths import edges_around
from corpusgraph.tasks.graph.ranking import best, ranked
from corpusgraph.tasks.registry import Reads, tool

METHODS: Mapping[str, Callable[[Doubles, Doubles], Doubles]] = {
    "sum": np.add,
    "product": np.multiply,
    "max": np.maximum,
}


class RelationshipScoreAggregate(ToolInput):
    """The entities' scores, and how two become one."""

    entity_scores: EntityScores
    score_method: Literal["sum", "product", "max"] = Field(
        "sum", description="what the scores of the two ends come to"
    )
    top_k: TopK = 10
    candidates: Annotated[list[EntityRef] | None, BeforeValidator(references), Reads("relationships")] = (
        Field(None, description="score these only, which may be none; all relationships, unless given")
    )


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

    An entity without a score counts 0; a relationship from an entity to itself has one end. One that texts
    only deny is scored where it is a candidate.
    """
    arrays = compiled(graph)
    scores = np.zeros(len(arrays.ids))
    for ref, score in ask.entity_scores.items():
        scores[node_of(graph, ref)] += score
    if ask.candidates is None:
        edges = edges_around(arrays, np.flatnonzero(scores > 0))
    else:
        found_at = (relationship_ids(graph).find(graph.relationship(ref).id) for ref in ask.candidates)
        edges = distinct(np.array([at for at in found_at if at is not None], dtype=np.int64))
        edges = edges[(scores[arrays.source[edges]] > 0) | (scores[arrays.target[edges]] > 0)]
    source, target = arrays.source[edges], arrays.target[edges]
    one, other = scores[source], scores[target]
    found = np.where(source == target, one, METHODS[ask.score_method](one, other))
    order = best(found, ask.top_k)
    return ranked(((graph.relationships[edges[i]], found[i], {}) for i in order), ask.score_method)
