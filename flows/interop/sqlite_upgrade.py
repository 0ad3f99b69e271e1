"""Bring a memory server's database up to date: on a copy of it, unless in place is asked for."""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from corpusgraph.flows.interop.sqlite_files import copied, snapshot
from corpusgraph.flows.interop.sqlite_read import LOG
from corpusgraph.flows.resources.disk import guarded
from corpusgraph.schemas.errors import InvalidInputError, shown

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
