"""Tool 9: the relationships around entities."""

from pydantic import AliasChoices, Field, PositiveInt

from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, Scored, ToolInput, ToolWarning
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.graph.compiled import compiled, degree, incident
from corpusgraph.tasks.graph.hops import UNREACHED, hops
from corpusgraph.tasks.graph.inputs import EntityRefs, resolved
from corpusgraph.tasks.graph.ranking import ranked, then

MAX_HOPS = 3
"""Three hops reach most of a dense graph; more is clamped, with a warning."""


class RelationshipOnehopExtract(ToolInput):
    """Around which entities, and how far."""

    entities: EntityRefs
    hop_distance: PositiveInt = Field(
        1,
        validation_alias=AliasChoices("hop_distance", "max_hops", "k", "depth"),
        description="1: relationships of the entities; 2: of their neighbours too; at most 3",
    )
    relationship_types: list[str] | None = Field(None, description="follow and return these types only")
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")


@tool(
    9,
    writes="relationships",
    needs={"Entity.id", "Relationship.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.weight", "Relationship.type"},
    adds={"Scored.score", "Scored.components.degree", "Scored.components.weight", "Scored.components.hop"},
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Rel.Onehop; Edge et al. 2024, arXiv:2404.16130",
)
def relationship_onehop_extract(
    ask: RelationshipOnehopExtract, graph: GraphView
) -> Noted[list[Scored[Relationship]]]:
    """Return the relationships of the entities, each once, those between busy entities first.

    The score is the sum of the two degrees, between equals the weight, divided by the hop.
    """
    far = min(ask.hop_distance, MAX_HOPS)
    arrays = compiled(graph)
    starts = [arrays.at[entity.id] for entity in resolved(graph, ask.entities)]
    distance = hops(arrays.adjacency(directed=False, types=ask.relationship_types), starts, far - 1)
    found: dict[str, tuple[Relationship, int]] = {}
    for i in (distance != UNREACHED).nonzero()[0].tolist():
        for relationship in incident(graph)[arrays.ids[i]]:
            if ask.relationship_types is None or relationship.type in ask.relationship_types:
                hop = int(distance[i]) + 1
                found[relationship.id] = (relationship, min(hop, found.get(relationship.id, (None, hop))[1]))
    rows = (_scored(graph, relationship, hop) for relationship, hop in found.values())
    return Noted(data=ranked(rows, "degree", ask.top_k), warnings=_clamped(ask.hop_distance))


def _scored(
    graph: GraphView, relationship: Relationship, hop: int
) -> tuple[Relationship, float, dict[str, float]]:
    busy = degree(graph, relationship.source_id) + degree(graph, relationship.target_id)
    parts = {"degree": float(busy), "weight": relationship.weight, "hop": float(hop)}
    return relationship, then(busy, relationship.weight) / hop, parts


def _clamped(asked: int) -> tuple[ToolWarning, ...]:
    if asked <= MAX_HOPS:
        return ()
    message = f"hop_distance {asked} was lowered to {MAX_HOPS}."
    return (ToolWarning(code="hops_clamped", message=message),)
