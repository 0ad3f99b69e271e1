"""The graph around entities, and the graph as a whole."""

from collections.abc import Collection
from typing import Annotated, Self

import numpy as np
from pydantic import (
    AliasChoices,
    BeforeValidator,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveInt,
    model_validator,
)

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import MissingResourceError, UnknownItemError
from corpusgraph.schemas.graph import Community, Entity, EntityRef, Graph
from corpusgraph.schemas.ports import Embedder, GraphView, Ints, Vectors
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.tasks.graph.communities import reported
from corpusgraph.tasks.graph.compiled import CompiledGraph, compiled
from corpusgraph.tasks.graph.inputs import Query, references, resolved
from corpusgraph.tasks.graph.paths import UNREACHED, hops
from corpusgraph.tasks.graph.ranking import nearest
from corpusgraph.tasks.graph.routes import clamped
from corpusgraph.tasks.registry import Reads, tool

# T51: the neighbourhood of entities as a graph.

MAX_RADIUS = 3


class LocalSearch(ToolInput):
    """Around which entities; without any, around those nearest to the query."""

    entities: Annotated[
        list[EntityRef] | None,
        BeforeValidator(references),
        Reads("entities"),
        Field(
            description="entities by id, short id or name",
            validation_alias=AliasChoices("entities", "entity"),
        ),
    ] = None
    query: Query | None = Field(None, description="finds the entities where none are given")
    radius: PositiveInt = Field(
        1,
        validation_alias=AliasChoices("radius", "max_hops", "max_depth", "hop_distance", "k", "depth"),
        description="1: relationships of the entities; 2: of their neighbours too; at most 3",
    )
    top_k_entities: PositiveInt = Field(10, description="entities a query finds")
    top_k_relationships: PositiveInt = Field(
        10, description="relationships for each entity at the centre, all in one pool"
    )
    relationship_types: list[str] | None = Field(None, description="follow and return these types only")

    @model_validator(mode="after")
    def _has_a_centre(self) -> Self:
        if not self.entities and self.query is None:
            raise ValueError("give entities, a query or both")
        return self


@tool(
    writes="subgraph",
    needs={"Entity.id"},
    optional={"Relationship.source_id", "Relationship.target_id", "Relationship.weight", "Relationship.type"},
    adds={"Graph.metadata"},
    cite="Edge et al. 2024, arXiv:2404.16130, local search",
    aliases=("T51",),
)
def local_search(
    ask: LocalSearch, graph: GraphView, vectors: Vectors | None, embedder: Embedder | None
) -> Noted[Graph]:
    """Return the neighbourhood of entities: relationships among them first, then those that lead out.

    Those that lead out rank by how many relationships link their outer end to the neighbourhood, then by the
    degrees of both ends, then by weight. An unknown entity is an error.
    """
    centre = _centre(ask, graph, vectors, embedder)
    arrays = compiled(graph)
    starts = [arrays.at[entity.id] for entity in centre]
    radius, notes = clamped("radius", ask.radius, MAX_RADIUS)
    adjacency = arrays.adjacency(directed=False, types=ask.relationship_types)
    inside = hops(adjacency, starts, radius - 1) != UNREACHED
    within, leading = _edges(arrays, inside, ask.relationship_types)
    budget = ask.top_k_relationships * len(centre)
    kept = [*within, *leading][:budget]
    edges = tuple(graph.relationships[i] for i in kept)
    ends = dict.fromkeys(int(end) for i in kept for end in (arrays.source[i], arrays.target[i]))
    nodes = tuple(graph.entities[i] for i in dict.fromkeys([*starts, *ends]))
    metadata = {
        "centre": [entity.id for entity in centre],
        "radius": radius,
        "within": min(len(within), budget),
        "leading_out": max(len(kept) - len(within), 0),
        "left_out": len(within) + len(leading) - len(kept),
    }
    return Noted[Graph](data=Graph(nodes=nodes, edges=edges, metadata=metadata), warnings=notes)


def _centre(
    ask: LocalSearch, graph: GraphView, vectors: Vectors | None, embedder: Embedder | None
) -> list[Entity]:
    if ask.entities:
        return resolved(graph, ask.entities)
    if vectors is None or embedder is None:
        raise MissingResourceError(
            "A query needs an index with vectors, and none was given.", hint="Give entities instead."
        )
    found = nearest("entity", ask.query or "", ask.top_k_entities, len(graph.entities), vectors, embedder)
    return [graph.entity(id_) for id_, _ in found]


def _edges(
    arrays: CompiledGraph, inside: np.ndarray[tuple[int], np.dtype[np.bool_]], types: list[str] | None
) -> tuple[list[int], list[int]]:
    """Return the stated edges with both ends inside, and those with one, each best first."""
    from_in, to_in = inside[arrays.source], inside[arrays.target]
    kept = arrays.is_stated if types is None else arrays.is_stated & arrays.of_types(types)
    busy = arrays.degrees[arrays.source] + arrays.degrees[arrays.target]
    within = np.flatnonzero(from_in & to_in & kept)
    leading = np.flatnonzero((from_in != to_in) & kept)
    outer: Ints = np.where(from_in, arrays.target, arrays.source)[leading]
    links = np.bincount(outer, minlength=len(inside))[outer]
    by_worth = np.lexsort((within, -arrays.weight[within], -busy[within]))
    by_links = np.lexsort((leading, -arrays.weight[leading], -busy[leading], -links))
    return within[by_worth].tolist(), leading[by_links].tolist()


# T52: the graph as a whole, or as much of it as matters.


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
