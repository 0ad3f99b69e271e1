"""A graph with a memory laid over it, without a copy: what was added by hand is seen by who looks at it."""

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import compress
from typing import Any, Generic, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.base import JsonDict, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.errors import UnknownItemError, quoted
from corpusgraph.schemas.evidence import Assertion, Finding, Mention, Merge
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import HAND, JOURNAL
from corpusgraph.schemas.ports import Evidence, Ints
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.build.aggregate import EntityTotal
from corpusgraph.tasks.build.communities import N_TITLE
from corpusgraph.tasks.build.reports import summary_of
from corpusgraph.tasks.build.resolve import EntityKey
from corpusgraph.tasks.graph import compiled as arrays
from corpusgraph.tasks.graph.columnar import column_of
from corpusgraph.tasks.graph.compiled import CompiledGraph, Ids, Lists
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.overlay import evidence as notes
from corpusgraph.tasks.overlay.base import Mentioned
from corpusgraph.tasks.overlay.memory import Names, described, relationship_of, still_names
from corpusgraph.tasks.overlay.state import Edge, MemoryState

T = TypeVar("T")


class Rows:
    """Ids in order: those of a base but for some places, and new ones, which may stand for these."""

    def __init__(self, base: list[str], out: Collection[int], new: Collection[str]) -> None:
        self.stays: NDArray[np.bool_] = np.ones(len(base), dtype=bool)
        self.stays[list(out)] = False
        self.new = sorted(new)
        left: Iterable[str] = compress(base, self.stays) if out else base
        self.ids: Ids = Ids(sorted([*left, *self.new]))
        self.at_new: dict[str, int] = {id_: self.ids.place(id_) for id_ in self.new}
        self.new_here: Ints = np.array(list(self.at_new.values()), dtype=np.int64)
        """Place here of each new one."""
        kept_here = np.delete(np.arange(len(self.ids)), self.new_here)
        self.to_here: Ints = np.full(len(base), -1, dtype=np.int64)
        """Place here of each of the base (n,); -1 for one that is gone."""
        self.to_here[self.stays] = kept_here
        for at in out:
            self.to_here[at] = self.at_new.get(base[at], -1)
        self.in_base = np.full(len(self.ids), -1, dtype=np.int64)
        """Place in the base of each here; -1 for a new one."""
        self.in_base[kept_here] = np.flatnonzero(self.stays)

    def woven(self, base: "NDArray[Any]", new: Sequence[Any]) -> "NDArray[Any]":
        """Return an array of what stands at each place here."""
        values = np.empty(len(self.in_base), dtype=base.dtype)
        values[self.to_here[self.stays]] = base[self.stays]
        values[self.new_here] = np.array(new, dtype=base.dtype)
        return values


@dataclass(frozen=True)
class LaidNouns(Sequence[T], Generic[T]):
    """Nouns in id order, made when they are looked at: those of a base as they are now, and new ones."""

    rows: Rows
    base: Sequence[T]
    others: Collection[str]
    """Ids of those of the base that may read otherwise here."""
    make: Callable[[str], T]

    def __len__(self) -> int:
        return len(self.rows.ids)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        id_, place = self.rows.ids[at], int(self.rows.in_base[at])
        return self.make(id_) if place < 0 or id_ in self.others else self.base[place]

    def __iter__(self) -> Iterator[T]:
        base = list(self.base)
        for id_, place in zip(self.rows.ids, self.rows.in_base.tolist(), strict=True):
            yield self.make(id_) if place < 0 or id_ in self.others else base[place]

    def column(self, name: str, places: Ints) -> "NDArray[Any] | None":
        """Return a field of some nouns (k,), making only those that the base does not have as they are."""
        in_base = self.rows.in_base[places]
        values = column_of(self.base, name, np.maximum(in_base, 0)) if len(self.base) else None
        if values is None:
            return None
        for i, at in enumerate(places.tolist()):
            if in_base[i] < 0 or self.rows.ids[at] in self.others:
                values[i] = getattr(self[at], name)
        return values


