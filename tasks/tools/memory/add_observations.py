"""Note sentences about entities."""

from pydantic import AliasChoices, Field

from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import Observe, Operation
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.tasks.graph.names import noted_of
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import Ref, Sentence, Shape, named, record, unchanged
from corpusgraph.tasks.tools.memory.create_entities import REFERENCE


class NewObservations(Shape):
    """What to note of an entity."""

    entity: Ref = Field(
        validation_alias=AliasChoices("entityName", "entity_name", "entity", "entity_id"),
        description="the entity: name, id or short id",
    )
    contents: tuple[Sentence, ...] = Field(description="sentences to note of it")


class AddObservations(ToolInput):
    """What to note of which entities."""

    observations: list[NewObservations] = Field(max_length=10_000, description="what to note")


class AddedObservations(Shape):
    """What was noted of an entity that had not been noted before."""

    entityName: str  # noqa: N815  the protocol's spelling
    addedObservations: tuple[str, ...]  # noqa: N815


class AddedToEach(Shape):
    """One row for each row asked."""

    results: tuple[AddedObservations, ...]


@tool(writes="memory", cite=REFERENCE, effect="adds")
def add_observations(ask: AddObservations, memory: Memory) -> Noted[AddedToEach]:
    """Note sentences about entities; a sentence that is noted already is not noted twice."""
    entities = [memory.find(new.entity) for new in ask.observations]
    known = {entity.id: {*memory.observations(entity.id), *noted_of(entity)} for entity in entities}
    operations: list[Operation] = []
    results = []
    for entity, new in zip(entities, ask.observations, strict=True):
        fresh = tuple(s for s in dict.fromkeys(new.contents) if s not in known[entity.id])
        known[entity.id].update(fresh)
        results.append(AddedObservations(entityName=_called(entity, new), addedObservations=fresh))
        if fresh:
            operations.append(Observe(entity=named(entity), contents=fresh))
    record(memory, ask, "add_observations", operations)
    warnings = unchanged("all of it is noted already", when=not operations)
    return Noted(data=AddedToEach(results=tuple(results)), warnings=warnings)


def _called(entity: Entity, new: NewObservations) -> str:
    """Return the name as the caller gave it, which is what it looks for in the answer."""
    return new.entity if isinstance(new.entity, str) else entity.name
