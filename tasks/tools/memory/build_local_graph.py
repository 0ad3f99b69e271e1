"""The graph of some entities, to draw or to analyse."""

from typing import Annotated, Literal

import numpy as np
from pydantic import AliasChoices, BeforeValidator, Field

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks.graph.compiled import Doubles, compiled, node_of, per_graph
from corpusgraph.tasks.graph.inputs import references
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._columns import weight_of
from corpusgraph.tasks.tools.memory._inputs import Ref, Shape, edges_among
from corpusgraph.tasks.tools.memory.get_entity_neighbors import ENHANCED

Tier = Literal["core", "working", "reference", "archive"]
CORE, WORKING = 0.9, 0.5


@per_graph
def saliences(graph: GraphView) -> Doubles:
    """Return for each entity the share of entities that have fewer relationships, half of its equals counted.

    The mid-rank percentile of its degree (n,), 0 to 1; without any relationship it is 0.
    """
    from scipy.stats import rankdata

    degrees = compiled(graph).degrees
    share = (rankdata(degrees) - 0.5) / max(1, len(degrees))
    return np.where(degrees == 0, 0.0, share)


def kept_or(entity: Entity, salience: float) -> tuple[str, float]:
    """Return tier and salience of an entity: those that an imported memory keeps, else by `salience`.

    What is kept is a text as the tier, and a number from 0 to 1; a tier that is missing follows from that.
    """
    kept = entity.attributes or {}
    score, tier = kept.get("salience_score"), kept.get("tier")
    known = round(salience, 4)
    if isinstance(score, int | float) and not isinstance(score, bool) and 0 <= score <= 1:
        known = float(score)
    return (tier if isinstance(tier, str) and tier.strip() else tier_of(known)), known


def tier_of(salience: float) -> Tier:
    """Name the tier: core above 0.9, working above 0.5, reference above 0, archive without a relationship."""
    if salience > CORE:
        return "core"
    if salience > WORKING:
        return "working"
    return "reference" if salience > 0 else "archive"


class BuildLocalGraph(ToolInput):
    """Of which entities."""

    entity_ids: Annotated[list[Ref], BeforeValidator(references)] = Field(
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
    places = list(dict.fromkeys(node_of(graph, ref) for ref in ask.entity_ids))
    edges = edges_among(graph, np.array(places, dtype=np.int64), both=True)
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
