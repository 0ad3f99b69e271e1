"""Tool 5: the entities one relationship away."""

from typing import Annotated, Literal

import numpy as np
from pydantic import AliasChoices, BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks.graph.compiled import CompiledGraph, compiled, node_of
from corpusgraph.tasks.graph.inputs import EntityRefs, directions
from corpusgraph.tasks.graph.ranking import best, ranked
from corpusgraph.tasks.registry import tool

SPELLINGS = {"inbound": "in", "incoming": "in", "outbound": "out", "outgoing": "out", "any": "both"}
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
    other, edges = _steps(arrays, given, ask)
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


def _steps(arrays: CompiledGraph, given: Ints, ask: EntityOnehopNeighbors) -> tuple[Ints, Ints]:
    """Return the nodes that edges of the given ones lead to, and those edges."""
    edges, whose = arrays.edges_at(given)
    here = given[whose]
    source, target = arrays.source[edges], arrays.target[edges]
    keep = source != target  # nobody is their own neighbour
    if ask.edge_types is not None:
        keep &= arrays.of_types(ask.edge_types)[edges]
    if ask.direction != "both":
        keep &= (source if ask.direction == "out" else target) == here
    return np.where(source == here, target, source)[keep], edges[keep]
