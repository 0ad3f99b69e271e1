"""The shortest paths between two groups of entities."""

from typing import Annotated

from pydantic import AliasChoices, BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.graph import Path
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, Scored, ToolInput
from corpusgraph.tasks.graph.compiled import compiled
from corpusgraph.tasks.graph.inputs import SPELLINGS, EntityRefs, directions, resolved
from corpusgraph.tasks.graph.paths import Direction, Order
from corpusgraph.tasks.graph.routes import Routes, unreached
from corpusgraph.tasks.registry import Reads, tool


class ShortestPaths(ToolInput):
    """Between which entities, and what is short."""

    source_entities: Annotated[
        EntityRefs,
        Field(validation_alias=AliasChoices("source_entities", "start_entities", "entities", "source")),
    ]
    target_entities: Annotated[EntityRefs | None, Reads("entities")] = Field(
        None,
        validation_alias=AliasChoices("target_entities", "end_entities", "target"),
        description="where the paths end; without them, paths among the source entities",
    )
    weighted: bool = Field(False, description="least cost (1 / weight), not fewest relationships")
    top_k: PositiveInt = Field(
        1, validation_alias=AliasChoices("top_k", "limit", "max_paths"), description="paths of each pair"
    )
    max_hops: int = Field(
        6,
        ge=1,
        le=20,
        validation_alias=AliasChoices("max_hops", "k", "depth", "max_depth", "maxDepth"),
        description="relationships of a path at most",
    )
    direction: Annotated[Direction, BeforeValidator(directions(SPELLINGS))] = Field(
        "both", description="out: from source to target; in: from target to source"
    )
    relationship_types: list[str] | None = Field(None, description="follow these types only")


@tool(
    writes="paths",
    needs={"Entity.id", "Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.weight", "Relationship.type"},
    adds={"Scored.score", "Scored.components.edges", "Scored.components.cost"},
    cite="Yen 1971; Dijkstra 1959",
    aliases=("T54",),
)
def shortest_paths(ask: ShortestPaths, graph: GraphView) -> Noted[list[Scored[Path]]]:
    """Find the shortest paths of each source and target, the shortest of all first."""
    order: Order = "cost" if ask.weighted else "hops"
    routes = Routes(graph, ask.max_hops, ask.direction, order, ask.relationship_types)
    at = compiled(graph).at
    sources = [at[entity.id] for entity in resolved(graph, ask.source_entities)]
    targets = [at[entity.id] for entity in resolved(graph, ask.target_entities or ())]
    found, without = routes.pairs(sources, targets or sources, ask.top_k)
    lost = unreached(without, f"No path of at most {ask.max_hops} relationships leads between", graph)
    return Noted(data=routes.scored(routes.merged(found)), warnings=(*lost, *routes.warnings()))
