"""A graph with a memory laid over it, without a copy: what was added by hand is seen by who looks at it."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import UnknownItemError, quoted
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, EntityRef, Relationship
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.build.communities import N_TITLE
from corpusgraph.tasks.build.reports import summary_of
from corpusgraph.tasks.graph.compiled import Ids, id_lists
from corpusgraph.tasks.graph.names import held_by, short_id_of
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.changed import Parts, Withheld
from corpusgraph.tasks.overlay.delta import News, news, without
from corpusgraph.tasks.overlay.edges import EdgePatch
from corpusgraph.tasks.overlay.layout import LaidArrays, Layout
from corpusgraph.tasks.overlay.models import ChunkNouns, EdgeNouns, EntityNouns
from corpusgraph.tasks.overlay.names import Names
from corpusgraph.tasks.overlay.rows import Finder, OverlaidNouns, Overlay
from corpusgraph.tasks.overlay.splits import Splits
from corpusgraph.tasks.overlay.state import MemoryState

_OUT = "It was taken out by hand."


def relationship_in(view: "RememberedGraph", ref: EntityRef) -> Relationship:
    """Find by id or short id; an id from before a merge leads to what the relationship now is."""
    ids = view.arrays.relationship_ids
    at = ids.find(ref) if isinstance(ref, str) else None
    if at is None:
        number = short_id_of(ref)
        by_hand = None if number is None else view.state.relation_numbers.id_of(number)
        at = ids.find(view.patch.by_hand.get(by_hand, by_hand)) if by_hand else None
    if at is None:
        now = view.edge_now(view.base.graph.relationship(ref).id)
        at = None if now is None else ids.find(now)
    if at is None:
        raise UnknownItemError(f"Unknown relationship {quoted(ref)}.", hint=_OUT)
    return view.relationships[at]


def chunk_in(view: "RememberedGraph", ref: EntityRef) -> Chunk:
    """Find by id or short id; one that is left out is unknown."""
    id_ = ref if isinstance(ref, str) else None
    at = view.arrays.chunk_ids.find(id_) if id_ is not None else None
    if at is None:
        at = view.arrays.chunk_ids.find(view.base.graph.chunk(ref).id)
    if at is None:
        raise UnknownItemError(f"Unknown chunk {quoted(ref)}.", hint=_OUT)
    return view.chunks[at]


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


class RememberedGraph:
    """A GraphView over a base and a state that does not change any more (`frozen`).

    Entities, relationships and arrays are made when they are looked at; a look at one does not pay for all.
    """

    def __init__(self, base: Base, state: MemoryState, parts: Parts | None = None) -> None:
        self.base, self.state = base, state
        self.parts = parts or Parts.of(base, state)
        self.roster, self.papers, self.changed = self.parts
        self.layout = Layout(base, state, self.parts)

    @cached_property
    def entities(self) -> OverlaidNouns[Entity]:
        """Nodes, in id order."""
        return OverlaidNouns(self.entity_rows, self.base.graph.entities, self.entity_nouns)

    @cached_property
    def relationships(self) -> OverlaidNouns[Relationship]:
        """Edges, in id order."""
        nouns = EdgeNouns(self.layout)
        return OverlaidNouns(self.relationship_rows, self.base.graph.relationships, nouns)

    @cached_property
    def chunks(self) -> Sequence[Chunk]:
        """Chunks, in id order."""
        nouns = ChunkNouns(self.changed, self.papers, self.layout.mention_counts)
        return OverlaidNouns(self.arrays.chunks, self.base.graph.chunks, nouns)

    @cached_property
    def communities(self) -> Sequence[Community]:
        """Communities of all levels, in id order; whoever was made by hand is in none."""
        return retold(self.base.graph, self._members, self.changed.withheld)

    @cached_property
    def _members(self) -> Sequence[Community]:
        strangers, rows = self.base.strangers, Ids(self.relationship_rows)
        if self.patch.is_adding and not strangers:
            return communities(self.base.graph, self.moves, None)
        moves = {**self.moves, **{id_: self._member(id_) for id_ in strangers}}

        def edge(id_: str) -> str | None:
            return id_ if rows.find(id_) is not None else self.edge_now(id_)

        return communities(self.base.graph, moves, edge)

    def _member(self, id_: str) -> str | None:
        """Return who a member that was made by hand now is; None where its making was undone."""
        now = self.roster.stands_in(id_)
        return now if now is not None and self.roster.there(now) else None

    @cached_property
    def reports(self) -> Sequence[CommunityReport]:
        """Reports on the communities that are left, in id order."""
        return reports(self.base.graph, self.communities, self.changed.withheld.chunks)

    def entity(self, ref: EntityRef) -> Entity:
        """Find by id, name or short id; an unknown or ambiguous one is an error with candidates."""
        id_ = self._names.find(ref).id
        at = Ids(self.entity_rows).find(id_)
        assert at is not None  # noqa: S101  the names are those of the roster
        return self.entities[at]

    def relationship(self, ref: EntityRef) -> Relationship:
        """Find by id or short id; an id from before a merge leads to what the relationship now is."""
        return relationship_in(self, ref)

    def chunk(self, ref: EntityRef) -> Chunk:
        """Find by id or short id."""
        return chunk_in(self, ref)

    def entity_chunks(self) -> Mapping[str, Sequence[str]]:
        """Return entity id -> ids of the chunks that mention it, in text order."""
        return id_lists(Ids(self.entity_rows), self.arrays.mentions, self.arrays.chunk_ids)

    def mention_counts(self) -> Mapping[str, Mapping[str, int]]:
        """Return entity id -> chunk id -> how often the chunk mentions it, in text order."""
        return self.layout.mention_counts()

    @property
    def warnings(self) -> tuple[ToolWarning, ...]:
        """What was repaired when the base was read."""
        return getattr(self.base.graph, "warnings", ())

    @property
    def moves(self) -> Mapping[str, str | None]:
        """Return entity of the base -> who it now is; None where nothing that the base says of it counts."""
        return self.changed.moves

    @property
    def splits(self) -> Splits:
        """Return which mentions went to entities that were split off."""
        return self.changed.splits

    @property
    def patch(self) -> EdgePatch:
        """Return which relationships are gone, changed and new."""
        return self.changed.patch

    def edge_now(self, id_: str) -> str | None:
        """Return the relationship that what the base says in one now counts for."""
        return self.changed.edge_now(id_)

    @cached_property
    def entity_nouns(self) -> EntityNouns:
        """Makes entities as they are now."""
        return EntityNouns(self.layout)

    @property
    def arrays(self) -> LaidArrays:
        """All of the graph but its texts."""
        return self.layout.arrays

    @property
    def entity_rows(self) -> Overlay:
        """Ids of the entities, laid over the base's."""
        return self.layout.entity_rows

    @property
    def relationship_rows(self) -> Overlay:
        """Ids of the relationships, laid over the base's."""
        return self.layout.relationship_rows

    @property
    def touched(self) -> Ints:
        """Return the places of the base whose entities may be others here, in order."""
        return self.layout.touched

    @cached_property
    def held(self) -> dict[str, str]:
        """Return in what text each entity is looked for that is new, or of which more may be said here."""
        here = self.entity_rows.to_here[self.touched]
        nouns = (self.entities[at] for at in (*here[here >= 0].tolist(), *self.entity_rows.at_new.tolist()))
        return {noun.id: held_by(noun) for noun in nouns}

    @cached_property
    def renamed(self) -> frozenset[str]:
        """Return the entities of the base that are called otherwise there."""
        state, base = self.state, self.base
        told = {*state.renamed, *(id_ for id_ in state.deleted if id_ in state.created)}
        return frozenset(id_ for id_ in told if base.entities.place(id_) is not None)

    @cached_property
    def reads_otherwise(self) -> frozenset[str]:
        """Return the entities of the base whose name, description or notes are others here."""
        state, known = self.state, self.base.entities
        said = {*state.created, *state.members, *state.gained, *state.of_entity}
        bare = {i for i in said if (at := known.place(i)) is not None and self.is_bare(at)}
        noted = {i for i in (*state.observations, *state.unobserved) if known.place(i) is not None}
        return self.renamed | bare | noted

    def is_bare(self, place: int) -> bool:
        """Tell whether the base says nothing of an entity, so that what was said by hand describes it."""
        return not self.base.graph.entities[place].description

    @cached_property
    def _names(self) -> Names:
        return Names(self.base.graph, self.state, self.base.telling)


