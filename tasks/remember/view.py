"""A graph with a memory laid over it, without a copy: what was added by hand is seen by who looks at it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

import numpy as np

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, EntityRef, Relationship
from corpusgraph.schemas.ports import Ints
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.graph.lists import IdCounts, IdLists, Ids
from corpusgraph.tasks.graph.noted import held_by
from corpusgraph.tasks.remember.base import Base
from corpusgraph.tasks.remember.chunks import ChunkNouns
from corpusgraph.tasks.remember.edge_columns import EdgeColumns
from corpusgraph.tasks.remember.edge_nouns import relationship
from corpusgraph.tasks.remember.found import chunk_in, relationship_in
from corpusgraph.tasks.remember.groups import communities, reports, retold
from corpusgraph.tasks.remember.laid import LaidArrays
from corpusgraph.tasks.remember.laid_nodes import degrees
from corpusgraph.tasks.remember.naming import Names
from corpusgraph.tasks.remember.nouns import EntityNouns
from corpusgraph.tasks.remember.overlaid import OverlaidNouns
from corpusgraph.tasks.remember.parts import Parts
from corpusgraph.tasks.remember.patching import EdgePatch
from corpusgraph.tasks.remember.rows import Overlay
from corpusgraph.tasks.remember.splits import Splits
from corpusgraph.tasks.remember.state import MemoryState


class RememberedGraph:
    """A GraphView over a base and a state that does not change any more (`frozen`).

    Entities, relationships and arrays are made when they are looked at; a look at one does not pay for all.
    """

    def __init__(self, base: Base, state: MemoryState, parts: Parts | None = None) -> None:
        self.base, self.state = base, state
        self.parts = parts or Parts.of(base, state)
        self.roster, self.papers, self.changed = self.parts

    @cached_property
    def entities(self) -> OverlaidNouns[Entity]:
        """Nodes, in id order."""
        base, nouns = self.base, self.entity_nouns
        return OverlaidNouns(
            self.entity_rows, base.graph.entities, nouns.now, nouns.made, lambda: self.touched
        )

    @cached_property
    def relationships(self) -> OverlaidNouns[Relationship]:
        """Edges, in id order."""
        rows, now, made = self.relationship_rows, self.noun_now, self.noun_made
        return OverlaidNouns(rows, self.base.graph.relationships, now, made, lambda: self.patch.places)

    @cached_property
    def chunks(self) -> Sequence[Chunk]:
        """Chunks, in id order."""
        rows, nouns = self.arrays.chunks, ChunkNouns(self.changed, self.papers, self.mention_counts)
        return OverlaidNouns(rows, self.base.graph.chunks, nouns.now, nouns.made)

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
        return IdLists(Ids(self.entity_rows), self.arrays.mentions, self.arrays.chunk_ids)

    def mention_counts(self) -> Mapping[str, Mapping[str, int]]:
        """Return entity id -> chunk id -> how often the chunk mentions it, in text order."""
        return IdCounts(Ids(self.entity_rows), self.arrays.mentions, self.arrays.chunk_ids)

    @cached_property
    def arrays(self) -> LaidArrays:
        """All of the graph but its texts."""
        rows = self.entity_rows, self.relationship_rows
        moved = [(before, now, chunk) for _, before, now, chunk in self.changed.mentions_moved]
        papers, columns = self.papers, self.columns
        out = self.changed.withheld.places
        return LaidArrays(self.base, *rows, self.patch, columns, lambda: papers.all, self.moves, moved, out)

    @cached_property
    def columns(self) -> EdgeColumns:
        """Return what the memory makes of relationships, as arrays."""
        return EdgeColumns.of(self.base, self.entity_rows, self.relationship_rows, self.patch)

    @property
    def warnings(self) -> tuple[ToolWarning, ...]:
        """What was repaired when the base was read."""
        return getattr(self.base.graph, "warnings", ())

    @cached_property
    def entity_rows(self) -> Overlay:
        """Ids of the entities, laid over the base's."""
        return Overlay(self.base.entities, self.roster.out, self.roster.new)

    @cached_property
    def relationship_rows(self) -> Overlay:
        """Ids of the relationships, laid over the base's."""
        return Overlay(self.base.relationships, self.patch.out, sorted(self.patch.new))

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
        told = self.base, self.state, self.papers, self.degree
        return EntityNouns(
            *told, lambda: self.met, lambda: self.changed.shares, lambda: self.changed.withheld
        )

    @cached_property
    def met(self) -> frozenset[str]:
        """Return the entities of the base that have other relationships than there."""
        edges = self.base.edges
        ends = {end for place in self.patch.out.tolist() for end in edges.ends(place)}
        new = (*self.patch.new.values(), *self.patch.changed.values())
        return frozenset(ends | {end for edge in new for end in (edge.source, edge.target)})

    @cached_property
    def touched(self) -> Ints:
        """Return the places of the base whose entities may be others here, in order."""
        return np.array(sorted(self.base.entities.places(self.state.called, self._others)), np.int64)

    def _others(self) -> Iterable[str]:
        """Return the entities that are others here though no change names them."""
        return (*self.met, *self.changed.withheld.lost)

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
        """Return the entities of the base whose name or description is another here."""
        state, known = self.state, self.base.entities
        said = {*state.created, *state.members, *state.gained, *state.observations, *state.of_entity}
        bare = {i for i in said if (at := known.place(i)) is not None and self.is_bare(at)}
        return self.renamed | bare | {i for i in self.state.unobserved if known.place(i) is not None}

    def is_bare(self, place: int) -> bool:
        """Tell whether the base says nothing of an entity, so that what was said by hand describes it."""
        return not self.base.graph.entities[place].description

    def degree(self, id_: str) -> int:
        """Count the neighbours of an entity, as indexing does: those of relationships that are asserted."""
        if (known := self.degrees.get(id_)) is None:
            nodes = self.arrays.nodes
            known = self.degrees[id_] = degrees(nodes, np.array([nodes.at[id_]], dtype=np.int64))[0]
        return known

    @cached_property
    def degrees(self) -> dict[str, int]:
        """Return the degrees counted so far; of what is new all at once: who looks at one looks at many."""
        rows = self.entity_rows
        return dict(zip(rows.new, degrees(self.arrays.nodes, rows.at_new), strict=True))

    @cached_property
    def _names(self) -> Names:
        return Names(self.base.graph, self.state, self.base.telling)

    def noun_now(self, place: int, noun: Relationship) -> Relationship:
        """Return a relationship of the base as it is now."""
        edge = self.patch.changed.get(place)
        return noun if edge is None else relationship(self.base, edge, self.papers)

    def noun_made(self, id_: str) -> Relationship:
        """Return a relationship that the base does not have."""
        return relationship(self.base, self.patch.new[id_], self.papers)
