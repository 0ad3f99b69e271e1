"""The entities that the cells of a table name."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.evidence import ENTITY_TYPES
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.results import ToolWarning

Nodes = dict[str, Entity]
Row = Mapping[str, Any]


def is_id_column(name: str) -> bool:
    """Return whether the cells are ids themselves, not names."""
    return name == "id" or name.endswith("_id")


def node_of(value: str, column: str, type_: str | None = None) -> Entity:
    """Make the entity a cell names; a column called like an entity type gives its cells that type."""
    if is_id_column(column):
        return Entity(id=value, type=type_)
    type_ = type_ or (column.casefold() if column.casefold() in ENTITY_TYPES else None)
    return Entity(id=Entity.make_id(value, type_ or ""), name=value, type=type_)


def names_in(value: Any, separator: str | None = None) -> list[str]:
    """Return the names in a cell: none, one, those of a list, or those between separators.

    Raises PreparationError `mixed_types` for an object or a list of lists.
    """
    several = value if isinstance(value, (list, tuple)) else [value]
    if separator is not None:
        several = [
            part for one in several for part in (one.split(separator) if isinstance(one, str) else [one])
        ]
    return [text for one in several if (text := _text(one))]


def _text(one: Any) -> str:
    if isinstance(one, (dict, list, tuple)):
        raise PreparationError(f"{one!r} is no name.", code="mixed_types", hint="Flatten the column first.")
    if one is None or (isinstance(one, float) and math.isnan(one)):
        return ""
    whole = isinstance(one, float) and one.is_integer()  # a key beside missing cells became a decimal
    return str(int(one) if whole else one).strip()


@dataclass
class Naming:
    """Reads cells as entities and keeps those it has met, with how each was written."""

    types: Mapping[str, str] = field(default_factory=dict)
    separators: Mapping[str, str] = field(default_factory=dict)
    homes: dict[str, str] = field(default_factory=dict)
    """A column of keys -> the column, here or in a table of nodes, whose cells they are."""
    keys: Mapping[str, str] = field(default_factory=dict)
    """What a key says -> the id of the node that a table of nodes describes."""
    nodes: Nodes = field(default_factory=dict)
    _met: dict[tuple[str, str], str] = field(default_factory=dict)
    _spellings: dict[str, dict[str, None]] = field(default_factory=dict)

    def names(self, row: Row, column: str) -> list[str]:
        """Return the names in a cell."""
        return names_in(row[column], self.separators.get(column))

    def ids(self, row: Row, column: str) -> list[str]:
        """Return the ids of a cell's entities."""
        return [self.id_of(name, column) for name in self.names(row, column)]

    def id_of(self, name: str, column: str) -> str:
        """Return the id of the entity a cell of that column names; a new one is kept."""
        if column in self.homes:
            if name in self.keys:
                return self.keys[name]
            column = self.homes[column]
        if (name, column) not in self._met:
            made = node_of(name, column, self.types.get(column))
            self.nodes.setdefault(made.id, made)
            self._met[name, column] = made.id
            self._spellings.setdefault(made.id, {})[made.name] = None
        return self._met[name, column]

    def warnings(self) -> tuple[ToolWarning, ...]:
        """Name the entities that cells write in several ways."""
        several = {id_: list(names) for id_, names in self._spellings.items() if len(names) > 1}
        if not several:
            return ()
        told = tuple(f"{names[0]} = {', '.join(names[1:])}" for _, names in sorted(several.items()))
        message = f"{len(several)} entities are written in several ways and have their first name."
        return (ToolWarning(code="names_mapped", message=message, records=told),)


def missing_as_none(rows: Iterable[Row], missing: Mapping[str, tuple[Any, ...]]) -> list[Row]:
    """Replace the codes that mean missing in their columns."""
    if not any(missing.values()):
        return list(rows)
    return [{k: None if v in missing.get(k, ()) else v for k, v in row.items()} for row in rows]
