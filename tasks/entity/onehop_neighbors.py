"""Tool 5: the entities one relationship away."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AliasChoices, BeforeValidator, Field, PositiveInt

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.graph.compiled import incident
from corpusgraph.tasks.graph.inputs import EntityRefs, directions, resolved
from corpusgraph.tasks.graph.ranking import ranked

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
    given = [entity.id for entity in resolved(graph, ask.entities)]
    links: dict[str, dict[str, Relationship]] = {}
    for id_ in given:
        for other, relationship in _steps(graph, id_, ask):
            links.setdefault(other, {})[relationship.id] = relationship
    if not ask.include_sources:
        links = {other: found for other, found in links.items() if other not in given}
    rows = (
        (graph.entity(other), sum(r.weight for r in found.values()), {"relationships": len(found)})
        for other, found in links.items()
    )
    return ranked(rows, "weight", ask.top_k)


def _steps(graph: GraphView, id_: str, ask: EntityOnehopNeighbors) -> Iterator[tuple[str, Relationship]]:
    for relationship in incident(graph)[id_]:
        if ask.edge_types is not None and relationship.type not in ask.edge_types:
            continue
        if relationship.source_id == relationship.target_id:
            continue  # nobody is their own neighbour
        if relationship.source_id == id_ and ask.direction != "in":
            yield relationship.target_id, relationship
        if relationship.target_id == id_ and ask.direction != "out":
            yield relationship.source_id, relationship
