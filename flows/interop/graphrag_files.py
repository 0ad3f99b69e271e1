"""The tables of a Microsoft GraphRAG index, of any version from 0.5 on, under the names of version 3.

Until 1.2 files are called `create_final_*`, and `create_final_nodes` says which entity is in which community
on which level; from 2.0 on names are bare. Before 0.5 an entity's `title` was `name`, a relationship's
`combined_degree` was `rank`; until 2 a text unit had `document_ids`, a report a `rank_explanation`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpusgraph.flows.interop.graphrag_csv import printed_list, read_csv
from corpusgraph.flows.interop.graphrag_homes import CSV, OLD, PARQUET, ending_of, home_of, parts_of, path_of
from corpusgraph.flows.interop.graphrag_json import read_json
from corpusgraph.flows.interop.report import Notes
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, shown

TABLES = (
    "entities",
    "relationships",
    "text_units",
    "documents",
    "communities",
    "community_reports",
    "covariates",
    "nodes",
)
_ALIASES: Mapping[str, Mapping[str, str]] = {
    "entities": {"name": "title"},
    "nodes": {"name": "title", "label": "title"},
    "relationships": {"rank": "combined_degree"},
    "community_reports": {"rank_explanation": "rating_explanation"},
    "documents": {"raw_content": "text", "text_units": "text_unit_ids", "attributes": "metadata"},
    "text_units": {"chunk": "text"},
}
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "entities": ("title",),
    "relationships": ("source", "target"),
    "text_units": ("id", "text"),
    "documents": ("id", "text"),
    "communities": ("level",),
    "community_reports": ("community", "summary"),
    "covariates": ("id", "text_unit_id"),
    "nodes": ("title", "level", "community"),
}
_OF_THEIR_OWN = frozenset({"documents", "text_units", "entities", "relationships", "communities"})
"""Tables whose ids other tables name."""
_LISTS = frozenset(
    {"text_unit_ids", "document_ids", "entity_ids", "relationship_ids", "covariate_ids", "children"}
)


_TEXTS = frozenset({"id", "title", "type", "description", "text", "source", "target", "summary"})
_TEXTS |= {"rating_explanation", "status", "source_text", "text_unit_id", "document_id", "period"}


@dataclass
class Tables:
    """Rows per table, None for one that is not there. `version` is 0.5, 1, 2 or 3, as far as can be told."""

    folder: Path
    rows: dict[str, list[JsonDict] | None] = field(default_factory=dict)
    columns: dict[str, list[str]] = field(default_factory=dict)
    version: str = "3"
    notes: Notes = field(default_factory=Notes)

    def of(self, table: str) -> list[JsonDict]:
        """Return the rows of a table, none where it is missing."""
        return self.rows.get(table) or []

    def has(self, table: str) -> bool:
        """Tell whether a table is there."""
        return self.rows.get(table) is not None


def read_tables(folder: Path) -> Tables:
    """Read the tables of a folder, of its `output`, of the newest run below that, or of the only one below.

    Raises InvalidInputError where entities or relationships are missing, or a column without which a table
    says nothing; the message names it.
    """
    home = home_of(folder)
    found = Tables(home)
    ending = ending_of(home) or PARQUET
    for name in TABLES:
        path = path_of(home, name, ending)
        older = home / f"{OLD}{name}.{ending}"
        if older.exists() and (path != older or _is_stale(name, home, ending)):
            found.notes.add("older_table", older.name)
            path = None if path == older else path
        if path is None:
            found.rows[name] = None
            if name != "nodes":
                found.notes.add("missing_table", name)
            continue
        found.rows[name] = _distinct(_read(path, name, found), name, found.notes)
    missing = [name for name in ("entities", "relationships") if not found.has(name)]
    if missing:
        there = ", ".join(sorted(path.name for path in home.glob(f"*.{ending}")))
        raise InvalidInputError(
            f"{shown(home)} has no table {missing[0]!r} ({missing[0]}.{ending} or {OLD}…).",
            hint=f"It has: {there}.",
            code="table_missing",
        )
    found.version = _version(found)
    return found


def _is_stale(name: str, home: Path, ending: str) -> bool:
    """Tell of nodes that an upgraded project has left: who is in a community is no longer said there."""
    entities = path_of(home, "entities", ending)
    return name == "nodes" and entities is not None and not entities.name.startswith(OLD)


def _distinct(rows: list[JsonDict], table: str, notes: Notes) -> list[JsonDict]:
    """Leave out rows that occur again, and tell rows apart that share an id: it means the first of them."""
    if table not in _OF_THEIR_OWN:
        return rows
    first: dict[str, JsonDict] = {}
    kept = []
    for place, row in enumerate(rows):
        id_ = row.get("id")
        if id_ is not None and first.setdefault(id_, row) is not row:
            told = f"{table}, row {place + 1}: {id_}"
            again = row == first[id_]
            notes.add("duplicate_row" if again else "duplicate_id", told)
            kept += [] if again else [{**row, "id": f"{id_}#{place + 1}"}]
        else:
            kept.append(row)
    return kept


def _read(path: Path, table: str, found: Tables) -> list[JsonDict]:
    import pyarrow as pa

    try:
        columns, rows = _rows_of(path)
    except (pa.ArrowException, ValueError, OverflowError, OSError) as error:
        told = (str(error).splitlines() or [type(error).__name__])[0]
        raise InvalidInputError(
            f"{shown(path)} cannot be read: {told.rstrip('.')}.",
            hint="It is damaged, or no table: write it again, or take it away if it is an optional one.",
            code="table_unreadable",
        ) from None
    vectors = [name for name in columns if name.endswith("embedding")]
    for name in vectors:
        found.notes.add("embeddings_left_out", f"{table}.{name}")
    kept = [name for name in columns if name not in vectors]
    aliases = {old: new for old, new in _ALIASES.get(table, {}).items() if new not in kept}
    names = {name: aliases.get(name, name) for name in kept}
    for needed in _NEEDED[table]:
        if needed not in names.values():
            hint = f"It has: {', '.join(columns)}."
            raise InvalidInputError(
                f"{shown(path)} has no column {needed!r}.", hint=hint, code="column_missing"
            )
    found.columns[table] = list(names.values())
    return [_plain({new: row[old] for old, new in names.items()}) for row in rows]


def _rows_of(path: Path) -> tuple[list[str], list[JsonDict]]:
    """Return the columns and rows of a file, or of the parts of a table one after the other."""
    if not (parts := parts_of(path)):
        return _READERS.get(path.suffix[1:], read_json)(path)
    columns: dict[str, None] = {}
    rows: list[JsonDict] = []
    for part in parts:
        names, more = _rows_of(part)
        columns |= dict.fromkeys(names)
        rows += more
    if any(len(row) < len(columns) for row in rows):
        rows = [{name: row.get(name) for name in columns} for row in rows]
    return list(columns), rows


def _parquet(path: Path) -> tuple[list[str], list[JsonDict]]:
    import pyarrow.parquet as pq

    # ParquetFile, not read_table: a folder's name such as `index=a` is no column.
    with pq.ParquetFile(path) as file:
        read = file.read([name for name in file.schema_arrow.names if not name.endswith("embedding")])
        names: list[str] = file.schema_arrow.names
    return names, read.to_pylist()


_READERS = {PARQUET: _parquet, CSV: read_csv}


def _plain(row: JsonDict) -> JsonDict:
    kept = {key: listed(value) if key in _LISTS else _gap(value) for key, value in row.items()}
    return {key: _text(value) if key in _TEXTS else value for key, value in kept.items()}


def _text(value: Any) -> str | None:
    """Return a cell of a column of texts as text. pandas has numbers with gaps as floats."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value if value is None or isinstance(value, str) else str(value)


def _gap(value: Any) -> Any:
    """Return None for a float that is no number: pandas writes gaps so."""
    return None if isinstance(value, float) and math.isnan(value) else value


def listed(value: Any) -> list[Any]:
    """Return a list of ids, however a version wrote it: a list, JSON, or text with commas between."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return []
    if isinstance(value, str):
        return printed_list(value.strip())
    items = value if isinstance(value, list | tuple) else [value]
    items = [int(one) if isinstance(one, float) and one.is_integer() else one for one in items]
    # 0.5 joins the text units of each member of a community with commas, and lists the members.
    return [
        one for item in items for one in (item.split(",") if isinstance(item, str) else [item]) if one != ""
    ]


def _version(found: Tables) -> str:
    units, reports = found.columns.get("text_units", ()), found.columns.get("community_reports", ())
    if found.has("nodes") or (found.folder / f"{OLD}entities.parquet").is_file():
        return "1" if "parent" in found.columns.get("communities", ()) else "0.5"
    if "document_id" in units or ("raw_data" in found.columns.get("documents", ())):
        return "3"
    return "2" if units or reports else "3"
