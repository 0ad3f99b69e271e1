"""What search must know of a memory: the items that it hides below, and those that it brings, with texts."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.lists import Ids
from corpusgraph.tasks.index.embedded import chunk_text, entity_text, relationship_text, report_text
from corpusgraph.tasks.remember.evidence import Written
from corpusgraph.tasks.remember.news import News
from corpusgraph.tasks.remember.view import RememberedGraph


class Fresh(NamedTuple):
    """What stands in for what the index below has: `hidden` of its items, and others with their texts."""

    hidden: frozenset[str]
    items: Mapping[str, Any]
    texts: Mapping[str, str]
    since: Mapping[str, str]
    """The texts of the items that were not there before, or were others; all where there was no before."""

    def more(self, hidden: Iterable[str], items: Mapping[str, Any], texts: Mapping[str, str]) -> "Fresh":
        """Return the same with more of all."""
        return Fresh(self.hidden.union(hidden), {**self.items, **items}, {**self.texts, **texts}, texts)


NOTHING = Fresh(frozenset(), {}, {}, {})


class Freshness:
    """Works it out for a view; `alone`: whether a vector is of a text alone, without names beside it."""

    def __init__(self, graph: RememberedGraph, *, alone: bool) -> None:
        self._graph, self._alone = graph, alone

    def of(self, kind: str, before: Fresh = NOTHING, told: News | None = None) -> Fresh:
        """Return it for a kind of item: all of it, or, with what is told, from that of the view before."""
        if kind == "entity":
            return self._entities(before, told)
        if kind == "relationship":
            return self._relationships(before, told)
        return self._chunks(before, told) if kind == "chunk" else self._reports()

    def _entities(self, before: Fresh, told: News | None) -> Fresh:
        graph, rows = self._graph, self._graph.entity_rows
        if told is not None:
            ids = [id_ for id_ in told.entities if rows.is_new(id_) or id_ in graph.reads_otherwise]
            hidden = graph.reads_otherwise.intersection(ids)
        else:
            hidden = frozenset(id_ for id_ in graph.reads_otherwise if graph.roster.there(id_))
            ids = sorted({*rows.new, *hidden})
            hidden |= _gone(graph, "entity_rows")
        find, entities = Ids(rows).find, graph.entities
        items: dict[str, Entity] = {id_: entities[at] for id_ in ids if (at := find(id_)) is not None}
        texts = {id_: entity_text(item, alone=self._alone) for id_, item in items.items()}
        return before.more(hidden, items, texts)

    def _relationships(self, before: Fresh, told: News | None) -> Fresh:
        graph, edges = self._graph, self._graph.base.edges
        if told is not None:
            ids = {graph.patch.by_hand[id_] for id_ in told.relations}
            hidden = frozenset(id_ for id_ in ids if id_ not in graph.patch.new)
        else:
            places = {*graph.patch.changed, *edges.at(graph.renamed)} - graph.patch.gone
            hidden = frozenset(edges.relationships.ids[place] for place in places)
            ids = {*graph.relationship_rows.new, *hidden}
            hidden |= _gone(graph, "relationship_rows")
        items: dict[str, Relationship] = {id_: graph.relationship(id_) for id_ in sorted(ids)}
        ends = {end for one in items.values() for end in (one.source_id, one.target_id)}
        names = {end: graph.roster.called(end).name for end in sorted(ends)}
        write = relationship_text(names, alone=self._alone)
        return before.more(hidden, items, {id_: write(item) for id_, item in items.items()})

    def _chunks(self, before: Fresh, told: News | None) -> Fresh:
        papers: Iterable[Written] = self._graph.papers.all
        if told is not None:
            own = (self._graph.papers.of(id_) for id_ in told.sources)
            papers = [paper for paper in own if paper is not None]
        lines = [
            (paper.document.title, one)
            for paper in papers
            for one in paper.chunks
            if one.id not in before.items
        ]
        items = {chunk.id: chunk for _, chunk in lines}
        texts = {chunk.id: chunk_text(title, chunk.content) for title, chunk in lines}
        hidden = () if told is not None else self._graph.changed.withheld.chunks
        return before.more(hidden, items, texts)

    def _reports(self) -> Fresh:
        graph = self._graph
        if graph.reports is graph.base.graph.reports:
            return NOTHING
        kept = {report.id: report for report in graph.reports}
        below = {report.id: report for report in graph.base.graph.reports}
        pairs = ((id_, kept.get(id_), report) for id_, report in below.items())
        hidden = {id_ for id_, now, report in pairs if now is not report and now != report}
        items = {id_: kept[id_] for id_ in sorted(hidden) if id_ in kept}
        texts = {id_: report_text(item, alone=self._alone) for id_, item in items.items()}
        return NOTHING.more(hidden, items, texts)


def _gone(graph: RememberedGraph, rows: str) -> frozenset[str]:
    overlay = getattr(graph, rows)
    return frozenset(overlay.base[place] for place in overlay.out.tolist())
