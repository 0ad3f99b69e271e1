"""One generation of a graph in memory, as the tools see it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeVar

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Community, CommunityReport, Entity, EntityRef, Relationship
from corpusgraph.schemas.results import ToolWarning, warned
from corpusgraph.tasks.graph.compiled import Ids
from corpusgraph.tasks.graph.names import EntityNames, ItemIds, naming
from corpusgraph.tasks.graph.ranking import Identified

IncidenceRow = Mapping[str, Any] | tuple[str, str, int]
"""An entity in a chunk: `{entity_id, chunk_id, count}` or the three in a tuple."""
LISTED = 100
"""Records named in a warning about the graph."""


T = TypeVar("T", bound=Identified)


class Named:
    """Finds entities, relationships and chunks of a graph by what a caller calls them.

    Attributes
    ----------
    entities : sequence of Entity
        In id order.
    relationships : sequence of Relationship
        In id order.
    chunks : sequence of Chunk
        In id order.
    names : EntityNames
        Resolves references to entities.

    """

    entities: Sequence[Entity]
    relationships: Sequence[Relationship]
    chunks: Sequence[Chunk]
    names: EntityNames
    _relationship_ids: ItemIds
    _chunk_ids: ItemIds

    def entity(self, ref: EntityRef) -> Entity:
        """Return an entity by id, name or short id.

        Parameters
        ----------
        ref : str or int
            What the caller calls it.

        Returns
        -------
        Entity
            The item of this view, whichever way it was named.

        Raises
        ------
        UnknownEntityError, AmbiguousEntityError
            With the candidates.

        """
        return self.names.find(ref)

    def relationship(self, ref: EntityRef) -> Relationship:
        """Return a relationship by id or short id.

        Parameters
        ----------
        ref : str or int
            What the caller calls it.

        Returns
        -------
        Relationship
            The item of this view.

        Raises
        ------
        UnknownItemError
            With near matches.

        """
        return self.relationships[self._relationship_ids.find(ref)]

    def chunk(self, ref: EntityRef) -> Chunk:
        """Return a chunk by id or short id."""
        return self.chunks[self._chunk_ids.find(ref)]


class MemoryGraph(Named):
    """A GraphView over plain lists.

    A relationship that points to a missing entity gets a stub entity (`is_stub`), listed in `warnings`.

    Parameters
    ----------
    entities : iterable of Entity
        In any order; ids are unique within a kind.
    relationships : iterable of Relationship
    chunks : iterable of Chunk
    communities : iterable of Community
    reports : iterable of CommunityReport
    incidence : iterable of mapping or (str, str, int)
        Entity id, chunk id and count of mentions; without any, `Chunk.entities` tells which chunk mentions
        which entity.
    strict : bool
        Refuse relationships to missing entities.

    Raises
    ------
    InvalidInputError
        For an id that appears twice, and with `strict` for missing entities.

    """

    def __init__(
        self,
        entities: Iterable[Entity],
        relationships: Iterable[Relationship] = (),
        chunks: Iterable[Chunk] = (),
        communities: Iterable[Community] = (),
        reports: Iterable[CommunityReport] = (),
        incidence: Iterable[IncidenceRow] = (),
        *,
        strict: bool = False,
    ) -> None:
        given = _in_id_order("entity", entities)
        self.relationships = _in_id_order("relationship", relationships)
        self._stubs = _stubs(given, self.relationships)
        if strict and self._stubs:
            ids = ", ".join(stub.id for stub in self._stubs[:5])
            message = f"Relationships point to {len(self._stubs)} missing entities: {ids}."
            raise InvalidInputError(message, hint="Add the entities, or read the graph without strict.")
        self.entities = tuple(sorted([*given, *self._stubs], key=lambda e: e.id)) if self._stubs else given
        self.chunks = _in_id_order("chunk", chunks)
        self.communities = _in_id_order("community", communities)
        self.reports = _in_id_order("report", reports)
        self._incidence = tuple(incidence)
        entity_ids = Ids(tuple(entity.id for entity in self.entities))
        self.names = EntityNames(entity_ids, self.entities, lambda: naming(self.entities))
        self._relationship_ids = _item_ids("relationship", self.relationships)
        self._chunk_ids = _item_ids("chunk", self.chunks)

    @cached_property
    def warnings(self) -> tuple[ToolWarning, ...]:
        """What was repaired: stubs made, mentions of unknown entities or in unknown chunks left out."""
        return repairs([stub.id for stub in self._stubs], self._counted[1])

    def entity_chunks(self) -> Mapping[str, Sequence[str]]:
        """Return entity id -> ids of the chunks that mention it, in text order."""
        return self._entity_chunks

    def mention_counts(self) -> Mapping[str, Mapping[str, int]]:
        """Return entity id -> chunk id -> how often the chunk mentions it, in text order."""
        return self._counted[0]

    @cached_property
    def _counted(self) -> tuple[dict[str, dict[str, int]], list[str]]:
        """The mentions of each entity, and those of an unknown entity or in an unknown chunk."""
        rows = self._incidence or [(e, c.id, 1) for c in self.chunks for e in dict.fromkeys(c.entities or ())]
        place = {c.id: (c.source_doc, c.position, c.id) for c in self.chunks}
        counts: dict[str, dict[str, int]] = {entity.id: {} for entity in self.entities}
        known, lost = [], []
        for row in map(_triple, rows):
            if row[0] in counts and row[1] in place:
                known.append(row)
            else:
                lost.append(f"{row[0]}@{row[1]}")
        for entity, chunk, count in sorted(known, key=lambda row: (row[0], place[row[1]])):
            counts[entity][chunk] = counts[entity].get(chunk, 0) + count
        return counts, lost

    @cached_property
    def _entity_chunks(self) -> dict[str, tuple[str, ...]]:
        return {entity: tuple(chunks) for entity, chunks in self.mention_counts().items()}


def _item_ids(kind: str, items: Sequence[Relationship] | Sequence[Chunk]) -> ItemIds:
    return ItemIds(kind, Ids(tuple(item.id for item in items)), lambda: [item.short_id for item in items])


def repairs(stubs: Sequence[str], lost: Sequence[str]) -> tuple[ToolWarning, ...]:
    """Tell of entities made because a relationship pointed to them, and of mentions left out.

    The first records are listed: the warning comes with every result, which must stay small.

    Parameters
    ----------
    stubs : sequence of str
        Ids of the entities that were made.
    lost : sequence of str
        `entity@chunk` of each mention that was left out.

    Returns
    -------
    tuple of ToolWarning
        `stub_entities` and `unknown_incidence`, each where there is any.

    """
    stubbed = "entities are missing; relationships that point to them got stubs."
    unknown = "mentions name an unknown entity or chunk and are left out."
    found: list[ToolWarning] = []
    for code, message, records in (("stub_entities", stubbed, stubs), ("unknown_incidence", unknown, lost)):
        more = f" Listed are the first {LISTED}." if len(records) > LISTED else ""
        found += warned(code, f"{len(records)} {message}{more}", records[:LISTED], when=records)
    return tuple(found)


def _in_id_order(kind: str, items: Iterable[T]) -> tuple[T, ...]:
    """Sort by id; an id that appears twice is an error."""
    ordered = tuple(sorted(items, key=lambda item: item.id))
    for before, after in pairwise(ordered):
        if before.id == after.id:
            message = f"Two items are the {kind} {after.id!r}."
            raise InvalidInputError(message, hint="Ids are unique within a kind.")
    return ordered


def _stubs(entities: Iterable[Entity], relationships: Iterable[Relationship]) -> tuple[Entity, ...]:
    known = {entity.id for entity in entities}
    ends = {end for r in relationships for end in (r.source_id, r.target_id)}
    return tuple(Entity(id=end, is_stub=True) for end in sorted(ends - known))


def _triple(row: IncidenceRow) -> tuple[str, str, int]:
    if isinstance(row, tuple):
        return row
    return row["entity_id"], row["chunk_id"], int(row.get("count", 1))