class RememberedGraph:
    """A GraphView over a state that does not change any more (`MemoryState.frozen`).

    Rows and arrays are made anew for each state, when they are first asked for; what was made of an entity or
    a relationship is kept with the state for the next one, for as long as nothing more is said of it.
    """

    def __init__(self, state: MemoryState) -> None:
        self.state, self.base = state, state.base
        self._names = Names(state)

    # Who is there, and what was written of them

    @cached_property
    def entity_rows(self) -> Rows:
        """Ids of the entities, laid over the base's."""
        state, base = self.state, self.base
        new = [id_ for id_ in state.named if base.place(id_) is None]
        gone = (base.place(id_) for id_ in (*state.deleted, *state.merged) if not state.is_there(id_))
        return Rows(list(base.nodes.ids), {at for at in gone if at is not None}, new)

    def called(self, id_: str) -> notes.Called:
        """Return what an entity that is there is called."""
        entity = described(self.state, id_)
        return notes.Called(entity.name, entity.type) if entity else notes.Called(id_)

    def document(self, id_: str) -> notes.Written | None:
        """Return what the memory has on an entity, written out; None where that is nothing."""
        return self.state.cached("document", id_, self.state.touched.get(id_), lambda: self._written(id_))

    def _written(self, id_: str) -> notes.Written | None:
        """Write the lines of an entity down; one that stands where it did before is as it was then."""
        state = self.state
        lines = notes.lines_of(state, id_, self.called) if state.is_there(id_) else ()
        if not lines:
            return None
        name = f"{JOURNAL}#{id_}"
        title, doc = self.called(id_).name, stable_id("doc", "memory", id_)
        document = notes.notebook(doc, title, lines, name, notes.ORIGIN)
        evidence = [
            state.cached("line", f"{name} {place[0]}", place, partial(notes.evidence_of, doc, *place, HAND))
            for place in notes.starts_of(lines)
        ]
        mentions = [mention for _, of_chunk, _ in evidence for mention in of_chunk]
        assertions = [assertion for _, _, of_chunk in evidence for assertion in of_chunk]
        return notes.Written(document, [chunk for chunk, _, _ in evidence], mentions, assertions)

    @cached_property
    def documents(self) -> list[notes.Written]:
        """Return all that the memory has, by document id."""
        sources = {edge.source for edge in self.state.edges.values() if edge.said}
        owners = {*sources, *self.state.observations}
        documents = [document for id_ in owners if (document := self.document(id_)) is not None]
        return sorted(documents, key=lambda one: one.document.id)

    def naming(self, id_: str) -> list[notes.Written]:
        """Return the documents that name an entity, its own first."""
        sources = sorted({edge.source for edge in self.state.stated_by(id_)} - {id_})
        return [one for owner in (id_, *sources) if (one := self.document(owner)) is not None]

    @cached_property
    def redactions(self) -> notes.Redactions:
        """Return the lines of an imported memory that say what was taken out."""
        return notes.redactions(self.state)

    # Relationships

    @cached_property
    def edges(self) -> dict[str, Edge]:
        """Return the relationships that are new or read otherwise, by id."""
        return {edge.id: edge for edge in self.state.edges.values() if not edge.is_plain}

    @cached_property
    def relationship_rows(self) -> Rows:
        """Ids of the relationships, laid over the base's."""
        state = self.state
        plain = {edge.place for edge in state.edges.values() if edge.is_plain}
        others = {edge.place for edge in self.edges.values() if edge.place is not None}
        out = {*state.taken, *state.counts_for, *others}.difference(plain)
        return Rows(self.base.relationship_ids, out, self.edges)

    @property
    def is_adding(self) -> bool:
        """Tell whether whatever the base has still counts where it did."""
        whole = (edge.parts == (edge.place,) for edge in self.edges.values() if edge.parts)
        return not self.state.taken and all(whole)

    def edge_now(self, id_: str) -> str | None:
        """Return the relationship that what the base says in one now counts for."""
        place = self.base.edge_place(id_)
        edge = None if place is None else self.state.edge_now(place)
        return id_ if isinstance(edge, int) else edge.id if edge else None

    # Arrays: all of the graph but its texts

    @property
    def arrays(self) -> "RememberedGraph":
        """Return what has the arrays."""
        return self

    @cached_property
    def nodes(self) -> CompiledGraph:
        """Nodes and edges."""
        base, rows, here = self.base.nodes, self.relationship_rows, self.entity_rows
        new = [self.edges[id_] for id_ in rows.new]
        names = sorted({*base.type_names, *(edge.shown_type for edge in self.edges.values())})
        code = {name: at for at, name in enumerate(names)}
        types = np.array([code[name] for name in base.type_names], dtype=np.int64)[base.type_code]
        node = {end: self.node(end) for edge in new for end in (edge.source, edge.target)}
        type_code = rows.woven(types, [code[edge.shown_type] for edge in new])
        is_stated = rows.woven(base.is_stated, [edge.is_stated for edge in new])
        used = np.bincount(type_code, minlength=len(names)) > 0  # a type may be only of what is gone
        return CompiledGraph(
            ids=here.ids,
            source=rows.woven(here.to_here[base.source], [node[edge.source] for edge in new]),
            target=rows.woven(here.to_here[base.target], [node[edge.target] for edge in new]),
            weight=rows.woven(np.asarray(base.weight, dtype=np.float64), [edge.weight for edge in new]),
            type_code=(np.cumsum(used) - 1)[type_code] if names else type_code,
            type_names=tuple(name for name, is_used in zip(names, used.tolist(), strict=True) if is_used),
            denied=np.flatnonzero(~is_stated),
        )

    def node(self, id_: str) -> int:
        """Return the place of an entity here; -1 for none."""
        rows = self.entity_rows
        if (at := rows.at_new.get(id_)) is not None:
            return int(at)
        place = self.base.place(id_)
        return -1 if place is None else int(rows.to_here[place])

    @property
    def relationship_ids(self) -> Ids:
        """Ids of the relationships."""
        return self.relationship_rows.ids

    @property
    def chunk_ids(self) -> Ids:
        """Ids of the chunks."""
        return self.chunk_rows.ids

    @cached_property
    def chunk_rows(self) -> Rows:
        """Ids of the chunks, laid over the base's."""
        return Rows(self.base.chunk_ids, self.redactions.lines, self._new_chunks)

    @cached_property
    def _new_chunks(self) -> dict[str, Chunk]:
        return {chunk.id: chunk for document in self.documents for chunk in document.chunks}

    @cached_property
    def _chunk_order(self) -> Ints:
        """Return the rank of each chunk in the order of texts."""
        rows, (rank, documents) = self.chunk_rows, self.base.text_order
        lines = [one.document.id for one in self.documents for _ in one.chunks]
        before = np.array([bisect_left(documents, id_) for id_ in lines], dtype=np.int64)
        order = np.empty(len(rows.ids), dtype=np.int64)
        order[rows.to_here[rows.stays]] = (rank + np.searchsorted(before, rank, side="right"))[rows.stays]
        order[[rows.at_new[id_] for id_ in self._new_chunks]] = before + np.arange(len(before))
        return np.argsort(np.argsort(order))

    @cached_property
    def moves(self) -> dict[str, str | None]:
        """Return entity of the base -> who it now is; None where nothing that the base says of it counts."""
        ids = (*self.state.merged, *self.state.deleted)
        return {id_: self.state.means.get(id_, id_) for id_ in ids if self.base.place(id_) is not None}

    @cached_property
    def moved(self) -> dict[str, tuple[str | None, Mentioned]]:
        """Return mention that means another than its entity now is -> whom it means, and the mention."""
        means, items = self.state.means, self.state.items.items()
        pairs = ((id_, item.mention) for id_, item in items if item.mention is not None)
        rows = ((id_, means[id_], means.get(one.entity_id, one.entity_id), one) for id_, one in pairs)
        return {id_: (now, one) for id_, now, before, one in rows if now != before}

    @cached_property
    def _mentions_moved(self) -> list[tuple[str | None, str | None, str]]:
        """Return (entity it meant, entity it now means, chunk) of each chunk with a moved mention."""
        graph, out = self.base.graph, self.redactions.chunks
        rows = []
        for now, one in self.moved.values():
            before = self.state.means.get(one.entity_id, one.entity_id)
            ids = (id_ for id_ in graph.entity_chunks()[one.entity_id] if id_ not in out)
            ids = (id_ for id_ in ids if id_ == one.chunk_id or _holds(graph.chunk(id_), one))
            rows += [(before, now, id_) for id_ in ids]
        return rows

    @cached_property
    def mentions(self) -> Lists:
        """Chunks that mention each entity."""
        to_here = self.entity_rows.to_here.copy()
        for id_, now in self.moves.items():
            to_here[self.base.place(id_) or 0] = -1 if now is None else self.node(now)
        ours = (pair for document in self.documents for pair in document.mentions)
        more = [(self.node(id_), self.chunk_rows.at_new[mention.chunk_id], 1) for mention, id_ in ours]
        for before, now, chunk_id in self._mentions_moved:
            at = self._chunk_here(chunk_id)
            more += [(self.node(id_), at, by) for id_, by in ((before, -1), (now, 1)) if id_ is not None]
        return self._laid(arrays.mentions(self.base.graph), to_here, more, len(self.entity_rows.ids))

    @cached_property
    def stated(self) -> Lists:
        """Chunks that state each relationship."""
        rows, more = self.relationship_rows, list[tuple[int, int, int]]()
        to_here = rows.to_here.copy()
        for edge in self.edges.values():
            to_here[list(edge.parts)] = rows.at_new[edge.id]
            if edge.place is not None and edge.place not in edge.parts:
                to_here[edge.place] = -1
            more += [(rows.at_new[edge.id], self._chunk_here(one.chunk_id), 1) for one in edge.drawn]
        ours = (pair for document in self.documents for pair in document.assertions)
        more += [(rows.at_new[id_], self.chunk_rows.at_new[one.chunk_id], 1) for one, id_ in ours]
        lists = self._laid(arrays.stated(self.base.graph), to_here, more, len(rows.ids))
        return Lists(lists.start, lists.item, np.ones_like(lists.item))

    def _laid(self, base: Lists, to_here: Ints, more: Sequence[tuple[int, int, int]], n_rows: int) -> Lists:
        """Return lists of chunks: those of the base, by the row that each now is, and (row, chunk, count)."""
        row, item = np.repeat(to_here, base.sizes), self.chunk_rows.to_here[base.item]
        keep = (row >= 0) & (item >= 0)
        new = np.array([one for one in more if one[0] >= 0], dtype=np.int64).reshape(-1, 3)
        kept = np.stack([row, item, np.asarray(base.count)])[:, keep]
        row, item, count = np.concatenate([kept, new.T], axis=1)
        lists = arrays.listed(row, item, count, self._chunk_order, n_rows)
        left = lists.count > 0
        row = np.repeat(np.arange(n_rows), lists.sizes)[left]
        return Lists(arrays.starts(row, n_rows), lists.item[left], lists.count[left])

    def _chunk_here(self, id_: str) -> int:
        return int(self.chunk_rows.to_here[arrays.chunk_ids(self.base.graph).find(id_) or 0])

    # Nouns

    @property
    def entities(self) -> LaidNouns[Entity]:
        """Nodes, in id order."""
        others = {*self.state.touched, *lost} if (lost := self.redactions.lost) else self.state.touched
        return LaidNouns(self.entity_rows, self.base.graph.entities, others, self.entity_now)

    @property
    def relationships(self) -> LaidNouns[Relationship]:
        """Edges, in id order."""
        rows, base = self.relationship_rows, self.base.graph.relationships
        return LaidNouns(rows, base, (), lambda id_: self._related(self.edges[id_]))

    @property
    def chunks(self) -> LaidNouns[Chunk]:
        """Chunks, in id order."""
        others = () if self.is_adding and not self.moves else frozenset(self.base.chunk_ids)
        return LaidNouns(self.chunk_rows, self.base.graph.chunks, others, self.chunk_now)

    def entity(self, ref: EntityRef) -> Entity:
        """Find by id, name or short id; an unknown or ambiguous one is an error with candidates."""
        return self.entity_now(self._names.find(ref).id)

    def relationship(self, ref: EntityRef) -> Relationship:
        """Find by id or short id; an id from before a merge leads to what the relationship now is."""
        edge = self._names.edge(ref)
        return relationship_of(self.base, edge, None) if isinstance(edge, int) else self._related(edge)

    def chunk(self, ref: EntityRef) -> Chunk:
        """Find by id or short id; one that is left out is unknown."""
        ids = self.chunk_rows.ids
        at = ids.find(ref) if isinstance(ref, str) else None
        at = ids.find(self.base.graph.chunk(ref).id) if at is None else at
        if at is None:
            raise UnknownItemError(f"Unknown chunk {quoted(ref)}.", hint="It was taken out by hand.")
        return self.chunks[at]

    def entity_chunks(self) -> Mapping[str, Sequence[str]]:
        """Return entity id -> ids of the chunks that mention it, in text order."""
        return arrays.id_lists(self.entity_rows.ids, self.mentions, self.chunk_ids)

    def mention_counts(self) -> Mapping[str, Mapping[str, int]]:
        """Return entity id -> chunk id -> how often the chunk mentions it, in text order."""
        return arrays.id_counts(self.entity_rows.ids, self.mentions, self.chunk_ids)

    @property
    def warnings(self) -> tuple[ToolWarning, ...]:
        """What was repaired when the base was read."""
        return getattr(self.base.graph, "warnings", ())

    def entity_now(self, id_: str) -> Entity:
        """Return an entity as it is now."""
        key = self.state.touched.get(id_), self.redactions.lost.get(id_)
        entity = self.base.entity(id_) if key == (None, None) else None
        return entity or self.state.cached("entity", id_, key, lambda: self._entity(id_))

    def _degree(self, id_: str) -> int:
        return len(arrays.neighbours_at(self.nodes, self.node(id_)))

    def _is_spoken_of(self, id_: str) -> bool:
        state = self.state
        broken = id_ in state.broken or bool(state.mentions_of(id_))
        return state.is_spoken_of(id_) or broken or bool(state.stated_by(id_))

    def _entity(self, id_: str) -> Entity:
        own = self.base.entity(id_)
        if own is not None and id_ not in self.redactions.lost and not self._is_spoken_of(id_):
            degree = None if own.degree is None else self._degree(id_)
            return own if degree == own.degree else own.model_copy(update={"degree": degree})
        entity = described(self.state, id_)
        if entity is None:
            raise KeyError(id_)
        return _counted(self, entity, self.naming(id_))

    def _related(self, edge: Edge) -> Relationship:
        if edge.is_plain:  # it is as the base has it, and kept there
            return relationship_of(self.base, edge, None)
        document = self.document(edge.source) if edge.said else None
        key = edge, document and document.document.content_hash
        make = partial(relationship_of, self.base, edge, document)
        return self.state.cached("relationship", edge.id, key, make)

    def chunk_now(self, id_: str) -> Chunk:
        """Return a chunk with the ids that its entities and relationships now have."""
        if (chunk := self._new_chunks.get(id_)) is not None:
            return chunk
        chunk = self.base.graph.chunk(id_)
        entities = _mapped(chunk.entities, lambda one: self.moves.get(one, one))
        relationships = _mapped(chunk.relationships, self.edge_now)
        if id_ in self._parted:
            counts = self.mention_counts()
            more_entities, more_edges = self._parted[id_]
            every = dict.fromkeys((*(entities or ()), *more_entities))
            entities = tuple(one for one in every if id_ in counts[one])
            relationships = tuple(dict.fromkeys((*(relationships or ()), *more_edges)))
        if (entities, relationships) == (chunk.entities, chunk.relationships):
            return chunk
        return chunk.model_copy(update={"entities": entities, "relationships": relationships})

    @cached_property
    def _parted(self) -> dict[str, tuple[list[str], list[str]]]:
        """Return chunk -> entities that got mentions in it from others, relationships drawn from it."""
        parted: dict[str, tuple[list[str], list[str]]] = {}
        for _, now, chunk_id in self._mentions_moved:
            parted.setdefault(chunk_id, ([], []))[0].extend([now] if now else [])
        for edge in self.edges.values():
            for one in edge.drawn:
                parted.setdefault(one.chunk_id, ([], []))[1].append(edge.id)
        return parted

    # Texts that entities are looked for in, and those that search reads

    @cached_property
    def reads_otherwise(self) -> frozenset[str]:
        """Return the entities of the base whose name, description or notes may be others here."""
        state, base = self.state, self.base
        said = {**state.renamed, **state.deleted, **state.observations, **state.unobserved}
        there = (id_ for id_ in state.touched if base.place(id_) is not None and state.is_there(id_))
        bare = (id_ for id_ in there if id_ in said or not getattr(base.entity(id_), "description", None))
        return frozenset(id_ for id_ in bare if id_ in said or self._is_spoken_of(id_))

    @property
    def renamed(self) -> list[str]:
        """Return the entities of the base that are called otherwise here."""
        ids = {*self.state.renamed, *(id_ for id_ in self.state.deleted if id_ in self.state.created)}
        return sorted(id_ for id_ in ids if self.base.place(id_) is not None)

    # Communities and reports

    @cached_property
    def communities(self) -> Sequence[Community]:
        """Communities of all levels, in id order; whoever was made by hand is in none.

        One that has lost all its members is gone. What is left out of an imported memory is in none: neither
        its lines, nor names in titles.
        """
        graph, out = self.base.graph, self.redactions
        strangers = [id_ for c in graph.communities for id_ in c.entity_ids if self.base.place(id_) is None]
        moves = {**self.moves}
        for id_ in strangers:  # made by hand; nobody where the making was undone
            now = self.state.now(id_)
            moves[id_] = now if id_ not in self.state.deleted and self.state.is_there(now) else None
        if self.is_adding and not moves and not out.lines and not out.forgotten:
            return graph.communities
        members = {c.id: _mapped(c.entity_ids, lambda id_: moves.get(id_, id_)) for c in graph.communities}
        return tuple(self._community(c, members) for c in graph.communities if members[c.id])

    def _community(self, before: Community, now: Mapping[str, tuple[str, ...] | None]) -> Community:
        graph, out, members = self.base.graph, self.redactions, now[before.id] or ()
        known = self.relationship_ids.find
        edges = _mapped(before.relationship_ids, lambda i: self.edge_now(i) if known(i) is None else i) or ()
        update: JsonDict = {"entity_ids": members, "relationship_ids": edges}
        update["children"] = tuple(child for child in before.children if now.get(child))
        if before.size is not None and (members, edges) != (before.entity_ids, before.relationship_ids):
            update["size"] = len(members)
        update["chunk_ids"] = tuple(id_ for id_ in before.chunk_ids if id_ not in out.chunks)
        if gone := [id_ for id_ in before.entity_ids if id_ in out.forgotten]:
            left = [graph.entity(id_) for id_ in before.entity_ids if id_ not in out.forgotten]
            central = sorted(left, key=lambda entity: (-(entity.degree or 0), entity.id))
            names = {graph.entity(id_).name for id_ in gone}
            update["title"] = ", ".join(entity.name for entity in central[:N_TITLE])
            update["keywords"] = before.keywords and tuple(w for w in before.keywords if w not in names)
        is_same = all(getattr(before, name) == value for name, value in update.items())
        return before if is_same else before.model_copy(update=update)

    @cached_property
    def reports(self) -> Sequence[CommunityReport]:
        """Reports on the communities that are left, in id order; they tell what the corpus says.

        Of an imported memory they do not cite the lines that are left out, nor name in the title who was
        taken out.
        """
        graph = self.base.graph
        if self.communities is graph.communities:
            return graph.reports
        now, before = {c.id: c for c in self.communities}, {c.id: c for c in graph.communities}
        left = (r for r in graph.reports if r.community_id in now or r.community_id not in before)
        out = self.redactions.chunks
        rows = (_report(r, before.get(r.community_id), now.get(r.community_id), out) for r in left)
        return tuple(report for report in rows if report is not None)