def following(before: RememberedGraph, state: MemoryState) -> RememberedGraph:
    """Return the view of a later state over the same base, in time that does not grow with what was before.

    It is equal to `RememberedGraph(before.base, state)`, which it is where more than additions came between.
    """
    told = news(before.state, state)
    if told is None:
        return RememberedGraph(before.base, state)
    after = RememberedGraph(before.base, state, before.parts.following(state, told))
    known = vars(before.layout)
    if "entity_rows" in known:
        new = filter(after.roster.is_new, told.entities)
        vars(after.layout)["entity_rows"] = before.entity_rows.following(new)
    if "patch" in vars(after.changed) and "relationship_rows" in known:
        stated = {after.patch.by_hand[id_] for id_ in told.relations}
        _lay(before.layout, after.layout, told, stated)
        _make(before, after, told, stated)
    return after


def _lay(before: Layout, after: Layout, told: News, stated: set[str]) -> None:
    """Take over rows and arrays, with what was added."""
    kept, base, known = vars(after), before.base, vars(before)
    kept["relationship_rows"] = before.relationship_rows.following(stated & after.patch.new.keys())
    if "met" in known:
        ends = (end for id_ in told.relations for end in _ends(after.state, id_))
        kept["met"] = before.met.union(ends)
    if "touched" in known:
        kept["touched"] = np.union1d(
            before.touched, np.array(_places(base.entities, told.entities), np.int64)
        )
    if "degrees" in known:
        kept["degrees"] = without(before.degrees, told.entities)
    if "columns" in known:
        edges = [after.patch.edge(id_, base.relationships.place(id_)) for id_ in sorted(stated)]
        kept["columns"] = before.columns.following(base, after.entity_rows, after.relationship_rows, edges)


