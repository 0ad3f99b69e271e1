"""A memory server's database: read from a copy, upgraded on request, written back."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.interop.memory_parcel import memory_parcel
from corpusgraph.flows.interop.sources import export_memory, import_index
from corpusgraph.flows.interop.sqlite import read_sqlite, upgrade_database
from corpusgraph.schemas.errors import InvalidInputError
from tests.interop.unpublished import Unpublished

OLD = """
CREATE TABLE entities (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE NOT NULL, entity_type TEXT NOT NULL,
    tier TEXT DEFAULT 'working', salience_score REAL, compressed_data BLOB, created_at TIMESTAMP);
CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, entity_id INTEGER, content TEXT NOT NULL,
    compressed BLOB, created_at TIMESTAMP, FOREIGN KEY (entity_id) REFERENCES entities (id));
CREATE TABLE relations (id INTEGER PRIMARY KEY AUTOINCREMENT, from_entity_id INTEGER, to_entity_id INTEGER,
    relation_type TEXT NOT NULL, created_at TIMESTAMP);
INSERT INTO entities VALUES (42, 'TRAP Framework', 'concept', 'core', 0.85, x'789c', '2025-11-28 10:00:00');
INSERT INTO entities VALUES (43, 'Sequential Thinking', 'pattern', 'working', NULL, NULL, '2025-11-28 10:01:00');
INSERT INTO observations VALUES (1, 42, 'Think-Reason-Act-Plan framework', NULL, '2025-11-28 10:02:00');
INSERT INTO observations VALUES (2, 42, 'TRAP Framework implements Sequential Thinking', NULL, NULL);
INSERT INTO relations VALUES (10, 42, 43, 'implements', '2025-11-28 10:03:00');
"""
NEW = """
ALTER TABLE relations ADD COLUMN weight REAL DEFAULT 1.0;
ALTER TABLE relations ADD COLUMN is_causal BOOLEAN DEFAULT 0;
ALTER TABLE relations ADD COLUMN context TEXT;
CREATE TABLE relationship_extraction_log (id INTEGER PRIMARY KEY AUTOINCREMENT, entity_id INTEGER,
    relationships_found INTEGER, extracted_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
INSERT INTO relations VALUES (11, 43, 42, 'causes', NULL, 0.9, 1, '{"discovered_by": "code_review"}');
INSERT INTO relationship_extraction_log VALUES (1, 42, 7, '2025-11-28 11:00:00');
"""


def made(path: Path, *scripts: str) -> Path:
    with closing(sqlite3.connect(path)) as connection:
        for script in scripts:
            connection.executescript(script)
        connection.commit()
    return path


def rows(path: Path, table: str) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute(f"SELECT * FROM {table} ORDER BY id")]  # noqa: S608


@pytest.fixture
def upgraded(tmp_path: Path) -> Path:
    return made(tmp_path / "memory.db", OLD, NEW)


def test_numbers_weights_and_attributes_come_along(upgraded: Path) -> None:
    memory = read_sqlite(upgraded)
    assert memory.notes.found == {"blob_left_out": ["entities.compressed_data"]}
    graph = Unpublished(memory_parcel(memory)).graph
    trap = graph.entity(42)
    assert (trap.name, trap.type) == ("TRAP Framework", "concept")
    assert trap.attributes is not None
    assert (trap.attributes["tier"], trap.attributes["salience_score"]) == ("core", 0.85)
    assert trap.attributes["created_at"] == "2025-11-28 10:00:00"
    assert len(trap.attributes["observations"]) == 2
    first, second = graph.relationship(10), graph.relationship(11)
    assert (first.confidence, first.weight, first.is_causal) == (1.0, 1.0, False)
    assert (second.confidence, second.weight, second.is_causal) == (0.9, 0.9, True)
    assert (second.attributes or {})["context"] == {"discovered_by": "code_review"}


@pytest.mark.faults
def test_the_extraction_log_is_kept_once(upgraded: Path, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    import_index(upgraded, "mem", outputs=outputs)
    import_index(upgraded, "mem", replace=True, outputs=outputs)
    ((change, line),) = api.open("mem", outputs).memory.extractions()
    assert (line.entity.name, line.found, change.at) == ("TRAP Framework", 7, "2025-11-28T11:00:00+00:00")


def test_a_database_without_the_newer_columns_is_read(tmp_path: Path) -> None:
    memory = read_sqlite(made(tmp_path / "old.db", OLD))
    (relation,) = memory.relations
    assert (relation.confidence, relation.is_causal, relation.context) == (1.0, False, None)


def test_written_back_it_is_the_same_database(upgraded: Path, tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    import_index(upgraded, "mem", outputs=outputs)
    export_memory("mem", tmp_path / "back.db", outputs=outputs)
    blobs = {"compressed_data", "compressed"}
    for table in ("entities", "observations", "relations", "relationship_extraction_log"):
        told = [{k: v for k, v in row.items() if k not in blobs} for row in rows(upgraded, table)]
        assert rows(tmp_path / "back.db", table) == told
    export_memory("mem", tmp_path / "twice.db", outputs=outputs)
    assert (tmp_path / "twice.db").read_bytes() == (tmp_path / "back.db").read_bytes()


def test_reading_leaves_nothing_behind_and_sees_the_write_ahead_log(tmp_path: Path) -> None:
    path = tmp_path / "home" / "wal.db"
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.executescript(OLD)
        writer.execute("INSERT INTO entities (id, name, entity_type) VALUES (50, 'late', 'note')")
        writer.commit()
        before = {
            one.name: one.read_bytes() for one in path.parent.iterdir() if not one.name.endswith("-shm")
        }
        assert {entity.name for entity in read_sqlite(path).entities} >= {"late"}
        after = {one.name: one.read_bytes() for one in path.parent.iterdir() if not one.name.endswith("-shm")}
        assert after == before
        killed = tmp_path / "killed"
        shutil.copytree(path.parent, killed)
        (killed / "wal.db-shm").unlink()
    there = sorted(one.name for one in killed.iterdir())
    assert {entity.name for entity in read_sqlite(killed / "wal.db").entities} >= {"late"}
    assert sorted(one.name for one in killed.iterdir()) == there
    closed = sorted(one.name for one in path.parent.iterdir())
    read_sqlite(path)
    assert sorted(one.name for one in path.parent.iterdir()) == closed == ["wal.db"]


def test_upgrade_works_on_a_copy_and_once(tmp_path: Path) -> None:
    path = made(tmp_path / "old.db", OLD)
    before = path.read_bytes()
    copy, added = upgrade_database(path)
    assert path.read_bytes() == before
    assert copy == tmp_path / "old-upgraded.db"
    assert added == [
        "relations.weight",
        "relations.is_causal",
        "relations.context",
        "idx_relations_from",
        "idx_relations_to",
        "idx_relations_type",
        "relationship_extraction_log",
    ]
    assert rows(copy, "relations")[0] | {"x": 0} == rows(path, "relations")[0] | {
        "weight": 1.0,
        "is_causal": 0,
        "context": None,
        "x": 0,
    }
    assert upgrade_database(copy, in_place=True) == (copy, [])
    with pytest.raises(InvalidInputError, match="there already"):
        upgrade_database(path)
    assert upgrade_database(path, in_place=True)[1] == added


def test_what_cannot_be_used_is_told(tmp_path: Path) -> None:
    odd = """
    INSERT INTO entities (id, name, entity_type) VALUES (60, ' ', 'x');
    INSERT INTO observations (entity_id, content) VALUES (99, 'of nobody');
    INSERT INTO relations VALUES (20, 42, 77, 'uses', NULL);
    INSERT INTO relations VALUES (21, NULL, 42, 'uses', NULL);
    INSERT INTO relations VALUES (22, 42, 43, 'implements', NULL);
    INSERT INTO relations VALUES (23, 42, 42, 'extends', NULL);
    ALTER TABLE relations ADD COLUMN weight REAL;
    UPDATE relations SET weight = 7 WHERE id = 23;
    """
    path = made(tmp_path / "odd.db", OLD, odd)
    memory = read_sqlite(path)
    told = {warning.code: warning.records for warning in memory.notes.warnings()}
    assert told["broken_row"] == (
        "entity 60: without a name",
        "observation 3: of no entity",
        "relation 21: without both ends and a type",
    )
    assert told["missing_entity"] == ("relation 20: 77",)
    assert told["duplicate_relation"] == ("relation 22",)
    assert told["value_repaired"] == ("relation 23: weight 7.0",)
    assert Unpublished(memory_parcel(memory)).graph.entity(77).is_stub
    with pytest.raises(InvalidInputError, match="entity 60"):
        read_sqlite(path, strict=True)


def test_files_that_are_no_memory(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("not a database at all, only words")
    made(tmp_path / "other.db", "CREATE TABLE songs (id INTEGER)")
    made(tmp_path / "bare.db", "CREATE TABLE entities (id INTEGER, title TEXT)")
    whole = made(tmp_path / "whole.db", OLD).read_bytes()
    (tmp_path / "torn.db").write_bytes(whole[: len(whole) // 2])
    for name, code in (
        ("text", "not_a_memory"),
        ("other", "table_missing"),
        ("bare", "column_missing"),
        ("torn", "not_a_memory"),
        ("absent", "not_a_memory"),
    ):
        with pytest.raises(InvalidInputError) as error:
            read_sqlite(tmp_path / f"{name}.db")
        assert error.value.code == code, name
    with pytest.raises(InvalidInputError):
        upgrade_database(tmp_path / "other.db")
    assert not (tmp_path / "other-upgraded.db").exists()
