"""Find an item by what a caller calls it: id, name, other name, or short id."""

import json
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.errors import (
    AmbiguousEntityError,
    UnknownEntityError,
    UnknownItemError,
    nearest,
    quoted,
)
from corpusgraph.schemas.graph import Entity, EntityRef
from corpusgraph.tasks.graph.compiled import Ids

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

NEAR_POOL = 200
"""How many names that look most alike are compared once more for "Did you mean"."""
NEAR_IDS = 5_000
"""How many ids on either side of where an unknown one would stand are looked at."""


def short_id_of(ref: EntityRef) -> int | None:
    """Return the short id a reference can mean: an integer, or a string of digits.

    Parameters
    ----------
    ref : str or int
        What a caller calls an item.

    Returns
    -------
    int or None
        From 0; None for text that is no number or has 19 digits or more, which no 64-bit integer is sure to
        hold.

    """
    if isinstance(ref, int):
        return ref
    return int(ref) if ref.isdecimal() and len(ref) < 19 else None


class Naming(NamedTuple):
    """What entities are called, by place.

    Attributes
    ----------
    names : sequence of str
    short_ids : sequence of int or None
    aliases : sequence of sequence of str
        Other names, case-folded.

    """

    names: Sequence[str]
    short_ids: Sequence[int | None]
    aliases: Sequence[Sequence[str]]


