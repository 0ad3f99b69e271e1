"""What a measure returns, and how it reads `of`."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from corpusgraph.schemas.errors import UnknownEntityError
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.results import ColumnType, ToolWarning
from corpusgraph.schemas.study import Variable
from corpusgraph.tasks.dataset.reading import Reading

TYPE_PREFIX = "type:"


@dataclass(frozen=True)
class Measured:
    """One cell a unit, with how it was computed."""

    values: Sequence[Any]
    dtype: ColumnType
    formula: str
    label: str
    unit: str | None = None
    source: str = "evidence"
    warnings: tuple[ToolWarning, ...] = ()


def asserted(relationship: Relationship, types: Collection[str] = ()) -> bool:
    """Return whether a relationship counts: of the types, if there are any, and not only denied."""
    if types:
        return relationship.type in types
    return not relationship.type.startswith("not_") or relationship.weight > relationship.negated_weight


def named(variable: Variable) -> tuple[str, ...]:
    """Return what `of` lists; one name is a list of one."""
    return (variable.of,) if isinstance(variable.of, str) else variable.of or ()


def entities_named(
    reading: Reading, variable: Variable
) -> tuple[list[frozenset[str]], tuple[ToolWarning, ...]]:
    """Return for each name in `of` the ids of the entities it means: one, or all of `type:<entity type>`.

    Among several names, those the corpus does not have mean no entity and are named in a warning. Raises
    UnknownEntityError where it has none of them, AmbiguousEntityError.
    """
    found: list[frozenset[str]] = []
    unknown: list[tuple[str, UnknownEntityError]] = []
    for name in named(variable):
        try:
            found.append(_meant(reading, name))
        except UnknownEntityError as error:
            found.append(frozenset())
            unknown.append((name, error))
    if unknown and len(unknown) == len(found):
        raise unknown[0][1]
    names = tuple(name for name, _ in unknown)
    message = f"Variable {variable.name!r}: the corpus has no entity {', '.join(map(repr, names))}."
    return found, (ToolWarning(code="unknown_entity", message=message, records=names),) if unknown else ()


def _meant(reading: Reading, name: str) -> frozenset[str]:
    if not name.startswith(TYPE_PREFIX):
        return frozenset({reading.corpus.graph.entity(name).id})
    type_ = name.removeprefix(TYPE_PREFIX).strip().casefold()
    return frozenset(e.id for e in reading.corpus.graph.entities if (e.type or "").casefold() == type_)
