"""Take entities out, with their relations."""

from itertools import islice

from pydantic import AliasChoices, Field

from corpusgraph.schemas.graph import Entity, EntityRef
from corpusgraph.schemas.memory import DeleteEntity
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.graph.names import short_id_of
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import (
    LISTED,
    Outcome,
    Ref,
    found,
    is_id_of,
    named,
    record,
    unchanged,
)
from corpusgraph.tasks.tools.memory.create_entities import REFERENCE


class DeleteEntities(ToolInput):
    """Which entities to take out."""

    entity_names: list[Ref] = Field(
        max_length=10_000,
        validation_alias=AliasChoices("entityNames", "entity_names", "entities"),
        description="the entities to delete, by name, id or short id",
    )


@tool(writes="memory", cite=REFERENCE, effect="removes")
def delete_entities(ask: DeleteEntities, memory: Memory) -> Noted[Outcome]:
    """Take entities out with their relations and observations; one that is not there is told, no error."""
    held = [(name, found(memory, name)) for name in ask.entity_names]
    missing = [str(name) for name, entity in held if entity is None]
    gone = {entity.id: entity for _, entity in held if entity is not None}
    operations = [DeleteEntity(entity=named(entity)) for entity in gone.values()]
    record(memory, ask, "delete_entities", operations)
    message = "Entities deleted successfully"
    if missing:
        n = len(ask.entity_names)
        message = f"Deleted {n - len(missing)} of {n} entities. Not found: {', '.join(missing)}"
    warnings = _otherwise_named(held) if gone else unchanged("none of the entities is there")
    return Noted(data=Outcome(success=True, message=message), warnings=warnings)


def _otherwise_named(held: list[tuple[EntityRef, Entity | None]]) -> tuple[ToolWarning, ...]:
    """Tell of entities that go by another name now, as after merging: all of what it is was deleted."""
    pairs = [(name, entity) for name, entity in held if entity is not None and isinstance(name, str)]
    other = {
        name: entity.name
        for name, entity in pairs
        if name.strip().casefold() != entity.name.strip().casefold()
        and short_id_of(name) is None
        and not is_id_of(entity, name)
    }
    said = "; ".join(f"{name!r} is another name of {now!r}" for name, now in islice(other.items(), 5))
    message = f"{said}: that was deleted. undo_change brings it back."
    return warned("other_name", message, list(other)[:LISTED], when=other)
