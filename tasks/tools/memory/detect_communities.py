"""Groups of entities that belong together, in the graph as it is now."""

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.graph import Community, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, warned
from corpusgraph.tasks.build.communities import VALUES, undirected
from corpusgraph.tasks.graph.inputs import TopK
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._domains import Parting, parted


class DetectCommunities(Parting):
    """How the graph is parted, and how many communities are told."""

    top_k: TopK = 50


class Group(Community):
    """A community with the names of its members, in the order of their ids."""

    names: tuple[str, ...]


class Communities(Noun):
    """A partition of the connected entities, the largest community first."""

    success: Literal[True] = True
    community_count: int = Field(description="communities of at least min_size entities")
    level_count: int = Field(description="levels there are; `level` goes down to the last of them")
    modularity: float = Field(description="of the communities counted, others as entities of their own")
    covered: int = Field(description="entities in a community")
    truncated: bool
    communities: list[Group]


@tool(
    writes="detected_communities",
    needs={"Entity.id", "Relationship.source_id", "Relationship.target_id"},
    optional={"Relationship.weight", "Relationship.type", "Entity.name", "Entity.type"},
    adds={"Group.names"},
    cite="Traag, Waltman & van Eck 2019; modularity: Newman & Girvan 2004",
)
def detect_communities(ask: DetectCommunities, graph: GraphView) -> Noted[Communities]:
    """Find communities by hierarchical Leiden in the graph with all that was added by hand; none is stored.

    Dates and quantities are left out, and so is an entity without a relationship.
    """
    parts = parted(ask, graph)
    found = parts.communities
    message = "No two entities are related here."
    if parts.n_levels:
        message = f"No community has {ask.min_size} entities; lower min_size."
    names = {entity.id: entity.name for entity in graph.entities}
    told = found[: ask.top_k]
    return Noted(
        data=Communities(
            community_count=len(found),
            level_count=parts.n_levels,
            modularity=_modularity(found, parts.relationships, graph, ask.resolution),
            covered=sum(len(community.entity_ids) for community in found),
            truncated=len(told) < len(found),
            communities=[
                Group(**dict(community), names=tuple(names[id_] for id_ in community.entity_ids))
                for community in told
            ],
        ),
        warnings=(*parts.warnings, *warned("no_communities", message, when=not found)),
    )


def _modularity(
    communities: Sequence[Community],
    relationships: Sequence[Relationship],
    graph: GraphView,
    resolution: float,
) -> float:
    """Return how much more weight lies inside communities than chance puts there (Newman & Girvan 2004).

    An entity in no community is one of its own, and a relationship of one with itself does not count. 0
    without relationships.
    """
    from networkx import Graph
    from networkx.algorithms.community import modularity

    among = {entity.id for entity in graph.entities if entity.type not in VALUES}
    edges = undirected(
        r
        for r in counted(relationships, "modularity: relationships counted")
        if r.source_id != r.target_id and {r.source_id, r.target_id} <= among
    )
    joined = Graph()
    joined.add_weighted_edges_from((*ends, weight) for ends, weight in edges.items())
    members = [joined.nodes & set(community.entity_ids) for community in communities]
    alone = [{id_} for id_ in joined.nodes - set().union(*members)]
    return round(modularity(joined, [*members, *alone], resolution=resolution), 6) if edges else 0.0
