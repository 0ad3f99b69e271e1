"""Find an item by what a caller calls it: id, name, other name, or short id."""

import heapq
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError, UnknownItemError, nearest
from corpusgraph.schemas.graph import Entity, EntityRef

K = TypeVar("K", bound=Hashable)

NEAR_POOL = 200
"""How many names that share letter pairs are compared letter by letter for "Did you mean"."""


def short_id_of(ref: EntityRef) -> int | None:
    """Return the short id a reference can mean: an integer, or a string of digits."""
    if isinstance(ref, int):
        return ref
    return int(ref) if ref.isdecimal() and len(ref) < 19 else None


class EntityNames:
    """Resolves references to entities.

    A string is tried as an id, then as a name as written, as a name without regard to case, as another name
    (`attributes["aliases"]`), and as a short id: the first of these that fits any entity decides. An integer
    is a short id.
    """

    def __init__(self, entities: Sequence[Entity]) -> None:
        self._by_id = {entity.id: entity for entity in entities}
        self._by_short_id = _grouped((e.short_id, e) for e in entities if e.short_id is not None)
        self._by_name = _grouped((e.name, e) for e in entities)
        self._by_fold = _grouped((e.name.casefold(), e) for e in entities)
        self._by_alias = _grouped((name, e) for e in entities for name in _folded_aliases(e))

    def find(self, ref: EntityRef) -> Entity:
        """Return the entity, or raise UnknownEntityError or AmbiguousEntityError with the candidates."""
        if isinstance(ref, str):
            ref = nfc(ref)
            if ref in self._by_id:
                return self._by_id[ref]
        found = self._candidates(ref)
        if len(found) == 1:
            return found[0]
        raise self._ambiguous(ref, found) if found else self._unknown(ref)

    def _candidates(self, ref: EntityRef) -> Sequence[Entity]:
        number = short_id_of(ref)
        numbered = self._by_short_id.get(number, ()) if number is not None else ()
        if isinstance(ref, int):
            return numbered
        folded = ref.strip().casefold()
        return self._by_name.get(ref) or self._by_fold.get(folded) or self._by_alias.get(folded) or numbered

    def _ambiguous(self, ref: EntityRef, found: Sequence[Entity]) -> AmbiguousEntityError:
        listed = ", ".join(_shown(entity) for entity in found)
        return AmbiguousEntityError(f"{ref!r} names {len(found)} entities: {listed}.", hint="Give an id.")

    def _unknown(self, ref: EntityRef) -> UnknownEntityError:
        near = near_names(str(ref), self._by_name)
        shown = " or ".join(_shown(entity) for name in near for entity in self._by_name[name])
        return UnknownEntityError(f"Unknown entity {ref!r}.", hint=f"Did you mean {shown}?" if near else None)


class ItemIds:
    """Resolves references to relationships or chunks: an id or a short id."""

    def __init__(self, kind: str, items: Iterable[tuple[str, int | None]]) -> None:
        self._kind = kind
        self._ids: set[str] = set()
        self._by_short_id: dict[int, str] = {}
        for id_, short_id in items:
            self._ids.add(id_)
            if short_id is not None:
                self._by_short_id[short_id] = id_

    def find(self, ref: EntityRef) -> str:
        """Return the id, or raise UnknownItemError with near matches."""
        if isinstance(ref, str) and ref in self._ids:
            return ref
        number = short_id_of(ref)
        if number is not None and number in self._by_short_id:
            return self._by_short_id[number]
        near = " or ".join(repr(id_) for id_ in near_names(str(ref), self._ids))
        raise UnknownItemError(
            f"Unknown {self._kind} {ref!r}.", hint=f"Did you mean {near}?" if near else None
        )


def aliases_of(entity: Entity) -> list[str]:
    """Return an entity's other names: the items, or keys, of `attributes["aliases"]`."""
    others = (entity.attributes or {}).get("aliases") or ()
    if isinstance(others, str):
        others = [others]
    return [nfc(str(other)) for other in others]


def _folded_aliases(entity: Entity) -> list[str]:
    return list(dict.fromkeys(name.casefold() for name in aliases_of(entity)))


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names that look like `name`, best first.

    Comparing letter by letter is slow on a large graph, so only the names that share the most letter pairs
    are compared.
    """
    wanted = _pairs(name)
    size = len(wanted) or 1
    pool = heapq.nlargest(
        NEAR_POOL, ((len(wanted & (p := _pairs(k))) / (size + len(p)), k) for k in sorted(known))
    )
    return nearest(name, [k for share, k in pool if share > 0])


def _pairs(text: str) -> set[str]:
    folded = f" {text.casefold()} "
    return {folded[i : i + 2] for i in range(len(folded) - 1)}


def _grouped(pairs: Iterable[tuple[K, Entity]]) -> Mapping[K, list[Entity]]:
    groups: dict[K, list[Entity]] = defaultdict(list)
    for key, entity in pairs:
        groups[key].append(entity)
    return dict(groups)


def _shown(entity: Entity) -> str:
    return f"{entity.name!r} ({entity.type + ', ' if entity.type else ''}{entity.id})"
