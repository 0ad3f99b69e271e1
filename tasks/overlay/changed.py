"""What a memory makes of entities and relationships of a base: who stands for whom, what counts where."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from corpusgraph.schemas.base import nfc, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.memory import IMPORT
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.tasks.graph import compiled as arrays
from corpusgraph.tasks.graph.names import HAND_MADE, is_hand_made
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.delta import News
from corpusgraph.tasks.overlay.edges import EdgePatch, Patching
from corpusgraph.tasks.overlay.roster import Papers, Roster
from corpusgraph.tasks.overlay.splits import Mentioned, Share, Splits, splits
from corpusgraph.tasks.overlay.state import MemoryState, Triple

Line = tuple[int, Chunk]
"""Place of a chunk in the base, and the chunk."""


def notebook_id(entity_id: str, origin: str = IMPORT) -> str:
    """Identify the document of an entity of an imported memory."""
    return stable_id("doc", origin, entity_id)


def is_of(document_id: str, entity_id: str) -> bool:
    """Tell whether a document is the notebook of an entity."""
    return any(document_id == notebook_id(entity_id, origin) for origin in HAND_MADE)


@dataclass(frozen=True)
class Withheld:
    """Lines that are left out; none of a graph that no memory was imported into."""

    lines: Mapping[int, Chunk] = field(default_factory=dict)
    """Place in the base -> the chunk, in order."""
    lost: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Entity of the base -> chunk of these -> how often the chunk mentions it."""
    forgotten: frozenset[str] = frozenset()
    """Entities of an imported memory that were taken out."""

    @cached_property
    def places(self) -> Ints:
        """Return the places of the chunks in the base, in order."""
        return np.array(list(self.lines), dtype=np.int64)

    @cached_property
    def chunks(self) -> frozenset[str]:
        """Return the ids of the chunks."""
        return frozenset(chunk.id for chunk in self.lines.values())

    def n_lost(self, entity_id: str) -> int:
        """Count the mentions of an entity of the base that are left out."""
        return sum(self.lost.get(entity_id, {}).values())


NOTHING = Withheld()


def withheld(base: Base, state: MemoryState, patch: EdgePatch) -> Withheld:
    """Return the lines that are left out of a base once a memory is laid over it."""
    notes = _Notes(base)
    found = dict([*_observed(notes, state), *_of_deleted(notes, state), *_stated(notes, patch)])
    forgotten = frozenset(notes.known(state.deleted))
    if not found and not forgotten:
        return NOTHING
    counts, lost = base.graph.mention_counts(), dict[str, dict[str, int]]()
    for chunk in found.values():
        for id_ in chunk.entities or ():
            lost.setdefault(id_, {})[chunk.id] = counts[id_].get(chunk.id, 0)
    return Withheld(dict(sorted(found.items())), lost, forgotten)


class _Notes:
    """Finds the lines of notebooks in a base."""

    def __init__(self, base: Base) -> None:
        self.base, self.graph = base, base.graph

    def known(self, entities: Iterable[str]) -> list[str]:
        """Return those of some entities that a memory which was imported had."""
        held = [(id_, at) for id_ in entities if (at := self.base.entities.place(id_)) is not None]
        return [id_ for (id_, _), by_hand in zip(held, _by_hand(self.graph, held), strict=True) if by_hand]

    def lines(self, entity_id: str) -> Iterator[Line]:
        """Yield the lines of an entity's notebook that note something, and state no relationship."""
        for chunk_id in self.graph.entity_chunks()[entity_id]:
            at = self.base.chunks.place(chunk_id)
            if at is None:
                continue
            chunk = self.graph.chunks[at]
            if not chunk.relationships and is_of(chunk.source_doc, entity_id):
                yield at, chunk


def _by_hand(graph: GraphView, held: list[tuple[str, int]]) -> list[bool]:
    """Tell of entities whether they were made by hand; of kept columns that is read without nouns."""
    places = [at for _, at in held]
    read = getattr(graph.entities, "column", None)
    told = read("attributes", np.array(places, dtype=np.int64)) if read is not None and places else None
    if told is None:
        return [is_hand_made(graph.entities[at]) for at in places]
    return ["origin" in (one or "") and json.loads(one).get("origin") in HAND_MADE for one in told]


def _observed(notes: _Notes, state: MemoryState) -> Iterator[Line]:
    """Yield the lines of what was taken back of an entity, and of those that were taken for it."""
    for owner, sentences in state.unobserved.items():
        parts = (owner, *sorted(state.members.get(owner, ())))
        for id_ in notes.known(one for one in parts if one not in state.deleted):
            called = notes.base.called(id_)
            name = nfc(called.name) if called else id_
            said = {*sentences, *(nfc(f"{name}: {sentence}") for sentence in sentences)}
            yield from (line for line in notes.lines(id_) if line[1].content in said)


def _of_deleted(notes: _Notes, state: MemoryState) -> Iterator[Line]:
    for id_ in notes.known(state.deleted):
        yield from notes.lines(id_)


def _stated(notes: _Notes, patch: EdgePatch) -> Iterator[Line]:
    """Yield the lines that state relationships which no longer count."""
    edges = notes.base.edges
    ids = edges.relationships.ids
    dead = [at for at in (*patch.out.tolist(), *patch.changed) if patch.part_of(at, ids[at]) is None]
    sources = {at: edges.ends(at)[0] for at in dead}
    by_hand = set(notes.known(dict.fromkeys(sources.values())))
    if not by_hand:
        return
    gone = {ids[at] for at in dead}
    drawn = {one.chunk_id for e in (*patch.new.values(), *patch.changed.values()) for one in e.drawn}
    lists = arrays.stated(notes.graph)
    for at in (at for at in dead if sources[at] in by_hand):
        for place in lists.item[lists.start[at] : lists.start[at + 1]].tolist():
            chunk = notes.graph.chunks[place]
            counts = chunk.id in drawn or not gone.issuperset(chunk.relationships or ())
            if not counts and is_of(chunk.source_doc, sources[at]):
                yield place, chunk


def blanked(documents: Sequence[Document], out: Withheld) -> Sequence[Document]:
    """Return documents with the lines blank: all else keeps its place. One that is all blank is left out."""
    by_document: dict[str, list[Chunk]] = {}
    for chunk in out.lines.values():
        by_document.setdefault(chunk.source_doc, []).append(chunk)
    found = (_blanked(one, by_document[one.id]) if one.id in by_document else one for one in documents)
    return tuple(one for one in found if one is not None) if by_document else documents


def _blanked(document: Document, lines: Iterable[Chunk]) -> Document | None:
    parts, at = list[str](), 0
    for line in sorted(lines, key=lambda one: one.start):
        parts += [document.text[at : line.start], " " * (line.end - max(at, line.start))]
        at = max(at, line.end)
    text = "".join([*parts, document.text[at:]])
    if not text.strip():
        return None
    digest = stable_id("doc", document.title, text)
    return document.model_copy(update={"text": text, "content_hash": digest})


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


class Parts(NamedTuple):
    """Who is there, what was written of them, and what became of what the base has."""

    roster: Roster
    papers: Papers
    changed: Changed

    @classmethod
    def of(cls, base: Base, state: MemoryState) -> "Parts":
        """Return the parts of a view that none was made before."""
        roster = Roster(base, state)
        return cls(roster, Papers(state, roster, base.written), Changed(base, state, roster))

    def following(self, state: MemoryState, told: News) -> "Parts":
        """Return those of a state that only adds what is told."""
        roster = self.roster.following(state, told)
        papers = self.papers.following(state, roster, told)
        return Parts(roster, papers, self.changed.following(state, roster, told))
