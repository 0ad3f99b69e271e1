"""Tool 9: the relationships around entities."""

import numpy as np
from pydantic import AliasChoices, Field, PositiveInt

from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, Scored, ToolInput
from corpusgraph.tasks.graph.compiled import compiled, node_of
from corpusgraph.tasks.graph.inputs import EntityRefs
from corpusgraph.tasks.graph.paths import UNREACHED, edges_around, hops
from corpusgraph.tasks.graph.ranking import best, ranked, then
from corpusgraph.tasks.graph.routes import clamped
from corpusgraph.tasks.registry import tool

MAX_HOPS = 3
"""Three hops reach most of a dense graph; more is clamped, with a warning."""


class RelationshipOnehopExtract(ToolInput):
    """Around which entities, and how far."""

    entities: EntityRefs
    hop_distance: PositiveInt = Field(
        1,
        validation_alias=AliasChoices("hop_distance", "max_hops", "max_depth", "k", "depth"),
        description="1: relationships of the entities; 2: of their neighbours too; at most 3",
    )
    relationship_types: list[str] | None = Field(None, description="follow and return these types only")
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")


@tool(
    9,
    writes="relationships",
    needs={"Entity.id", "Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.weight", "Relationship.type"},
    adds={"Scored.score", "Scored.components.degree", "Scored.components.weight", "Scored.components.hop"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Rel.Onehop; Edge et al. 2024, arXiv:2404.16130",
)
def relationship_onehop_extract(
    ask: RelationshipOnehopExtract, graph: GraphView
) -> Noted[list[Scored[Relationship]]]:
    """Return the relationships of the entities, each once, those between busy entities first.

    The score is the sum of the two degrees, between equals the weight, divided by the hop.
    """
    far, notes = clamped("hop_distance", ask.hop_distance, MAX_HOPS)
    arrays = compiled(graph)
    starts = [node_of(graph, ref) for ref in ask.entities]
    keep = None if ask.relationship_types is None else arrays.of_types(ask.relationship_types)
    distance = hops(arrays, starts, far - 1, keep)
    edges = edges_around(arrays, np.flatnonzero(distance != UNREACHED))
    edges = edges if keep is None else edges[keep[edges]]
    near = np.where(distance == UNREACHED, far, distance)
    hop = np.minimum(near[arrays.source[edges]], near[arrays.target[edges]]) + 1
    busy, weight = arrays.busy[edges].astype(np.float64), arrays.weight[edges]
    scores = then(busy, weight) / hop
    rows = (
        (
            graph.relationships[edges[i]],
            scores[i],
            {"degree": float(busy[i]), "weight": float(weight[i]), "hop": float(hop[i])},
        )
        for i in best(scores, ask.top_k)
    )
    return Noted(data=ranked(rows, "degree"), warnings=notes)