def _holds(chunk: Chunk, mention: Mentioned) -> bool:
    inside = chunk.start <= mention.start and mention.end <= chunk.end
    return inside and chunk.source_doc == mention.document_id


def _mapped(ids: Iterable[str] | None, now: Callable[[str], str | None]) -> tuple[str, ...] | None:
    """Map ids, each once, in order; those that are nothing any more are left out."""
    if ids is None:
        return None
    return tuple(dict.fromkeys(new for id_ in ids if (new := now(id_)) is not None))


def _counted(view: RememberedGraph, entity: Entity, documents: Sequence[notes.Written]) -> Entity:
    """Return an entity with its mentions counted as indexing does, those of the memory too."""
    state, id_ = view.state, entity.id
    every = [part for key in state.parts(id_) if (part := state.base.entity(key)) is not None]
    whole = [part for part in every if part.id not in state.broken]
    total = EntityTotal(EntityKey(id_, entity.name, entity.type or ""))
    total.names = dict.fromkeys(aliases_of(entity), 0)
    for part in whole:
        total.add(part, still_names(state, part.id, aliases_of(part)), _place(view, _first_left(view, part)))
        total.mentions -= min(part.n_mentions or 0, sum(view.redactions.lost.get(part.id, {}).values()))
    single = [one for one in state.mentions_of(id_) if one.chunk_id not in view.redactions.chunks]
    for one in single:
        where = _place(view, one.chunk_id) or (one.document_id, one.start, one.chunk_id)
        total.see(one.name, one.confidence, where)
    for mention in (one for document in documents for one, means in document.mentions if means == id_):
        total.see(mention.name, mention.confidence, (mention.document_id, mention.start, mention.chunk_id))
    total.documents += len({one.document_id for one in single}) + len(documents)
    now = total.entity(entity.short_id or 0, view._degree(id_))  # noqa: SLF001
    lines = (chunk for document in documents for chunk in document.chunks)
    own_line = next((chunk.content for chunk in lines if id_ in (chunk.entities or ())), None)
    counts = {name: held for name, held in (now.attributes or {}).items() if held or name != "aliases"}
    return entity.model_copy(
        update={
            "attributes": {**(entity.attributes or {}), **counts, **({} if every else notes.ORIGIN)},
            "description": entity.description or own_line,
            "source_ref": now.source_ref or next((ref for p in whole if (ref := _first_left(view, p))), None),
            "confidence": now.confidence if every or documents else 1.0,
            "n_mentions": now.n_mentions,
            "degree": now.degree,
            "is_stub": entity.is_stub and (not documents or not every),
        }
    )


