"""One generation of a graph kept as columns: a noun is made when it is looked at."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar, overload

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, EntityRef, Relationship
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.graph.compiled import GraphArrays, IdCounts, IdLists, Ids
from corpusgraph.tasks.graph.names import EntityNames, ItemIds, Naming

if TYPE_CHECKING:
    import numpy as np

    from corpusgraph.schemas.ports import Ints

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
        """Make the noun of a row."""

    def some(self, start: int, stop: int) -> Sequence[T_co]:
        """Make the nouns of a stretch of rows."""


class Nouns(Sequence[T]):
    """Nouns in id order, each made when it is first looked at and kept."""

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

    def column(self, name: str, places: "Ints") -> "np.ndarray[Any, Any] | None":
        """Return a field of some rows (k,) without making nouns; None where the records cannot tell it."""
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


class Tables(NamedTuple):
    """The nouns of a graph."""

    entities: Nouns[Entity]
    relationships: Nouns[Relationship]
    chunks: Nouns[Chunk]
    communities: Nouns[Community]
    reports: Nouns[CommunityReport]


class ColumnarGraph:
    """A GraphView over columns and arrays made before; it tells what a MemoryGraph of the same rows tells.

    `called` reads what entities are called, `short_ids` those of relationships and of chunks: when a
    reference is no id.
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
        self._tables, self.arrays, self.warnings = tables, arrays, warnings
        self._called, self._short_ids = called, short_ids

    @property
    def entities(self) -> Sequence[Entity]:
        """Nodes, in id order."""
        return self._tables.entities

    @property
    def relationships(self) -> Sequence[Relationship]:
        """Edges, in id order."""
        return self._tables.relationships

    @property
    def chunks(self) -> Sequence[Chunk]:
        """Chunks, in id order."""
        return self._tables.chunks

    @property
    def communities(self) -> Sequence[Community]:
        """Communities of all levels, in id order."""
        return self._tables.communities

    @property
    def reports(self) -> Sequence[CommunityReport]:
        """Reports on communities, in id order."""
        return self._tables.reports

    @property
    def names(self) -> EntityNames:
        """What the entities are called."""
        return self._names

    def entity(self, ref: EntityRef) -> Entity:
        """Find by id, name or short id; an unknown or ambiguous one is an error with candidates."""
        return self._names.find(ref)

    def relationship(self, ref: EntityRef) -> Relationship:
        """Find by id or short id."""
        return self.relationships[self._relationship_ids.find(ref)]

    def chunk(self, ref: EntityRef) -> Chunk:
        """Find by id or short id."""
        return self.chunks[self._chunk_ids.find(ref)]

    def entity_chunks(self) -> Mapping[str, Sequence[str]]:
        """Return entity id -> ids of the chunks that mention it, in text order."""
        return IdLists(self.arrays.nodes.ids, self.arrays.mentions, self.arrays.chunk_ids)

    def mention_counts(self) -> Mapping[str, Mapping[str, int]]:
        """Return entity id -> chunk id -> how often the chunk mentions it, in text order."""
        return IdCounts(self.arrays.nodes.ids, self.arrays.mentions, self.arrays.chunk_ids)

    @cached_property
    def _names(self) -> EntityNames:
        return EntityNames(self._tables.entities.ids, self.entities, self._called)

    @cached_property
    def _relationship_ids(self) -> ItemIds:
        ids = self._tables.relationships.ids
        return ItemIds("relationship", ids, lambda: self._short_ids("relationships"))

    @cached_property
    def _chunk_ids(self) -> ItemIds:
        return ItemIds("chunk", self._tables.chunks.ids, lambda: self._short_ids("chunks"))
