"""The graph of some entities, to draw or to analyse."""

from typing import Annotated, Any, Literal

import numpy as np
from pydantic import AliasChoices, BeforeValidator, Field

from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.graph.compiled import compiled, node_of
from corpusgraph.tasks.graph.inputs import references
from corpusgraph.tasks.graph.runs import distinct
from corpusgraph.tasks.memory._asked import Ref
from corpusgraph.tasks.memory._columns import weight_of
from corpusgraph.tasks.memory._salience import kept_or, saliences
from corpusgraph.tasks.memory._shapes import Shape
from corpusgraph.tasks.memory.get_entity_neighbors import ENHANCED


def _listed(value: Any) -> Any:
    return references(value)


class BuildLocalGraph(ToolInput):
    """Of which entities."""

    entity_ids: Annotated[list[Ref], BeforeValidator(_listed)] = Field(
        min_length=1,
        max_length=10_000,
        validation_alias=AliasChoices("entity_ids", "entities", "entityNames", "entity_names"),
        description="the entities, by short id, id or name",
    )


class LocalNode(Shape):
    """An entity."""

    id: int | None = Field(description="short id")
    ref: str = Field(description="id")
    name: str
    entity_type: str | None
    tier: str = Field(
        description="by salience: core above 0.9, working above 0.5, reference above 0, archive: none; "
        "or as an imported database has it"
    )
    salience_score: float = Field(
        description="0 to 1: share of all entities with fewer relationships, half of those with as many; "
        "or as an imported database has it"
    )


class LocalEdge(Shape):
    """A relationship between two of the entities."""

    id: int | None = Field(description="short id")
    ref: str = Field(description="id")
    from_entity_id: int | None = Field(description="short id")
    to_entity_id: int | None = Field(description="short id")
    from_ref: str
    to_ref: str
    relation_type: str
    weight: float = Field(description="confidence, 0 to 1")
    is_causal: bool


class Local(Shape):
    """Nodes in the order asked, and the edges between them."""

    nodes: tuple[LocalNode, ...]
    edges: tuple[LocalEdge, ...]
    node_count: int
    edge_count: int


class LocalGraph(Shape):
    """The graph."""

    success: Literal[True] = True
    graph: Local


@tool(
    writes="memory",
    needs={"Entity.id", "Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Entity.short_id", "Entity.type", "Relationship.type", "Relationship.confidence"},
    cite=ENHANCED,
)
def build_local_graph(ask: BuildLocalGraph, graph: GraphView) -> LocalGraph:
    """Return some entities and every relationship between two of them."""
    arrays = compiled(graph)
    places = list(dict.fromkeys(node_of(graph, ref) for ref in ask.entity_ids))
    inside = np.zeros(len(arrays.ids), dtype=bool)
    inside[places] = True
    edges = distinct(arrays.edges_at(np.array(places, dtype=np.int64), denied=True)[0])
    edges = edges[inside[arrays.source[edges]] & inside[arrays.target[edges]]]
    short = {graph.entities[at].id: graph.entities[at].short_id for at in places}
    kept = Local(
        nodes=tuple(_node(graph, at) for at in places),
        edges=tuple(_edge(graph.relationships[at], short) for at in edges.tolist()),
        node_count=len(places),
        edge_count=len(edges),
    )
    return LocalGraph(graph=kept)


def _node(graph: GraphView, at: int) -> LocalNode:
    entity = graph.entities[at]
    tier, salience = kept_or(entity, float(saliences(graph)[at]))
    return LocalNode(
        id=entity.short_id,
        ref=entity.id,
        name=entity.name,
        entity_type=entity.type,
        tier=tier,
        salience_score=salience,
    )


def _edge(relationship: Relationship, short: dict[str, int | None]) -> LocalEdge:
    return LocalEdge(
        id=relationship.short_id,
        ref=relationship.id,
        from_entity_id=short[relationship.source_id],
        to_entity_id=short[relationship.target_id],
        from_ref=relationship.source_id,
        to_ref=relationship.target_id,
        relation_type=relationship.type,
        weight=weight_of(relationship),
        is_causal=relationship.is_causal,
    )
