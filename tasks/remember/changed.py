"""What a memory makes of entities and relationships of a base: who stands for whom, what counts where."""

from collections.abc import Mapping
from functools import cached_property

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Relationship
from corpusgraph.tasks.remember.base import Base
from corpusgraph.tasks.remember.edges import same
from corpusgraph.tasks.remember.patching import EdgePatch, Patching
from corpusgraph.tasks.remember.roster import Roster
from corpusgraph.tasks.remember.splits import Asserted, Mentioned, Splits, splits
from corpusgraph.tasks.remember.state import MemoryState


class Changed:
    """A base and a state, compared."""

    def __init__(self, base: Base, state: MemoryState, roster: Roster) -> None:
        self.base, self.state, self.roster = base, state, roster

    @cached_property
    def moves(self) -> Mapping[str, str | None]:
        """Return entity of the base -> who it now is; None where nothing that the base says of it counts."""
        ids = (*self.state.merged, *self.state.deleted)
        there = (id_ for id_ in ids if self.base.entities.place(id_) is not None)
        return {id_: self.roster.stands_in(id_) for id_ in there}

    @cached_property
    def splits(self) -> Splits:
        """Return which mentions went to entities that were split off."""
        return splits(self.state, self.base.telling)

    @cached_property
    def patch(self) -> EdgePatch:
        """Return which relationships are gone, changed and new."""
        state, edges, found = self.state, self.base.edges, Patching(self.base.edges)
        for id_, triple in state.removed.items():
            for place in edges.of(id_, triple):
                found.drop(place)
        parted = {edges.relationships.place(one.relationship_id) for one in self.splits.assertions}
        for place in edges.at({**self.moves, **dict.fromkeys(self._goers)}):
            if place in parted:
                continue
            source, target = self._ends(place)
            if source is None or target is None:
                found.drop(place)
            else:
                found.move(place, source, target)
        self._part(found)
        for relation in self.roster.relations:
            found.state(relation)
        for given in state.reweighed.values():
            found.reweigh((given.source.id, given.type, given.target.id), given)
        return found.patch()

    def _ends(self, place: int) -> tuple[str | None, str | None]:
        """Return the ends that a relationship of the base now has, as one."""
        old, new = self.splits.chosen.get(self.base.relationships.ids[place], (None, None))
        source, target = (
            new if end == old and new is not None else end for end in self.base.edges.ends(place)
        )
        return self.moves.get(source, source), self.moves.get(target, target)

    @cached_property
    def _goers(self) -> frozenset[str]:
        return frozenset(old for old, _ in self.splits.chosen.values())

    def _part(self, found: Patching) -> None:
        """Count the evidence of relationships that were parted one by one."""
        edges = self.base.edges
        for one in self.splits.assertions:
            place = edges.relationships.place(one.relationship_id)
            if place is not None:
                found.drop(place)
        for one in self.splits.assertions:
            ends = self.ends_of(one)
            if ends is not None:
                found.draw(one, *ends)

    def ends_of(self, one: Asserted) -> tuple[str, str] | None:
        """Return what the ends of an assertion of the base now are; None where it does not count."""
        went = self.splits.moved
        source, target = (
            went[mention][0] if mention in went else self.moves.get(entity, entity)
            for mention, entity in ((one.source_mention, one.source_id), (one.target_mention, one.target_id))
        )
        if source is None or target is None or one.relationship_id in self.state.removed:
            return None
        if Relationship.make_id(*same(source, one.type, target)) in self.state.removed:
            return None
        return source, target

    @cached_property
    def mentions_moved(self) -> tuple[tuple[str, str | None, str | None, str], ...]:
        """Return (mention, entity it meant, entity it now means, chunk) of each chunk with a moved one."""
        graph = self.base.graph
        found = []
        for id_, (now, mention) in sorted(self.splits.moved.items()):
            for chunk_id in graph.entity_chunks()[mention.entity_id]:
                chunk = graph.chunks[self.base.chunks.place(chunk_id) or 0]
                if chunk.id == mention.chunk_id or _holds(chunk, mention):
                    found.append((id_, self.moves.get(mention.entity_id, mention.entity_id), now, chunk_id))
        return tuple(found)

    def edge_now(self, id_: str) -> str | None:
        """Return the relationship that what the base says in one now counts for."""
        place = self.base.relationships.place(id_)
        return None if place is None else self.patch.part_of(place, id_)


def _holds(chunk: Chunk, mention: Mentioned) -> bool:
    return (
        chunk.source_doc == mention.document_id and chunk.start <= mention.start and mention.end <= chunk.end
    )
