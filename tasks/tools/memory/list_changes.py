"""What was changed by hand, when, and by which tool."""

from itertools import islice
from typing import Literal

from pydantic import AliasChoices, Field, PositiveInt

from corpusgraph.schemas.memory import (
    Change,
    CreateEntity,
    DeleteEntity,
    Extracted,
    MergeEntities,
    Observe,
    Operation,
    Relate,
    Rename,
    Reweigh,
    SplitEntity,
    Unobserve,
    Unrelate,
)
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import ToolInput
from corpusgraph.tasks.build.aggregate import shorten
from corpusgraph.tasks.overlay.state import names_in
from corpusgraph.tasks.registry import tool
from corpusgraph.tasks.tools.memory._inputs import Ref, Shape, found

LINES = 20
LINE = 200
"""Characters of a line."""


class ListChanges(ToolInput):
    """Which changes."""

    limit: PositiveInt = Field(
        50, validation_alias=AliasChoices("limit", "top_k"), description="how many at most: the last ones"
    )
    before: PositiveInt | None = Field(
        None, description="only changes with a smaller number: the next page of a long list"
    )
    entity: Ref | None = Field(
        None,
        validation_alias=AliasChoices("entity", "entity_id", "entityName", "entity_name"),
        description="only changes that name this entity: name, id or short id",
    )
    in_force: bool = Field(False, description="leave out changes that were undone, and undoings")


class ListedChange(Shape):
    """A change."""

    change: int = Field(description="its number, by which it is undone")
    at: str = Field(description="UTC, ISO 8601")
    by: str = Field(description="the tool that made it")
    request_id: str
    what: tuple[str, ...] = Field(description="what it did, in words; the first 20 lines")
    operations: int = Field(description="how many things it did")
    undoes: int | None = Field(description="number of the change that it took back")
    undone: bool = Field(description="it does not count any more")


class ListedChanges(Shape):
    """Changes, the last first."""

    success: Literal[True] = True
    total: int = Field(description="changes that fit, listed or not")
    changes: tuple[ListedChange, ...]


@tool(writes="memory")
def list_changes(ask: ListChanges, memory: Memory) -> ListedChanges:
    """List what was added, changed and taken out by hand, the last first, with what was undone."""
    gone, wanted = memory.undone(), _wanted(ask, memory)
    fit = [
        change
        for change in memory.changes()
        if (ask.before is None or change.number < ask.before)
        and not (ask.in_force and (change.number in gone or change.undoes is not None))
        and (wanted is None or not wanted.isdisjoint(concerned(change)))
    ]
    shown = tuple(_listed(change, undone=change.number in gone) for change in reversed(fit[-ask.limit :]))
    return ListedChanges(total=len(fit), changes=shown)


def _wanted(ask: ListChanges, memory: Memory) -> set[str] | None:
    """Return the ids that mean the entity; one that is not there any more is found by the names it had."""
    if ask.entity is None:
        return None
    entity = found(memory, ask.entity)
    ref = str(ask.entity)
    named = {id_: name for change in memory.changes() for id_, name in concerned(change).items()}
    if entity is None:
        return {ref, *(id_ for id_, name in named.items() if name == ref)}
    now = ((id_, found(memory, id_)) for id_ in named)
    return {entity.id, *(id_ for id_, one in now if one is not None and one.id == entity.id)}


def _listed(change: Change, *, undone: bool) -> ListedChange:
    return ListedChange(
        change=change.number,
        at=change.at,
        by=change.by,
        request_id=change.request_id,
        what=in_words(change),
        operations=len(change.operations),
        undoes=change.undoes,
        undone=undone,
    )


def in_words(change: Change) -> tuple[str, ...]:
    """Return a line on each of the first operations; of an undoing, what it undid."""
    if change.undoes is not None:
        return (f"undid change {change.undoes}",)
    return tuple(shorten(_line(operation), LINE) for operation in islice(change.operations, LINES))


def concerned(change: Change) -> dict[str, str]:
    """Return the entities that a change names: id -> name."""
    return {named.id: named.name for operation in change.operations for named in names_in(operation)}


def _line(operation: Operation) -> str:
    match operation:
        case CreateEntity(name=name, type=type_):
            words = f"made {name!r}" + (f" ({type_})" if type_ else "")
        case Observe(entity=entity, contents=contents):
            words = f"noted of {entity.name!r}: " + "; ".join(contents)
        case Unobserve(entity=entity, contents=contents):
            words = f"took back of {entity.name!r}: " + "; ".join(contents)
        case Relate(confidence=confidence, cue=cue):
            words = f"stated {_relation(operation)}, confidence {confidence:g}, {cue}"
        case Unrelate():
            words = f"took out {_relation(operation)}"
        case Reweigh(weight=weight, confidence=confidence):
            values = {"weight": weight, "confidence": confidence}
            shown = ", ".join(f"{name} {value:g}" for name, value in values.items() if value is not None)
            words = f"set {shown} of {_relation(operation)}"
        case Rename(entity=entity, name=name, type=type_):
            words = f"called {entity.name!r} {name!r}" + (f" ({type_})" if type_ else "")
        case MergeEntities(sources=sources, into=into):
            words = f"took {', '.join(repr(source.name) for source in sources)} for {into.name!r}"
        case SplitEntity(entity=entity, into=into):
            words = f"split {into.name!r} from {entity.name!r}"
        case DeleteEntity(entity=entity):
            words = f"deleted {entity.name!r}"
        case Extracted(entity=entity, found=n):
            words = f"searched the texts about {entity.name!r}: {n} found"
    return words


def _relation(operation: Relate | Unrelate | Reweigh) -> str:
    return f"{operation.source.name!r} {operation.type} {operation.target.name!r}"
