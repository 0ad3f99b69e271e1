"""Tool 18: the communities that entities belong to."""

from collections import Counter
from typing import Literal

from pydantic import Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.graph import Community
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, Scored, ToolInput, warned
from corpusgraph.tasks.graph.communities import members_of, reported
from corpusgraph.tasks.graph.inputs import EntityRefs, resolved
from corpusgraph.tasks.graph.ranking import ranked, then
from corpusgraph.tasks.registry import tool


class CommunityByEntities(ToolInput):
    """Whose communities, down to which level."""

    entities: EntityRefs
    community_level: NonNegativeInt | None = Field(
        None, description="finest level to look at; 0 is the coarsest; all levels, unless given"
    )
    select: Literal["all", "deepest"] = Field(
        "all", description="all communities of an entity, or its finest one alone"
    )
    top_k: PositiveInt | None = Field(None, description="keep this many; all, unless given")


@tool(
    18,
    writes="communities",
    needs={"Community.entity_ids", "Entity.id"},
    optional={"Community.level", "Community.summary", "Community.rating"},
    adds={
        "Scored.score",
        "Scored.components.entities",
        "Community.title",
        "Community.summary",
        "Community.rating",
    },
    cite="Zhou et al. 2025, arXiv:2503.04338, operator Community.Entity; Edge et al. 2024, arXiv:2404.16130",
    aliases=("T66",),
)
def community_by_entities(ask: CommunityByEntities, graph: GraphView) -> Noted[list[Scored[Community]]]:
    """Return the communities of the entities, those with most of them first, then by rating."""
    wanted = [entity.id for entity in resolved(graph, ask.entities)]
    level, members, communities = ask.community_level, members_of(graph), graph.communities
    near = {
        id_: [i for i in members.get(id_, ()) if level is None or communities[i].level <= level]
        for id_ in wanted
    }
    counts = Counter(i for places in near.values() for i in places)
    if ask.select == "deepest":
        finest = {max(places, key=lambda i: (communities[i].level, -i)) for places in near.values() if places}
        counts = Counter({i: count for i, count in counts.items() if i in finest})
    found = [(reported(graph, communities[i]), count) for i, count in sorted(counts.items())]
    rows = ((c, then(count, max(c.rating or 0.0, 0.0)), {"entities": count}) for c, count in found)
    alone = [id_ for id_, places in near.items() if not places]
    message = f"{len(alone)} of the entities are in no community."
    notes = warned("no_community", message, alone, when=alone)
    return Noted(data=ranked(rows, "membership", ask.top_k), warnings=notes)
