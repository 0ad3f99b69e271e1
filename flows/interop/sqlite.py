"""The database of a memory server: entities, observations, relations, and the extraction log.

Tables `entities(id, name, entity_type, tier, …)`, `observations(entity_id, content, …)`, `relations(
from_entity_id, to_entity_id, relation_type, weight, is_causal, context, …)`, the last three with or without
them, and `relationship_extraction_log(entity_id, relationships_found, extracted_at)`. Numbers stay: an
entity's id is its short id. What other columns hold is kept as attributes, bytes alone are left out.
"""

import json
import re
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from corpusgraph.flows.files.disk import guarded, replacing
from corpusgraph.flows.interop.memory_parcel import numbers_of
from corpusgraph.flows.interop.parcel import (
    GivenEntity,
    GivenExtraction,
    GivenMemory,
    GivenRelation,
    MemoryFormat,
    add_stub,
    clean,
    is_too_deep,
)
from corpusgraph.flows.store.graphrag_tables import unique_titles
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, shown
from corpusgraph.schemas.memory import SHORT_IDS
from corpusgraph.tasks.graph.names import ROWS

MAGIC = b"SQLite format 3\x00"
_WRITE_AHEAD = 2
"""Bytes 18 and 19 of a database whose last writer kept a write-ahead log."""


def is_sqlite(path: Path) -> bool:
    """Tell whether a file begins as a SQLite database does.

    Parameters
    ----------
    path : Path
        A file that is there.

    Returns
    -------
    bool
        Its first 16 bytes tell.

    """
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


