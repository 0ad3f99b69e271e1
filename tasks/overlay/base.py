"""What a memory is laid over: a graph, and where its items are, found once for all memories."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.ports import Floats, GraphView, Ints
from corpusgraph.tasks.graph import compiled as arrays
from corpusgraph.tasks.graph.compiled import Latest
from corpusgraph.tasks.overlay.edges import BaseEdges
from corpusgraph.tasks.overlay.evidence import Called, Written
from corpusgraph.tasks.overlay.rows import Finder
from corpusgraph.tasks.overlay.splits import Telling, Told
from corpusgraph.tasks.overlay.state import MemoryState

if TYPE_CHECKING:
    from corpusgraph.tasks.overlay.view import RememberedGraph


class TextOrder(NamedTuple):
    """Place of each chunk by document, position and id (n,), and the documents of chunks in that order."""

    place: Ints
    documents: list[str]

    def before(self, documents: Sequence[str]) -> Ints:
        """Count for each document the chunks of documents whose ids are less."""
        return np.array([bisect_left(self.documents, one) for one in documents], dtype=np.int64)


MOST = 50_000
"""Texts with a vector, and words with a count, that are kept: a server may run for months."""
Places = Callable[[], tuple[list[str], list[int]]]
"""Reads document and position of each chunk, in id order."""


class Base:
    """A graph that memories are laid over, one after another; what does not depend on them is kept here."""

    def __init__(
        self, graph: GraphView, places: Places | None = None, telling: Telling | None = None
    ) -> None:
        self.graph = graph
        self._places = places
        self.telling: Telling = telling or (lambda _: Told((), ()))
        self.entities = Finder(arrays.compiled(graph).ids)
        self.relationships = Finder(arrays.relationship_ids(graph))
        self.chunks = Finder(arrays.chunk_ids(graph))
        self.edges = BaseEdges(arrays.compiled(graph), self.entities, self.relationships)
        self.written: dict[str, tuple[object, Written | None]] = {}
        """Evidence by entity, as last written out."""
        self.made: dict[str, tuple[object, Entity]] = {}
        """What an entity was made of, and the entity, as last made."""
        self.related: dict[str, tuple[object, Relationship]] = {}
        """The same of relationships."""
        self.latest: MemoryState | None = None
        """The memory that was laid over it last."""
        self._view: RememberedGraph | None = None
        self.embedded: dict[str, Floats] = Latest(MOST)
        """Unit vectors by text, of what is not in the graph or reads otherwise there."""
        self.counted: dict[tuple[str, str], int] = Latest(MOST)
        """How many items of a kind have a word in their text."""
        self._called: dict[str, Called] = {}

    def viewed(self, state: MemoryState) -> "RememberedGraph":
        """Lay a memory over it: the view that was made last is brought on where it can be."""
        from corpusgraph.tasks.overlay.view import RememberedGraph, following

        before = self._view
        found = RememberedGraph(self, state) if before is None else following(before, state)
        if before is None or before.state.n_changes <= state.n_changes:
            self._view = found
        return found

    def called(self, id_: str) -> Called | None:
        """Return what an entity is called in the base; None for one that is not there."""
        if (known := self._called.get(id_)) is not None:
            return known
        place = self.entities.place(id_)
        if place is None:
            return None
        entity = self.graph.entities[place]
        found = self._called[id_] = Called(entity.name, entity.type)
        return found

    @cached_property
    def strangers(self) -> tuple[str, ...]:
        """Return the members of communities that were made by hand when the communities were found."""
        members = {id_ for community in self.graph.communities for id_ in community.entity_ids}
        return tuple(sorted(id_ for id_ in members if self.entities.place(id_) is None))

    @cached_property
    def text_order(self) -> TextOrder:
        """Return the order of the chunks in their texts."""
        documents, positions = self._places() if self._places else self._looked_at()
        order = sorted(range(len(documents)), key=lambda i: (documents[i], positions[i], i))
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order))
        return TextOrder(place, [documents[i] for i in order])

    def _looked_at(self) -> tuple[list[str], list[int]]:
        chunks = self.graph.chunks
        return [chunk.source_doc for chunk in chunks], [chunk.position for chunk in chunks]
