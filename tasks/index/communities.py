"""Groups of entities that belong together, at several levels: hierarchical Leiden."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.graph import Community, Entity, Relationship
from corpusgraph.schemas.study import CommunityOptions
from corpusgraph.tasks._steps import counted
from corpusgraph.tasks.index.partition import partition

VALUES = frozenset({"date", "quantity"})
"""Entity types left out: a year ties together whatever happened in it."""
N_TITLE, N_KEYWORDS = 3, 10

Edges = dict[tuple[str, str], float]


@dataclass(slots=True)
class _Cluster:
    """One community while it is described."""

    level: int
    parent: int | None
    members: list[str] = field(default_factory=list)
    relationships: list[Relationship] = field(default_factory=list)
    centrality: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    given_id: str | None = None

    @property
    def id(self) -> str:
        return self.given_id or stable_id("com", self.level, *self.members)

    @property
    def weight(self) -> float:
        """Weight of the relationships inside."""
        return math.fsum(relationship.weight for relationship in self.relationships)


def find_communities(
    entities: Sequence[Entity], relationships: Sequence[Relationship], options: CommunityOptions
) -> list[Community]:
    """Partition the graph by hierarchical Leiden (Traag, Waltman & van Eck 2019, modularity), level by level.

    Relationships of all types between two entities are one undirected edge, of the sum of their weights;
    relationships that are only denied, dates and quantities are left out. Level 0 is the coarsest; a
    community above `options.max_size` is divided on the next level, so a small one reaches no further. An
    entity without an edge is in none. The result, in id order, depends on the graph and `options.seed` alone.

    `options.algorithm` says whose Leiden: graspologic's, or one whose changes stay near what changed.

    `rating` is 10 ln(1 + w) / ln(1 + W): w is the weight inside the community, W the largest such weight.
    """
    named = {entity.id: entity for entity in entities if entity.type not in VALUES}
    inside = [r for r in counted(relationships, "communities: relationships read") if _counts(r, named)]
    edges = undirected(inside)
    if not edges:
        return []
    clusters = _clusters(edges, options)
    _fill(clusters, sorted(inside, key=lambda relationship: relationship.id))
    return _described(clusters, named)


def narrowed(
    communities: Sequence[Community], entities: Sequence[Entity], relationships: Sequence[Relationship]
) -> list[Community]:
    """Describe communities anew by a part of the graph: ids stay, members that are not in it leave.

    A community that loses all its members is gone; its children had no others. In the order given.
    """
    named = {entity.id: entity for entity in entities if entity.type not in VALUES}
    numbers = {community.id: number for number, community in enumerate(communities)}
    clusters = {}
    for community in communities:
        members = [member for member in community.entity_ids if member in named]
        if members:
            parent = numbers.get(community.parent_id) if community.parent_id else None
            number = numbers[community.id]
            clusters[number] = _Cluster(community.level, parent, members, given_id=community.id)
    if not clusters:
        return []
    inside = (relationship for relationship in relationships if _counts(relationship, named))
    _fill(clusters, sorted(inside, key=lambda relationship: relationship.id))
    described = {community.id: community for community in _described(clusters, named)}
    return [
        described[community.id].model_copy(update={"short_id": community.short_id})
        for community in communities
        if community.id in described
    ]


def _counts(relationship: Relationship, named: Mapping[str, Entity]) -> bool:
    ends = (relationship.source_id, relationship.target_id)
    return relationship.is_stated and ends[0] != ends[1] and all(end in named for end in ends)


def undirected(relationships: Iterable[Relationship]) -> Edges:
    """Sum the weights between each two entities, ends in order; sorted, so that later sums are the same."""
    edges: dict[tuple[str, str], list[float]] = defaultdict(list)
    for relationship in counted(relationships, "communities: relationships joined"):
        first, second = sorted((relationship.source_id, relationship.target_id))
        edges[first, second].append(relationship.weight)
    return {ends: math.fsum(edges[ends]) for ends in counted(sorted(edges), "communities: edges summed")}


def _clusters(edges: Edges, options: CommunityOptions) -> dict[int, _Cluster]:
    return {number: _Cluster(*part) for number, part in partition(edges, options).items()}


def _fill(clusters: Mapping[int, _Cluster], relationships: Iterable[Relationship]) -> None:
    """Give each cluster the relationships between its members, and each member its weight of them."""
    home: dict[str, list[int]] = defaultdict(list)
    for number in sorted(clusters):
        for member in clusters[number].members:
            home[member].append(number)
    for relationship in counted(relationships, "communities: relationships placed"):
        ends = (relationship.source_id, relationship.target_id)
        shared = set(home[ends[1]])
        for number in home[ends[0]]:
            if number in shared:
                clusters[number].relationships.append(relationship)
                for end in ends:
                    clusters[number].centrality[end] += relationship.weight


def _described(clusters: Mapping[int, _Cluster], named: Mapping[str, Entity]) -> list[Community]:
    heaviest = max(cluster.weight for cluster in clusters.values()) or 1.0  # nothing but isolated members
    children: dict[int, list[str]] = defaultdict(list)
    for cluster in clusters.values():
        if cluster.parent is not None:
            children[cluster.parent].append(cluster.id)
    communities = [
        _community(
            cluster,
            named,
            parent_id=None if cluster.parent is None else clusters[cluster.parent].id,
            children=tuple(sorted(children[number])),
            rating=round(10 * math.log1p(cluster.weight) / math.log1p(heaviest), 2),
        )
        for number, cluster in counted(clusters.items(), "communities described", every=256)
    ]
    order = sorted(communities, key=lambda c: (c.level, -len(c.entity_ids), c.id))
    numbers = {community.id: number for number, community in enumerate(order, start=1)}
    numbered = [c.model_copy(update={"short_id": numbers[c.id]}) for c in communities]
    return sorted(numbered, key=lambda community: community.id)


def _community(
    cluster: _Cluster,
    named: Mapping[str, Entity],
    *,
    parent_id: str | None,
    children: tuple[str, ...],
    rating: float,
) -> Community:
    central = sorted(cluster.members, key=lambda member: (-cluster.centrality[member], member))
    return Community(
        id=cluster.id,
        entity_ids=tuple(sorted(cluster.members)),
        level=cluster.level,
        title=", ".join(named[member].name for member in central[:N_TITLE]),
        keywords=_keywords(cluster, [named[member] for member in central]),
        parent_id=parent_id,
        children=children,
        relationship_ids=tuple(relationship.id for relationship in cluster.relationships),
        chunk_ids=tuple(sorted({chunk for r in cluster.relationships for chunk in r.chunk_ids or ()})),
        size=len(cluster.members),
        rating=rating,
    )


def _keywords(cluster: _Cluster, central: list[Entity]) -> tuple[str, ...]:
    """Return the cues of the heaviest relationships and the most central concepts, in turn."""
    weights: dict[str, float] = defaultdict(float)
    for relationship in cluster.relationships:
        for keyword in relationship.keywords or ():
            weights[keyword] += relationship.weight
    cues = sorted(weights, key=lambda keyword: (-weights[keyword], keyword))
    concepts = [entity.name for entity in central if entity.type == "concept"]
    return tuple(dict.fromkeys((*concepts[: N_KEYWORDS // 2], *cues, *concepts)))[:N_KEYWORDS]