@contextmanager
def snapshot(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a copy of a database, with all that its write-ahead log holds.

    Parameters
    ----------
    path : Path
        Is only read.

    Yields
    ------
    Connection
        For the `with` statement; text that is not UTF-8 has U+FFFD.

    Raises
    ------
    InvalidInputError
        For a file that is not there, is not a database, or is damaged.

    """
    if not path.is_file():
        raise InvalidInputError(f"No file at {shown(path)}.", code="not_a_memory")
    if path.stat().st_size and not is_sqlite(path):
        raise _damaged(path, "file is not a database")
    with tempfile.TemporaryDirectory(prefix="corpusgraph-") as folder:
        copy = Path(folder) / "copy.db"
        try:
            copied(path, copy)
            with closing(sqlite3.connect(copy)) as connection:
                connection.text_factory = lambda data: data.decode("utf-8", "replace")
                connection.row_factory = sqlite3.Row
                yield connection
        # UnicodeDecodeError: what is damaged is told in its own bytes.
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise _damaged(path, str(error)) from None


def copied(path: Path, to: Path) -> None:
    """Copy a database as it is at one moment, while others may be writing it.

    A database that nobody has open (with a write-ahead log that leaves a file) is copied as files: SQLite
    would lay files down beside it to read it.

    Parameters
    ----------
    path : Path
        The database.
    to : Path
        A file that is not there.

    """
    with path.open("rb") as file:
        keeps_log = file.read(20)[18:19] == bytes([_WRITE_AHEAD])
    try:
        if keeps_log and not path.with_name(f"{path.name}-shm").exists():
            _copy_files(path, to)
            return
        uri = f"file:{quote(str(path.resolve()))}?mode=ro"
        with (
            closing(sqlite3.connect(uri, uri=True, timeout=30)) as source,
            closing(sqlite3.connect(to)) as target,
        ):
            source.backup(target)
    except sqlite3.OperationalError:
        # A log that only a writer may play back, in a folder that cannot be written.
        _copy_files(path, to)
    with closing(sqlite3.connect(to)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def _copy_files(path: Path, to: Path) -> None:
    for ending in ("", "-wal", "-journal"):
        beside = path.with_name(path.name + ending)
        if not ending or beside.exists():
            shutil.copyfile(beside, to.with_name(to.name + ending))


def _damaged(path: Path, why: str) -> InvalidInputError:
    hint = "Give the database file of a memory server, or its JSON Lines file."
    return InvalidInputError(f"{shown(path)} cannot be read: {why}.", hint=hint, code="not_a_memory")


LOG = "relationship_extraction_log"


_COLUMNS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "entities": {"id": ("id", "entity_id"), "name": ("name", "entity_name"), "type": ("entity_type", "type")},
    "observations": {"entity": ("entity_id",), "content": ("content", "observation", "text"), "id": ("id",)},
    "relations": {
        "source": ("from_entity_id", "source_id", "from_entity", "from_id"),
        "target": ("to_entity_id", "target_id", "to_entity", "to_id"),
        "type": ("relation_type", "type"),
        "id": ("id",),
        "weight": ("weight",),
        "is_causal": ("is_causal",),
        "context": ("context",),
    },
    LOG: {"entity": ("entity_id",), "found": ("relationships_found",), "at": ("extracted_at",)},
}
_NEEDED = {"entities": 2, "observations": 2, "relations": 3, LOG: 3}
"""How many of them, the first, there have to be."""


def read_sqlite(path: Path, *, strict: bool = False) -> GivenMemory:
    """Read a copy of the database; if `strict`, a row that cannot be used is an error.

    Parameters
    ----------
    path : Path
        Is only read.
    strict : bool, default False
        A row that cannot be used is an error.

    Returns
    -------
    GivenMemory
        With notes of what was mended or left out.

    Raises
    ------
    InvalidInputError
        `not_a_memory`, `table_missing`, and with `strict` `broken_row`.

    """
    memory = GivenMemory("sqlite", path.name)
    with snapshot(path) as connection:
        listed = connection.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')")
        tables = {row[0] for row in listed}
        if "entities" not in tables:
            there = ", ".join(sorted(tables)) or "none"
            raise InvalidInputError(
                f"{shown(path)} has no table 'entities'.", hint=f"Its tables: {there}.", code="table_missing"
            )
        reading = _Reading(connection, memory, path, tables)
        reading.entities()
        reading.observations()
        reading.relations()
        reading.log()
    if strict and (broken := memory.notes.found.get("broken_row")):
        raise InvalidInputError(f"{shown(path)}: {broken[0]}.", code="broken_row")
    return memory


@dataclass
class _Reading:
    connection: sqlite3.Connection
    memory: GivenMemory
    path: Path
    tables: set[str]
    places: dict[Any, int] = field(default_factory=dict)

    def entities(self) -> None:
        """Read the entities by their numbers."""
        for row, rest in self._rows("entities"):
            name, number = row["name"], row["id"]
            if not (isinstance(name, str) and name.strip()):
                self.memory.notes.add("broken_row", f"entity {number}: without a name")
                continue
            if number in self.places:
                self.memory.notes.add("duplicate_entity", f"entity {number}: {name}")
                continue
            type_ = row["type"] if isinstance(row["type"], str) and row["type"] else None
            if type_ is None:
                self.memory.notes.add("without_type", f"entity {number}: {name}")
            short_id = _short_id(number)
            if short_id is None:
                self.memory.notes.add("numbers_given_anew", f"entity {number}: {name}")
            self.places[number] = len(self.memory.entities)
            self.memory.entities.append(GivenEntity(clean(name), type_, attributes=rest, number=short_id))

    def observations(self) -> None:
        """Read what was observed, in order."""
        details: dict[int, list[JsonDict]] = {}
        for row, rest in self._rows("observations"):
            place = self.places.get(row["entity"])
            text = row["content"]
            if place is None or not isinstance(text, str):
                why = "of no entity" if place is None else "without text"
                self.memory.notes.add("broken_row", f"observation {row['id']}: {why}")
                continue
            entity = self.memory.entities[place]
            if text not in entity.observations:
                entity.observations.append(clean(text))
                details.setdefault(place, []).append({"content": text, "id": row["id"], **rest})
        for place, rows in details.items():
            self.memory.entities[place].attributes[ROWS] = rows

    def relations(self) -> None:
        """Read the relations; an end that is missing is made."""
        seen: set[tuple[int, int, str]] = set()
        for row, rest in self._rows("relations"):
            where = f"relation {row['id']}"
            if row["source"] is None or row["target"] is None or not isinstance(row["type"], str):
                self.memory.notes.add("broken_row", f"{where}: without both ends and a type")
                continue
            source, target = (self._end(row[end], where) for end in ("source", "target"))
            given = GivenRelation(source, target, clean(row["type"]), attributes=rest, where=where)
            if (source, target, given.type) in seen:
                self.memory.notes.add("duplicate_relation", where)
                continue
            seen.add((source, target, given.type))
            weight = 1.0 if row["weight"] is None else row["weight"]
            is_number = isinstance(weight, int | float)
            given.confidence = min(max(float(weight), 0.0), 1.0) if is_number else 1.0
            if given.confidence != weight:
                self.memory.notes.add("value_repaired", f"{where}: weight {weight!r}")
            given.is_causal = row["is_causal"] in {1, "1", "true", "True", "t"}
            given.number = _short_id(row["id"])
            self._context(given, row["context"])
            self.memory.relations.append(given)

    def log(self) -> None:
        """Read when which entity's texts were searched for relations."""
        for row, _ in self._rows(LOG):
            place = self.places.get(row["entity"])
            if place is None or not isinstance(row["found"], int) or row["found"] < 0:
                self.memory.notes.add("broken_row", f"extraction of entity {row['entity']}")
                continue
            self.memory.log.append(GivenExtraction(place, row["found"], str(row["at"] or "")))

    def _end(self, reference: Any, where: str) -> int:
        """Return the place of an entity by its number, or by its name where the column holds names."""
        if reference not in self.places:
            named = (at for at, entity in enumerate(self.memory.entities) if entity.name == reference)
            at = next(named, None)
            if at is None:
                name = clean(reference) if isinstance(reference, str) else f"entity {reference}"
                stub = GivenEntity(name, number=_short_id(reference), told=f"{where}: {reference}")
                at = add_stub(self.memory, stub)
            self.places[reference] = at
        return self.places[reference]

    def _context(self, given: GivenRelation, context: Any) -> None:
        if context is None:
            return
        try:
            value = json.loads(context) if isinstance(context, str) else context
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict) and not is_too_deep(value):
            given.context = value
        else:
            given.attributes["context_text"] = str(context)

    def _rows(self, table: str) -> Iterator[tuple[JsonDict, JsonDict]]:
        """Yield the known columns of each row by our names, and the others as attributes."""
        if table not in self.tables:
            if table != LOG:
                self.memory.notes.add("missing_table", table)
            return
        names = [row[1] for row in self.connection.execute(f"PRAGMA table_info({table})")]
        columns = {
            ours: next((name for name in theirs if name in names), None)
            for ours, theirs in _COLUMNS[table].items()
        }
        for ours in list(columns)[: _NEEDED[table]]:
            if columns[ours] is None:
                told = f"Table {table!r} of {shown(self.path)} has no column {_COLUMNS[table][ours][0]!r}."
                raise InvalidInputError(told, hint=f"It has: {', '.join(names)}.", code="column_missing")
        others = [name for name in names if name not in columns.values()]
        order_by = columns.get("id") or "rowid"
        blobs: dict[str, None] = {}
        for row in self.connection.execute(f'SELECT * FROM {table} ORDER BY "{order_by}"'):  # noqa: S608 (names above)
            blobs |= dict.fromkeys(name for name in others if isinstance(row[name], bytes))
            rest = {name: row[name] for name in others if not isinstance(row[name], bytes | None)}
            yield (
                {ours: None if theirs is None else row[theirs] for ours, theirs in columns.items()},
                {name: clean(value) if isinstance(value, str) else value for name, value in rest.items()},
            )
        for name in blobs:
            self.memory.notes.add("blob_left_out", f"{table}.{name}")


