"""Tables in long shape: one row for each value of each record, and the way back.

Source: Wickham 2014, Tidy Data, Journal of Statistical Software 59(10).
"""

from typing import Any

from corpusgraph.schemas.errors import InvalidInputError, PreparationError
from corpusgraph.schemas.results import Column, Rows, Table
from corpusgraph.tasks.table.stored import from_text, kind_of, to_text

COLUMNS = ("record", "variable", "value", "type", "source")
_LABELS = {
    "record": "Id of the node or edge",
    "variable": "Name of the column of the wide shape",
    "value": "The value",
    "type": "Type of the value, as in Table Schema",
    "source": "Field or attribute the value is of",
}
NEIGHBOURS = "Relationship."


def is_long(table: Table) -> bool:
    """Return whether the table has the columns of the long shape."""
    return set(COLUMNS[:4]) <= {column.name for column in table.columns}


def melt(table: Table, *, as_text: bool) -> Table:
    """Return record, variable, value, type and source, a row for each cell that is not missing.

    The first column of the table is the record. A node's neighbours have a row each. With `as_text` the
    values are text, so that their column has one type; else they stay what they are.
    """
    rows = []
    heads = [(column, _is_neighbours(column, table.name)) for column in table.columns[1:]]
    for record, *cells in table.rows:
        for (column, several), cell in zip(heads, cells, strict=True):
            if cell is None:
                continue
            for value in cell if several else (cell,):
                kind = kind_of(value)
                shown = to_text(value, kind) if as_text else value
                rows.append((record, column.name, shown, kind, column.source))
    columns = tuple(
        Column(name=name, dtype="text" if name != "value" or as_text else "json", label=_LABELS[name])
        for name in COLUMNS
    )
    return Table(name=table.name, columns=columns, rows=tuple(rows))


def _is_neighbours(column: Column, table: str) -> bool:
    return table == "nodes" and column.source.startswith(NEIGHBOURS)


def unmelt(table: Table) -> Table:
    """Return the wide table: `id` and a column for each variable, records in order of their first row.

    Raises PreparationError `duplicate_id` where a record has two values of one variable, `empty_id`, and
    InvalidInputError for a value that is not of its type.
    """
    records, held = _filed(table)
    owner = "Relationship" if table.name == "edges" else "Entity"
    columns = [Column(name=name, dtype="json", source=source) for name, source in held]
    rows: Any = Rows([list(records), *([one.get(id_) for id_ in records] for one in held.values())])
    id_column = Column(name="id", dtype="text", source=f"{owner}.id")
    return Table(name=table.name, columns=(id_column, *columns), rows=rows)


def _filed(table: Table) -> tuple[dict[str, None], dict[tuple[str, str], dict[str, Any]]]:
    """Return the records, and for each variable and source the value of each record."""
    names = [column.name for column in table.columns]
    nothing = [None] * len(table.rows)
    cells = [table.cells(names.index(name)) if name in names else nothing for name in COLUMNS]
    records: dict[str, None] = {}
    held: dict[tuple[str, str], dict[str, Any]] = {}
    for at, (record, variable, given, kind, source) in enumerate(zip(*cells, strict=True), 1):
        id_ = record if isinstance(record, str) else "" if record is None else str(record)
        if id_ not in records:
            if not id_.strip():
                message = f"Row {at} of {table.name!r} has no record."
                raise PreparationError(message, code="empty_id", hint="Give every row the id of its record.")
            records[id_] = None
        key = (str(variable), str(source or ""))
        value = _read(given, kind, at) if kind != "string" else given
        column = held.get(key)
        if column is None:
            column = held[key] = {}
        if table.name == "nodes" and key[1].startswith(NEIGHBOURS):
            column.setdefault(id_, []).append(value)
        elif column.setdefault(id_, value) is not value and column[id_] != value:
            message = f"Record {id_!r} has two values of {key[0]!r}: {column[id_]!r} and {value!r}."
            raise PreparationError(message, code="duplicate_id", hint="Keep one of them.")
    return records, held


def _read(value: Any, kind: Any, at: int) -> Any:
    if not kind or not isinstance(value, str):
        return value
    try:
        return from_text(value, kind)
    except ValueError:
        raise InvalidInputError(f"Row {at}: value {value!r} is no {kind}.") from None
