"""Counting the changes of a journal: the same number that reading gives, without reading them."""

import json
from pathlib import Path

import pytest

from corpusgraph.flows.store import journal as module
from corpusgraph.flows.store.journal import FILE, Journal, Place, decode
from corpusgraph.schemas.errors import MemoryFileError
from corpusgraph.schemas.memory import Change
from tests.journal.test_journal import change


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    made = Journal(tmp_path / FILE)
    place = Place()
    with made.writing():
        for number in range(1, 6):
            _, place = made.append(change(number), place)
    return made


def test_no_file_and_no_folder_hold_no_change(tmp_path: Path) -> None:
    assert Journal(tmp_path / FILE).count() == 0
    assert Journal(tmp_path / "none" / FILE).count() == 0
    (tmp_path / FILE).touch()
    assert Journal(tmp_path / FILE).count() == 0


def test_one_line_is_read_however_many_there_are(journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []

    def decoded(line: bytes, path: Path, number: int) -> Change:
        read.append(number)
        return decode(line, path, number)

    monkeypatch.setattr(module, "decode", decoded)
    assert journal.count() == 5
    assert read == [5]


@pytest.mark.parametrize("torn", [b"", b"{", b'{"version":1,"number":6', b"\0" * 400, b"\0" * 400 + b"}\n"])
def test_any_cut_and_any_torn_end_leave_what_reading_finds(journal: Journal, torn: bytes) -> None:
    whole = journal.path.read_bytes()
    for at in range(0, len(whole) + 1, 7):
        journal.path.write_bytes(whole[:at])
        assert journal.count() == len(journal.read_from()[0])
    journal.path.write_bytes(whole + torn)
    assert journal.count() == len(journal.read_from()[0]) == 5


@pytest.mark.parametrize(
    ("last", "told"),
    [
        (b"garbage\n", "line 6: is not JSON"),
        (b"\n", "line 6: is not JSON"),
        (b'{"version": 9}\n', "line 6: was written in version 9"),
        (b'{"version": 1, "number": 6}\n', "line 6: at"),
    ],
)
def test_a_last_line_that_is_no_change_is_told_as_reading_tells_it(
    journal: Journal, last: bytes, told: str
) -> None:
    with journal.path.open("ab") as file:
        file.write(last)
    with pytest.raises(MemoryFileError) as counted:
        journal.count()
    with pytest.raises(MemoryFileError) as read:
        journal.read_from()
    assert told in str(counted.value)
    assert (counted.value.code, str(counted.value)) == (read.value.code, str(read.value))


def test_lines_that_were_lost_or_doubled_further_up_are_told(journal: Journal) -> None:
    lines = journal.path.read_bytes().splitlines(keepends=True)
    for kept, has in (([*lines[:2], *lines[3:]], 4), ([*lines[:2], *lines[1:]], 6)):
        journal.path.write_bytes(b"".join(kept))
        with pytest.raises(MemoryFileError, match=f"line {has}: has change 5 where change {has} belongs"):
            journal.count()


def test_damage_further_up_is_left_to_reading(journal: Journal) -> None:
    lines = journal.path.read_bytes().splitlines(keepends=True)
    lines[1] = json.dumps({"version": 1}).encode() + b"\n"
    journal.path.write_bytes(b"".join(lines))
    assert journal.count() == 5
    with pytest.raises(MemoryFileError, match="line 2"):
        journal.read_from()