def _short_id(number: Any) -> int | None:
    return number if isinstance(number, int) and 0 <= number < SHORT_IDS else None


ADDED = (("weight", "REAL DEFAULT 1.0"), ("is_causal", "BOOLEAN DEFAULT 0"), ("context", "TEXT"))
"""Columns that the upgrade adds to `relations` where they are missing; context is JSON."""
INDEXES = (
    ("idx_relations_from", "from_entity_id"),
    ("idx_relations_to", "to_entity_id"),
    ("idx_relations_type", "relation_type"),
)
NOW = "TIMESTAMP DEFAULT CURRENT_TIMESTAMP"
_CREATED = f"created_at {NOW}"
_SCHEMA = {
    "entities": "name TEXT UNIQUE NOT NULL, entity_type TEXT NOT NULL",
    "observations": f"entity_id INTEGER, content TEXT NOT NULL, {_CREATED}",
    "relations": f"from_entity_id INTEGER, to_entity_id INTEGER, relation_type TEXT NOT NULL, {_CREATED}",
    LOG: f"entity_id INTEGER, relationships_found INTEGER, extracted_at {NOW}",
}
"""The columns of each table after its id; those that end in entity_id refer to an entity."""


def _create(connection: sqlite3.Connection, *tables: str) -> None:
    for table in tables:
        columns = ["id INTEGER PRIMARY KEY AUTOINCREMENT", *_SCHEMA[table].split(", ")]
        names = [column.partition(" ")[0] for column in columns]
        columns += [f"FOREIGN KEY ({n}) REFERENCES entities (id)" for n in names if n.endswith("entity_id")]
        told = ",\n    ".join(columns)
        connection.execute(f"CREATE TABLE IF NOT EXISTS {table} (\n    {told}\n)")


