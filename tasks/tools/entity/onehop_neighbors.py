"""Tool 5: the entities one relationship away."""

from typing import Annotated, Literal

import numpy as np
from pydantic import AliasChoices, BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks.graph.compiled import compiled, node_of
from corpusgraph.tasks.graph.inputs import SPELLINGS, EntityRefs, directions
from corpusgraph.tasks.graph.paths import hop_from
from corpusgraph.tasks.graph.ranking import best, ranked
from corpusgraph.tasks.registry import tool

Direction = Annotated[Literal["in", "out", "both"], BeforeValidator(directions(SPELLINGS))]


class EntityOnehopNeighbors(ToolInput):
    """Whose neighbours, over which relationships."""

    entities: EntityRefs
    edge_types: list[str] | None = Field(
        None,
        validation_alias=AliasChoices("edge_types", "relationship_types"),
        description="follow relationships of these types only",
    )
    direction: Direction = Field(
        "both", description="in: sources of relationships that point to the entities; out: their targets"
    )
    include_sources: bool = Field(False, description="keep a given entity that neighbours another given one")
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")


@tool(
    5,
    writes="entities",
    needs={"Entity.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.weight", "Relationship.type"},
    adds={"Scored.score", "Scored.components.relationships"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.Onehop",
)
def entity_onehop_neighbors(ask: EntityOnehopNeighbors, graph: GraphView) -> list[Scored[Entity]]:
    """Return the entities one relationship away; the score is the weight of what connects them."""
    arrays = compiled(graph)
    given = np.array(list(dict.fromkeys(node_of(graph, ref) for ref in ask.entities)), dtype=np.int64)
    _, other, edges = hop_from(arrays, given, ask.direction, ask.edge_types)
    if not ask.include_sources:
        apart = ~np.isin(other, given)
        other, edges = other[apart], edges[apart]
    near, which, counts = np.unique(other, return_inverse=True, return_counts=True)
    weight = np.bincount(which, arrays.weight[edges], minlength=len(near)).astype(np.float64)
    rows = (
        (graph.entities[near[i]], weight[i], {"relationships": float(counts[i])})
        for i in best(weight, ask.top_k)
    )
    return ranked(rows, "weight")
