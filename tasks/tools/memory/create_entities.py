"""Make entities, with what is known of them."""

from collections.abc import Iterable
from itertools import islice

from pydantic import Field

from corpusgraph.schemas.errors import AmbiguousEntityError
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import CreateEntity, Named, Observe, Operation, Rename
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import (
    LISTED,
    NewEntity,
    Node,
    Shape,
    found,
    free_id,
    is_id_of,
    is_stub,
    is_taken,
    listed,
    named,
    record,
    unchanged,
)

REFERENCE = "Model Context Protocol reference servers: memory"


class CreateEntities(ToolInput):
    """What to make."""

    entities: list[NewEntity] = Field(max_length=10_000, description="the entities to make")


class CreatedEntities(Shape):
    """Those that were not there before."""

    entities: tuple[Node, ...]


@tool(writes="memory", cite=REFERENCE, effect="adds")
def create_entities(ask: CreateEntities, memory: Memory) -> Noted[CreatedEntities]:
    """Make entities with their observations; one whose name is there already is left as it is."""
    operations: list[Operation] = []
    made: list[Node] = []
    there: list[str] = []
    seen: set[str] = set()
    for new in ask.entities:
        steps = _made(new, memory)
        id_ = Entity.make_id(new.name, new.entity_type.strip())
        if not steps or not seen.isdisjoint((new.name, id_)):
            there.append(new.name)
            continue
        seen |= {new.name, id_}
        operations += steps
        noted = tuple(dict.fromkeys(new.observations))
        made.append(Node(name=new.name, entityType=new.entity_type, observations=noted))
    others = _other_names(there, memory)
    record(memory, ask, "create_entities", operations)
    return Noted(data=CreatedEntities(entities=tuple(made)), warnings=_told(there, others, bool(operations)))


def _made(new: NewEntity, memory: Memory) -> list[Operation]:
    """Return what makes an entity; of one that a relation named before it was made, its type is filled in."""
    type_ = new.entity_type.strip()
    stub = _stub(new.name, memory) if type_ else None
    if stub is not None:
        entity = named(stub)
        return [Rename(entity=entity, name=new.name, type=type_), *_noted(entity, new)]
    if is_taken(memory, new.name, type_):
        return []
    entity = Named(id=free_id(memory, new.name, type_), name=new.name, type=type_ or None)
    return [CreateEntity(id=entity.id, name=new.name, type=entity.type), *_noted(entity, new)]


def _held(name: str, memory: Memory) -> Entity | None:
    try:
        return found(memory, name)
    except AmbiguousEntityError:
        return None


def _stub(name: str, memory: Memory) -> Entity | None:
    held = _held(name, memory)
    return held if held is not None and held.name == name and is_stub(held) and not held.type else None


def _noted(entity: Named, new: NewEntity) -> list[Operation]:
    contents = tuple(dict.fromkeys(new.observations))
    return [Observe(entity=entity, contents=contents)] if contents else []


def _other_names(names: Iterable[str], memory: Memory) -> list[str]:
    """Tell of which entities names are other names: after a renaming or merging, or in other letters."""
    told = []
    for name in islice(names, LISTED):
        held = _held(name, memory)
        if held is not None and held.name != name and not is_id_of(held, name):
            told.append(f"{name!r} is another name of {held.name!r}")
    return told


def _told(there: list[str], others: list[str], wrote: bool) -> tuple[ToolWarning, ...]:
    if not there:
        return unchanged("no entity was given", when=not wrote)
    message = f"{listed(there)}: there already, and left as it is; add_observations notes more of an entity."
    if others:
        message += f" {'; '.join(others[:5])}."
    told = warned("entity_exists", message, there[:LISTED])
    return (*told, *unchanged("every entity is there already", when=not wrote))
