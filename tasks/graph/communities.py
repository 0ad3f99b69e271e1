"""What several tools ask about communities."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import numpy as np

from corpusgraph.schemas.graph import Community, CommunityReport
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.compiled import compiled, distinct, mentions, per_graph, spread
from corpusgraph.tasks.graph.names import grouped


@per_graph
def report_of(graph: GraphView) -> Mapping[str, CommunityReport]:
    """Return community id -> its report.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    mapping of str to CommunityReport
        A community without a report is not in it.

    """
    return {report.community_id: report for report in graph.reports}


@per_graph
def community_of_report(graph: GraphView) -> Mapping[str, Community]:
    """Return report id -> its community.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    mapping of str to Community
        Without the reports whose community is not there.

    """
    communities = {community.id: community for community in graph.communities}
    found = ((r.id, communities.get(r.community_id)) for r in graph.reports)
    return {report_id: community for report_id, community in found if community}


@per_graph
def members_of(graph: GraphView) -> Mapping[str, Sequence[int]]:
    """Return entity id -> places of the communities that it is in, in order.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    mapping of str to sequence of int
        Places in `graph.communities`; without entities that are in none.

    """
    places = enumerate(graph.communities)
    return grouped((id_, at) for at, community in places for id_ in dict.fromkeys(community.entity_ids))


def reported(graph: GraphView, community: Community) -> Community:
    """Return the community with title, summary and rating of its report where it has none of its own.

    Parameters
    ----------
    graph : GraphView
        The graph.
    community : Community
        One of its communities.

    Returns
    -------
    Community
        The community itself where nothing is added, else a copy, made once.

    """
    report = report_of(graph).get(community.id)
    told = {"title": report.title, "summary": report.summary, "rating": report.rating} if report else {}
    missing = {name: value for name, value in told.items() if getattr(community, name) is None}
    return community.model_copy(update=missing) if missing else community


@per_graph
def occurrence(graph: GraphView) -> Mapping[str, int]:
    """Return community id -> the number of chunks it is in: its own list, or those that mention its members.

    Parameters
    ----------
    graph : GraphView
        The graph.

    Returns
    -------
    mapping of str to int
        Every community of the graph, also with 0.

    """
    ids, lists, found = compiled(graph).ids, mentions(graph), dict[str, int]()
    for community in graph.communities:
        if community.chunk_ids:
            found[community.id] = len(set(community.chunk_ids))
        else:
            nodes = [at for id_ in community.entity_ids if (at := ids.find(id_)) is not None]
            inside = lists.item[spread(lists.start, np.array(nodes, dtype=np.int64))[0]]
            found[community.id] = len(distinct(inside))
    return found


@per_graph
def deepest_to(graph: GraphView, level: int) -> Sequence[Community]:
    """Return the communities down to a level that are the finest one there of any entity, in order.

    Parameters
    ----------
    graph : GraphView
        The graph.
    level : int
        From 0, the coarsest.

    Returns
    -------
    sequence of Community
        A level below the deepest there is counts as the deepest.

    """
    return deepest(c for c in graph.communities if c.level <= level)


def chunks_of(graph: GraphView, community: Community) -> Collection[str]:
    """Return the ids of the chunks a community is in: its own list, or those that mention its members.

    Parameters
    ----------
    graph : GraphView
        The graph.
    community : Community
        One of its communities.

    Returns
    -------
    collection of str
        Empty for a community that no chunk mentions; in no order where the list is its own.

    """
    if community.chunk_ids:
        return set(community.chunk_ids)
    chunks = graph.entity_chunks()
    return {chunk_id for id_ in community.entity_ids for chunk_id in chunks.get(id_, ())}


def deepest(communities: Iterable[Community]) -> list[Community]:
    """Return the communities that are the finest one of any entity, in order.

    Parameters
    ----------
    communities : iterable of Community
        Of several levels; the larger the level, the finer.

    Returns
    -------
    list of Community
        Those of `communities` in their order; an entity in two of one level counts for the first.

    """
    ordered = list(communities)
    finest: dict[str, Community] = {}
    for community in ordered:
        for entity_id in community.entity_ids:
            if entity_id not in finest or community.level > finest[entity_id].level:
                finest[entity_id] = community
    kept = {community.id for community in finest.values()}
    return [community for community in ordered if community.id in kept]
