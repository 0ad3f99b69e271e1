"""T51: the neighbourhood of entities as a graph."""

from typing import Annotated, Self

import numpy as np
from pydantic import AliasChoices, BeforeValidator, Field, PositiveInt, model_validator

from corpusgraph.schemas.errors import MissingResourceError
from corpusgraph.schemas.graph import Entity, EntityRef, Graph
from corpusgraph.schemas.ports import Embedder, GraphView, Ints, Vectors
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.tasks.graph.compiled import CompiledGraph, compiled
from corpusgraph.tasks.graph.inputs import Query, references, resolved
from corpusgraph.tasks.graph.paths import UNREACHED, hops
from corpusgraph.tasks.graph.ranking import nearest
from corpusgraph.tasks.graph.routes import clamped
from corpusgraph.tasks.registry import Reads, tool

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
    keep = None if ask.relationship_types is None else arrays.of_types(ask.relationship_types)
    inside = hops(arrays, starts, radius - 1, keep) != UNREACHED
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
