"""Entities and relationships inferred from a table by rules."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal

from pydantic import Field

from corpusgraph.schemas.base import JsonDict, Noun
from corpusgraph.schemas.errors import InvalidInputError, PreparationError, did_you_mean
from corpusgraph.schemas.evidence import ENTITY_TYPES
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.results import Table
from corpusgraph.tasks.dataset.values import number

Key = tuple[str, str | None, str]
Nodes = dict[str, Entity]


class RelationshipRule(Noun):
    """How rows become edges.

    `row`: each row joins its source to its target. `cooccurrence`: entities of one row are joined, the
    weight counts rows. `foreign_key`: the target cell names the source cell of another row (or several).
    """

    source_col: str | None = Field(default=None, description="cooccurrence: none means all entity columns")
    target_col: str | None = None
    type: str = "relates_to"
    kind: Literal["row", "cooccurrence", "foreign_key"] = "row"
    weight_col: str | None = Field(default=None, description="column of positive weights; they add up")


def check_columns(table: Table, named: Iterable[str | None]) -> None:
    """Raise PreparationError `unknown_variable` for a column the table does not have."""
    known = [column.name for column in table.columns]
    for name in named:
        if name is not None and name not in known:
            raise PreparationError(
                f"No column is named {name!r}.",
                code="unknown_variable",
                hint=did_you_mean(name, known) or f"There are {', '.join(known)}.",
            )


def cells(value: Any) -> list[str]:
    """Return the names in a cell: none, one, or those of a list."""
    several = value if isinstance(value, (list, tuple)) else [value]
    return [str(one).strip() for one in several if one is not None and str(one).strip()]


def is_id_column(name: str) -> bool:
    """Return whether the cells are ids themselves, not names."""
    return name == "id" or name.endswith("_id")


def node_of(value: str, column: str) -> Entity:
    """Make the entity a cell names; a column called like an entity type gives its cells that type."""
    if is_id_column(column):
        return Entity(id=value)
    type_ = column.casefold() if column.casefold() in ENTITY_TYPES else None
    return Entity(id=Entity.make_id(value, type_ or ""), name=value, type=type_)


def infer_edges(
    rows: Sequence[JsonDict], rule: RelationshipRule, entity_columns: Sequence[str], nodes: Nodes
) -> list[Relationship]:
    """Return the edges of one rule, weights added up, in order of id; new entities are put into `nodes`."""
    weights: dict[tuple[str, str], float] = {}
    for at, row in enumerate(rows, 1):
        for pair in _pairs(row, rule, entity_columns, nodes):
            weights[pair] = weights.get(pair, 0.0) + _weight(row, rule, at)
    made = [
        Relationship(
            id=Relationship.make_id(source, rule.type, target),
            source_id=source,
            target_id=target,
            type=rule.type,
            weight=weight,
        )
        for (source, target), weight in weights.items()
    ]
    return sorted(made, key=lambda edge: edge.id)


def _pairs(
    row: Mapping[str, Any], rule: RelationshipRule, entity_columns: Sequence[str], nodes: Nodes
) -> list[tuple[str, str]]:
    if rule.kind == "cooccurrence":
        columns = [c for c in (rule.source_col, rule.target_col) if c] or list(entity_columns)
        found = {_known(value, column, nodes) for column in columns for value in cells(row[column])}
        return list(combinations(sorted(found), 2))
    if rule.source_col is None or rule.target_col is None:
        raise InvalidInputError(f"A rule of kind {rule.kind!r} needs source_col and target_col.")
    home = rule.source_col if rule.kind == "foreign_key" else rule.target_col
    sources = [_known(value, rule.source_col, nodes) for value in cells(row[rule.source_col])]
    targets = [_known(value, home, nodes) for value in cells(row[rule.target_col])]
    return [(source, target) for source in sources for target in targets]


def _known(value: str, column: str, nodes: Nodes) -> str:
    made = node_of(value, column)
    nodes.setdefault(made.id, made)
    return made.id


def _weight(row: Mapping[str, Any], rule: RelationshipRule, at: int) -> float:
    if rule.weight_col is None:
        return 1.0
    value = number(row[rule.weight_col])
    if value is None or not 0 < value < float("inf"):
        raise PreparationError(
            f"Row {at}: weight {row[rule.weight_col]!r} is no positive number.", code="weight_not_positive"
        )
    return float(value)
