"""The way back: nodes and edges read from tables."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeVar

from pydantic import ValidationError

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, PreparationError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.reshape.graph_tables import ATTRIBUTES, EXTRA
from corpusgraph.tasks.reshape.neighbours import parallel_id
from corpusgraph.tasks.table.values import is_missing

T = TypeVar("T", Entity, Relationship)
Home = tuple[Literal["field", "attribute", "attributes", "extra", "neighbours"], str]
_TEXTS = ("id", "source_id", "target_id", "type", "name")


def is_edge_table(table: Table) -> bool:
    """Return whether the table has the columns `source_id` and `target_id`."""
    return {"source_id", "target_id"} <= {column.name for column in table.columns}


def read_nodes(table: Table) -> tuple[Entity, ...]:
    """Make a node of each row: known columns are fields, the others attributes.

    Raises PreparationError `empty_id`, InvalidInputError for a field that cannot be what it should.
    """
    items = _items(table, Entity, ("id",))
    return tuple(_made(Entity, item, table, at) for at, item in enumerate(items, 1))


def read_edges(table: Table) -> tuple[Relationship, ...]:
    """Make an edge of each row; one without an id gets that of its ends and type, parallel ones a number.

    Raises PreparationError `empty_id`, `weight_not_positive`, `weight_not_finite`, and InvalidInputError.
    """
    made = []
    count = Counter[tuple[str, str, str]]()
    for at, item in enumerate(_items(table, Relationship, ("source_id", "target_id")), 1):
        if "id" not in item:
            kind = item.get("type", Relationship.model_fields["type"].default)
            key = (item["source_id"], kind, item["target_id"])
            item["id"] = parallel_id(*key, count[key])
            count[key] += 1
        made.append(_made(Relationship, item, table, at))
    return tuple(made)


def read_neighbours(table: Table) -> tuple[Relationship, ...]:
    """Make the edges that columns of neighbours tell of, in order of rows and columns."""
    at = {column.name: place for place, column in enumerate(table.columns)}
    homes = [_home(column, Entity) for column in table.columns]
    places = [(place, name) for place, (kind, name) in enumerate(homes) if kind == "neighbours"]
    count = Counter[tuple[str, str, str]]()
    made = []
    for row in table.rows:
        for place, kind in places:
            for target in row[place] or ():
                key = (str(row[at["id"]]), kind, str(target))
                made.append(
                    Relationship(
                        id=parallel_id(*key, count[key]), source_id=key[0], type=kind, target_id=key[2]
                    )
                )
                count[key] += 1
    return tuple(made)


def _items(table: Table, kind: type[T], needed: tuple[str, ...]) -> Iterator[JsonDict]:
    homes = [_home(column, kind) for column in table.columns]
    for at, row in enumerate(table.rows, 1):
        if len(row) != len(homes):
            message = f"Row {at} of {table.name!r} has {len(row)} cells for {len(homes)} columns."
            raise InvalidInputError(message, hint="Give every row a cell for each column.")
        item = _item(row, homes)
        for name in needed:
            if not str(item.get(name, "")).strip():
                message = f"Row {at} of {table.name!r} has no {name}."
                raise PreparationError(message, code="empty_id", hint="Fill it in, or leave the row out.")
        yield item


def _item(row: tuple[Any, ...], homes: list[Home]) -> JsonDict:
    fields: JsonDict = {}
    attributes: JsonDict = {}
    has_attributes = False
    for (home, name), value in zip(homes, row, strict=True):
        if value is None or home == "neighbours":
            continue
        if home == "field":
            fields[name] = str(value) if name in _TEXTS else value
        elif home == "extra" and isinstance(value, Mapping):
            fields |= value
        else:
            has_attributes = True
            whole = home != "attribute" and isinstance(value, Mapping)
            attributes |= value if whole else {name: value}
    return {**fields, ATTRIBUTES: attributes} if has_attributes else fields


def _home(column: Column, kind: type[Entity] | type[Relationship]) -> Home:
    """Return where the cells of a column belong.

    A column's source says it; without one, a column named like a field is that field, and objects in a
    column named `attributes` are attributes.
    """
    own, source = kind.__name__, column.source
    if kind is Entity and source.startswith("Relationship."):
        return "neighbours", source.removeprefix("Relationship.")
    if source in (f"{own}.{ATTRIBUTES}", f"{own}.{EXTRA}"):
        return ("attributes" if source.endswith(ATTRIBUTES) else "extra"), column.name
    for part, home in ((ATTRIBUTES, "attribute"), (EXTRA, "field")):
        if source.startswith(f"{own}.{part}."):
            return home, source.removeprefix(f"{own}.{part}.")  # type: ignore[return-value]
    if source.startswith(f"{own}."):
        return "field", source.removeprefix(f"{own}.")
    if column.name == ATTRIBUTES and column.dtype == "json":
        return "attributes", column.name
    return ("field" if column.name in kind.model_fields else "attribute"), column.name


def _made(kind: type[T], item: JsonDict, table: Table, at: int) -> T:
    try:
        return kind.model_validate(item)
    except ValidationError as error:
        raise _refused(error, item, f"Row {at} of {table.name!r}") from None


def _refused(
    error: ValidationError, item: Mapping[str, Any], where: str
) -> InvalidInputError | PreparationError:
    problem = error.errors()[0]
    name = str(problem["loc"][0]) if problem["loc"] else "row"
    value = item.get(name)
    if name == "weight":
        is_number = isinstance(value, (int, float)) and not is_missing(value)
        code = "weight_not_positive" if is_number else "weight_not_finite"
        message = f"{where}: weight {value!r} is no positive number."
        return PreparationError(message, code=code, hint="Give a number above 0, or leave the row out.")
    return InvalidInputError(f"{where}: {name} {value!r}: {problem['msg']}.")
