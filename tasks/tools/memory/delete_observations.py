"""Take sentences about entities back."""

from pydantic import AliasChoices, Field

from corpusgraph.schemas.memory import Operation, Unobserve
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.tasks.graph.names import noted_of
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import Outcome, Ref, Shape, Told, found, named, record, unchanged
from corpusgraph.tasks.tools.memory.create_entities import REFERENCE


class Deletion(Shape):
    """What to take back of an entity."""

    entity: Ref = Field(
        validation_alias=AliasChoices("entityName", "entity_name", "entity", "entity_id"),
        description="the entity: name, id or short id",
    )
    observations: tuple[Told, ...] = Field(description="the sentences to delete, as they were noted")


class DeleteObservations(ToolInput):
    """What to take back of which entities."""

    deletions: list[Deletion] = Field(max_length=10_000, description="what to delete")


@tool(writes="memory", cite=REFERENCE, effect="removes")
def delete_observations(ask: DeleteObservations, memory: Memory) -> Noted[Outcome]:
    """Take back what was noted of entities; the sentences of a corpus that describe them stay."""
    operations: list[Operation] = []
    missing: list[str] = []
    known: dict[str, set[str]] = {}
    for one in ask.deletions:
        entity = found(memory, one.entity)
        if entity is None:
            missing.append(str(one.entity))
            continue
        left = known.setdefault(entity.id, {*memory.observations(entity.id), *noted_of(entity)})
        gone = tuple(s for s in dict.fromkeys(one.observations) if s in left)
        left.difference_update(gone)
        if gone:
            operations.append(Unobserve(entity=named(entity), contents=gone))
    record(memory, ask, "delete_observations", operations)
    n_gone = sum(len(o.contents) for o in operations if isinstance(o, Unobserve))
    message = _message(n_gone, sum(len(one.observations) for one in ask.deletions), missing)
    warnings = unchanged("none of the sentences is noted", when=not operations)
    return Noted(data=Outcome(success=True, message=message), warnings=warnings)


def _message(n_gone: int, n_asked: int, missing: list[str]) -> str:
    if n_gone == n_asked:
        return "Observations deleted successfully"
    also = f" Entities not found: {', '.join(missing)}" if missing else ""
    return f"Deleted {n_gone} of {n_asked} observations.{also}"
