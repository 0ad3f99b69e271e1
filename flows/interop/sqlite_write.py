"""Write the database of a memory server."""

import json
import re
import shutil
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from corpusgraph.flows.files.disk import guarded
from corpusgraph.flows.interop.memory_parcel import numbers_of
from corpusgraph.flows.interop.parcel import GivenEntity, GivenMemory
from corpusgraph.flows.interop.sqlite_read import LOG, copied, snapshot
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, shown
from corpusgraph.tasks.graph.names import ROWS

ADDED = (("weight", "REAL DEFAULT 1.0"), ("is_causal", "BOOLEAN DEFAULT 0"), ("context", "TEXT"))
"""Columns that the upgrade adds to `relations` where they are missing; context is JSON."""
INDEXES = (
    ("idx_relations_from", "from_entity_id"),
    ("idx_relations_to", "to_entity_id"),
    ("idx_relations_type", "relation_type"),
)
NOW = "TIMESTAMP DEFAULT CURRENT_TIMESTAMP"
_LOG_TABLE = f"""
CREATE TABLE IF NOT EXISTS {LOG} (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entity_id INTEGER,
    relationships_found INTEGER,
    extracted_at {NOW},
    FOREIGN KEY (entity_id) REFERENCES entities (id)
)"""


def upgrade_database(path: Path, *, to: Path | None = None, in_place: bool = False) -> tuple[Path, list[str]]:
    """Add what relationship-aware tools need to a memory's database; return where, and what was added.

    Works on a copy, `to` or `<name>-upgraded.<ending>` beside the file, unless it is to be done in place.
    Done again it adds nothing. Raises InvalidInputError for a file that is no such database, or a copy that
    is there already.
    """
    with snapshot(path) as checked:
        _refuse(path, checked)
    if in_place:
        with closing(sqlite3.connect(path, timeout=30)) as connection:
            return path, upgraded(connection)
    target = to or path.with_name(f"{path.stem}-upgraded{path.suffix}")
    if target.exists():
        hint = "Give another with --to, or remove it."
        raise InvalidInputError(f"{shown(target)} is there already.", hint=hint, code="file_exists")
    with guarded(target), tempfile.TemporaryDirectory(dir=target.parent, prefix=".upgrade-") as folder:
        staged = Path(folder) / target.name
        copied(path, staged)
        with closing(sqlite3.connect(staged)) as connection:
            done = upgraded(connection)
        staged.replace(target)
    return target, done


def _refuse(path: Path, connection: sqlite3.Connection) -> None:
    names = {row[1] for row in connection.execute("PRAGMA table_info(relations)")}
    missing = [column for _, column in INDEXES if column not in names]
    if missing:
        told = f"table 'relations' with {', '.join(missing)}" if names else "table 'relations'"
        raise InvalidInputError(f"{shown(path)} has no {told}.", code="table_missing")


def upgraded(connection: sqlite3.Connection) -> list[str]:
    """Add columns, indexes and the log table where they are missing, all or nothing; return their names."""
    connection.isolation_level = None
    before = _objects(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        columns = {row[1] for row in connection.execute("PRAGMA table_info(relations)")}
        added = [name for name, _ in ADDED if name not in columns]
        for name, kind in ADDED:
            if name not in columns:
                connection.execute(f"ALTER TABLE relations ADD COLUMN {name} {kind}")
        for name, column in INDEXES:
            connection.execute(f"CREATE INDEX IF NOT EXISTS {name} ON relations({column})")
        connection.execute(_LOG_TABLE)
        connection.execute("COMMIT")
    except sqlite3.DatabaseError:
        connection.execute("ROLLBACK")
        raise
    return [f"relations.{name}" for name in added] + sorted(_objects(connection) - before)


def _objects(connection: sqlite3.Connection) -> set[str]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    return {str(row[0]) for row in names}


_TABLES = f"""
CREATE TABLE entities (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT UNIQUE NOT NULL,
    entity_type TEXT NOT NULL
);
CREATE TABLE observations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    entity_id INTEGER,
    content TEXT NOT NULL,
    created_at {NOW},
    FOREIGN KEY (entity_id) REFERENCES entities (id)
);
CREATE TABLE relations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    from_entity_id INTEGER,
    to_entity_id INTEGER,
    relation_type TEXT NOT NULL,
    created_at {NOW},
    FOREIGN KEY (from_entity_id) REFERENCES entities (id),
    FOREIGN KEY (to_entity_id) REFERENCES entities (id)
);
"""
_KNOWN: Mapping[str, str] = {
    "tier": "TEXT DEFAULT 'working'",
    "salience_score": "REAL",
    "created_at": NOW,
    "last_accessed": NOW,
}
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,62}")
_TAKEN = frozenset({"id", "name", "entity_type", "entity_id", "content", "from_entity_id", "to_entity_id"})
_TAKEN |= {"context_text", "relation_type", "weight", "is_causal", "context", "rowid", "oid", "_rowid_"}


