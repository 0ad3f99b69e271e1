"""Find entities and relationships as they are now, by what a caller calls them."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Protocol, runtime_checkable

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError, nearest, quoted
from corpusgraph.schemas.graph import Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import SHORT_IDS
from corpusgraph.schemas.ports import GraphView
from corpusgraph.tasks.graph.lists import Ids
from corpusgraph.tasks.graph.names import (
    EntityNames,
    NearNames,
    aliases_of,
    naming,
    short_id_of,
    shown_entity,
)
from corpusgraph.tasks.remember.described import described
from corpusgraph.tasks.remember.parted import Parting
from corpusgraph.tasks.remember.related import Relations
from corpusgraph.tasks.remember.splits import Telling
from corpusgraph.tasks.remember.state import MemoryState
from corpusgraph.tasks.remember.triples import Triples

NEWEST = 100
"""Names that are compared one by one before all are counted again."""


@runtime_checkable
class _Named(Protocol):
    @property
    def names(self) -> EntityNames: ...


def names_of(graph: GraphView) -> EntityNames:
    """Return what the entities of a graph are called; a graph that keeps that itself is asked."""
    if isinstance(graph, _Named):
        return graph.names
    entities = graph.entities
    return EntityNames(Ids(tuple(e.id for e in entities)), entities, lambda: naming(entities))


class Names:
    """Resolves references to entities and relationships over a generation and the state of its memory.

    The order is that of `EntityNames`: id, name as written, name without regard to case, another name, short
    id; the first of these that fits any entity decides. Finding looks only at what bears the name, so it does
    not grow with the changes; the state may be brought on meanwhile.
    """

    def __init__(self, graph: GraphView, state: MemoryState, telling: Telling | None = None) -> None:
        self._graph, self.state, self._telling = graph, state, telling
        self._near_hand = 0, NearNames(())

    @cached_property
    def _base(self) -> EntityNames:
        return names_of(self._graph)

    @cached_property
    def _triples(self) -> Triples:
        return Triples(self._graph)

    @cached_property
    def _parting(self) -> Parting:
        return Parting(self._graph, self._triples, self._telling)

    def find(self, ref: EntityRef) -> Entity:
        """Return the entity, or raise UnknownEntityError or AmbiguousEntityError with the candidates."""
        if isinstance(ref, str):
            ref = nfc(ref)
            if (entity := self.at(ref)) is not None:
                return entity
        found = self._numbered(ref) if isinstance(ref, int) else self._called(ref)
        if len(found) == 1:
            return found[0]
        raise self._ambiguous(ref, found) if found else self._unknown(ref)

    def at(self, id_: str) -> Entity | None:
        """Return the entity of an id, merges followed, or None."""
        return described(self.state, self.state.now(id_), self._base.with_id)

    def relationship(self, ref: EntityRef) -> Relationship:
        """Return the relationship of an id or short id, or raise UnknownItemError with near matches."""
        return Relations(self._triples, self.state, self.at, self._parting).find(ref)

    def _called(self, ref: str) -> Sequence[Entity]:
        folded = ref.strip().casefold()
        ids = [entity.id for entity in self._base.called(ref)]
        bearers = self._now([*ids, *self.state.spelled.get(folded, ())])
        fits: dict[int, list[Entity]] = {}
        for entity in bearers:
            fits.setdefault(_level(entity, ref, folded), []).append(entity)
        best = min(fits, default=NONE)
        if best < NONE:
            return fits[best]
        number = short_id_of(ref)
        return () if number is None else self._numbered(number)

    def _numbered(self, number: int) -> Sequence[Entity]:
        if number >= SHORT_IDS and (id_ := self.state.entity_numbers.id_of(number)) is not None:
            found = self._now([id_])
            if found:
                return found
        return self._now(entity.id for entity in self._base.numbered(number))

    def _now(self, ids: Iterable[str]) -> list[Entity]:
        """Return the entities that these now are, each once, in id order."""
        now = sorted({self.state.now(id_) for id_ in ids})
        return [entity for id_ in now if (entity := self.at(id_)) is not None]

    def _ambiguous(self, ref: EntityRef, found: Sequence[Entity]) -> AmbiguousEntityError:
        listed = ", ".join(shown_entity(entity) for entity in found)
        return AmbiguousEntityError(
            f"{quoted(ref)} names {len(found)} entities: {listed}.", hint="Give an id."
        )

    def _unknown(self, ref: EntityRef) -> UnknownEntityError:
        return UnknownEntityError(f"Unknown entity {quoted(ref)}.", hint=lambda: self._meant(str(ref)))

    def _meant(self, name: str) -> str | None:
        """Name the entities that look like a name: made only when the hint is looked at."""
        like = [*self._base.like(name), *self._like_by_hand(name)]
        near = nearest(name, {one.name for known in like for one in self._called(known)})
        bearers = [one for known in near for one in self._called(known) if one.name == known]
        return f"Did you mean {' or '.join(shown_entity(e) for e in bearers)}?" if bearers else None

    def _like_by_hand(self, name: str) -> list[str]:
        """Return names by hand that look like a name; they are counted again when a tenth more has come."""
        spelled = list(self.state.spelled)
        n, near = self._near_hand
        if not n <= len(spelled) <= NEWEST + 1.1 * n:
            n, near = self._near_hand = len(spelled), NearNames(spelled)
        return [*near.like(name), *nearest(name, spelled[n:])]


NONE = 3
"""No level: not called so any more."""


def _level(entity: Entity, ref: str, folded: str) -> int:
    """Return how a name fits: as written, without regard to case, as another name, not at all."""
    if entity.name == ref:
        return 0
    if entity.name.casefold() == folded:
        return 1
    return 2 if folded in {name.casefold() for name in aliases_of(entity)} else NONE
