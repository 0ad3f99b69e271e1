"""Groups of entities that belong together, in the graph as it is now."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

from pydantic import Field, NonNegativeInt, PositiveInt

from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.graph import Community, Relationship
from corpusgraph.schemas.ports import GraphView
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.schemas.study import CommunityOptions
from corpusgraph.tasks.build.communities import VALUES, find_communities, undirected
from corpusgraph.tasks.graph.communities import deepest
from corpusgraph.tasks.graph.compiled import Latest, per_graph
from corpusgraph.tasks.graph.inputs import TopK
from corpusgraph.tasks.progress import counted
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._columns import Least, Types, unknown_types

PARTITIONS = 2
"""Partitions kept with a graph, those made last: what takes longest here is asked for by two tools."""
Key = tuple[CommunityOptions, frozenset[str] | None, float]


class Parting(ToolInput):
    """How the graph is parted."""

    resolution: float = Field(1.0, gt=0, le=1000, description="higher: more and smaller communities")
    level: NonNegativeInt | None = Field(
        0, description="0: the coarsest; n: communities above max_size divided n times; null: to the end"
    )
    max_size: PositiveInt = Field(10, description="a larger community is divided on the next level")
    min_size: PositiveInt = Field(2, description="leave out communities of fewer entities")
    seed: int = Field(0xDEADBEEF, description="of the order in which entities are looked at")
    relationship_types: Types = None
    min_weight: Least = 0.0


class Parts(NamedTuple):
    """Communities that share no entity, by size, then id; the relationships they were made from."""

    communities: list[Community]
    relationships: list[Relationship]
    n_levels: int
    warnings: tuple[ToolWarning, ...]


def parted(ask: Parting, graph: GraphView) -> Parts:
    """Part the graph by hierarchical Leiden, in steps of a fixed order; dates and quantities are in none."""
    options = CommunityOptions(
        max_size=ask.max_size, resolution=ask.resolution, seed=ask.seed, algorithm="stable"
    )
    types = None if ask.relationship_types is None else frozenset(ask.relationship_types)
    used = [
        r
        for r in counted(graph.relationships, "relationships read")
        if r.is_stated and r.weight >= ask.min_weight and (types is None or r.type in types)
    ]
    made, key = _partitions(graph), (options, types, ask.min_weight)
    if (every := made.get(key)) is None:
        every = made[key] = find_communities(graph.entities, used, options)
    levels = max((community.level for community in every), default=-1) + 1
    lowest = deepest(c for c in every if ask.level is None or c.level <= ask.level)
    large = [c for c in lowest if len(c.entity_ids) >= ask.min_size]
    return Parts(
        communities=sorted(large, key=lambda c: (-len(c.entity_ids), c.id)),
        relationships=used,
        n_levels=levels,
        warnings=unknown_types(graph, ask.relationship_types),
    )


@per_graph
def _partitions(graph: GraphView) -> Latest[Key, list[Community]]:  # noqa: ARG001  whose they are
    return Latest(PARTITIONS)


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
    communities = parts.communities
    message = "No two entities are related here."
    if parts.n_levels:
        message = f"No community has {ask.min_size} entities; lower min_size."
    names = {entity.id: entity.name for entity in graph.entities}
    shown = communities[: ask.top_k]
    return Noted(
        data=Communities(
            community_count=len(communities),
            level_count=parts.n_levels,
            modularity=_modularity(communities, parts.relationships, graph, ask.resolution),
            covered=sum(len(community.entity_ids) for community in communities),
            truncated=len(shown) < len(communities),
            communities=[
                Group(**dict(community), names=tuple(names[id_] for id_ in community.entity_ids))
                for community in shown
            ],
        ),
        warnings=(*parts.warnings, *warned("no_communities", message, when=not communities)),
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
