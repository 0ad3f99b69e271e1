"""Tables from what callers have: rows, columns with or without types, a graph."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from corpusgraph.schemas.errors import InvalidInputError, PreparationError
from corpusgraph.schemas.results import Column, Rows, Table
from corpusgraph.tasks.table.encodable import not_encodable
from corpusgraph.tasks.table.frames import table_of_frame
from corpusgraph.tasks.table.plain import plain
from corpusgraph.tasks.table.values import infer


def table_of_rows(rows: Sequence[Mapping[str, Any]], name: str = "table") -> Table:
    """Make a table of dictionaries; its columns are all keys, in order of first sight.

    A column whose cells do not go together is typed `json`: each keeps its own type.
    """
    names = list(dict.fromkeys(key for keys in dict.fromkeys(map(tuple, rows)) for key in keys))
    cells = [plain(str(key), [row.get(key) for row in rows]) for key in names]
    columns = [
        Column(name=key, dtype=infer(values) or "json") for key, values in zip(names, cells, strict=True)
    ]
    held: Any = Rows(cells, len(rows))
    return Table(name=name, columns=tuple(columns), rows=held)


def loose_table(data: object) -> object:
    """Turn `[{…}]`, `{columns, rows}` with untyped columns, or a data frame into what `Table` accepts.

    A column may be a name or `{name, …}`; a row may be a list or a dictionary. Frames are those of
    pandas and polars and tables of pyarrow. What is none of these is left as it is.
    """
    if isinstance(data, (list, tuple)) and all(isinstance(row, Mapping) for row in data):
        return table_of_rows(data)
    if not isinstance(data, Mapping):
        return data if isinstance(data, Table) else table_of_frame(data) or data
    if not all(isinstance(data.get(part), (list, tuple)) for part in ("columns", "rows")):
        return data
    heads = [{"name": c} if isinstance(c, str) else c for c in data["columns"]]
    if not all(isinstance(head, Mapping) and "name" in head for head in heads):
        return data
    names = [str(head["name"]) for head in heads]
    rows = [tuple(_cells(at, row, names)) for at, row in enumerate(data["rows"], 1)]
    _same_width(rows, len(names))
    cells = [plain(name, [row[at] for row in rows]) for at, name in enumerate(names)]
    typed = [
        head if "dtype" in head else {**head, "dtype": infer(values) or "json"}
        for head, values in zip(heads, cells, strict=True)
    ]
    return {**data, "columns": tuple(typed), "rows": Rows(cells, len(rows))}


def _cells(at: int, row: object, names: Sequence[str]) -> Sequence[Any]:
    if isinstance(row, Mapping):
        if more := [key for key in row if key not in names]:
            raise ValueError(f"row {at} has a value for {more[0]!r}, which is no column")
        return [row.get(name) for name in names]
    return row if isinstance(row, (list, tuple)) else [row]


def _same_width(rows: Sequence[Sequence[Any]], width: int) -> None:
    for at, row in enumerate(rows, 1):
        if len(row) != width:
            raise ValueError(f"row {at} has {len(row)} cells for {width} columns")


def check_table(table: Table) -> None:
    """Raise where a table lacks rows or columns, or has uneven rows or names that are twice or unwritable."""
    if not table.columns or not table.rows:
        what = "rows" if table.columns else "columns"
        raise PreparationError(
            f"Table {table.name!r} has no {what}.",
            code="empty_table",
            hint=f"Give it {what}, or loosen the filters that left none.",
        )
    try:
        _same_width(table.rows[:1] if isinstance(table.rows, Rows) else table.rows, len(table.columns))
    except ValueError as error:
        raise InvalidInputError(f"Table {table.name!r}: {error}.") from None
    try:
        "".join(column.name for column in table.columns).encode()
    except UnicodeEncodeError as error:
        raise not_encodable(error) from None
    counts = Counter(column.name for column in table.columns)
    if twice := sorted(name for name, n in counts.items() if n > 1):
        raise PreparationError(
            f"Table {table.name!r} has two columns named {twice[0]!r}.",
            code="duplicate_id",
            hint="Rename one of them, or remove it.",
        )
