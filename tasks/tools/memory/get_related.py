"""The entities that have a relation with one."""

from typing import Annotated, Literal

from pydantic import AliasChoices, BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.tasks.graph.compiled import node_of
from corpusgraph.tasks.graph.inputs import directions
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._columns import Step, Way, around, unknown_types
from corpusgraph.tasks.tools.memory._inputs import Name, Node, Ref, Shape, clamped_depth, is_none
from corpusgraph.tasks.tools.memory._inputs import node_of as shown

SPELLINGS = {"in": "incoming", "inbound": "incoming", "out": "outgoing", "outbound": "outgoing"}
WAYS: dict[str, Way] = {"incoming": "in", "outgoing": "out", "both": "both"}
PROPOSED = "Proposed tools of a memory graph server, 2026"

Going = Annotated[Literal["outgoing", "incoming", "both"], BeforeValidator(directions(SPELLINGS))]


class GetRelated(ToolInput):
    """Related with what, and how."""

    entity_name: Ref = Field(
        validation_alias=AliasChoices("entity_name", "entityName", "entity", "entity_id"),
        description="the entity: name, id or short id",
    )
    relation_type: Name | None = Field(
        None,
        validation_alias=AliasChoices("relation_type", "relationType"),
        description="relations of this type only",
    )
    direction: Going = Field("both", description="outgoing: relations that start at it; incoming: that end")
    max_depth: int = Field(
        1,
        validation_alias=AliasChoices("max_depth", "maxDepth", "depth", "max_hops"),
        description="1: direct relations only; at most 3",
    )
    max_results: PositiveInt = Field(
        200,
        validation_alias=AliasChoices("max_results", "maxResults", "limit", "top_k"),
        description="how many relations at most",
    )


class RelatedEntity(Shape):
    """A relation, and the entity at its other end."""

    relationType: str  # noqa: N815  the protocol's spelling
    direction: Literal["outgoing", "incoming"]
    target: Node
    depth: int | None = Field(None, exclude_if=is_none, description="hops away, where it is more than one")
    via: str | None = Field(None, exclude_if=is_none, description="entity it is related through")


class RelatedEntities(Shape):
    """The relations of an entity, nearest and surest first."""

    entity: str
    relations: tuple[RelatedEntity, ...]
    truncated: int | None = Field(
        None, exclude_if=is_none, description="how many were left out because of max_results"
    )


@tool(
    writes="memory",
    needs={"Entity.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Entity.name", "Entity.type", "Entity.attributes", "Relationship.type"},
    cite=PROPOSED,
)
def get_related(ask: GetRelated, graph: GraphView) -> Noted[RelatedEntities]:
    """Return the entities that have a relation with one, with what is noted of them."""
    depth, told = clamped_depth(ask.max_depth)
    node = node_of(graph, ask.entity_name)
    types = None if ask.relation_type is None else {ask.relation_type}
    near = around(
        graph, node, way=WAYS[ask.direction], types=types, depth=depth, limit=ask.max_results, own=True
    )
    rows = [(step, _row(step, graph)) for step in near.steps]
    rows.sort(key=lambda row: (row[0].depth, -row[0].confidence, row[1].relationType, row[1].target.name))
    data = RelatedEntities(
        entity=graph.entities[node].name,
        relations=tuple(row for _, row in rows),
        truncated=near.left_out or None,
    )
    return Noted(data=data, warnings=(*told, *unknown_types(graph, list(types or ()))))


def _row(step: Step, graph: GraphView) -> RelatedEntity:
    far = step.depth > 1
    return RelatedEntity(
        relationType=graph.relationships[step.edge].type,
        direction="outgoing" if step.outward else "incoming",
        target=shown(graph.entities[step.there]),
        depth=step.depth if far else None,
        via=graph.entities[step.here].name if far else None,
    )