def _place(view: RememberedGraph, chunk_id: str | None) -> tuple[str, int, str] | None:
    """Return document, first character and id of a chunk; None where the base has no chunks."""
    at = None if chunk_id is None else arrays.chunk_ids(view.base.graph).find(chunk_id)
    chunk = None if at is None else view.base.graph.chunks[at]
    return None if chunk is None else (chunk.source_doc, chunk.start, chunk.id)


def _first_left(view: RememberedGraph, part: Entity) -> str | None:
    """Return the chunk that mentions an entity of the base first, its own notebook's before others'."""
    out, graph = view.redactions.lost.get(part.id, {}), view.base.graph
    if part.source_ref not in out:
        return part.source_ref
    left = [id_ for id_ in graph.entity_chunks()[part.id] if id_ not in out]
    return min(left, key=lambda id_: not notes.is_of(graph.chunk(id_).source_doc, part.id), default=None)


def _report(
    report: CommunityReport, before: Community | None, now: Community | None, out: Collection[str]
) -> CommunityReport | None:
    """Return a report without what it says by some chunks; None for one in other words than theirs."""
    findings = tuple(finding for finding in report.findings if finding.chunk_id not in out)
    renamed = before is not None and now is not None and before.title != now.title
    if findings == report.findings and not renamed:
        return report
    if report.method != "extractive":
        return None
    title = report.title if now is None or not renamed else now.title or now.id
    return report.model_copy(update={"title": title, "findings": findings, "summary": summary_of(findings)})