def naming(entities: Iterable[Entity]) -> Naming:
    """Read off entities what they are called.

    Parameters
    ----------
    entities : iterable of Entity
        In order of place.

    Returns
    -------
    Naming
        Names, short ids and folded other names, in the order of the entities.

    """
    rows = [(entity.name, entity.short_id, folded_aliases(entity.attributes or {})) for entity in entities]
    return Naming([row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows])


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names that look like one, best first.

    Parameters
    ----------
    name : str
        What was asked for; case does not count.
    known : iterable of str
        Names that there are.

    Returns
    -------
    list of str
        Empty where none is alike.

    """
    from rapidfuzz import fuzz, process

    pool = process.extract(
        name, sorted(known), scorer=fuzz.ratio, processor=str.casefold, score_cutoff=60, limit=NEAR_POOL
    )
    return nearest(name, [other for other, _, _ in pool])


def only_one(ref: EntityRef, entities: Sequence[Entity], like: Callable[[str], Sequence[Entity]]) -> Entity:
    """Return the one entity that a reference names.

    Parameters
    ----------
    ref : str or int
        What a caller calls an entity.
    entities : sequence of Entity
        Those that it names.
    like : callable
        Looks for entities whose names are like it; called when the hint is read, since whoever takes an
        unknown name as it is need not wait.

    Returns
    -------
    Entity
        The first and only one of `entities`.

    Raises
    ------
    UnknownEntityError
        Where there is none, with those that are like it as a hint.
    AmbiguousEntityError
        Where there are several.

    """
    if not entities:
        raise UnknownEntityError(f"Unknown entity {quoted(ref)}.", hint=lambda: _meant(like(str(ref))))
    if len(entities) > 1:
        listed = ", ".join(shown_entity(entity) for entity in entities)
        message = f"{quoted(ref)} names {len(entities)} entities: {listed}."
        raise AmbiguousEntityError(message, hint="Give an id.")
    return entities[0]


def _meant(like: Sequence[Entity]) -> str | None:
    return f"Did you mean {' or '.join(shown_entity(entity) for entity in like)}?" if like else None


class EntityNames:
    """Resolves references to entities.

    A string is tried as an id, then as a name as written, as a name without regard to case, as another name
    (`attributes["aliases"]`), and as a short id: the first of these that fits any entity decides. An integer
    is a short id. What entities are called is read when a reference is no id.

    Parameters
    ----------
    ids : Ids
        Of the entities.
    entities : sequence of Entity
        In the same order.
    called : callable
        Reads what they are called.

    """

    def __init__(self, ids: Ids, entities: Sequence[Entity], called: Callable[[], Naming]) -> None:
        self._ids, self._entities, self._read = ids, entities, called

    def find(self, ref: EntityRef) -> Entity:
        """Return the entity that a reference names.

        Parameters
        ----------
        ref : str or int
            Id, name, other name or short id.

        Returns
        -------
        Entity
            Looked up by id, name as written, name whatever its case, other name, and only then short id.

        Raises
        ------
        UnknownEntityError
            With the names nearest to it as a hint.
        AmbiguousEntityError
            With the candidates.

        """
        if isinstance(ref, str):
            ref = nfc(ref)
            at = self._ids.find(ref)
            if at is not None:
                return self._entities[at]
        return only_one(ref, [self._entities[i] for i in self._candidates(ref)], self._like)

    def called(self, name: str) -> list[Entity]:
        """Return all that have a name or another name like this, without regard to case.

        Parameters
        ----------
        name : str
            A name.

        Returns
        -------
        list of Entity
            In id order.

        """
        folded = name.strip().casefold()
        places = {*self._by_fold.get(folded, ()), *self._by_alias.get(folded, ())}
        return [self._entities[i] for i in sorted({*self._by_name.get(name, ()), *places})]

    def numbered(self, number: int) -> list[Entity]:
        """Return all that have a short id.

        Parameters
        ----------
        number : int
            A short id.

        Returns
        -------
        list of Entity
            Empty where the number is free.

        """
        return [self._entities[i] for i in self._by_short_id.get(number, ())]

    def like(self, name: str) -> list[str]:
        """Return up to three names that look like a name, best first.

        Parameters
        ----------
        name : str
            A name, known or not.

        Returns
        -------
        list of str
            Empty where none is near enough.

        """
        return near_names(name, self._by_name)

    def _candidates(self, ref: EntityRef) -> Sequence[int]:
        number = short_id_of(ref)
        if isinstance(ref, int):
            return self._by_short_id.get(ref, ())
        folded = ref.strip().casefold()
        found = self._by_name.get(ref) or self._by_fold.get(folded) or self._by_alias.get(folded)
        if found is None and number is not None:
            found = self._by_short_id.get(number)
        return found or ()

    @cached_property
    def _called(self) -> Naming:
        return self._read()

    @cached_property
    def _by_short_id(self) -> Mapping[int, list[int]]:
        return grouped((number, i) for i, number in enumerate(self._called.short_ids) if number is not None)

    @cached_property
    def _by_name(self) -> Mapping[str, list[int]]:
        return grouped((name, i) for i, name in enumerate(self._called.names))

    @cached_property
    def _by_fold(self) -> Mapping[str, list[int]]:
        return grouped((name.casefold(), i) for i, name in enumerate(self._called.names))

    @cached_property
    def _by_alias(self) -> Mapping[str, list[int]]:
        return grouped((name, i) for i, names in enumerate(self._called.aliases) for name in names)

    def _like(self, name: str) -> list[Entity]:
        """Return the entities with a name that looks like a name."""
        return [self._entities[i] for known in self.like(name) for i in self._by_name[known]]


class ItemIds:
    """Resolves references to relationships or chunks: an id or a short id.

    Parameters
    ----------
    kind : str
        What the items are, for messages.
    ids : Ids
        Of the items.
    short_ids : callable
        Reads their short ids, by place.

    """

    def __init__(self, kind: str, ids: Ids, short_ids: Callable[[], Sequence[int | None]]) -> None:
        self._kind, self._ids, self._read = kind, ids, short_ids

    def find(self, ref: EntityRef) -> int:
        """Return the place of the item that a reference names.

        Parameters
        ----------
        ref : str or int
            Id or short id.

        Returns
        -------
        int
            From 0, in the order of the ids.

        Raises
        ------
        UnknownItemError
            With near matches as a hint.

        """
        if isinstance(ref, str) and (at := self._ids.find(ref)) is not None:
            return at
        number = short_id_of(ref)
        if number is not None and number in self._by_short_id:
            return self._by_short_id[number]
        raise UnknownItemError(f"Unknown {self._kind} {quoted(ref)}.", hint=lambda: self._meant(str(ref)))

    def _meant(self, ref: str) -> str | None:
        """Name the ids that look like an unknown one: whoever only asks whether it is there need not wait."""
        at = bisect_left(self._ids, ref)
        around = self._ids[max(0, at - NEAR_IDS) : at + NEAR_IDS]
        near = " or ".join(repr(id_) for id_ in near_names(ref, around))
        return f"Did you mean {near}?" if near else None

    @cached_property
    def _by_short_id(self) -> Mapping[int, int]:
        return {number: i for i, number in enumerate(self._read()) if number is not None}


def aliases_of(entity: Entity) -> list[str]:
    """Return an entity's other names: the items, or keys, of `attributes["aliases"]`.

    Parameters
    ----------
    entity : Entity
        An entity.

    Returns
    -------
    list of str
        Normalised to NFC.

    """
    return other_names(entity.attributes or {})


def other_names(attributes: Mapping[str, Any]) -> list[str]:
    """Return the other names that attributes tell: the items, or keys, of `aliases`.

    Parameters
    ----------
    attributes : mapping of str to Any
        Attributes of an entity.

    Returns
    -------
    list of str
        Normalised to NFC.

    """
    return [nfc(name) for name in texts_of(attributes, "aliases")]


def texts_of(attributes: Mapping[str, Any], key: str) -> list[str]:
    """Return the items, or keys, of an attribute as texts; of any other, itself.

    Parameters
    ----------
    attributes : mapping of str to Any
        Attributes of an entity.
    key : str
        Name of an attribute.

    Returns
    -------
    list of str
        Empty where there is no such attribute, or an empty one.

    """
    held = attributes.get(key) or ()
    return [str(one) for one in held] if isinstance(held, list | tuple | Mapping) else [str(held)]


def folded_aliases(attributes: Mapping[str, Any]) -> list[str]:
    """Return the other names that attributes tell, without regard to case, each once.

    Parameters
    ----------
    attributes : mapping of str to Any
        Attributes of an entity.

    Returns
    -------
    list of str
        Case-folded.

    """
    return list(dict.fromkeys(name.casefold() for name in other_names(attributes)))


def grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Gather values by key.

    Parameters
    ----------
    pairs : iterable of (K, V)
        Keys and values.

    Returns
    -------
    dict of K to list of V
        Keys in order of first appearance, values in order.

    """
    groups: dict[K, list[V]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def shown_entity(entity: Entity) -> str:
    """Return name, type and id as messages show them.

    Parameters
    ----------
    entity : Entity
        An entity.

    Returns
    -------
    str
        Such as `'John Snow' (person, ent_0123456789abcdef)`.

    """
    return f"{entity.name!r} ({entity.type + ', ' if entity.type else ''}{entity.id})"


HAND_MADE = frozenset({"memory", "import"})
"""`Entity.attributes["origin"]` of an entity that was made by hand, here or in a memory that was imported."""
ROWS = "observation_rows"
"""Attribute with the observations as an imported file has them, where they are more than words."""
BETWEEN = "\0"
"""Stands between the texts of an entity, and between entities."""


def noted_of(entity: Entity) -> tuple[str, ...]:
    """Return what was noted of an entity by hand, in order.

    Parameters
    ----------
    entity : Entity
        An entity.

    Returns
    -------
    tuple of str
        The items of `attributes["observations"]`.

    """
    return tuple(texts_of(entity.attributes or {}, "observations"))


def beside(entity: Entity) -> tuple[str, ...]:
    """Return what was noted of an entity and is not in its description, in order.

    Parameters
    ----------
    entity : Entity
        An entity.

    Returns
    -------
    tuple of str
        Empty where nothing was noted, or the description says it all.

    """
    told = entity.description or ""
    return tuple(text for text in noted_of(entity) if text not in told)


def text_of_row(row: Any) -> str:
    """Return what an observation of a file says: some servers keep objects with a content and a time.

    Parameters
    ----------
    row : Any
        An observation: a string, or an object with `content`, `text` or `observation`.

    Returns
    -------
    str
        The JSON of anything else.

    """
    if isinstance(row, str):
        return row
    if isinstance(row, dict):
        for key in ("content", "text", "observation"):
            if isinstance(row.get(key), str):
                return str(row[key])
    return json.dumps(row, ensure_ascii=False)


def is_hand_made(entity: Entity) -> bool:
    """Tell an entity that was made by hand, of which only what was noted is told, from one of the corpus.

    Parameters
    ----------
    entity : Entity
        An entity.

    Returns
    -------
    bool
        Its attribute `origin` decides.

    """
    return (entity.attributes or {}).get("origin") in HAND_MADE


def observations_of(entity: Entity) -> tuple[str, ...]:
    """Return what was noted of an entity; of one of the corpus, after the sentence that describes it.

    Parameters
    ----------
    entity : Entity
        An entity.

    Returns
    -------
    tuple of str
        The description comes first unless it is made of the notes; empty where there is nothing to tell.

    """
    noted = noted_of(entity)
    told = entity.description
    if not told or is_hand_made(entity) or any(one in told for one in noted):
        return noted
    return (told, *noted)


def held_by(entity: Entity) -> str:
    """Return name, type and observations without regard to case.

    Parameters
    ----------
    entity : Entity
        An entity.

    Returns
    -------
    str
        Case-folded, with a null character between the texts.

    """
    return BETWEEN.join((entity.name, entity.type or "", *observations_of(entity))).casefold()
