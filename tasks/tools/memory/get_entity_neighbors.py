"""The entities that an entity is connected with, near and further out."""

from typing import Annotated, Literal

from pydantic import AliasChoices, BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.base import Confidence
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.tasks.graph.compiled import node_of
from corpusgraph.tasks.graph.inputs import directions
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._columns import Step, Way, around, unknown_types
from corpusgraph.tasks.tools.memory._inputs import Ref, Shape, clamped_depth

SPELLINGS = {"in": "inbound", "incoming": "inbound", "out": "outbound", "outgoing": "outbound"}
WAYS: dict[str, Way] = {"inbound": "in", "outbound": "out", "both": "both"}
ENHANCED = "GraphRAG tools for an enhanced memory server, 2025"

Bound = Annotated[Literal["outbound", "inbound", "both"], BeforeValidator(directions(SPELLINGS))]


class GetEntityNeighbors(ToolInput):
    """Whose neighbours, over which relationships."""

    entity_id: Ref = Field(
        validation_alias=AliasChoices("entity_id", "entity", "entityName", "entity_name"),
        description="the entity: short id, id or name",
    )
    relation_type: str | list[str] | None = Field(
        None,
        validation_alias=AliasChoices("relation_type", "relationType", "relationship_types"),
        description="relates_to, causes, part_of, implements, extends, uses, depends_on, or any other type",
    )
    direction: Bound = Field(
        "both", description="outbound: from the entity to others; inbound: from others to it"
    )
    depth: int = Field(
        1,
        validation_alias=AliasChoices("depth", "max_hops", "maxDepth", "max_depth"),
        description="how many hops, 1 to 3; any other number is changed to the nearest of these",
    )
    limit: PositiveInt = Field(
        50, validation_alias=AliasChoices("limit", "top_k"), description="how many neighbours at most"
    )
    min_weight: Confidence = Field(0.0, description="least confidence of a relationship, 0 to 1")


class Neighbor(Shape):
    """A neighbour, and the relationship that leads to it."""

    neighbor_id: int | None = Field(description="short id")
    id: str
    neighbor_name: str
    entity_type: str | None
    relation_type: str
    weight: float = Field(description="confidence of the relationship, 0 to 1")
    is_causal: bool
    direction: Literal["outbound", "inbound"] = Field(description="seen from the entity it is reached from")
    depth: int = Field(description="hops from the entity")
    via: str = Field(description="id of the entity it is reached from")
    relationship_id: int | None = Field(description="short id")


class NeighborParams(Shape):
    """What was searched for, as it was understood."""

    relation_type: str | list[str] | None
    direction: str
    depth: int
    min_weight: float


class EntityNeighbors(Shape):
    """The neighbours, nearest and surest first."""

    success: Literal[True] = True
    entity_id: int | None = Field(description="short id")
    id: str
    name: str
    neighbor_count: int = Field(description="neighbors, and those left out")
    neighbors: tuple[Neighbor, ...]
    truncated: int = Field(description="how many were left out because of the limit")
    search_params: NeighborParams


@tool(
    writes="memory",
    needs={"Entity.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Entity.short_id", "Relationship.type", "Relationship.confidence", "Relationship.is_causal"},
    cite=ENHANCED,
)
def get_entity_neighbors(ask: GetEntityNeighbors, graph: GraphView) -> Noted[EntityNeighbors]:
    """Return the entities connected with one, by which relationships, in which direction and how surely."""
    depth, told = clamped_depth(ask.depth)
    node = node_of(graph, ask.entity_id)
    types = [ask.relation_type] if isinstance(ask.relation_type, str) else ask.relation_type
    near = around(
        graph,
        node,
        way=WAYS[ask.direction],
        types=types,
        least=ask.min_weight,
        depth=depth,
        limit=ask.limit,
    )
    entity = graph.entities[node]
    data = EntityNeighbors(
        entity_id=entity.short_id,
        id=entity.id,
        name=entity.name,
        neighbor_count=len(near.steps) + near.left_out,
        neighbors=tuple(_neighbor(step, graph) for step in near.steps),
        truncated=near.left_out,
        search_params=NeighborParams(
            relation_type=ask.relation_type,
            direction=ask.direction,
            depth=depth,
            min_weight=ask.min_weight,
        ),
    )
    return Noted(data=data, warnings=(*told, *unknown_types(graph, types)))


def _neighbor(step: Step, graph: GraphView) -> Neighbor:
    entity, relationship = graph.entities[step.there], graph.relationships[step.edge]
    return Neighbor(
        neighbor_id=entity.short_id,
        id=entity.id,
        neighbor_name=entity.name,
        entity_type=entity.type,
        relation_type=relationship.type,
        weight=step.confidence,
        is_causal=relationship.is_causal,
        direction="outbound" if step.outward else "inbound",
        depth=step.depth,
        via=graph.entities[step.here].id,
        relationship_id=relationship.short_id,
    )
