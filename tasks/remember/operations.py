"""What operations speak of: entities, what they make, the relationship between two."""

from functools import lru_cache

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.memory import (
    CreateEntity,
    MergeEntities,
    Named,
    Operation,
    Relate,
    Reweigh,
    SplitEntity,
    Unrelate,
)
from corpusgraph.tasks.index.totals import as_written
from corpusgraph.tasks.remember.state import Triple


def names_in(operation: Operation) -> tuple[Named, ...]:
    """Return the entities that an operation names, in order."""
    if isinstance(operation, CreateEntity):
        return (operation,)
    if isinstance(operation, Relate | Unrelate | Reweigh):
        return operation.source, operation.target
    if isinstance(operation, SplitEntity):
        return operation.entity, operation.into
    if isinstance(operation, MergeEntities):
        return *operation.sources, operation.into
    return (operation.entity,)


def makes(operation: Operation) -> Named | None:
    """Return the entity that an operation makes, or None."""
    if isinstance(operation, SplitEntity):
        return operation.into
    return operation if isinstance(operation, CreateEntity) else None


def triple_in(operation: Operation) -> Triple | None:
    """Return the relationship that an operation is about, with its ends as they are named, or None."""
    if not isinstance(operation, Relate | Unrelate | Reweigh):
        return None
    return ordered(operation.source.id, operation.type, operation.target.id)


def ordered(source: str, type_: str, target: str) -> Triple:
    """Return a relationship with its ends in the order in which indexing has them."""
    return as_written(source, nfc(type_), target)


def is_joined(op: Relate | Unrelate | Reweigh, ends: Triple) -> bool:
    """Tell whether what is said of two entities is of one now, as after a merge; `ends` as they are now."""
    return ends[0] == ends[2] and op.source.id != op.target.id


@lru_cache(maxsize=1024)
def triple_id(triple: Triple) -> str:
    """Return the id of the relationship; an operation asks for the same one several times."""
    return Relationship.make_id(*triple)
