"""What was searched for relationships, when, and how many were found."""

from typing import Literal

from pydantic import AliasChoices, Field, PositiveInt

from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import Ref, Shape, found
from corpusgraph.tasks.tools.memory.get_entity_neighbors import ENHANCED


class GetExtractionLog(ToolInput):
    """How much of the log."""

    entity_id: Ref | None = Field(
        None,
        validation_alias=AliasChoices("entity_id", "entity", "entityName", "entity_name"),
        description="lines about this entity only: short id, id or name",
    )
    limit: PositiveInt = Field(
        100, validation_alias=AliasChoices("limit", "top_k"), description="lines at most: the last ones"
    )


class LogLine(Shape):
    """A search of the texts about an entity."""

    id: int = Field(description="number of the line in the whole log, from 1")
    entity_id: int | None = Field(description="short id")
    ref: str = Field(description="id of the entity")
    entity_name: str
    relationships_found: int
    extracted_at: str = Field(description="UTC, ISO 8601")
    change: int = Field(description="number of the change that it belongs to")


class ExtractionLog(Shape):
    """Lines of the log, the last first."""

    success: Literal[True] = True
    total: int = Field(description="lines there are")
    log: tuple[LogLine, ...]


@tool(writes="memory", cite=ENHANCED)
def get_extraction_log(ask: GetExtractionLog, memory: Memory) -> ExtractionLog:
    """Return which entities' texts were searched for relationships, when, and with what outcome."""
    wanted = None if ask.entity_id is None else memory.find(ask.entity_id).id
    lines = [
        (number, change, line)
        for number, (change, line) in enumerate(memory.extractions(), start=1)
        if wanted is None or wanted in (line.entity.id, _now(memory, line.entity.id))
    ]
    shown = []
    for number, change, line in reversed(lines[-ask.limit :]):
        entity = found(memory, line.entity.id)
        shown.append(
            LogLine(
                id=number,
                entity_id=entity.short_id if entity else None,
                ref=line.entity.id,
                entity_name=entity.name if entity else line.entity.name,
                relationships_found=line.found,
                extracted_at=change.at,
                change=change.number,
            )
        )
    return ExtractionLog(total=len(lines), log=tuple(shown))


def _now(memory: Memory, id_: str) -> str | None:
    """Return the entity that one is now, merges followed."""
    entity = found(memory, id_)
    return entity.id if entity else None