# Evidence


F = TypeVar("F", bound=Finding)


class Whole(Evidence, Protocol):
    """The evidence of a generation, and what it was found to mean."""

    @property
    def merges(self) -> Sequence[Merge]:
        """Decisions of entity resolution, in id order."""
        ...

    def relationship_of(self, assertion_id: str) -> str | None:
        """Return the relationship an assertion is evidence for."""
        ...


class RememberedEvidence:
    """Evidence of a corpus and of a memory: what no longer counts is left out, what moved means another."""

    _whole: Whole

    @property
    def graph(self) -> RememberedGraph:
        """The graph with the memory."""
        raise NotImplementedError

    @cached_property
    def documents(self) -> Sequence[Document]:
        """All documents, in id order."""
        theirs = notes.blanked(self._whole.documents, self.graph.redactions)
        every = [*theirs, *(written.document for written in self.graph.documents)]
        return tuple(sorted(every, key=lambda document: document.id))

    @cached_property
    def mentions(self) -> Sequence[Mention]:
        """All mentions, in text order of each document."""
        ours = (mention for written in self.graph.documents for mention, _ in written.mentions)
        return _in_text_order(self._left(self._whole.mentions), ours)

    @cached_property
    def assertions(self) -> Sequence[Assertion]:
        """All assertions that count, in text order of each document."""
        ours = (one for written in self.graph.documents for one, _ in written.assertions)
        return _in_text_order(self._left(self._counting(self._whole.assertions)), ours)

    def _left(self, evidence: Iterable[F]) -> Iterable[F]:
        """Leave out evidence in lines of an imported memory that are left out."""
        out = self.graph.redactions.chunks
        return (one for one in evidence if one.chunk_id not in out) if out else evidence

    def _counting(self, assertions: Sequence[Assertion]) -> Iterable[Assertion]:
        """Leave out evidence for relationships that were taken out; what never was for one stays."""
        if self.graph.is_adding and not self.graph.moves and not self.graph.moved:
            return assertions
        of = self._whole.relationship_of
        return (one for one in assertions if of(one.id) is None or self.relationship_of(one.id) is not None)

    @property
    def named_by_hand(self) -> frozenset[str]:
        """Return the entities whose names people chose: no document has a say in them."""
        return frozenset(self.graph.state.renamed)

    @cached_property
    def merges(self) -> Sequence[Merge]:
        """Decisions of entity resolution and of those who took entities for one by hand, in id order."""
        graph = self.graph
        ours = [self._merge(id_, into) for id_, into in graph.state.merged.items()]
        return tuple(sorted([*self._whole.merges, *ours], key=lambda merge: merge.id))

    def _merge(self, id_: str, into: str) -> Merge:
        graph = self.graph
        entity = graph.base.entity(id_) or graph.state.called.get(id_)
        return Merge(
            id=stable_id("mrg", "memory", id_, into),
            name=entity.name if entity else id_,
            type=(entity.type if entity else None) or "",
            into=into,
            into_name=graph.called(into).name,
            rule=HAND,
        )

    def entity_of(self, mention_id: str) -> str | None:
        """Return the entity a mention now means."""
        if (ours := self._ours.get(mention_id)) is not None:
            return ours
        if (went := self.graph.moved.get(mention_id)) is not None:
            return went[0]
        entity = self._whole.entity_of(mention_id)
        return entity if entity is None else self.graph.moves.get(entity, entity)

    def relationship_of(self, assertion_id: str) -> str | None:
        """Return the relationship an assertion now is evidence for."""
        if (ours := self._ours.get(assertion_id)) is not None:
            return ours
        link = self.graph.state.links.get(assertion_id)
        if link is not None and link.place in self.graph.state.stirred:
            return self._drawn.get(assertion_id)
        edge = self._whole.relationship_of(assertion_id)
        return None if edge is None else self.graph.edge_now(edge)

    @cached_property
    def _drawn(self) -> dict[str, str]:
        return {one.id: edge.id for edge in self.graph.state.edges.values() for one in edge.drawn}

    @cached_property
    def _ours(self) -> dict[str, str]:
        """Return mention or assertion of the memory -> entity or relationship that it is evidence for."""
        documents = self.graph.documents
        pairs = (pair for written in documents for pair in (*written.mentions, *written.assertions))
        return {one.id: id_ for one, id_ in pairs}


def _in_text_order(theirs: Iterable[F], ours: Iterable[F]) -> tuple[F, ...]:
    return tuple(sorted([*theirs, *ours], key=lambda one: (one.document_id, one.start, one.end, one.id)))