def _make(before: RememberedGraph, after: RememberedGraph, told: News, stated: set[str]) -> None:
    """Take over nouns and what was read off them, but for what more is said of."""
    kept, base, known = vars(after), before.base, vars(before)
    places = _places(base.entities, told.entities)
    if "reads_otherwise" in known:
        ids = ((place, base.entities.ids[place]) for place in places)
        others = (id_ for place, id_ in ids if after.is_bare(place) or id_ in after.state.observations)
        kept["renamed"], kept["reads_otherwise"] = before.renamed, before.reads_otherwise.union(others)
    if "entities" in known:
        kept["entities"] = before.entities.following(
            after.entity_rows, after.entity_nouns, (told.entities, places)
        )
    if "held" in known and "entities" in known:
        kept["held"] = {**before.held, **{id_: after.entity_nouns.held(id_) for id_ in told.entities}}
    if "relationships" in known:
        changed = _places(base.relationships, stated - after.patch.new.keys())
        kept["relationships"] = before.relationships.following(
            after.relationship_rows, EdgeNouns(after.layout), (stated & after.patch.new.keys(), changed)
        )


def _places(finder: Finder, ids: Iterable[str]) -> list[int]:
    return sorted(place for id_ in ids if (place := finder.place(id_)) is not None)


def _ends(state: MemoryState, relation: str) -> tuple[str, str]:
    stated = state.relations[relation]
    return stated.source, stated.target
