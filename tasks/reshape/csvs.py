"""Tables as CSV that keeps its types: a data package beside the files says how each column is read.

Source: Frictionless Data Package and Table Schema, https://specs.frictionlessdata.io/; RFC 4180 but for the
carriage return.
"""

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.results import Column, Rows, Table
from corpusgraph.tasks.table.rows import loose_table
from corpusgraph.tasks.table.stored import (
    cells_by_column,
    columns_of,
    field_of,
    from_text,
    missing_marker,
    reader,
    storage,
    writer,
)

SCHEMA = "datapackage.json"
_SPECIAL = re.compile('[",\r\n]')


def csv_files(tables: Mapping[str, Table], graph: JsonDict) -> dict[str, str]:
    """Return a CSV for each table, and the data package that says how to read them."""
    files, resources = {}, []
    for name, table in tables.items():
        files[f"{name}.csv"], schema = csv_text(table)
        resources.append({"name": name, "path": f"{name}.csv", "schema": schema})
    package: JsonDict = {"name": "graph", "resources": resources, **({"graph": graph} if graph else {})}
    return {**files, SCHEMA: json.dumps(package, ensure_ascii=False, indent=1) + "\n"}


def csv_text(table: Table) -> tuple[str, JsonDict]:
    """Return the table as CSV (RFC 4180 with line feeds) and its Table Schema; `read_csv` reads them back."""
    columns, fields = [], []
    for column, cells in zip(table.columns, cells_by_column(table), strict=True):
        kind = storage(cells)
        write = writer(kind)
        texts = [None if cell is None else write(cell) for cell in cells]
        marker = missing_marker(text for text in texts if text is not None) if kind == "string" else ""
        fields.append(field_of(column, kind, marker))
        columns.append([marker if text is None else _quoted(text) for text in texts])
    lines = [",".join(_quoted(column.name) for column in table.columns)]
    lines += [",".join(row) for row in zip(*columns, strict=True)]
    if len(columns) == 1:
        lines = [line or '""' for line in lines]  # an empty line would be no row
    return "".join(f"{line}\n" for line in lines), {"fields": fields}


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"' if _SPECIAL.search(text) else text


def read_csv(text: str, name: str = "table", schema: JsonDict | None = None) -> Table:
    """Read CSV with its Table Schema; without one, columns of integers, decimals and booleans are found.

    Raises InvalidInputError for a row of another width, and a cell that is not of its field's type.
    """
    limit = csv.field_size_limit(2**31 - 1)
    try:
        lines = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    except csv.Error as error:
        raise InvalidInputError(f"{name}: this is no CSV: {error}.") from None
    finally:
        csv.field_size_limit(limit)
    header, *rows = [line for line in lines if line] or [[]]
    for at, row in enumerate(rows, 2):
        if len(row) != len(header):
            raise InvalidInputError(f"{name}: row {at} has {len(row)} cells for {len(header)} columns.")
    if schema is None:
        return _guessed(header, rows, name)
    told = {found[0].name: found for found in columns_of(schema, name)}
    columns, cells = [], []
    for at, head in enumerate(header):
        column, kind, marker = told.get(head) or (Column(name=head, dtype="text"), "string", "")
        columns.append(column)
        try:
            read = reader(kind)
            cells.append([None if row[at] == marker else read(row[at]) for row in rows])
        except ValueError as error:
            raise InvalidInputError(f"{name}: column {head!r}: {error}.") from None
    held: Any = Rows(cells, len(rows))
    return Table(name=name, columns=tuple(columns), rows=held)


def _guessed(header: Sequence[str], rows: Sequence[Sequence[str]], name: str) -> Table:
    """Type the columns of a CSV that came without a schema; ids stay text, and so do dates and 007."""
    made = loose_table({"name": name, "columns": header, "rows": [[c or None for c in row] for row in rows]})
    table = Table.model_validate(made)
    kinds = {"integer": "integer", "numeric": "number", "boolean": "boolean"}
    cells = []
    for column, values in zip(table.columns, cells_by_column(table), strict=True):
        keep = column.name == "id" or column.name.endswith("_id")
        kind: Any = "string" if keep else kinds.get(column.dtype, "string")
        cells.append(
            [None if v is None else from_text(v.strip(), kind) if kind != "string" else v for v in values]
        )
    return table.model_copy(update={"rows": Rows(cells, len(rows))})
