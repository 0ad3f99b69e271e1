"""Search the texts about an entity for relationships."""

from typing import Literal

from pydantic import AliasChoices, Field

from corpusgraph.schemas.ports import GraphView, Memory
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.schemas.stages import Extractor
from corpusgraph.tasks.tools.memory._inputs import Ref, Shape, unchanged
from corpusgraph.tasks.tools.memory._reading import Reader, Texts, extract, extracting, searched_before


class ExtractEntityRelationships(ToolInput):
    """About which entity."""

    entity_id: Ref = Field(
        validation_alias=AliasChoices("entity_id", "entity", "entityName", "entity_name"),
        description="the entity: short id, id or name",
    )
    again: bool = Field(False, description="search also texts that have not changed since the last time")


class EntityExtraction(Shape):
    """What was found."""

    success: Literal[True] = True
    entity_id: int | None = Field(description="short id")
    id: str
    relationships_found: int = Field(
        description="relationships between entities of this index that are noted of it, and those of its own "
        "that texts about it state"
    )
    relationships_added: int = Field(description="those that the index did not have")
    change: int = Field(description="number to undo it by; 0 where nothing was written")


@extracting()
def extract_entity_relationships(
    ask: ExtractEntityRelationships, graph: GraphView, memory: Memory, extractor: Extractor
) -> Noted[EntityExtraction]:
    """Search an entity's observations and chunks for relationships by patterns, and add those that are new.

    The patterns are the rules of indexing (several languages) and "X causes Y", "X uses Y" … between names as
    they are known. What is found has confidence 0.5 and its pattern as provenance. What was taken out by hand
    is not added again.
    """
    entity, reader = memory.find(ask.entity_id), Reader(memory, extractor)
    texts, last = Texts(graph, memory, reader.fingerprint), searched_before(memory).get(entity.id)
    if last is not None and not ask.again and last[1].digest == texts.digest(entity):
        found, added, number = last[1].found, 0, 0
        warnings = unchanged(f"its texts were searched at {last[0].at} and have not changed since")
    else:
        searched, new, number = extract([entity], texts, reader, memory, ask, "extract_entity_relationships")
        found, added, warnings = len(searched[0].stated), len(new), ()
    data = EntityExtraction(
        entity_id=entity.short_id,
        id=entity.id,
        relationships_found=found,
        relationships_added=added,
        change=number,
    )
    return Noted(data=data, warnings=warnings)
