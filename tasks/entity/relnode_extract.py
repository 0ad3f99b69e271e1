"""Tool 2: the entities at the ends of relationships."""

from typing import Literal

from pydantic import AliasChoices, Field, PositiveInt

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Scored, ToolInput
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.graph.compiled import degree, ends
from corpusgraph.tasks.graph.inputs import RelationshipRefs
from corpusgraph.tasks.graph.ranking import ranked

Endpoint = Literal["source", "target", "both"]


class EntityRelnodeExtract(ToolInput):
    """Which relationships, and which of their ends."""

    relationships: RelationshipRefs
    direction: Endpoint = Field(
        "both",
        validation_alias=AliasChoices("direction", "endpoint"),
        description="which end of each relationship",
    )
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")


@tool(
    2,
    writes="entities",
    needs={"Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    adds={"Scored.score"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Node.RelNode",
    aliases=("T50",),
)
def entity_relnode_extract(ask: EntityRelnodeExtract, graph: GraphView) -> list[Scored[Entity]]:
    """Return the entities at the ends of the relationships, each once; the score is the degree."""
    found = {end for ref in ask.relationships for end in _ends(graph.relationship(ref), ask.direction)}
    return ranked(((graph.entity(id_), degree(graph, id_), {}) for id_ in found), "degree", ask.top_k)


def _ends(relationship: Relationship, endpoint: Endpoint) -> tuple[str, ...]:
    if endpoint == "both":
        return ends(relationship)
    return (relationship.source_id if endpoint == "source" else relationship.target_id,)