def write_sqlite(memory: GivenMemory, to: Path) -> dict[str, int]:
    """Write a database at `to`, in one step; return the rows of each table."""
    with guarded(to):
        to.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=to.parent, prefix=".export-") as folder:
            staged = Path(folder) / "export.db"
            with closing(sqlite3.connect(staged)) as connection:
                connection.executescript(_TABLES)
                upgraded(connection)
                connection.execute("BEGIN")
                counts = _fill(connection, memory)
                connection.execute("COMMIT")
            shutil.move(staged, to)
    return counts


def _fill(connection: sqlite3.Connection, memory: GivenMemory) -> dict[str, int]:
    numbers = numbers_of([entity.number for entity in memory.entities])
    entities, observations = [], []
    for number, name, entity in zip(numbers, _unique(memory), memory.entities, strict=True):
        if entity.is_stub and not entity.observations and name == f"entity {number}":
            continue  # a relation of the database it comes from names a row that is not there
        row = {"id": number, "name": name, "entity_type": entity.type or ""}
        entities.append({**_scalars(entity.attributes), **row})
        observations += _observations(entity, number)
    ids = numbers_of([row["id"] if isinstance(row["id"], int) else None for row in observations])
    log = [
        {"entity_id": numbers[line.entity], "relationships_found": line.found, "extracted_at": line.at}
        for line in memory.log
    ]
    tables = {
        "entities": entities,
        "observations": [{**row, "id": id_} for row, id_ in zip(observations, ids, strict=True)],
        "relations": _relations(memory, numbers),
        LOG: log,
    }
    return {table: _insert(connection, table, rows) for table, rows in tables.items()}


def _observations(entity: GivenEntity, number: int) -> list[JsonDict]:
    """Return the rows of an entity's observations, with the columns they had where they were imported."""
    kept_rows = entity.attributes.get(ROWS)
    details = [row for row in kept_rows if isinstance(row, dict)] if isinstance(kept_rows, list) else []
    of_text = {str(row.get("content")): row for row in reversed(details)}
    rows = []
    for text in entity.observations:
        had = of_text.get(text, {})
        kept = _dated(_scalars({key: value for key, value in had.items() if key != "id"}))
        rows.append({**kept, "id": had.get("id"), "entity_id": number, "content": text})
    return rows


def _relations(memory: GivenMemory, numbers: Sequence[int]) -> list[JsonDict]:
    """Return the rows of the relations; `numbers` are those of the entities."""
    rows = []
    ids = numbers_of([relation.number for relation in memory.relations])
    for id_, relation in zip(ids, memory.relations, strict=True):
        text = relation.attributes.get("context_text")
        context = None if relation.context is None else json.dumps(relation.context, ensure_ascii=False)
        rows.append(
            {
                **_dated(_scalars(relation.attributes)),
                "id": id_,
                "from_entity_id": numbers[relation.source],
                "to_entity_id": numbers[relation.target],
                "relation_type": relation.type,
                "weight": relation.confidence,
                "is_causal": int(relation.is_causal),
                "context": text if context is None and isinstance(text, str) else context,
            }
        )
    return rows


def _insert(connection: sqlite3.Connection, table: str, rows: Sequence[JsonDict]) -> int:
    """Insert rows; a column that the table lacks is added, and one that a row lacks has its default."""
    there = {str(row[1]).lower() for row in connection.execute(f"PRAGMA table_info({table})")}
    for name in dict.fromkeys(name for row in rows for name in row):
        if name.lower() not in there:
            there.add(name.lower())
            # A column that is added can have no default that is not constant.
            kind = _KNOWN.get(name, "").replace(NOW, "TIMESTAMP")
            connection.execute(f'ALTER TABLE {table} ADD COLUMN "{name}" {kind}')
    for row in rows:
        names = ", ".join(f'"{name}"' for name in row)
        marks = ", ".join("?" for _ in row)
        connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(row.values()))  # noqa: S608
    return len(rows)


def _scalars(attributes: Mapping[str, Any]) -> JsonDict:
    """Return what fits a column: numbers and texts under plain names that are not taken."""
    once = {
        key.lower(): key for key in reversed(list(attributes))
    }  # SQLite knows no case in names of columns
    return {
        key: value
        for key, value in attributes.items()
        if once[key.lower()] == key
        and _PLAIN.fullmatch(key)
        and key.lower() not in _TAKEN
        and isinstance(value, str | int | float)
        and not (isinstance(value, int) and abs(value) >= 2**63)
    }


def _dated(row: JsonDict) -> JsonDict:
    """Say that a time is not known where it is not: the table's default is the time of writing."""
    return row if any(key.lower() == "created_at" for key in row) else {"created_at": None, **row}


def _unique(memory: GivenMemory) -> Iterable[str]:
    """Return a name for each entity that no other has: homonyms are told apart by type, or by number."""
    times = Counter(entity.name for entity in memory.entities)
    taken = {name for name, count in times.items() if count == 1}
    for place, entity in enumerate(memory.entities):
        name = entity.name
        if times[name] > 1:
            number = entity.number if entity.number is not None else place
            name = f"{name} ({entity.type})" if entity.type else f"{name} ({number})"
            while name in taken:
                name = f"{name} ({number})"
            taken.add(name)
        yield name
