"""Take entities out, with their relations."""

from pydantic import AliasChoices, Field

from corpusgraph.schemas.memory import DeleteEntity
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.tasks._tool import tool
from corpusgraph.tasks.memory._asked import Ref, named, record, unchanged
from corpusgraph.tasks.memory._names import found
from corpusgraph.tasks.memory._shapes import Outcome
from corpusgraph.tasks.memory.create_entities import REFERENCE


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
    if gone:
        record(
            memory, ask, "delete_entities", [DeleteEntity(entity=named(entity)) for entity in gone.values()]
        )
    message = "Entities deleted successfully"
    if missing:
        n = len(ask.entity_names)
        message = f"Deleted {n - len(missing)} of {n} entities. Not found: {', '.join(missing)}"
    told = () if gone else (unchanged("none of the entities is there"),)
    return Noted(data=Outcome(success=True, message=message), warnings=told)
