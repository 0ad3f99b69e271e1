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
PARQUET, CSV = "parquet", "csv"
_OLD = "create_final_"
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
    """Read the tables of a folder, of its `output`, or of the newest run below that.

    Raises InvalidInputError where entities or relationships are missing, or a column without which a table
    says nothing; the message names it.
    """
    home = _home(folder)
    found = Tables(home)
    # CSV counts where there is no parquet: beside it, it is what was indexed.
    ending = PARQUET if any(_path(home, name) for name in TABLES) else CSV
    for name in TABLES:
        path = _path(home, name, ending)
        if path is None:
            found.rows[name] = None
            if name != "nodes":
                found.notes.add("missing_table", name)
            continue
        found.rows[name] = _read(path, name, found)
    missing = [name for name in ("entities", "relationships") if not found.has(name)]
    if missing:
        there = ", ".join(sorted(path.name for path in home.glob(f"*.{ending}")))
        raise InvalidInputError(
            f"{shown(home)} has no table {missing[0]!r} ({missing[0]}.{ending} or {_OLD}…).",
            hint=f"It has: {there}.",
            code="table_missing",
        )
    found.version = _version(found)
    return found


def _home(folder: Path) -> Path:
    if not folder.is_dir():
        hint = "Give the folder with the parquet or CSV files, or that of the project above it."
        raise InvalidInputError(f"No folder at {shown(folder)}.", hint=hint, code="not_an_index")
    runs = sorted(folder.glob("output/*/artifacts"), reverse=True)
    for home in (folder, folder / "output", folder / "artifacts", *runs):
        if any(_path(home, name) for name in TABLES) or _path(home, "entities", CSV):
            return home
    raise InvalidInputError(
        f"{shown(folder)} holds no GraphRAG index: there is no entities.parquet or {_OLD}entities.parquet.",
        hint="Give the folder with the parquet or CSV files, or that of the project above it.",
        code="not_an_index",
    )


def _path(home: Path, name: str, ending: str = PARQUET) -> Path | None:
    names = (f"{name}.{ending}", f"{_OLD}{name}.{ending}")
    return next((home / name for name in names if (home / name).is_file()), None)


def _read(path: Path, table: str, found: Tables) -> list[JsonDict]:
    import pyarrow as pa

    try:
        columns, rows = _parquet(path) if path.suffix == f".{PARQUET}" else read_csv(path)
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


def _parquet(path: Path) -> tuple[list[str], list[JsonDict]]:
    import pyarrow.parquet as pq

    # ParquetFile, not read_table: a folder's name such as `index=a` is no column.
    with pq.ParquetFile(path) as file:
        read = file.read([name for name in file.schema_arrow.names if not name.endswith("embedding")])
        names: list[str] = file.schema_arrow.names
    return names, read.to_pylist()


def _plain(row: JsonDict) -> JsonDict:
    kept = {key: listed(value) if key in _LISTS else _gap(value) for key, value in row.items()}
    return {key: _text(value) if key in _TEXTS else value for key, value in kept.items()}


def _text(value: Any) -> str | None:
    """Return a cell of a column of texts as text, whatever wrote it."""
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
    # 0.5 joins the text units of each member of a community with commas, and lists the members.
    return [
        one for item in items for one in (item.split(",") if isinstance(item, str) else [item]) if one != ""
    ]


def _version(found: Tables) -> str:
    units, reports = found.columns.get("text_units", ()), found.columns.get("community_reports", ())
    if found.has("nodes") or (found.folder / f"{_OLD}entities.parquet").is_file():
        return "1" if "parent" in found.columns.get("communities", ()) else "0.5"
    if "document_id" in units or ("raw_data" in found.columns.get("documents", ())):
        return "3"
    return "2" if units or reports else "3"
