"""The relationships of a memory as arrays, brought on when more are stated."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.arrays import Doubles
from corpusgraph.tasks.remember.base import Base
from corpusgraph.tasks.remember.edges import Edge, measured
from corpusgraph.tasks.remember.patching import EdgePatch
from corpusgraph.tasks.remember.rows import Overlay


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
