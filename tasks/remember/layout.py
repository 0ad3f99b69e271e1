"""How a memory lies over a graph: who and what is where, and how it is connected; no noun is made for it.

Nouns rest on this and it knows nothing of them, so that a view that nobody looks at any more is gone at once.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.lists import IdCounts, Ids
from corpusgraph.tasks.remember.base import Base
from corpusgraph.tasks.remember.edge_columns import EdgeColumns
from corpusgraph.tasks.remember.laid import LaidArrays
from corpusgraph.tasks.remember.laid_nodes import degrees
from corpusgraph.tasks.remember.parts import Parts
from corpusgraph.tasks.remember.patching import EdgePatch
from corpusgraph.tasks.remember.rows import Overlay
from corpusgraph.tasks.remember.state import MemoryState


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
        return IdCounts(Ids(self.entity_rows), self.arrays.mentions, self.arrays.chunk_ids)

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
