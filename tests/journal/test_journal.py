"""The journal file: whole lines only, numbers without gaps, damage named with file and line."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from corpusgraph.flows.store.journal import FILE, Journal, Place, decode, encode
from corpusgraph.schemas.errors import IndexLockedError, InvalidInputError, MemoryFileError
from corpusgraph.schemas.memory import Change, Operation
from tests.examples import tried
from tests.journal.making import AT, making, operations, relating


def change(number: int, *said: Operation, **more: object) -> Change:
    given_more = {"at": AT, "by": "test", "request_id": "req_1", **more}
    return Change(number=number, operations=said or (making(f"Pump {number}"),), **given_more)


@pytest.fixture
def journal(tmp_path: Path) -> Journal:
    return Journal(tmp_path / FILE)


def filled(journal: Journal, n: int = 3) -> Place:
    place = Place()
    with journal.writing():
        for number in range(1, n + 1):
            _, place = journal.append(change(number), place)
    return place


@settings(max_examples=tried(40), deadline=None)
@given(operations())
def test_a_line_reads_back_as_the_change(said: Operation) -> None:
    made = change(7, said)
    line, seen = encode(made)
    assert seen == made == decode(line, Path("memory.jsonl"), 7)
    assert line.endswith(b"\n")
    assert len(line.decode().splitlines()) == 1


@pytest.mark.parametrize(
    "end", ["\n", "\r\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
)
def test_line_ends_of_every_kind_stay_inside_a_line(end: str) -> None:
    made = change(1, relating("a", "b", context={f"key{end}": f"one{end}two"}), request_id=end)
    line, seen = encode(made)
    assert seen == made
    assert len(line.decode().splitlines()) == 1


def test_letters_are_written_as_they_are(journal: Journal) -> None:
    with journal.writing():
        journal.append(change(1, making("Tề Thiên Đại Thánh 齊天大聖")), Place())
    assert "Tề Thiên Đại Thánh 齊天大聖" in journal.path.read_text(encoding="utf-8")


def deep() -> dict[str, object]:
    nested: dict[str, object] = {}
    for _ in range(3000):
        nested = {"in": nested}
    return nested


@pytest.mark.parametrize(
    "context", [{"x": "half \ud800"}, {"\udfff": 1}, deep(), {"x": object()}, {"x": [float("nan")]}]
)
def test_what_no_line_can_hold_is_refused_before_anything_is_written(
    journal: Journal, context: dict[str, object]
) -> None:
    place = filled(journal)
    before = journal.path.read_bytes()
    with journal.writing(), pytest.raises(InvalidInputError, match="cannot be written to the memory"):
        journal.append(change(4, relating("a", "b", context=context)), place)
    assert journal.path.read_bytes() == before


def test_only_what_is_new_is_read(journal: Journal) -> None:
    assert journal.read_from() == ([], Place())
    assert journal.size() == 0
    place = filled(journal)
    changes, end = journal.read_from()
    assert [c.number for c in changes] == [1, 2, 3]
    assert end == place
    assert journal.size() == place.offset
    with journal.writing():
        journal.append(change(4), place)
    assert [c.number for c in journal.read_from(place)[0]] == [4]


@pytest.mark.parametrize(
    "torn", [b"{", b'{"version":1,"number":4', b"\0" * 400, b"\0" * 400 + b"}\n", "Tề".encode()[:-1]]
)
def test_a_torn_last_line_is_no_change_and_the_next_writer_cuts_it_off(journal: Journal, torn: bytes) -> None:
    filled(journal)
    with journal.path.open("ab") as file:
        file.write(torn)
    changes, place = journal.read_from()
    assert [c.number for c in changes] == [1, 2, 3]
    with journal.writing():
        _, after = journal.append(change(4), place)
    assert [c.number for c in journal.read_from()[0]] == [1, 2, 3, 4]
    assert journal.size() == after.offset


def test_every_cut_of_the_last_line_leaves_the_changes_before(journal: Journal) -> None:
    filled(journal)
    whole = journal.path.read_bytes()
    begin = whole.rindex(b"\n", 0, -1) + 1
    for at in range(begin, len(whole), 3):
        journal.path.write_bytes(whole[:at])
        assert [c.number for c in journal.read_from()[0]] == [1, 2]


def edited(edit: Callable[[dict[str, object]], object]) -> Callable[[bytes], bytes]:
    def apply(line: bytes) -> bytes:
        record = json.loads(line)
        replaced = edit(record)
        return json.dumps(record if replaced is None else replaced).encode()

    return apply


DAMAGES: list[tuple[Callable[[bytes], bytes], str, str]] = [
    (lambda _: b"garbage", "invalid_memory", "line 2: is not JSON"),
    (lambda _: b"", "invalid_memory", "line 2: is not JSON"),
    (lambda line: line[:40], "invalid_memory", "line 2: is not JSON"),
    (lambda _: b"\0" * 30, "invalid_memory", "line 2: is not JSON"),
    (lambda _: b"\xff\xfe", "invalid_memory", "line 2: is not JSON"),
    (lambda _: b"[" * 100_000, "invalid_memory", "line 2: is not JSON"),
    (lambda _: b"[1, 2]", "invalid_memory", "line 2: is not a change of version 1"),
    (
        edited(lambda r: r.update(version=2)),
        "memory_version",
        "line 2: was written in version 2; this program reads version 1",
    ),
    (
        edited(lambda r: {k: v for k, v in r.items() if k != "version"}),
        "invalid_memory",
        "line 2: is not a change of version 1",
    ),
    (edited(lambda r: r.update(number=3)), "invalid_memory", "line 2: has change 3 where change 2 belongs"),
    (edited(lambda r: r.update(undoes=2)), "invalid_memory", "line 2: undoes change 2, which does not come"),
    (edited(lambda r: r.update(undoes=9)), "invalid_memory", "line 2: undoes change 9, which does not come"),
    (edited(lambda r: r.update(colour="blue")), "invalid_memory", "line 2: colour: "),
    (edited(lambda r: r.update(operations=[{"op": "dance"}])), "invalid_memory", "line 2: operations.0: "),
]


@pytest.mark.parametrize(("damage", "code", "told"), DAMAGES)
def test_a_damaged_line_is_an_error_with_file_and_line(
    journal: Journal, damage: Callable[[bytes], bytes], code: str, told: str
) -> None:
    filled(journal)
    lines = journal.path.read_bytes().split(b"\n")
    lines[1] = damage(lines[1])
    journal.path.write_bytes(b"\n".join(lines))
    before = journal.path.read_bytes()
    with pytest.raises(MemoryFileError) as error:
        journal.read_from()
    assert error.value.code == code
    assert told in error.value.message
    assert FILE in error.value.message
    assert error.value.hint
    assert journal.path.read_bytes() == before


def test_a_line_laid_out_otherwise_is_read(journal: Journal) -> None:
    filled(journal, 1)
    record = json.loads(journal.path.read_bytes())
    journal.path.write_bytes(json.dumps(record, indent=None, sort_keys=True).encode() + b"\r\n")
    assert journal.read_from()[0] == [change(1)]


def test_a_file_in_the_place_of_the_one_read_is_no_continuation(journal: Journal, tmp_path: Path) -> None:
    place = filled(journal)
    assert journal.is_continued(place)
    text = journal.path.read_bytes()
    journal.path.write_bytes(text[: len(text) // 2])
    assert not journal.is_continued(place)
    (tmp_path / "other").write_bytes(text * 2)
    os.replace(tmp_path / "other", journal.path)  # noqa: PTH105
    assert not journal.is_continued(place)
    journal.path.unlink()
    assert not journal.is_continued(place)
    assert journal.is_continued(Place())


def test_a_lock_that_is_not_let_go_is_an_error_and_readers_need_none(journal: Journal) -> None:
    filled(journal)
    with journal.writing():
        other = Journal(journal.path)
        with (
            pytest.raises(IndexLockedError, match=r"is being written for 0\.05 s already") as error,
            other.writing(0.05),
        ):
            pass
        assert error.value.code == "memory_locked"
        assert len(other.read_from()[0]) == 3


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=tried(8), deadline=None)
@given(operations())
def test_what_fails_on_the_way_to_the_disk_leaves_the_file_as_it_was(said: Operation) -> None:
    """A write that fails half way is cut off again: here the disk's limit for this process is in the way."""
    import resource
    import signal
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder, FILE))
        place = filled(journal)
        before = journal.path.read_bytes()
        kept = resource.getrlimit(resource.RLIMIT_FSIZE)
        ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, kept[1]))
        try:
            with journal.writing(), pytest.raises(Exception, match=r"Cannot write to .*: file too large"):
                journal.append(change(4, said), place)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, kept)
            signal.signal(signal.SIGXFSZ, ignored)
        assert journal.path.read_bytes() == before
