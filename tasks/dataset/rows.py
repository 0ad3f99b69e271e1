"""Tables from what callers have: rows, columns with or without types, a graph."""

from collections.abc import Mapping, Sequence
from typing import Any

from corpusgraph.schemas.errors import InvalidInputError, PreparationError
from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.dataset.values import infer


def table_of_rows(rows: Sequence[Mapping[str, Any]], name: str = "table") -> Table:
    """Make a table of dictionaries; its columns are all keys, in order of first sight.

    A column whose cells do not go together is typed `json`: each keeps its own type.
    """
    names = list(dict.fromkeys(key for row in rows for key in row))
    columns = [Column(name=key, dtype=infer(row.get(key) for row in rows) or "json") for key in names]
    return Table(
        name=name,
        columns=tuple(columns),
        rows=tuple(tuple(row.get(key) for key in names) for row in rows),
    )


def loose_table(data: object) -> object:
    """Turn `[{…}]` or `{columns, rows}` with untyped columns into what `Table` accepts; leave the rest.

    A column may be a name or `{name, …}`; a row may be a list or a dictionary.
    """
    if isinstance(data, (list, tuple)) and all(isinstance(row, Mapping) for row in data):
        return table_of_rows(data)
    if not isinstance(data, Mapping):
        return data
    if not all(isinstance(data.get(part), (list, tuple)) for part in ("columns", "rows")):
        return data
    heads = [{"name": c} if isinstance(c, str) else c for c in data["columns"]]
    if not all(isinstance(head, Mapping) and "name" in head for head in heads):
        return data
    names = [str(head["name"]) for head in heads]
    rows = [tuple(_cells(row, names)) for row in data["rows"]]
    _same_width(rows, len(names))
    typed = [
        head if "dtype" in head else {**head, "dtype": infer(row[at] for row in rows) or "json"}
        for at, head in enumerate(heads)
    ]
    return {**data, "columns": tuple(typed), "rows": tuple(rows)}


def _cells(row: object, names: Sequence[str]) -> Sequence[Any]:
    if isinstance(row, Mapping):
        return [row.get(name) for name in names]
    return row if isinstance(row, (list, tuple)) else [row]


def _same_width(rows: Sequence[Sequence[Any]], width: int) -> None:
    for at, row in enumerate(rows, 1):
        if len(row) != width:
            raise ValueError(f"row {at} has {len(row)} cells for {width} columns")


def check_table(table: Table) -> None:
    """Raise where a table has no rows or columns, uneven rows, or two columns of one name."""
    if not table.columns or not table.rows:
        what = "rows" if table.columns else "columns"
        raise PreparationError(
            f"Table {table.name!r} has no {what}.", code="empty_table", hint="Loosen the filters."
        )
    try:
        _same_width(table.rows, len(table.columns))
    except ValueError as error:
        raise InvalidInputError(f"Table {table.name!r}: {error}.") from None
    names = [column.name for column in table.columns]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise PreparationError(
            f"Table {table.name!r} has two columns named {twice[0]!r}.", code="duplicate_id"
        )
