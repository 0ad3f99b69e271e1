"""One generation of a graph kept as columns: a noun is made when it is looked at."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple, Protocol, TypeVar, overload

import numpy as np

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, Relationship
from corpusgraph.schemas.ports import Ints
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.graph.compiled import GraphArrays, Ids, id_counts, id_lists
from corpusgraph.tasks.graph.names import EntityNames, ItemIds, Naming
from corpusgraph.tasks.graph.view import Named

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

BLOCK = 4096
"""Nouns made together by whoever walks over all of them."""


class Records(Protocol[T_co]):
    """Rows in id order, wherever they are."""

    @property
    def ids(self) -> Sequence[str]:
        """Return the ids."""

    def one(self, at: int) -> T_co:
        """Make the noun of a row.

        Parameters
        ----------
        at : int
            Place of the row.

        Returns
        -------
        T_co
            The model.

        """

    def some(self, start: int, stop: int) -> Sequence[T_co]:
        """Make the nouns of a stretch of rows.

        Parameters
        ----------
        start, stop : int
            First row, and the one after the last.

        Returns
        -------
        sequence of T_co
            stop - start models, in the order of the rows.

        """


class Nouns(Sequence[T]):
    """Models in id order, each made when it is first looked at and kept.

    Parameters
    ----------
    records : Records
        What the models are made of.

    """

    def __init__(self, records: Records[T]) -> None:
        self.ids = Ids(records.ids)
        self._records = records
        self._single: dict[int, T] = {}
        self._blocks: dict[int, Sequence[T]] = {}
        self._columns: dict[str, np.ndarray[Any, Any]] = {}

    def __len__(self) -> int:
        return len(self.ids)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        place = int(at) + len(self) if at < 0 else int(at)
        if not 0 <= place < len(self):
            raise IndexError(at)
        if (block := self._blocks.get(place // BLOCK)) is not None:
            return block[place % BLOCK]
        if (known := self._single.get(place)) is None:
            known = self._single[place] = self._records.one(place)
        return known

    def column(self, name: str, places: Ints) -> np.ndarray[Any, Any] | None:
        """Return a field of some rows without making models; None where the records cannot tell it.

        Parameters
        ----------
        name : str
            Name of the field.
        places : array of int, shape (k,)
            Rows.

        Returns
        -------
        array, shape (k,), or None
            Values in the order of `places`.

        """
        told = getattr(self._records, "column", None)
        if told is None:
            return None
        if name not in self._columns:
            self._columns[name] = told(name)
        return self._columns[name][places]

    def __iter__(self) -> Iterator[T]:
        for number in range(-(-len(self) // BLOCK)):
            if number not in self._blocks:
                at = number * BLOCK
                self._blocks[number] = self._records.some(at, min(at + BLOCK, len(self)))
            yield from self._blocks[number]


def column_of(nouns: Sequence[Any], name: str, places: Ints) -> np.ndarray[Any, Any] | None:
    """Return a field of some models that are kept as columns; None where only the models tell it.

    Parameters
    ----------
    nouns : sequence
        Models of one kind.
    name : str
        Name of the field.
    places : array of int, shape (k,)
        Which of them.

    Returns
    -------
    array, shape (k,), or None
        Values in the order of `places`.

    """
    read = getattr(nouns, "column", None)
    values: np.ndarray[Any, Any] | None = read(name, places) if read is not None else None
    return values


def values_of(nouns: Sequence[Any], name: str, places: Ints | None = None) -> np.ndarray[Any, Any]:
    """Return a field of some models, or of all; of those kept as columns without making models.

    Parameters
    ----------
    nouns : sequence, length n
        Models of one kind.
    name : str
        Name of the field.
    places : array of int, shape (k,), optional
        Which of them; all n unless given.

    Returns
    -------
    array, shape (k,)
        Values in the order of `places`; of dtype object where models had to be made.

    """
    places = np.arange(len(nouns)) if places is None else places
    values = column_of(nouns, name, places)
    if values is None:
        values = np.empty(len(places), dtype=object)
        values[:] = list(map(attrgetter(name), map(nouns.__getitem__, places.tolist())))
    return values


class Tables(NamedTuple):
    """All models of a graph, each kind in id order.

    Attributes
    ----------
    entities : Nouns[Entity]
    relationships : Nouns[Relationship]
    chunks : Nouns[Chunk]
    communities : Nouns[Community]
    reports : Nouns[CommunityReport]

    """

    entities: Nouns[Entity]
    relationships: Nouns[Relationship]
    chunks: Nouns[Chunk]
    communities: Nouns[Community]
    reports: Nouns[CommunityReport]


class ColumnarGraph(Named):
    """A GraphView over columns and arrays made before; it tells what a MemoryGraph of the same rows tells.

    Parameters
    ----------
    tables : Tables
        Models, made when they are looked at.
    arrays : GraphArrays
        All but the texts.
    called : callable
        Reads what entities are called, when a reference is no id.
    short_ids : callable
        Reads the short ids of `relationships` or `chunks`, when a reference is no id.
    warnings : tuple of ToolWarning
        What was repaired when the graph was read.

    """

    def __init__(
        self,
        tables: Tables,
        arrays: GraphArrays,
        *,
        called: Callable[[], Naming],
        short_ids: Callable[[str], Sequence[int | None]],
        warnings: tuple[ToolWarning, ...] = (),
    ) -> None:
        self.entities, self.relationships, self.chunks = tables[:3]
        self.communities, self.reports = tables[3:]
        self.arrays, self.warnings = arrays, warnings
        self.names = EntityNames(tables.entities.ids, self.entities, called)
        edges, chunks = tables.relationships.ids, tables.chunks.ids
        self._relationship_ids = ItemIds("relationship", edges, lambda: short_ids("relationships"))
        self._chunk_ids = ItemIds("chunk", chunks, lambda: short_ids("chunks"))

    def entity_chunks(self) -> Mapping[str, Sequence[str]]:
        """Return entity id -> ids of the chunks that mention it, in text order."""
        return id_lists(self.arrays.nodes.ids, self.arrays.mentions, self.arrays.chunk_ids)

    def mention_counts(self) -> Mapping[str, Mapping[str, int]]:
        """Return entity id -> chunk id -> how often the chunk mentions it, in text order."""
        return id_counts(self.arrays.nodes.ids, self.arrays.mentions, self.arrays.chunk_ids)
