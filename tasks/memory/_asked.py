"""How the memory tools are asked, and how they put a change on record."""

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Entity, EntityRef, Relationship
from corpusgraph.schemas.memory import Change, Named, Operation
from corpusgraph.schemas.ports import Memory
from corpusgraph.schemas.results import ToolInput, ToolWarning
from corpusgraph.tasks._steps import heard
from corpusgraph.tasks.graph.inputs import reference
from corpusgraph.tasks.index.totals import as_written
from corpusgraph.tasks.remember.contexts import checked_context

RELATION_TYPES = ("relates_to", "causes", "part_of", "implements", "extends", "uses", "depends_on")
"""The types of seed tools; any other word or words in lower case joined by `_` is a type as well."""
LISTED = 100
"""Records named in one warning."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SNAKE = re.compile(r"[^\W\d_]\w*")
_BREAKS = re.compile(r"[\W_]+")


def _one(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("must be an id, a short id or a name")  # noqa: TRY004  pydantic tells it
    return reference(value)


def _said(value: EntityRef) -> EntityRef:
    if isinstance(value, str) and not value.strip():
        raise ValueError("must not be blank")
    return nfc(value) if isinstance(value, str) else value


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return _legible(text)


def _legible(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError("must not hold control characters")
    return nfc(text)


def _snake(text: str) -> str:
    name = nfc(text).strip()
    if not _SNAKE.fullmatch(name) or name != name.lower():
        better = _BREAKS.sub("_", name).strip("_").lower()
        hint = f"; write {better!r}" if _SNAKE.fullmatch(better) else ""
        raise ValueError(f"must be words in lower case joined by '_', not {text!r}{hint}")
    return name


Ref = Annotated[EntityRef, BeforeValidator(_one), AfterValidator(_said)]
"""An entity or relationship as a caller names it; a noun or a scored one is taken by its id."""
Name = Annotated[str, Field(max_length=1000), AfterValidator(_not_blank)]
RelationType = Annotated[str, Field(max_length=200), AfterValidator(_snake)]
Type = Annotated[str, Field(max_length=1000), AfterValidator(_legible)]
Context = Annotated[JsonDict, AfterValidator(checked_context)]
Sentence = Annotated[str, Field(max_length=100_000), AfterValidator(_not_blank)]
"""An observation."""
Told = Annotated[str, AfterValidator(nfc)]
"""What is looked for as it is known: an imported memory may hold what is blank, very long or not legible."""


def record(memory: Memory, ask: ToolInput, by: str, operations: Sequence[Operation]) -> Change:
    """Put the operations of one call on record; once begun, that is not ended between two of its writes."""
    with heard(None):
        return memory.record(operations, by=by, request_id=ask.request_id, at=stamp(ask))


def stamp(ask: ToolInput) -> str:
    """Return when it was asked: UTC, ISO 8601, to the second; a time without a zone is UTC."""
    when = ask.timestamp if ask.timestamp.tzinfo else ask.timestamp.replace(tzinfo=UTC)
    return when.astimezone(UTC).isoformat(timespec="seconds")


def named(entity: Entity) -> Named:
    """Return the entity as an operation names it."""
    return Named(id=entity.id, name=entity.name, type=entity.type)


def ordered(source: Entity, type_: str, target: Entity) -> tuple[Entity, Entity]:
    """Return the ends of a relationship of two entities, as they are kept; one with itself is refused."""
    if source.id == target.id:
        raise InvalidInputError(
            f"{source.name!r} cannot have a relationship with itself.", hint="Name two different entities."
        )
    return as_kept(source, type_, target)


def as_kept(source: Entity, type_: str, target: Entity) -> tuple[Entity, Entity]:
    """Return the ends of a relationship as they are kept: those of a type without direction by id."""
    first, _, _ = as_written(source.id, type_, target.id)
    return (source, target) if first == source.id else (target, source)


def triple_id(source: Entity, type_: str, target: Entity) -> str:
    """Return the id of the relationship of that type between two entities."""
    return Relationship.make_id(*as_written(source.id, type_, target.id))


def warning(code: str, message: str, records: Iterable[str] = ()) -> ToolWarning:
    """Return a warning about some records, the first of which are listed."""
    return ToolWarning(code=code, message=message, records=tuple(records)[:LISTED])


def unchanged(message: str) -> ToolWarning:
    """Return the warning of a writing tool that wrote nothing."""
    return ToolWarning(code="nothing_changed", message=f"Nothing was written: {message}.")


def clamped_depth(asked: int, most: int = 3) -> tuple[int, tuple[ToolWarning, ...]]:
    """Return a depth from 1 to `most`, and a warning where another was asked for."""
    depth = max(1, min(asked, most))
    if depth == asked:
        return depth, ()
    return depth, (
        warning("depth_clamped", f"depth {asked} was changed to {depth}: it is from 1 to {most}."),
    )


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return names for a sentence, the first few of many."""
    shown = ", ".join(repr(name) for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def in_force(memory: Memory) -> Iterator[Operation]:
    """Yield the operations of all changes that were not undone, in order."""
    undone = memory.undone()
    for change in memory.changes():
        if change.number not in undone:
            yield from change.operations
