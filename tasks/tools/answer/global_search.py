"""T52: the graph as a whole, or as much of it as matters."""

from collections.abc import Collection
from typing import Annotated

import numpy as np
from pydantic import BeforeValidator, Field, NonNegativeFloat, NonNegativeInt, PositiveInt

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import UnknownItemError
from corpusgraph.schemas.graph import Community, Entity, EntityRef, Graph
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks.graph.communities import reported
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.graph.inputs import references
from corpusgraph.tasks.registry import Reads, tool


class GlobalSearch(ToolInput):
    """How much of the graph; all of it, unless limited."""

    community_level: NonNegativeInt | None = Field(
        None, description="keep entities of communities of this level; 0 is the coarsest"
    )
    communities: Annotated[
        list[EntityRef] | None,
        BeforeValidator(references),
        Reads("communities"),
        Field(description="keep the members of these communities, by id or short id"),
    ] = None
    entity_types: list[str] | None = Field(None, description="keep entities of these types")
    relationship_types: list[str] | None = Field(None, description="keep relationships of these types")
    min_weight: NonNegativeFloat = Field(0.0, description="least weight of a relationship")
    top_entities: PositiveInt | None = Field(None, description="keep so many entities, the busiest")
    isolated: bool = Field(True, description="keep entities without a stated relationship that is kept")


@tool(
    writes="subgraph",
    needs={"Entity.id", "Relationship.source_id", "Relationship.target_id"},
    optional={
        "Entity.type",
        "Relationship.weight",
        "Relationship.type",
        "Community.entity_ids",
        "Community.level",
        "Community.title",
    },
    adds={"Graph.metadata"},
    cite="Edge et al. 2024, arXiv:2404.16130, global search",
    aliases=("T52",),
)
def global_search(ask: GlobalSearch, graph: GraphView) -> Graph:
    """Return the whole graph, or its weightiest part, with counts and its communities as metadata.

    Entities are the busiest first (most relationships, of equals in id order). An unknown community is an
    error.
    """
    communities = _communities(ask, graph)
    members = None if communities is None else {id_ for c in communities for id_ in c.entity_ids}
    nodes = _nodes(ask, graph, members)
    kept = {node.id for node in nodes}
    types = ask.relationship_types
    edges = tuple(
        edge
        for edge in graph.relationships
        if (types is None or edge.type in types)
        and edge.weight >= ask.min_weight
        and edge.source_id in kept
        and edge.target_id in kept
    )
    if not ask.isolated:
        ends = {end for edge in edges if edge.is_stated for end in (edge.source_id, edge.target_id)}
        nodes = [node for node in nodes if node.id in ends]
        kept &= ends
        edges = tuple(edge for edge in edges if edge.source_id in kept and edge.target_id in kept)
    if communities is None:
        communities = [c for c in graph.communities if not kept.isdisjoint(c.entity_ids)]
    metadata: JsonDict = {
        "entities": len(nodes),
        "relationships": len(edges),
        "of_entities": len(graph.entities),
        "of_relationships": len(graph.relationships),
        "communities": [
            {"id": c.id, "level": c.level, "title": reported(graph, c).title, "size": len(c.entity_ids)}
            for c in communities
        ],
    }
    return Graph(nodes=tuple(nodes), edges=edges, metadata=metadata)


def _communities(ask: GlobalSearch, graph: GraphView) -> list[Community] | None:
    """Return the communities that limit the graph, or None where none do."""
    if ask.communities is None and ask.community_level is None:
        return None
    found = list(graph.communities)
    if ask.communities is not None:
        by_ref = {str(ref): c for c in found for ref in (c.short_id, c.id) if ref is not None}
        unknown = [ref for ref in ask.communities if str(ref) not in by_ref]
        if unknown:
            raise UnknownItemError(
                f"Unknown community {unknown[0]!r}.", hint="`community_by_layer` lists them."
            )
        found = list({by_ref[str(ref)].id: by_ref[str(ref)] for ref in ask.communities}.values())
    level = ask.community_level
    return [community for community in found if level is None or community.level == level]


def _nodes(ask: GlobalSearch, graph: GraphView, members: Collection[str] | None) -> list[Entity]:
    order = np.argsort(-compiled(graph).degrees, kind="stable")
    busiest = (graph.entities[int(i)] for i in order)
    kept = [
        entity
        for entity in busiest
        if (members is None or entity.id in members)
        and (ask.entity_types is None or entity.type in ask.entity_types)
    ]
    return kept[: ask.top_entities]
