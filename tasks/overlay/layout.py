"""How a memory lies over a graph: who and what is where, and how it is connected; no noun is made for it.

Nouns rest on this and it knows nothing of them, so that a view that nobody looks at any more is gone at once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph import compiled as arrays
from corpusgraph.tasks.graph.compiled import (
    CompiledGraph,
    Doubles,
    GraphArrays,
    Ids,
    Lists,
    id_counts,
    in_order,
    listed,
    starts,
)
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.changed import Parts
from corpusgraph.tasks.overlay.edges import Edge, EdgePatch, measured
from corpusgraph.tasks.overlay.evidence import Written
from corpusgraph.tasks.overlay.rows import Overlay
from corpusgraph.tasks.overlay.state import MemoryState


@dataclass(frozen=True)
class Columns:
    """Some relationships, a row each."""

    nodes: Ints
    """Places of source and target in the base (k, 2); -1 for one that is not there."""
    came: Ints
    """The numbers by which the overlay of entities knows source and target (k, 2); -1 for one of the base."""
    weight: Doubles
    code: Ints
    """Which of the names is the type (k,)."""
    stated: NDArray[np.bool_]
    """Whether anything states it (k,)."""

    def grown(self, rows: Ints, found: "Columns") -> "Columns":
        """Return a copy with rows found anew: those that are there already, and more of them at the end."""
        n = max(len(self.weight), int(rows.max(initial=-1)) + 1)
        made = []
        for old, new in zip(self.arrays, found.arrays, strict=True):
            column = np.zeros((n, *old.shape[1:]), dtype=old.dtype)
            column[: len(old)] = old
            column[rows] = new
            made.append(column)
        return Columns(*made)

    @property
    def arrays(self) -> tuple[Ints, Ints, Doubles, Ints, NDArray[np.bool_]]:
        """Return all columns."""
        return self.nodes, self.came, self.weight, self.code, self.stated


@dataclass(frozen=True)
class EdgeColumns:
    """What a memory makes of relationships."""

    new: Columns
    """Those that are new, in the order in which the overlay got them."""
    changed: Columns
    """Those of the base that are others now; of one that is there twice the later row counts."""
    places: Ints
    """The places of these in the base."""
    names: tuple[str, ...]
    """Types, in the order in which they came."""

    @classmethod
    def of(cls, base: Base, entities: Overlay, edges: Overlay, patch: EdgePatch) -> "EdgeColumns":
        """Write out all of a patch."""
        empty = _columns(base, entities, (), {})
        nothing = cls(empty, empty, np.zeros(0, dtype=np.int64), ())
        return nothing.following(base, entities, edges, (*patch.new.values(), *patch.changed.values()))

    def following(
        self, base: Base, entities: Overlay, edges: Overlay, stated: Iterable[Edge]
    ) -> "EdgeColumns":
        """Write out what was stated since; all else is as it was. The overlays know what is new."""
        code = {name: i for i, name in enumerate(self.names)}
        ours: list[Edge] = []
        theirs: list[Edge] = []
        places: list[int] = []
        for edge in stated:
            place = base.relationships.place(edge.id)
            (ours if place is None else theirs).append(edge)
            places += [] if place is None else [place]
        rows = np.array([edges.number(edge.id) for edge in ours], dtype=np.int64)
        at = np.arange(len(self.places), len(self.places) + len(places))
        new = self.new.grown(rows, _columns(base, entities, ours, code))
        changed = self.changed.grown(at, _columns(base, entities, theirs, code))
        return EdgeColumns(
            new, changed, np.concatenate([self.places, np.array(places, np.int64)]), tuple(code)
        )


def _columns(base: Base, entities: Overlay, edges: Sequence[Edge], code: dict[str, int]) -> Columns:
    """Write some relationships out; a type that is not known yet gets the next number."""
    told = [measured(base.edges, edge) for edge in edges]
    came = [[-1 if place >= 0 else entities.number(id_) for place, id_ in _ends(edge)] for edge in edges]
    return Columns(
        np.array([edge.nodes for edge in edges], dtype=np.int64).reshape(-1, 2),
        np.array(came, dtype=np.int64).reshape(-1, 2),
        np.array([weight for _, weight, _ in told], dtype=np.float64),
        np.array([code.setdefault(type_, len(code)) for type_, _, _ in told], dtype=np.int64),
        np.array([stated for _, _, stated in told], dtype=bool),
    )


def _ends(edge: Edge) -> tuple[tuple[int, str], tuple[int, str]]:
    return (edge.nodes[0], edge.source), (edge.nodes[1], edge.target)


class Ends(NamedTuple):
    """Edges as arrays: source and target are nodes."""

    source: Ints
    target: Ints
    weight: Doubles
    type_code: Ints


def nodes(base: Base, entities: Overlay, edges: Overlay, columns: EdgeColumns) -> CompiledGraph:
    """Return the nodes and edges of the graph; edges whose ends stay keep their places beside each node."""
    of_base, new = base.edges.nodes, columns.new
    types = tuple(sorted({*of_base.type_names, *columns.names}))
    code = {name: i for i, name in enumerate(types)}
    recoded = np.array([code[name] for name in of_base.type_names], dtype=np.int64)
    ours = np.array([code[name] for name in columns.names], dtype=np.int64)
    ends = _nodes(entities, new)[edges.came]
    made = Ends(ends[:, 0], ends[:, 1], new.weight[edges.came], ours[new.code[edges.came]])
    to_here = entities.to_here
    here = Ends(
        edges.laid(to_here[of_base.source], made.source),
        edges.laid(to_here[of_base.target], made.target),
        edges.laid(np.asarray(of_base.weight, dtype=np.float64), made.weight),
        edges.laid(recoded[of_base.type_code] if len(recoded) else of_base.type_code, made.type_code),
    )
    at = edges.to_here[columns.places]
    here.weight[at], here.type_code[at] = columns.changed.weight, ours[columns.changed.code]
    used = np.bincount(here.type_code, minlength=len(types)) > 0
    if not used.all():  # a type that only what is gone had
        here = here._replace(type_code=(np.cumsum(used) - 1)[here.type_code])
        types = tuple(name for name, is_used in zip(types, used.tolist(), strict=True) if is_used)
    by_node = _by_node(base, entities, edges, made, new.nodes[edges.came])
    stated = edges.laid(of_base.is_stated, new.stated[edges.came])
    stated[at] = columns.changed.stated
    denied = np.flatnonzero(~stated)
    return CompiledGraph(Ids(entities), *here, type_names=types, by_node=by_node, denied=denied)


def _nodes(entities: Overlay, columns: Columns) -> Ints:
    """Return the nodes of both ends (k, 2): of the base by their places, new ones by their numbers."""
    found = columns.came.copy()
    of_base = columns.nodes >= 0
    found[of_base] = entities.to_here[columns.nodes[of_base]]
    found[~of_base] = entities.at_came[columns.came[~of_base]]
    return found


def places(base: Base, entities: Overlay) -> Callable[[str], int]:
    """Return the function that finds the node of an entity, known ones without a search."""
    new = dict(zip(entities.new, entities.at_new.tolist(), strict=True))
    to_here = entities.to_here

    def node(id_: str) -> int:
        if (at := new.get(id_)) is not None:
            return int(at)
        place = base.entities.place(id_)
        return -1 if place is None else int(to_here[place])

    return node


def _by_node(base: Base, entities: Overlay, edges: Overlay, new: Ends, of_base: Ints) -> tuple[Ints, Ints]:
    """Return the edges of each node: those of the base are in order already, the new ones are put between.

    `of_base` are the places in the base of the ends of the new ones (k, 2), -1 for ends that are new.

    Where a new one goes is found among the keys of the base, which are the same for all memories over it.
    """
    begins, listed = base.edges.nodes.edge_lists
    once = np.flatnonzero(new.source != new.target)
    node, edge = (
        np.concatenate([new.source, new.target[once]]),
        np.concatenate([edges.at_new, edges.at_new[once]]),
    )
    place = np.concatenate([of_base[:, 0], of_base[once, 1]])
    rank = np.concatenate([edges.rank, edges.rank[once]])
    order = in_order(node * max(len(edges), 1) + edge, max(len(entities) * len(edges), 1))
    node, edge, place, rank = node[order], edge[order], place[order], rank[order]
    at = np.searchsorted(base.edges.keys, place * base.edges.width + rank)
    apart = np.flatnonzero(place < 0)
    at[apart] = begins[entities.rank[np.searchsorted(entities.at_new, node[apart])]]
    found = np.insert(edges.to_here[listed], at, edge)
    sizes = entities.laid(np.diff(begins), np.zeros(len(entities.new), dtype=np.int64))
    if len(edges.out) or len(entities.out):
        stays = edges.to_here[listed] >= 0
        found = found[found >= 0]
        kept = np.repeat(entities.to_here, np.diff(begins))[stays]
        sizes = np.bincount(kept, minlength=len(entities))
    counts = sizes + np.bincount(node, minlength=len(entities))
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64), found


def degrees(graph: CompiledGraph, nodes: Ints) -> list[int]:
    """Count the neighbours of some nodes (k,), as indexing does: those of relationships that are asserted."""
    edges, whose = graph.edges_at(nodes)
    here = nodes[whose]
    source, target = graph.source[edges], graph.target[edges]
    there = np.where(source == here, target, source)
    keep = there != here
    width = max(len(graph.ids), 1)
    pairs = np.unique(whose[keep] * width + there[keep])
    counts: list[int] = np.bincount(pairs // width, minlength=len(nodes)).tolist()
    return counts


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


class Layout:
    """Rows, edges and arrays of a base with a state laid over it, each made when it is first asked for."""

    def __init__(self, base: Base, state: MemoryState, parts: Parts) -> None:
        self.base, self.state = base, state
        self.roster, self.papers, self.changed = parts

    @property
    def patch(self) -> EdgePatch:
        """Return which relationships are gone, changed and new."""
        return self.changed.patch

    @cached_property
    def entity_rows(self) -> Overlay:
        """Ids of the entities, laid over the base's."""
        return Overlay(self.base.entities, self.roster.out, self.roster.new)

    @cached_property
    def relationship_rows(self) -> Overlay:
        """Ids of the relationships, laid over the base's."""
        return Overlay(self.base.relationships, self.patch.out, sorted(self.patch.new))

    @cached_property
    def columns(self) -> EdgeColumns:
        """Return what the memory makes of relationships, as arrays."""
        return EdgeColumns.of(self.base, self.entity_rows, self.relationship_rows, self.patch)

    @cached_property
    def arrays(self) -> LaidArrays:
        """All of the graph but its texts."""
        rows = self.entity_rows, self.relationship_rows
        moved = [(before, now, chunk) for _, before, now, chunk in self.changed.mentions_moved]
        papers, columns = self.papers, self.columns
        out = self.changed.withheld.places
        return LaidArrays(
            self.base, *rows, self.patch, columns, lambda: papers.all, self.changed.moves, moved, out
        )

    def mention_counts(self) -> Mapping[str, Mapping[str, int]]:
        """Return entity id -> chunk id -> how often the chunk mentions it, in text order."""
        return id_counts(Ids(self.entity_rows), self.arrays.mentions, self.arrays.chunk_ids)

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
