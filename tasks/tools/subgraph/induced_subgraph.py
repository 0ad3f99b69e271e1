"""The graph of some entities, what is near them, and every relationship between these."""

from typing import Annotated

import numpy as np
from pydantic import AliasChoices, Field, NonNegativeInt

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.graph import Graph
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.tasks.graph.compiled import chunk_ids, compiled, distinct, mentions, stated
from corpusgraph.tasks.graph.inputs import EntityRefs, resolved
from corpusgraph.tasks.graph.routes import CEILING, RAISE, HopCeiling, clamped
from corpusgraph.tasks.registry import tool


class InducedSubgraph(ToolInput):
    """Around which entities, how far, and by which relationships."""

    entities: EntityRefs
    hops: Annotated[
        NonNegativeInt,
        Field(validation_alias=AliasChoices("hops", "max_hops", "k", "depth", "max_depth", "maxDepth")),
    ] = Field(0, description="0: the entities alone; 1: their neighbours too")
    relationship_types: list[str] | None = Field(None, description="follow and return these types only")
    min_weight: float = Field(
        0.0, ge=0, description="follow and return relationships of this weight at least"
    )
    include_chunks: bool = Field(
        False, description="list in metadata.chunk_ids what mentions the entities or states the relationships"
    )
    hop_ceiling: HopCeiling = CEILING


@tool(
    writes="subgraph",
    needs={"Entity.id", "Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.type", "Relationship.weight", "Chunk.entities", "Chunk.relationships"},
    adds={"Graph.metadata"},
    cite="Bondy & Murty 2008, Graph Theory, section 2.2",
    aliases=("T53",),
)
def induced_subgraph(ask: InducedSubgraph, graph: GraphView) -> Noted[Graph]:
    """Return entities, those within some hops, and every relationship that has both ends among them.

    One that texts only deny (`not_…`) is shown, and leads nowhere.
    """
    far, notes = clamped("hops", ask.hops, ask.hop_ceiling, RAISE)
    arrays = compiled(graph)
    given = np.array(sorted(arrays.at[entity.id] for entity in resolved(graph, ask.entities)), dtype=np.int64)
    inside = np.zeros(len(arrays.ids), dtype=bool)
    inside[given] = True
    frontier = given
    for _ in range(far):
        edges = _followed(ask, graph, frontier)
        reached = distinct(np.concatenate([arrays.source[edges], arrays.target[edges]]))
        frontier = reached[~inside[reached]]
        inside[frontier] = True
    nodes = np.flatnonzero(inside)
    edges = _followed(ask, graph, nodes, denied=True)
    edges = distinct(edges[inside[arrays.source[edges]] & inside[arrays.target[edges]]])
    entities, relationships = graph.entities, graph.relationships
    metadata: JsonDict = {"entities": [arrays.ids[i] for i in given.tolist()], "hops": far}
    if ask.include_chunks:
        metadata["chunk_ids"] = _chunks(graph, nodes, edges)
    data = Graph(
        nodes=tuple(entities[i] for i in nodes.tolist()),
        edges=tuple(relationships[i] for i in edges.tolist()),
        metadata=metadata,
    )
    return Noted(data=data, warnings=notes)


def _followed(ask: InducedSubgraph, graph: GraphView, nodes: Ints, *, denied: bool = False) -> Ints:
    """Return the edges at some nodes that are followed, one of two given nodes twice."""
    arrays = compiled(graph)
    edges, _ = arrays.edges_at(nodes, denied=denied)
    edges = edges[arrays.weight[edges] >= ask.min_weight]
    if ask.relationship_types is not None:
        edges = edges[arrays.of_types(ask.relationship_types)[edges]]
    return edges


def _chunks(graph: GraphView, nodes: Ints, edges: Ints) -> list[str]:
    """Return the ids of chunks that mention one of the nodes or state one of the edges, in order of ids."""
    mentioned, states, ids = mentions(graph), stated(graph), chunk_ids(graph)
    found = [mentioned.item[mentioned.of(i)] for i in nodes.tolist()]
    found += [states.item[states.of(i)] for i in edges.tolist()]
    return [ids[i] for i in distinct(np.concatenate(found)).tolist()] if found else []
