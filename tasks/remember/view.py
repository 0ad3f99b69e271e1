"""A graph with a memory laid over it, without a copy: what was added by hand is seen by who looks at it."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, EntityRef, Relationship
from corpusgraph.schemas.ports import Ints
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.graph.lists import IdLists, Ids
from corpusgraph.tasks.graph.noted import held_by
from corpusgraph.tasks.remember.base import Base
from corpusgraph.tasks.remember.chunks import ChunkNouns
from corpusgraph.tasks.remember.edge_nouns import EdgeNouns
from corpusgraph.tasks.remember.found import chunk_in, relationship_in
from corpusgraph.tasks.remember.groups import communities, reports, retold
from corpusgraph.tasks.remember.laid import LaidArrays
from corpusgraph.tasks.remember.layout import Layout
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
        return IdLists(Ids(self.entity_rows), self.arrays.mentions, self.arrays.chunk_ids)

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
