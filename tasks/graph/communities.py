"""What several tools ask about communities."""

from collections.abc import Collection, Iterable, Mapping

from corpusgraph.schemas.graph import Community, CommunityReport
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.memo import per_graph


@per_graph
def report_of(graph: GraphView) -> Mapping[str, CommunityReport]:
    """Return community id -> its report."""
    return {report.community_id: report for report in graph.reports}


@per_graph
def community_of_report(graph: GraphView) -> Mapping[str, Community]:
    """Return report id -> its community."""
    communities = {community.id: community for community in graph.communities}
    found = ((r.id, communities.get(r.community_id)) for r in graph.reports)
    return {report_id: community for report_id, community in found if community}


def reported(graph: GraphView, community: Community) -> Community:
    """Return the community with title, summary and rating of its report where it has none of its own."""
    report = report_of(graph).get(community.id)
    if report is None:
        return community
    told = {"title": report.title, "summary": report.summary, "rating": report.rating}
    missing = {name: value for name, value in told.items() if getattr(community, name) is None}
    return community.model_copy(update=missing) if missing else community


def chunks_of(graph: GraphView, community: Community) -> Collection[str]:
    """Return the ids of the chunks a community is in: its own list, or those that mention its members."""
    if community.chunk_ids:
        return set(community.chunk_ids)
    chunks = graph.entity_chunks()
    return {chunk_id for id_ in community.entity_ids for chunk_id in chunks.get(id_, ())}


def deepest(communities: Iterable[Community], entity_ids: Iterable[str] | None = None) -> list[Community]:
    """Return the communities that are the finest one of an entity, in order; of any entity, unless given."""
    ordered = list(communities)
    finest: dict[str, Community] = {}
    for community in ordered:
        for entity_id in community.entity_ids:
            if entity_id not in finest or community.level > finest[entity_id].level:
                finest[entity_id] = community
    wanted = finest if entity_ids is None else [id_ for id_ in entity_ids if id_ in finest]
    kept = {finest[entity_id].id for entity_id in wanted}
    return [community for community in ordered if community.id in kept]
