"""Tables too long for an answer: the first rows are in it, all of them are in a file that has an address."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from corpusgraph.flows.surfaces.mcp.addresses import RESULTS, TABLES, address
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import UnknownItemError
from corpusgraph.schemas.results import Table, ToolWarning

FOLDER = ".results"
"""Below outputs; no index is called so."""
KEPT = 100
"""Files that are kept, the newest."""


@dataclass(frozen=True)
class Shortened:
    """Data with long tables cut, what is told of it, and the links to the whole tables."""

    data: Any
    warnings: tuple[ToolWarning, ...] = ()
    links: tuple[JsonDict, ...] = ()


def shortened(data: Any, rows: int, outputs: Path | None) -> Shortened:
    """Cut tables to `rows` rows; without outputs, nothing is written and the warning alone tells."""
    cut: list[Table] = []
    made = _cut(data, rows, cut)
    if not cut:
        return Shortened(data)
    links = tuple(_link(table, outputs) for table in cut) if outputs is not None else ()
    warnings = tuple(
        _warning(table, rows, link) for table, link in zip(cut, links or [None] * len(cut), strict=True)
    )
    return Shortened(made, warnings, links)


def _cut(value: Any, rows: int, cut: list[Table]) -> Any:
    if isinstance(value, Table):
        if len(value.rows) <= rows:
            return value
        cut.append(value)
        provenance = value.provenance[:rows] if value.provenance is not None else None
        return value.model_copy(update={"rows": value.rows[:rows], "provenance": provenance})
    if isinstance(value, BaseModel):
        changed = {name: new for name, old in value if (new := _cut(old, rows, cut)) is not old}
        return value.model_copy(update=changed) if changed else value
    if isinstance(value, dict):
        held = {key: _cut(one, rows, cut) for key, one in value.items()}
        return held if any(held[key] is not value[key] for key in value) else value
    if isinstance(value, list | tuple):
        many = [_cut(one, rows, cut) for one in value]
        return type(value)(many) if any(a is not b for a, b in zip(many, value, strict=True)) else value
    return value


def _warning(table: Table, rows: int, link: JsonDict | None) -> ToolWarning:
    where = f"all are in {link['uri']}" if link else "this server writes no file for the others"
    return ToolWarning(
        code="rows_left_out",
        message=f"Table {table.name!r} has {len(table.rows):,} rows; the first {rows:,} are here, {where}.",
    )


def _link(table: Table, outputs: Path) -> JsonDict:
    """Write a table as CSV under a name made of its content, and return the link to it."""
    from corpusgraph.flows.resources.files import replace_file

    data = "".join(csv_lines(table)).encode()
    name = f"{hashlib.blake2b(data, digest_size=8).hexdigest()}.csv"
    folder = outputs / FOLDER
    replace_file(folder / name, data)
    _tidy(folder)
    return {
        "type": "resource_link",
        "uri": address(RESULTS, TABLES, name),
        "name": f"{table.name}.csv",
        "description": f"Table {table.name!r}: {len(table.rows):,} rows, {len(table.columns)} columns.",
        "mimeType": "text/csv",
        "size": len(data),
    }


def csv_lines(table: Table) -> Iterator[str]:
    """Yield a table as CSV (RFC 4180): names, then rows; missing is empty, what is nested is JSON."""
    import csv
    import io

    from pydantic_core import to_json

    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow([column.name for column in table.columns])
    for row in table.rows:
        writer.writerow(
            [to_json(cell).decode() if isinstance(cell, dict | list | tuple) else cell for cell in row]
        )
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
    yield buffer.getvalue()


def _tidy(folder: Path) -> None:
    """Remove all but the newest files; one that another process removed meanwhile is no matter."""
    files = sorted(folder.glob("*.csv"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    for old in files[:-KEPT]:
        old.unlink(missing_ok=True)


def kept(path: str, outputs: Path) -> str:
    """Return the text of a table that was too long; one that is gone is UnknownItemError."""
    from corpusgraph.flows.surfaces.mcp.confine import plain

    file = outputs / FOLDER / plain(path, "a table")
    if not file.is_file():
        raise UnknownItemError(f"There is no table {path!r} any more.", hint="Call the tool again.")
    return file.read_bytes().decode()
