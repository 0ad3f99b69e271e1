"""Take relations out."""

from pydantic import Field

from corpusgraph.schemas.memory import Unrelate
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import Noted, ToolInput
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import (
    KnownRelation,
    Outcome,
    as_kept,
    found,
    named,
    record,
    related,
    unchanged,
)
from corpusgraph.tasks.tools.memory.create_entities import REFERENCE


class DeleteRelations(ToolInput):
    """Which relations to take out."""

    relations: list[KnownRelation] = Field(max_length=10_000, description="the relations to delete")


@tool(writes="memory", cite=REFERENCE, effect="removes")
def delete_relations(ask: DeleteRelations, memory: Memory) -> Noted[Outcome]:
    """Take relations out, whatever states them; one that is not there is told, no error."""
    gone: dict[str, Unrelate] = {}
    for asked in ask.relations:
        source, target = found(memory, asked.from_), found(memory, asked.to)
        if source is None or target is None:
            continue
        held = related(memory, source, asked.relation_type, target)
        if held is not None:
            first, second = as_kept(source, held.type, target)
            gone[held.relationship.id] = Unrelate(source=named(first), target=named(second), type=held.type)
    record(memory, ask, "delete_relations", list(gone.values()))
    message = "Relations deleted successfully"
    if len(gone) < len(ask.relations):
        message = f"Deleted {len(gone)} of {len(ask.relations)} relations. The rest matched nothing."
    warnings = unchanged("none of the relations is there", when=not gone)
    return Noted(data=Outcome(success=True, message=message), warnings=warnings)
