"""Files that nobody meant: each import is right, tells what it left out, or says what the file is not."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from corpusgraph.flows.interop.jsonl import read_jsonl
from corpusgraph.flows.interop.memory_parcel import memory_parcel
from corpusgraph.flows.interop.sources import import_index
from corpusgraph.flows.interop.sqlite import read_sqlite
from corpusgraph.schemas.errors import InvalidInputError

TABLES = """
CREATE TABLE {0}entities(id INTEGER PRIMARY KEY, name TEXT, entity_type TEXT);
CREATE TABLE {0}observations(entity_id INTEGER, content TEXT);
CREATE TABLE {0}relations(id INTEGER PRIMARY KEY, from_entity_id INTEGER, to_entity_id INTEGER,
  relation_type TEXT, weight REAL, is_causal INTEGER, context TEXT);
INSERT INTO {0}entities VALUES (1, 'Snow', 'person'), (2, 'Ạ𝄞', 'person');
INSERT INTO {0}observations VALUES (1, 'lived in London');
INSERT INTO {0}relations VALUES (1, 1, 2, 'knows', 0.5, 1, '{{"year": 1854}}');
"""
VIEWS = """
CREATE VIEW entities AS SELECT * FROM kept_entities;
CREATE VIEW observations AS SELECT * FROM kept_observations;
CREATE VIEW relations AS SELECT * FROM kept_relations;
"""


def database(folder: Path, script: str, encoding: str = "UTF-8") -> Path:
    path = folder / "memory.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA encoding = '{encoding}'")
        connection.executescript(script)
        connection.commit()
    return path


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
@pytest.mark.parametrize(
    "script", [TABLES.format(""), TABLES.format("kept_") + VIEWS], ids=["tables", "views"]
)
def test_tables_or_views_in_any_encoding(script: str, encoding: str, tmp_path: Path) -> None:
    memory = read_sqlite(database(tmp_path, script, encoding))
    assert [(one.name, one.observations) for one in memory.entities] == [
        ("Snow", ["lived in London"]),
        ("Ạ𝄞", []),
    ]
    assert [(one.type, one.confidence, one.context) for one in memory.relations] == [
        ("knows", 0.5, {"year": 1854})
    ]
    assert memory.notes.found == {}


def test_a_damaged_database_is_read_or_said_to_be_none(tmp_path: Path) -> None:
    path = database(tmp_path, TABLES.format(""))
    whole, codes = path.read_bytes(), []
    at = whole.index(b"CREATE TABLE entities")
    for place in (*range(16, 100, 7), *range(at - 40, at + 60, 3)):
        path.write_bytes(whole[:place] + b"\xf2" + whole[place + 1 :])
        try:
            read_sqlite(path)
        except InvalidInputError as error:
            codes.append(error.code)
    assert set(codes) <= {"not_a_memory", "table_missing", "column_missing"}
    assert len(codes) > 10


def test_a_context_too_deep_to_keep_stays_as_text(tmp_path: Path) -> None:
    deep = '{"a": ' + "[" * 400 + "]" * 400 + "}"
    path = database(tmp_path, TABLES.format("").replace('{"year": 1854}', deep))
    import_index(path, "x", outputs=tmp_path / "outputs")
    (relation,) = read_sqlite(path).relations
    assert relation.context is None
    assert relation.attributes["context_text"] == deep


E1 = b'{"type":"entity","name":"Snow","entityType":"person","observations":["o"]}'
E2 = b'{"type":"entity","name":"Farr","entityType":"person","observations":["o"]}'


@pytest.mark.parametrize(
    "odd",
    [
        b'{"a":' * 900 + b"1" + b"}" * 900,
        b"[" * 100_000 + b"]" * 100_000,
        E1[:-1] + b',"x":' + b"[" * 400 + b"]" * 400 + b"}",
        E1[:-1] + b',"x":' + b"9" * 5000 + b"}",
        b"\x00",
    ],
    ids=["objects", "lists", "member", "digits", "nul"],
)
def test_a_line_nobody_can_keep_costs_itself_alone(odd: bytes, tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + E2 + b"\r\n" + odd + b"\r\n")
    memory = read_jsonl(path)
    assert [entity.name for entity in memory.entities] == ["Farr"]
    assert memory.notes.found["broken_line"][0].startswith("line 2")
    memory_parcel(memory)


@pytest.mark.parametrize("data", [b'{"entities":[],"relations":5}', b'{"relations":{"a":1},"entities":[{}]}'])
def test_lists_that_are_none(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "memory.json"
    path.write_bytes(data)
    with pytest.raises(InvalidInputError) as caught:
        read_jsonl(path)
    assert caught.value.code == "not_a_memory"
