"""How the tools of the memory graph are given entities and relationships."""

from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field

from corpusgraph.schemas.graph import EntityRef
from corpusgraph.tasks._tool import Reads
from corpusgraph.tasks.graph.inputs import references


def _listed(value: Any) -> Any:
    """Return one reference as a list of it."""
    return [value] if isinstance(value, str | int) else references(value)


_Some = Annotated[list[EntityRef], Field(min_length=1)]

MaybeEntities = Annotated[
    _Some | None,
    BeforeValidator(_listed),
    Reads("entities"),
    Field(
        validation_alias=AliasChoices("entities", "entity_ids", "entity_id", "entity"),
        description="entities by id, short id or name; unless given, all",
    ),
]
MaybeRelationships = Annotated[
    _Some | None,
    BeforeValidator(_listed),
    Reads("relationships"),
    Field(
        validation_alias=AliasChoices("relationships", "relationship_ids", "relationship_id", "relationship"),
        description="relationships by id or short id; unless given, all",
    ),
]