def upgrade_database(path: Path, *, to: Path | None = None, in_place: bool = False) -> tuple[Path, list[str]]:
    """Add what relationship-aware tools need to a memory's database; done again it adds nothing.

    Parameters
    ----------
    path : Path
        Of the database.
    to : Path, optional
        Of the copy that is changed; `<name>-upgraded.<ending>` beside the file unless given.
    in_place : bool, default False
        Change the file itself.

    Returns
    -------
    tuple of Path and list of str
        Where it is, and names of columns, indexes and tables that were added.

    Raises
    ------
    InvalidInputError
        For a file that is no such database, or a copy that is there already.

    """
    with snapshot(path) as checked:
        names = {row[1] for row in checked.execute("PRAGMA table_info(relations)")}
        missing = [column for _, column in INDEXES if column not in names]
        if missing:
            told = f"table 'relations' with {', '.join(missing)}" if names else "table 'relations'"
            raise InvalidInputError(f"{shown(path)} has no {told}.", code="table_missing")
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


def upgraded(connection: sqlite3.Connection) -> list[str]:
    """Add columns, indexes and the log table where they are missing, all or nothing; return their names.

    Parameters
    ----------
    connection : Connection
        To a database with a table of relations.

    Returns
    -------
    list of str
        Empty where nothing was missing.

    Raises
    ------
    DatabaseError
        Of sqlite3; nothing is changed then.

    """
    connection.isolation_level = None
    before = _objects(connection)
    connection.execute("BEGIN IMMEDIATE")
    try:
        columns = {row[1] for row in connection.execute("PRAGMA table_info(relations)")}
        added = {name: kind for name, kind in ADDED if name not in columns}
        for name, kind in added.items():
            connection.execute(f"ALTER TABLE relations ADD COLUMN {name} {kind}")
        for name, column in INDEXES:
            connection.execute(f"CREATE INDEX IF NOT EXISTS {name} ON relations({column})")
        _create(connection, LOG)
        connection.execute("COMMIT")
    except sqlite3.DatabaseError:
        connection.execute("ROLLBACK")
        raise
    return [f"relations.{name}" for name in added] + sorted(_objects(connection) - before)


def _objects(connection: sqlite3.Connection) -> set[str]:
    names = connection.execute("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    return {str(row[0]) for row in names}


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
    """Write a database at `to`, in one step; return the rows of each table.

    Parameters
    ----------
    memory : GivenMemory
        Entities, observations, relations and log.
    to : Path
        Is replaced where it is there.

    Returns
    -------
    dict of str to int
        Name of a table -> its rows.

    Raises
    ------
    OutputError
        Where the file cannot be written.

    """
    with guarded(to):
        to.parent.mkdir(parents=True, exist_ok=True)
        with replacing(to) as staged, closing(sqlite3.connect(staged)) as connection:
            _create(connection, "entities", "observations", "relations")
            upgraded(connection)
            connection.execute("BEGIN")
            counts = _fill(connection, memory)
            connection.execute("COMMIT")
    return counts


def _fill(connection: sqlite3.Connection, memory: GivenMemory) -> dict[str, int]:
    given = memory.entities
    numbers = numbers_of([entity.number for entity in given])
    keys = [str(number) for number in numbers]
    names = unique_titles(keys, [entity.name for entity in given], [entity.type for entity in given])
    entities, observations = [], list[JsonDict]()
    for number, name, entity in zip(numbers, names, given, strict=True):
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
        "relations": list(_relations(memory, numbers)),
        LOG: log,
    }
    return {table: _insert(connection, table, rows) for table, rows in tables.items()}


def _observations(entity: GivenEntity, number: int) -> Iterator[JsonDict]:
    """Yield the rows of an entity's observations, with the columns they had where they were imported."""
    of_text = {str(row.get("content")): row for row in reversed(entity.rows) if isinstance(row, dict)}
    for text in entity.observations:
        had = of_text.get(text, {})
        yield {**_dated(_scalars(had)), "id": had.get("id"), "entity_id": number, "content": text}


def _relations(memory: GivenMemory, numbers: Sequence[int]) -> Iterator[JsonDict]:
    """Yield the rows of the relations; `numbers` are those of the entities."""
    ids = numbers_of([relation.number for relation in memory.relations])
    for id_, relation in zip(ids, memory.relations, strict=True):
        text = relation.attributes.get("context_text")
        context = None if relation.context is None else json.dumps(relation.context, ensure_ascii=False)
        yield {
            **_dated(_scalars(relation.attributes)),
            "id": id_,
            "from_entity_id": numbers[relation.source],
            "to_entity_id": numbers[relation.target],
            "relation_type": relation.type,
            "weight": relation.confidence,
            "is_causal": int(relation.is_causal),
            "context": text if context is None and isinstance(text, str) else context,
        }


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
    # SQLite knows no case in names of columns
    once = {key.lower(): key for key in reversed(list(attributes))}
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


FORMAT = MemoryFormat((".db", ".sqlite", ".sqlite3"), is_sqlite, read_sqlite, write_sqlite)
