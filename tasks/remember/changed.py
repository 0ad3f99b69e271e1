"""What a memory makes of entities and relationships of a base: who stands for whom, what counts where."""

from collections.abc import Iterable, Mapping
from copy import copy
from functools import cached_property

from corpusgraph.schemas.documents import Chunk
from corpusgraph.tasks.remember.base import Base
from corpusgraph.tasks.remember.news import News
from corpusgraph.tasks.remember.patching import EdgePatch, Patching
from corpusgraph.tasks.remember.roster import Roster
from corpusgraph.tasks.remember.splits import Mentioned, Share, Splits, splits
from corpusgraph.tasks.remember.state import MemoryState, Triple
from corpusgraph.tasks.remember.withheld import Withheld, withheld


class Changed:
    """A base and a state, compared."""

    def __init__(self, base: Base, state: MemoryState, roster: Roster) -> None:
        self.base, self.state, self.roster = base, state, roster

    def following(self, state: MemoryState, roster: Roster, told: News) -> "Changed":
        """Return that of a state that only adds what is told: who stands for whom is as it was."""
        after = copy(self)
        after.state, after.roster = state, roster
        if (patch := vars(after).pop("patch", None)) is not None:
            stated = [state.relations[id_] for id_ in told.relations]
            more = patch.given.more(patch, stated) if stated else patch
            if more is not None:
                vars(after)["patch"] = more
        return after

    @cached_property
    def moves(self) -> Mapping[str, str | None]:
        """Return entity of the base -> who it now is; None where nothing that the base says of it counts."""
        ids = (*self.state.merged, *self.state.deleted)
        there = (id_ for id_ in ids if self.base.entities.place(id_) is not None)
        return {id_: self.roster.stands_in(id_) for id_ in there}

    @cached_property
    def splits(self) -> Splits:
        """Return which mentions went to entities that were split off."""
        return splits(self.state, self.base.telling, self._bare)

    @cached_property
    def withheld(self) -> Withheld:
        """Return the lines of an imported memory that say what was taken out."""
        return withheld(self.base, self.state, self.patch)

    @cached_property
    def shares(self) -> Mapping[str, Share]:
        """Return the mentions in the corpus of those that a split took from or gave to."""
        return self.splits.shares(self.withheld.chunks)

    @cached_property
    def patch(self) -> EdgePatch:
        """Return which relationships are gone, changed and new."""
        found = Patching(self.base.edges)
        out, moving = self._out, self._moving
        for place in dict.fromkeys((*out, *moving)):  # first of all: nothing is to be joined with what goes
            found.drop(place)
        for place, ends in moving.items():
            if ends is not None:
                found.move(place, *ends)
        for one in self.splits.assertions:
            if one.id in self.splits.ends:
                found.draw(one, *self.splits.ends[one.id])
        for relation in self.roster.relations:
            found.state(relation)
        for given in self.state.reweighed.values():
            found.reweigh((given.source.id, given.type, given.target.id), given)
        return found.patch()

    @cached_property
    def _out(self) -> frozenset[int]:
        """Return the places of the base that were taken out, or whose evidence is counted one by one."""
        edges = self.base.edges
        removed = [edges.of(id_, triple) for id_, triple in self.state.removed.items()]
        parted = {edges.relationships.place(one.relationship_id) for one in self.splits.assertions}
        return frozenset(place for one in (parted, *removed) for place in one if place is not None)

    @cached_property
    def _moving(self) -> dict[int, tuple[str, str] | None]:
        """Return the places of the base whose ends others stand for, with these; None for what is out."""
        edges, moves, found = self.base.edges, self.moves, dict[int, tuple[str, str] | None]()
        for place in edges.at(moves):
            source, target = (moves.get(end, end) for end in edges.ends(place))
            if place not in self._out:
                found[place] = None if source is None or target is None else (source, target)
        for id_, both in self.splits.chosen.items():
            if (at := edges.relationships.place(id_)) is not None:
                found[at] = both
        return found

    def _bare(self, entities: frozenset[str]) -> Iterable[tuple[str, Triple]]:
        edges = self.base.edges
        return ((edges.relationships.ids[place], edges.triple(place)) for place in edges.at(entities))

    @cached_property
    def mentions_moved(self) -> tuple[tuple[str, str | None, str | None, str], ...]:
        """Return (mention, entity it meant, entity it now means, chunk) of each chunk with a moved one."""
        graph, out = self.base.graph, self.withheld.chunks
        found = []
        for id_, (now, mention) in sorted(self.splits.moved.items()):
            for chunk_id in graph.entity_chunks()[mention.entity_id]:
                if chunk_id in out:
                    continue
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
