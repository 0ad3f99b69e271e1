"""The arrays of a graph with a memory laid over it, each made when it is first asked for."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph import compiled as arrays
from corpusgraph.tasks.graph.arrays import CompiledGraph, GraphArrays
from corpusgraph.tasks.graph.lists import Ids, Lists, listed
from corpusgraph.tasks.graph.runs import starts
from corpusgraph.tasks.remember.base import Base
from corpusgraph.tasks.remember.edge_columns import EdgeColumns
from corpusgraph.tasks.remember.evidence import Written
from corpusgraph.tasks.remember.laid_nodes import nodes, places
from corpusgraph.tasks.remember.patching import EdgePatch
from corpusgraph.tasks.remember.rows import Overlay


def _without_none(lists: Lists) -> Lists:
    """Leave out what is counted 0 times."""
    row = np.repeat(np.arange(len(lists.start) - 1), lists.sizes)
    keep = lists.count > 0
    return Lists(starts(row[keep], len(lists.start) - 1), lists.item[keep], lists.count[keep])


class LaidArrays(GraphArrays):
    """All arrays of a graph with a memory; chunks and what names them wait until they are asked for."""

    def __init__(
        self,
        base: Base,
        entities: Overlay,
        edges: Overlay,
        patch: EdgePatch,
        columns: EdgeColumns,
        papers: Callable[[], Sequence[Written]],
        merged: Mapping[str, str | None],
        went: Sequence[tuple[str | None, str | None, str]] = (),
        out: Ints | None = None,
    ) -> None:
        vars(self).update(_base=base, _entities=entities, _edges=edges, _patch=patch, _papers=papers)
        vars(self)["_columns"] = columns
        nowhere = np.zeros(0, dtype=np.int64)
        vars(self).update(_merged=merged, _went=went, _out=nowhere if out is None else out)

    _base: Base
    _entities: Overlay
    _edges: Overlay
    _patch: EdgePatch
    _columns: EdgeColumns
    _papers: Callable[[], Sequence[Written]]
    _merged: Mapping[str, str | None]
    """Entity of the base whose mentions are of another, or of none."""
    _went: Sequence[tuple[str | None, str | None, str]]
    """Single mentions of another entity than before: entity before, entity now, chunk."""
    _out: Ints
    """Places in the base of the chunks that are left out, in order."""

    @cached_property
    def nodes(self) -> CompiledGraph:
        """Nodes and edges."""
        return nodes(self._base, self._entities, self._edges, self._columns)

    @cached_property
    def relationship_ids(self) -> Ids:
        """Ids of the edges."""
        return Ids(self._edges)

    @cached_property
    def chunks(self) -> Overlay:
        """Ids of the chunks as they lie over the base's."""
        new = sorted(chunk.id for paper in self._papers() for chunk in paper.chunks)
        return Overlay(self._base.chunks, self._out, new)

    @cached_property
    def chunk_ids(self) -> Ids:
        """Ids of the chunks."""
        return Ids(self.chunks)

    @cached_property
    def _places(self) -> tuple[dict[str, int], Ints]:
        """Return where each memory chunk is, and the place of every chunk in the order of texts."""
        known = dict(zip(self.chunks.new, self.chunks.at_new.tolist(), strict=True))
        order = self._base.text_order
        in_order = [(paper.document.id, chunk.id) for paper in self._papers() for chunk in paper.chunks]
        before = order.before([document for document, _ in in_order])
        place = np.empty(len(self.chunks), dtype=np.int64)
        here = self.chunks.to_here
        stays = here >= 0
        theirs = order.place + np.searchsorted(before, order.place, side="right")
        place[here[stays]] = theirs[stays]
        place[[known[id_] for _, id_ in in_order]] = before + np.arange(len(in_order))
        return known, place if stays.all() else np.argsort(np.argsort(place))

    @cached_property
    def mentions(self) -> Lists:
        """Chunks that mention each entity."""
        base, (known, place) = arrays.mentions(self._base.graph), self._places
        row = np.repeat(self._rows(), base.sizes)
        item = self.chunks.to_here[base.item]
        keep = (row >= 0) & (item >= 0)
        item, count = item[keep], np.asarray(base.count)[keep]
        node = places(self._base, self._entities)
        more = [
            (node(id_), known[mention.chunk_id])
            for paper in self._papers()
            for mention, id_ in zip(paper.mentions, paper.entities, strict=True)
        ]
        new = np.array([(*pair, 1) for pair in more] + self._moved(node), dtype=np.int64).reshape(-1, 3)
        made = listed(
            np.concatenate([row[keep], new[:, 0]]),
            np.concatenate([item, new[:, 1]]),
            np.concatenate([count, new[:, 2]]),
            place,
            len(self._entities),
        )
        return _without_none(made) if self._went else made

    def _moved(self, node: Callable[[str], int]) -> list[tuple[int, int, int]]:
        """Return what single mentions take from the count of one entity and give to that of another."""
        found = []
        for before, now, chunk_id in self._went:
            at = self._chunk_here(chunk_id)
            found += [(node(id_), at, by) for id_, by in ((before, -1), (now, 1)) if id_ is not None]
        return [row for row in found if row[0] >= 0]

    def _rows(self) -> Ints:
        """Return for each entity of the base the node its mentions now are of; -1 where of none."""
        rows = self._entities.to_here.copy()
        node = places(self._base, self._entities)
        for id_, now in self._merged.items():
            if (place := self._base.entities.place(id_)) is not None:
                rows[place] = -1 if now is None else node(now)
        return rows

    @cached_property
    def stated(self) -> Lists:
        """Chunks that state each relationship."""
        base, (known, place) = arrays.stated(self._base.graph), self._places
        to_here = self._counting()
        row = np.repeat(to_here, base.sizes)
        item = self.chunks.to_here[base.item]
        keep = (row >= 0) & (item >= 0)
        ids = Ids(self._edges)
        more = [
            (at, known[chunk.id])
            for paper in self._papers()
            for chunk in paper.chunks
            for id_ in chunk.relationships or ()
            if (at := ids.find(self._patch.by_hand[id_])) is not None
        ]
        edges = (*self._patch.new.values(), *self._patch.changed.values())
        for edge in (edge for edge in edges if edge.drawn):
            more += [(ids.find(edge.id) or 0, self._chunk_here(one.chunk_id)) for one in edge.drawn]
        new = np.array(more, dtype=np.int64).reshape(-1, 2)
        made = listed(
            np.concatenate([row[keep], new[:, 0]]),
            np.concatenate([item[keep], new[:, 1]]),
            np.ones(int(keep.sum()) + len(new), dtype=np.int64),
            place,
            len(self._edges),
        )
        return Lists(made.start, made.item, np.ones_like(made.item))

    def _chunk_here(self, id_: str) -> int:
        return int(self.chunks.to_here[self._base.chunks.place(id_) or 0])

    def _counting(self) -> Ints:
        """Return for each edge of the base the one here that it counts for; -1 where it does not."""
        to_here = self._edges.to_here.copy()
        ids = Ids(self._edges)
        for place in (*self._patch.moved, *self._patch.changed):
            id_ = self._patch.part_of(place, self._base.relationships.ids[place])
            at = None if id_ is None else ids.find(id_)
            to_here[place] = -1 if at is None else at
        return to_here
