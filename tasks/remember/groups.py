"""Communities once entities were taken for one, or out: members and relationships are those there are."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from corpusgraph.schemas.graph import Community, CommunityReport
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.index.communities import N_TITLE
from corpusgraph.tasks.index.reports import summary_of
from corpusgraph.tasks.remember.withheld import Withheld

EXTRACTIVE = "extractive"

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


def retold(graph: GraphView, found: Sequence[Community], out: Withheld) -> Sequence[Community]:
    """Return communities without what is left out of an imported memory: its lines, and names in titles."""
    if not out.lines and not out.forgotten:
        return found
    before = {community.id: community for community in graph.communities}
    return tuple(_retold(graph, community, before.get(community.id), out) for community in found)


def _retold(graph: GraphView, now: Community, before: Community | None, out: Withheld) -> Community:
    told = {"chunk_ids": tuple(id_ for id_ in now.chunk_ids if id_ not in out.chunks)}
    gone = [] if before is None else [id_ for id_ in before.entity_ids if id_ in out.forgotten]
    if before is None or not (gone or told["chunk_ids"] != now.chunk_ids):
        return now
    if not gone:
        return now.model_copy(update=told)
    left = [graph.entity(id_) for id_ in before.entity_ids if id_ not in out.forgotten]
    central = sorted(left, key=lambda entity: (-(entity.degree or 0), entity.id))
    names = {graph.entity(id_).name for id_ in gone}
    keywords = now.keywords and tuple(word for word in now.keywords if word not in names)
    title = ", ".join(entity.name for entity in central[:N_TITLE])
    return now.model_copy(update={**told, "title": title, "keywords": keywords})


def reports(graph: GraphView, kept: Sequence[Community], out: Collection[str]) -> Sequence[CommunityReport]:
    """Return the reports on communities that are left; they tell what the corpus says, as it said it.

    Of an imported memory they do not cite the lines `out`, nor name in the title who was taken out.
    """
    if kept is graph.communities:
        return graph.reports
    now, before = {c.id: c for c in kept}, {c.id: c for c in graph.communities}
    left = (r for r in graph.reports if r.community_id in now or r.community_id not in before)
    told = (_without_lines(r, before.get(r.community_id), now.get(r.community_id), out) for r in left)
    return tuple(report for report in told if report is not None)


def _without_lines(
    report: CommunityReport, before: Community | None, now: Community | None, out: Collection[str]
) -> CommunityReport | None:
    """Return a report without what it says by some chunks; None for one in other words than theirs."""
    findings = tuple(finding for finding in report.findings if finding.chunk_id not in out)
    renamed = before is not None and now is not None and before.title != now.title
    if findings == report.findings and not renamed:
        return report
    if report.method != EXTRACTIVE:
        return None
    title = report.title if now is None or not renamed else now.title or now.id
    return report.model_copy(update={"title": title, "findings": findings, "summary": summary_of(findings)})
