"""Open the database of another system: always a copy of it, so that nothing beside it is ever touched."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from corpusgraph.schemas.errors import InvalidInputError, shown

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
