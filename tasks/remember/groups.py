"""Communities once entities were taken for one, or out: members and relationships are those there are."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from corpusgraph.schemas.graph import Community, CommunityReport
from corpusgraph.schemas.ports import GraphView

Now = Callable[[str], str | None]
"""Id -> the id that it now has, or None."""


def communities(
    graph: GraphView, moves: Mapping[str, str | None], edge_now: Now | None
) -> Sequence[Community]:
    """Return the communities; one that has lost all its members is gone. Nobody new is in one."""
    if not moves and edge_now is None:
        return graph.communities
    found = [_now(community, moves, edge_now) for community in graph.communities]
    kept = {community.id for community in found if community.entity_ids}
    return tuple(_without(community, kept) for community in found if community.entity_ids)


def _now(community: Community, moves: Mapping[str, str | None], edge_now: Now | None) -> Community:
    members = _mapped(community.entity_ids, lambda id_: moves.get(id_, id_))
    edges = _mapped(community.relationship_ids, edge_now) if edge_now else community.relationship_ids
    if members == community.entity_ids and edges == community.relationship_ids:
        return community
    size = None if community.size is None else len(members)
    return community.model_copy(update={"entity_ids": members, "relationship_ids": edges, "size": size})


def _mapped(ids: Iterable[str], now: Now) -> tuple[str, ...]:
    """Map ids, each once, in order; those that are nothing any more are left out."""
    return tuple(dict.fromkeys(new for id_ in ids if (new := now(id_)) is not None))


def _without(community: Community, kept: set[str]) -> Community:
    children = tuple(child for child in community.children if child in kept)
    return (
        community if children == community.children else community.model_copy(update={"children": children})
    )


def reports(graph: GraphView, kept: Sequence[Community]) -> Sequence[CommunityReport]:
    """Return the reports on communities that are left; they tell what the corpus says, as it said it."""
    if kept is graph.communities:
        return graph.reports
    ids, before = {c.id for c in kept}, {c.id for c in graph.communities}
    return tuple(r for r in graph.reports if r.community_id in ids or r.community_id not in before)
