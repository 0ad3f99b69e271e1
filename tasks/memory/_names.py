"""Finding what a call names, where a name that is not there is no error."""

from itertools import count
from typing import NamedTuple

from corpusgraph.schemas.errors import AmbiguousEntityError, UnknownEntityError, UnknownItemError
from corpusgraph.schemas.graph import DENIED, Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import HAND
from corpusgraph.schemas.ports import Memory
from corpusgraph.tasks.graph.names import aliases_of, short_id_of
from corpusgraph.tasks.memory._asked import as_kept


def found(memory: Memory, ref: EntityRef) -> Entity | None:
    """Return the entity as it is now, or None where no entity is called so."""
    try:
        return memory.find(ref)
    except UnknownEntityError:
        return None


def is_taken(memory: Memory, name: str, type_: str) -> bool:
    """Tell whether an entity goes by a name already: exactly so, or otherwise and with the same type.

    A name that is only like another's, or another name of an entity of another type, can be given; an id
    cannot: whoever gave it would find the entity of that id.
    """
    try:
        held = memory.find(name)
    except UnknownEntityError:
        return False
    except AmbiguousEntityError as error:  # all of them fit equally well: by this very name, or none
        return f"{name!r} (" in error.message
    folded = {other.casefold() for other in (held.name, *aliases_of(held))}
    taken = held.name == name or (name.casefold() in folded and (held.type or "") == type_)
    return taken or is_id_of(held, name)


def is_id_of(held: Entity, name: str) -> bool:
    """Tell whether an entity was found by its id, or by that of one merged into it."""
    folded = {other.strip().casefold() for other in (held.name, *aliases_of(held))}
    return name.strip().casefold() not in folded and short_id_of(name) is None


def free_id(memory: Memory, name: str, type_: str) -> str:
    """Return the id of a new entity: that of indexing, or where another entity has it, one beside it."""
    ids = (Entity.make_id(name, type_, f"{HAND} {n}" if n else "") for n in count())
    return next(id_ for id_ in ids if found(memory, id_) is None)


class Held(NamedTuple):
    """A relationship that is there, and the type it is kept under: that of what a denial denies."""

    relationship: Relationship
    type: str


def related(memory: Memory, source: Entity, type_: str, target: Entity) -> Held | None:
    """Return the relationship of that type between two entities, or None."""
    for kept in dict.fromkeys((type_, type_.removeprefix(DENIED))):
        if not kept and type_:
            continue
        first, second = as_kept(source, kept, target)
        try:
            held = memory.relationship(Relationship.make_id(first.id, kept, second.id))
        except UnknownItemError:
            continue
        if held.type == type_:
            return Held(held, kept)
    return None


def is_stub(entity: Entity) -> bool:
    """Tell an entity that is there because a relation names it."""
    return entity.is_stub or bool((entity.attributes or {}).get("is_stub"))


class Making:
    """Entities by what a call names them: those that are there, and those that the call makes."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._made: dict[str, Entity] = {}

    def stubs(self) -> list[Entity]:
        """Return what the call makes, in the order in which it was named."""
        return list(self._made.values())

    def find_or_make(self, name: EntityRef) -> Entity:
        """Return the entity of that name; one that is not there is made without a type."""
        held = found(self._memory, name)
        if held is not None:
            return held
        called = str(name)
        if called not in self._made:
            self._made[called] = Entity(id=free_id(self._memory, called, ""), name=called, is_stub=True)
        return self._made[called]
