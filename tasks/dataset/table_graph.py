"""The way back: nodes and edges read from tables."""

from collections.abc import Mapping
from typing import Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.dataset.graph_tables import ATTRIBUTES

_TEXTS = ("id", "source_id", "target_id", "type", "name")


def is_edge_table(table: Table) -> bool:
    """Return whether the table has the columns `source_id` and `target_id`."""
    return {"source_id", "target_id"} <= {column.name for column in table.columns}


def read_nodes(table: Table) -> tuple[Entity, ...]:
    """Make a node of each row: known columns are fields, the others attributes."""
    known = set(Entity.model_fields)
    return tuple(
        Entity.model_validate(_item(row, table, "Entity", known, at)) for at, row in enumerate(table.rows)
    )


def read_edges(table: Table) -> tuple[Relationship, ...]:
    """Make an edge of each row; one without an id gets that of its ends and type."""
    known = set(Relationship.model_fields)
    made = []
    for at, row in enumerate(table.rows):
        item = _item(row, table, "Relationship", known, at)
        kind = item.get("type", Relationship.model_fields["type"].default)
        item.setdefault("id", Relationship.make_id(item["source_id"], kind, item["target_id"]))
        made.append(Relationship.model_validate(item))
    return tuple(made)


def _item(row: tuple[Any, ...], table: Table, kind: str, known: set[str], at: int) -> JsonDict:
    fields: JsonDict = {}
    attributes: JsonDict = {}
    for column, value in zip(table.columns, row, strict=True):
        if value is not None:
            name, is_field = _home(column, kind, known)
            (fields if is_field else attributes)[name] = value
    for needed in ("source_id", "target_id") if kind == "Relationship" else ("id",):
        if not str(fields.get(needed, "")).strip():
            raise PreparationError(f"Row {at + 1} of {table.name!r} has no {needed}.", code="empty_id")
    fields |= {name: str(fields[name]) for name in _TEXTS if name in fields}
    return {**fields, ATTRIBUTES: attributes} if attributes else fields


def _home(column: Column, kind: str, known: Mapping[str, Any] | set[str]) -> tuple[str, bool]:
    """Return the name of the field or attribute a column holds, and whether it is a field.

    A column's source says it; without one, a column named like a field is that field.
    """
    prefix = f"{kind}.{ATTRIBUTES}."
    if column.source.startswith(prefix):
        return column.source.removeprefix(prefix), False
    if column.source.startswith(f"{kind}."):
        return column.source.removeprefix(f"{kind}."), True
    return column.name, column.name in known and column.name != ATTRIBUTES
