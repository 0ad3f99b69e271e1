"""Processes that add at once, that are killed while they add, and one that reads what another adds."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from corpusgraph.flows.store.journal import FILE, Journal
from corpusgraph.flows.store.memory import IndexMemory, Log
from corpusgraph.schemas.errors import OutputError
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.state import folded
from tests.journal.making import Generation, corpus, keep, making, named, relating

pytestmark = pytest.mark.faults
ROOT = Path(__file__).parents[2]


def started(folder: Path, name: str, count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "tests.journal.writer", str(folder), name, str(count)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def read_anew(folder: Path) -> IndexMemory:
    return IndexMemory(folder, Generation(), Log(folder))


def test_many_processes_lose_no_line_and_leave_no_gap(tmp_path: Path) -> None:
    writers = [started(tmp_path, f"Writer {n}", 60) for n in range(4)]
    told = [int(line) for writer in writers for line in writer.communicate(timeout=120)[0].split()]
    assert [writer.returncode for writer in writers] == [0] * 4
    assert len(set(told)) == 240
    memory = read_anew(tmp_path)
    assert [change.number for change in memory.changes()] == list(range(1, 245))
    for n in range(4):
        observed = memory.observations(named(f"Writer {n}").id)
        assert [text.split()[2] for text in observed] == [str(k) for k in range(60)]


def test_killed_at_any_moment_nothing_told_is_lost_and_nothing_torn_is_read(tmp_path: Path) -> None:
    """Two write while one after the other is killed, at a moment drawn by lot, and begun again."""
    lot = random.Random(7)  # noqa: S311
    told: set[int] = set()
    running = [started(tmp_path, f"Writer {n}", 100_000) for n in range(2)]
    for round_ in range(12):
        victim = running.pop(0)
        assert victim.stdout is not None
        told.add(int(victim.stdout.readline()))  # it has begun
        time.sleep(lot.random() * 0.2)
        victim.send_signal(signal.SIGKILL)
        out, _ = victim.communicate(timeout=60)
        told |= {int(line) for line in out.splitlines(keepends=True) if line.endswith("\n")}
        seen = read_anew(tmp_path).changes()
        assert [change.number for change in seen] == list(range(1, len(seen) + 1))
        assert told <= {change.number for change in seen}
        running.append(started(tmp_path, f"Again {round_}", 100_000))
    for last in running:
        last.kill()
        last.communicate(timeout=60)
    memory = read_anew(tmp_path)
    added = keep(memory, making("Pump"))
    changes, _ = Journal(tmp_path / FILE).read_from()
    assert changes[-1] == added
    assert (tmp_path / FILE).read_bytes().count(b"\n") == added.number
    with memory.reading() as state:
        assert state == folded(changes, Base(corpus()))


def test_another_process_is_read_while_it_adds(tmp_path: Path) -> None:
    """Whenever the writer says that a change is made, the reader has it: no waiting, no polling."""
    memory = read_anew(tmp_path)
    with started(tmp_path, "Writer", 200) as writer:
        assert writer.stdout is not None
        for line in writer.stdout:
            assert memory.version[1] >= int(line)
            assert len(memory.observations(named("Writer").id)) >= int(line) - 1
    assert writer.returncode == 0
    assert memory.version[1] == 201


def test_a_read_only_file_system_is_an_output_error_and_is_read(tmp_path: Path) -> None:
    keep(read_anew(tmp_path), making("Pump"))
    bound = subprocess.run(["mount", "--bind", tmp_path, tmp_path], check=False, capture_output=True)
    if bound.returncode:
        pytest.skip("mounting needs root")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", tmp_path], check=True)
        memory = read_anew(tmp_path)
        with pytest.raises(OutputError, match="read-only file system"):
            keep(memory, relating("Pump", "Cholera"))
        assert memory.find("pump").id == named("Pump").id
        assert len(memory.changes()) == 1
    finally:
        subprocess.run(["umount", "-l", tmp_path], check=True)


def test_a_full_disk_is_an_output_error_and_no_line_is_torn(tmp_path: Path) -> None:
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", place], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("mounting needs root")
    try:
        memory = read_anew(place)
        added = 0
        with pytest.raises(OutputError, match="no space left"):  # noqa: PT012
            for _ in range(1000):
                keep(memory, relating("John Snow", "Cholera", context={"text": "Tề Thiên " * 100}))
                added += 1
        assert added > 50
        for reader in (memory, read_anew(place)):
            assert [change.number for change in reader.changes()] == list(range(1, added + 1))
        assert (place / FILE).read_bytes().endswith(b"\n")
    finally:
        subprocess.run(["umount", "-l", place], check=True)
