"""What a measure returns, and how it reads `of`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

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


def named(variable: Variable) -> tuple[str, ...]:
    """Return what `of` lists; one name is a list of one."""
    return (variable.of,) if isinstance(variable.of, str) else variable.of or ()


def entities_named(reading: Reading, names: Sequence[str]) -> list[frozenset[str]]:
    """Return for each name the ids of the entities it means: one, or all of `type:<entity type>`.

    Raises UnknownEntityError or AmbiguousEntityError.
    """
    found = []
    for name in names:
        if name.startswith(TYPE_PREFIX):
            type_ = name.removeprefix(TYPE_PREFIX).strip().casefold()
            ids = {e.id for e in reading.corpus.graph.entities if (e.type or "").casefold() == type_}
            found.append(frozenset(ids))
        else:
            found.append(frozenset({reading.corpus.graph.entity(name).id}))
    return found
