"""IndexMemory: the port over the journal, for threads, for other readers of the folder, over generations."""

import errno
import gc
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings

from corpusgraph.flows.store import journal as journal_module
from corpusgraph.flows.store.journal import FILE
from corpusgraph.flows.store.memory import IndexMemory, Log, log_of, memory_of
from corpusgraph.schemas.errors import InvalidInputError, MemoryFileError, OutputError, UnknownEntityError
from corpusgraph.schemas.memory import Extracted, MergeEntities, Observe
from corpusgraph.schemas.ports import Memory
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.state import folded
from tests.examples import tried
from tests.journal.making import (
    Generation,
    Step,
    corpus,
    keep,
    making,
    named,
    play,
    played,
    relating,
    steps,
    take_back,
)


def elsewhere(folder: Path) -> IndexMemory:
    """Return the memory as another process would have it: nothing read yet."""
    return IndexMemory(folder, Generation(), Log(folder))


@pytest.fixture
def memory(tmp_path: Path) -> IndexMemory:
    return memory_of(tmp_path, "gen_1", Generation())


def test_it_is_a_memory_and_reading_writes_nothing(memory: IndexMemory, tmp_path: Path) -> None:
    assert isinstance(memory, Memory)
    assert memory.find("john snow").id == named("John Snow").id
    assert (memory.changes(), memory.undone(), memory.extractions()) == ((), frozenset(), ())
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=tried(12), deadline=None)
@given(steps())
def test_it_comes_to_what_a_list_comes_to(wanted: list[Step]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        memory, scratch = elsewhere(Path(folder)), played(wanted)
        play(memory, wanted)
        with memory.reading() as state, elsewhere(Path(folder)).reading() as read:
            assert state == scratch.state == read
        assert memory.changes() == scratch.changes()
        assert memory.undone() == scratch.undone()
        assert memory.extractions() == scratch.extractions()


def test_what_another_adds_is_seen_at_the_next_call(memory: IndexMemory, tmp_path: Path) -> None:
    other = elsewhere(tmp_path)
    assert other.version == memory.version
    made = keep(memory, making("Pump"), Observe(entity=named("Pump"), contents=("of iron",)))
    assert other.version == memory.version == (0, 1)
    assert other.find("Pump") == memory.find("Pump")
    assert other.observations(named("Pump").id) == ("of iron",)
    assert other.changes() == (made,)
    undoing = take_back(other, 1)
    assert undoing.number == 2
    assert memory.undone() == {1}
    with pytest.raises(UnknownEntityError):
        memory.find("Pump")
    with pytest.raises(InvalidInputError, match="undone already"):
        take_back(memory, 1)


def test_the_change_returned_is_what_readers_see(memory: IndexMemory, tmp_path: Path) -> None:
    returned = keep(memory, relating("John Snow", "Cholera", context={"pages": (1, 2)}))
    assert returned == memory.changes()[0] == elsewhere(tmp_path).changes()[0]
    assert returned.operations[0].context == {"pages": [1, 2]}  # type: ignore[union-attr]


def test_one_memory_is_shared_by_a_process_and_gone_with_its_users(tmp_path: Path) -> None:
    first = memory_of(tmp_path, "gen_1", Generation())
    assert memory_of(tmp_path / "." / "", "gen_1", Generation()) is first
    later = memory_of(tmp_path, "gen_2", Generation(MemoryGraph([])))
    assert later is not first
    keep(first, making("Pump"), relating("Pump", "Cholera"))
    assert later.find("Cholera").attributes == {"origin": "memory"}
    assert first.find("Cholera").short_id == 2
    assert first._log is later._log is log_of(tmp_path)
    del first, later
    gc.collect()
    assert log_of(tmp_path).changes == []


def test_threads_that_add_and_read_at_once_lose_nothing(memory: IndexMemory, tmp_path: Path) -> None:
    def work(worker: int) -> list[int]:
        numbers = []
        for k in range(15):
            name = f"Pump {worker}-{k}"
            numbers.append(keep(memory, making(name)).number)
            assert memory.find(name).id == named(name).id
            keep(memory, relating(name, "John Snow"))
        return numbers

    with ThreadPoolExecutor(8) as pool:
        numbers = [n for numbers in pool.map(work, range(8)) for n in numbers]
    assert len(set(numbers)) == 120
    assert [change.number for change in elsewhere(tmp_path).changes()] == list(range(1, 241))
    with memory.reading() as state, elsewhere(tmp_path).reading() as read:
        assert len(state.edges) == 120
        assert state == read == folded(memory.changes(), Base(corpus()))


def test_a_journal_that_was_replaced_or_removed_is_read_anew(memory: IndexMemory, tmp_path: Path) -> None:
    for name in ("Pump", "Street", "House"):
        keep(memory, making(name))
    text = (tmp_path / FILE).read_bytes()
    (tmp_path / FILE).write_bytes(text[: text.index(b"\n") + 1])
    assert memory.version == (1, 1)
    with pytest.raises(UnknownEntityError):
        memory.find("House")
    assert keep(memory, making("Well")).number == 2
    (tmp_path / FILE).unlink()
    assert memory.changes() == ()
    assert keep(memory, making("Well")).number == 1


def test_a_line_that_another_line_took_the_place_of_is_read_anew(memory: IndexMemory, tmp_path: Path) -> None:
    keep(memory, making("Pump"))
    keep(memory, making("A"))
    whole = (tmp_path / FILE).read_bytes()
    with (tmp_path / FILE).open("r+b") as file:
        file.truncate(whole.index(b"\n") + 1)
    other = elsewhere(tmp_path)
    keep(other, making("A much longer name " * 9))
    keep(other, making("B"))
    assert memory.changes() == other.changes()
    assert memory.find("B").id == named("B").id


def test_a_line_that_cannot_be_synced_is_taken_back_from_those_who_read_it_too(
    memory: IndexMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = elsewhere(tmp_path)
    keep(memory, making("Pump"))

    def fail(_: int) -> None:
        assert other.version == (0, 2)  # the line is there for a reader of this instant
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patch:
        patch.setattr(journal_module, "_sync_data", fail)
        with pytest.raises(OutputError, match="input/output error"):
            keep(memory, making("Well"))
    for one in (memory, other):
        assert [change.number for change in one.changes()] == [1]
    keep(memory, making("A house with a longer name than the well"))
    assert other.changes() == memory.changes()
    with pytest.raises(UnknownEntityError):
        other.find("Well")


def test_every_change_is_synced_before_it_is_told(
    memory: IndexMemory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    synced: list[int] = []
    really = journal_module._sync_data

    def sync(handle: int) -> None:
        really(handle)
        synced.append((tmp_path / FILE).read_bytes().count(b"\n"))
        assert len(memory.changes()) == synced[-1]  # read at this instant, as another thread may

    monkeypatch.setattr(journal_module, "_sync_data", sync)
    for number in range(1, 4):
        assert keep(memory, making(f"Pump {number}")).number == number
        assert synced == list(range(1, number + 1))
    assert take_back(memory, 2).number == 4 == synced[-1]
    assert [change.number for change in memory.changes()] == [1, 2, 3, 4]


def test_damage_is_an_error_at_every_call_and_nothing_is_added(memory: IndexMemory, tmp_path: Path) -> None:
    keep(memory, making("Pump"))
    with (tmp_path / FILE).open("ab") as file:
        file.write(b"garbage\n")
    before = (tmp_path / FILE).read_bytes()
    for look in (
        lambda: memory.find("Pump"),
        lambda: keep(memory, making("Well")),
        lambda: take_back(memory, 1),
    ):
        with pytest.raises(MemoryFileError, match="line 2: is not JSON"):
            look()
    assert (tmp_path / FILE).read_bytes() == before


def test_a_folder_that_is_not_there_is_an_output_error(tmp_path: Path) -> None:
    memory = elsewhere(tmp_path / "none")
    assert memory.changes() == ()
    with pytest.raises(OutputError, match="Cannot write to"):
        keep(memory, making("Pump"))
    assert not (tmp_path / "none").exists()


def test_the_extraction_log_leaves_out_what_was_undone(memory: IndexMemory) -> None:
    log = Extracted(entity=named("Cholera"), found=2, digest="abc")
    change = keep(memory, relating("John Snow", "Cholera", cue="causes"), log)
    assert memory.extractions() == ((change, log),)
    take_back(memory, change.number)
    assert memory.extractions() == ()


def test_a_change_may_be_empty_and_a_merge_of_nothing_is_one(memory: IndexMemory) -> None:
    assert keep(memory).number == 1
    assert keep(memory, MergeEntities(sources=(), into=named("Cholera"))).number == 2
    assert memory.find("Cholera").name == "Cholera"
