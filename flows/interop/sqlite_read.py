"""Read the database of a memory server: entities, observations, relations, and the extraction log.

Tables `entities(id, name, entity_type, tier, …)`, `observations(entity_id, content, …)`, `relations(
from_entity_id, to_entity_id, relation_type, weight, is_causal, context, …)`, the last three with or without
them, and `relationship_extraction_log(entity_id, relationships_found, extracted_at)`. Numbers stay: an
entity's id is its short id. What other columns hold is kept as attributes, bytes alone are left out.
"""

import json
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from corpusgraph.flows.interop.parcel import (
    GivenEntity,
    GivenExtraction,
    GivenMemory,
    GivenRelation,
    add_stub,
    clean,
    is_too_deep,
)
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import InvalidInputError, shown
from corpusgraph.schemas.memory import SHORT_IDS
from corpusgraph.tasks.graph.names import ROWS

MAGIC = b"SQLite format 3\x00"
_WRITE_AHEAD = 2
"""Bytes 18 and 19 of a database whose last writer kept a write-ahead log."""
_BESIDE = ("-wal", "-journal")


def is_sqlite(path: Path) -> bool:
    """Tell whether a file begins as a SQLite database does."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


@contextmanager
def snapshot(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a copy of a database, with all that its write-ahead log holds.

    Raises InvalidInputError for a file that is not a database or is damaged.
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
                connection.text_factory = _text
                connection.row_factory = sqlite3.Row
                yield connection
        # UnicodeDecodeError: what is damaged is told in its own bytes.
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            raise _damaged(path, str(error)) from None


def copied(path: Path, to: Path) -> None:
    """Copy a database as it is at one moment, while others may be writing it.

    A database that nobody has open is copied as a file: SQLite would lay files down beside it to read it.
    """
    try:
        if not _is_open(path):
            _copy_files(path, to)
            return
        with (
            closing(
                sqlite3.connect(f"file:{quote(str(path.resolve()))}?mode=ro", uri=True, timeout=30)
            ) as source,
            closing(sqlite3.connect(to)) as target,
        ):
            source.backup(target)
    except sqlite3.OperationalError:
        # A log that only a writer may play back, in a folder that cannot be written.
        _copy_files(path, to)
    with closing(sqlite3.connect(to)) as connection:
        connection.execute("PRAGMA journal_mode=DELETE")


def _is_open(path: Path) -> bool:
    """Tell whether a process may have the database open: with a write-ahead log that leaves a file."""
    with path.open("rb") as file:
        head = file.read(20)
    return head[18:19] != bytes([_WRITE_AHEAD]) or path.with_name(f"{path.name}-shm").exists()


def _copy_files(path: Path, to: Path) -> None:
    shutil.copyfile(path, to)
    for ending in _BESIDE:
        beside = path.with_name(path.name + ending)
        if beside.exists():
            shutil.copyfile(beside, to.with_name(to.name + ending))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _damaged(path: Path, why: str) -> InvalidInputError:
    hint = "Give the database file of a memory server, or its JSON Lines file."
    return InvalidInputError(f"{shown(path)} cannot be read: {why}.", hint=hint, code="not_a_memory")


FORMAT = "sqlite"
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
_NEEDED: Mapping[str, tuple[str, ...]] = {
    "entities": ("id", "name"),
    "observations": ("entity", "content"),
    "relations": ("source", "target", "type"),
    LOG: ("entity", "found", "at"),
}


def read_sqlite(path: Path, *, strict: bool = False) -> GivenMemory:
    """Read a copy of the database; if `strict`, a row that cannot be used is an error."""
    memory = GivenMemory(FORMAT, path.name)
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

    def __post_init__(self) -> None:
        self.places: dict[Any, int] = {}

    def entities(self) -> None:
        """Read the entities by their numbers."""
        for row, rest in self._rows("entities", "id"):
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
            known = number if isinstance(number, int) and 0 <= number < SHORT_IDS else None
            if known is None:
                self.memory.notes.add("numbers_given_anew", f"entity {number}: {name}")
            self.places[number] = len(self.memory.entities)
            self.memory.entities.append(GivenEntity(clean(name), type_, attributes=rest, number=known))

    def observations(self) -> None:
        """Read what was observed, in order."""
        details: dict[int, list[JsonDict]] = {}
        for row, rest in self._rows("observations", "id"):
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
        for row, rest in self._rows("relations", "id"):
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
            given.confidence = self._confidence(row["weight"], where)
            given.is_causal = row["is_causal"] in {1, "1", "true", "True", "t"}
            given.number = row["id"] if isinstance(row["id"], int) and 0 <= row["id"] < SHORT_IDS else None
            self._context(given, row["context"])
            self.memory.relations.append(given)

    def log(self) -> None:
        """Read when which entity's texts were searched for relations."""
        for row, _ in self._rows(LOG, "id"):
            place = self.places.get(row["entity"])
            if place is None or not isinstance(row["found"], int) or row["found"] < 0:
                self.memory.notes.add("broken_row", f"extraction of entity {row['entity']}")
                continue
            self.memory.log.append(GivenExtraction(place, row["found"], str(row["at"] or "")))

    def _end(self, reference: Any, where: str) -> int:
        """Return the place of an entity by its number, or by its name where the column holds names."""
        if reference in self.places:
            return self.places[reference]
        entities = self.memory.entities
        if isinstance(reference, str):
            named = next((at for at, entity in enumerate(entities) if entity.name == reference), None)
            if named is not None:
                return self.places.setdefault(reference, named)
        name = clean(reference) if isinstance(reference, str) else f"entity {reference}"
        known = reference if isinstance(reference, int) and 0 <= reference < SHORT_IDS else None
        self.places[reference] = len(entities)
        stub = GivenEntity(name, number=known, is_stub=True, told=f"{where}: {reference}")
        add_stub(self.memory, stub)
        return self.places[reference]

    def _confidence(self, weight: Any, where: str) -> float:
        if weight is None:
            return 1.0
        if not isinstance(weight, int | float) or not 0 <= weight <= 1:
            self.memory.notes.add("value_repaired", f"{where}: weight {weight!r}")
            return min(max(float(weight), 0.0), 1.0) if isinstance(weight, int | float) else 1.0
        return float(weight)

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
            given.attributes["context_text"] = context if isinstance(context, str) else str(context)

    def _rows(self, table: str, order: str) -> Sequence[tuple[JsonDict, JsonDict]]:
        """Return the known columns of each row by our names, and the others as attributes."""
        if table not in self.tables:
            if table != LOG:
                self.memory.notes.add("missing_table", table)
            return []
        names = [row[1] for row in self.connection.execute(f"PRAGMA table_info({table})")]
        found = {
            ours: next((name for name in theirs if name in names), None)
            for ours, theirs in _COLUMNS[table].items()
        }
        for ours in _NEEDED[table]:
            if found[ours] is None:
                told = f"Table {table!r} of {shown(self.path)} has no column {_COLUMNS[table][ours][0]!r}."
                raise InvalidInputError(told, hint=f"It has: {', '.join(names)}.", code="column_missing")
        order_by = found.get(order) or "rowid"
        rows = self.connection.execute(f'SELECT * FROM {table} ORDER BY "{order_by}"')  # noqa: S608 (names above)
        return [self._row(table, row, found) for row in rows]

    def _row(
        self, table: str, row: sqlite3.Row, found: Mapping[str, str | None]
    ) -> tuple[JsonDict, JsonDict]:
        known = {ours: None if theirs is None else row[theirs] for ours, theirs in found.items()}
        rest: JsonDict = {}
        for name in row.keys():  # noqa: SIM118 - a row iterates over its values
            value = row[name]
            if name in found.values() or value is None:
                continue
            if isinstance(value, bytes):
                self.memory.notes.found.setdefault("blob_left_out", [])
                if f"{table}.{name}" not in self.memory.notes.found["blob_left_out"]:
                    self.memory.notes.add("blob_left_out", f"{table}.{name}")
                continue
            rest[name] = clean(value) if isinstance(value, str) else value
        return known, rest
