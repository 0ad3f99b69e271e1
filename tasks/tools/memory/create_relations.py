"""State relations between entities."""

from pydantic import Field

from corpusgraph.schemas.evidence import CAUSAL
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import CreateEntity, Operation, Relate
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import Noted, ToolInput, ToolWarning, warned
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import (
    LISTED,
    NewRelation,
    Relation,
    Shape,
    as_kept,
    found,
    free_id,
    listed,
    named,
    record,
    related,
    triple_id,
    unchanged,
)
from corpusgraph.tasks.tools.memory.create_entities import REFERENCE


class CreateRelations(ToolInput):
    """What to state."""

    relations: list[NewRelation] = Field(max_length=10_000, description="the relations to make")


class CreatedRelations(Shape):
    """Those that were not there before."""

    relations: tuple[Relation, ...]


@tool(writes="memory", cite=REFERENCE, effect="adds")
def create_relations(ask: CreateRelations, memory: Memory) -> Noted[CreatedRelations]:
    """State relations, each with full confidence; an entity that is not there yet is made as a stub."""
    made: dict[str, Entity] = {}
    stated: dict[str, tuple[Relate, Relation]] = {}
    there = 0
    for asked in ask.relations:
        source, target = (_found_or_made(name, made, memory) for name in (asked.from_, asked.to))
        id_ = triple_id(source, asked.relation_type, target)
        if id_ in stated or related(memory, source, asked.relation_type, target):
            there += 1
            continue
        first, second = as_kept(source, asked.relation_type, target)
        type_ = asked.relation_type
        operation = Relate(source=named(first), target=named(second), type=type_, is_causal=type_ in CAUSAL)
        stated[id_] = operation, Relation(from_=source.name, to=target.name, relationType=type_)
    operations: list[Operation] = [
        CreateEntity(id=stub.id, name=stub.name, attributes={"is_stub": True}) for stub in made.values()
    ]
    operations += [operation for operation, _ in stated.values()]
    record(memory, ask, "create_relations", operations)
    data = CreatedRelations(relations=tuple(relation for _, relation in stated.values()))
    return Noted(data=data, warnings=_told(list(made), there, bool(operations)))


def _found_or_made(name: str, made: dict[str, Entity], memory: Memory) -> Entity:
    """Return the entity of a name; one that is not there is made without a type, once."""
    entity = made.get(name) or found(memory, name)
    if entity is None:
        entity = made[name] = Entity(id=free_id(memory, name, ""), name=name, is_stub=True)
    return entity


def _told(stubs: list[str], there: int, wrote: bool) -> tuple[ToolWarning, ...]:
    made = f"{listed(stubs)} did not exist and was made without a type; create_entities gives it one."
    known = f"There already, or given twice: {there} of the relations."
    return (
        *warned("stub_entities", made, stubs[:LISTED], when=stubs),
        *warned("relation_exists", known, when=there),
        *unchanged("no relation is new", when=not wrote),
    )
