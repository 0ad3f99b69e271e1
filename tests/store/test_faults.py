"""Killed writers, full and read-only disks: the published generation stays, and the error is one line."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from corpusgraph.flows.store.store import IndexStore
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import IndexLockedError, OutputError
from corpusgraph.schemas.graph import Entity

pytestmark = pytest.mark.faults

WRITER = """
import sys, time
from pathlib import Path
from corpusgraph.flows.store.store import IndexStore
with IndexStore(Path(sys.argv[1])).write("snow") as writer:
    for at in range(3):
        writer.add("entities", [{"id": f"x{at}-{i}", "name": "x"} for i in range(20_000)])
    print("writing", flush=True)
    time.sleep(60)
"""
READER = """
import sys
from pathlib import Path
from corpusgraph.flows.store.store import IndexStore
index = IndexStore(Path(sys.argv[1])).open("snow")
print("opened", flush=True)
sys.stdin.readline()
print(*[entity.id for entity in index.graph.entities], index.match("entity", "snow", 1), flush=True)
"""


def publish(store: IndexStore, *ids: str) -> None:
    with store.write("snow") as writer:
        writer.add("entities", [Entity(id=id_) for id_ in ids])
        writer.publish()


def names(store: IndexStore) -> list[str]:
    return [entity.id for entity in store.open("snow").graph.entities]


def run(program: str, outputs: Path) -> "subprocess.Popen[str]":
    pipe = subprocess.PIPE
    return subprocess.Popen([sys.executable, "-c", program, str(outputs)], stdin=pipe, stdout=pipe, text=True)


def line(stream: IO[str] | None) -> str:
    assert stream is not None
    return stream.readline().strip()


def test_a_killed_writer_leaves_the_old_generation_and_no_lock(tmp_path: Path) -> None:
    store = IndexStore(tmp_path)
    publish(store, "a")
    with run(WRITER, tmp_path) as writer:
        assert line(writer.stdout) == "writing"
        with pytest.raises(IndexLockedError, match=f"process {writer.pid} on .* since "), store.write("snow"):
            pass
        writer.send_signal(signal.SIGKILL)
    assert (store.folder("snow") / "lancedb" / "entities-2.lance").exists()
    assert names(store) == ["a"]
    publish(store, "b")
    assert names(store) == ["b"]
    assert not (store.folder("snow") / "lock.owner.json").exists()


def test_a_reader_in_another_process_keeps_its_generation(tmp_path: Path) -> None:
    store = IndexStore(tmp_path)
    publish(store, "snow")
    with run(READER, tmp_path) as reader:
        assert line(reader.stdout) == "opened"
        publish(store, "b", "c")
        assert reader.stdin is not None
        reader.stdin.write("\n")
        reader.stdin.flush()
        assert line(reader.stdout).startswith("snow [('snow', ")
    assert names(store) == ["b", "c"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("mounting a small disk needs root")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)


def publish_noise(store: IndexStore, count: int) -> None:
    """Publish about 6 kB of what does not compress per chunk: text, search text and parquet."""
    with store.write("snow") as writer:
        for _ in range(0, count, 1000):
            writer.add("chunks", [Chunk(id=f"{i}", content=os.urandom(1000).hex()) for i in range(1000)])
        writer.publish()


def test_a_full_disk_is_one_line_and_its_space_comes_back(small_disk: Path) -> None:
    store = IndexStore(small_disk)
    publish(store, "a")
    before = os.statvfs(small_disk).f_bavail
    told = r"^Cannot write to .*disk/snow: no space left on device\. Free some space"
    with pytest.raises(OutputError, match=told):
        publish_noise(store, 10_000)
    assert names(store) == ["a"]
    assert os.statvfs(small_disk).f_bavail >= before - 16
    publish(store, "b")
    assert names(store) == ["b"]


def test_a_disk_that_fills_while_publishing_changes_nothing(small_disk: Path) -> None:
    store = IndexStore(small_disk)
    publish(store, "a")
    parquet = (store.folder("snow") / "output" / "text_units.parquet").read_bytes()
    with pytest.raises(OutputError, match="no space left on device"):
        publish_noise(store, 2000)
    assert names(store) == ["a"]
    assert (store.folder("snow") / "output" / "text_units.parquet").read_bytes() == parquet


def test_a_read_only_disk_can_be_read_and_not_written(small_disk: Path) -> None:
    store = IndexStore(small_disk)
    publish(store, "a")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with pytest.raises(OutputError, match="disk/snow: read-only file system"):
        publish(store, "b")
    with pytest.raises(OutputError, match="disk/other: read-only file system"), store.write("other"):
        pass
    assert names(store) == ["a"]


def test_a_folder_below_a_file_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match=r"Cannot write to .*file/outputs/snow: not a directory"):
        publish(IndexStore(tmp_path / "file" / "outputs"), "a")
    assert IndexStore(tmp_path / "file" / "outputs").list() == []


@pytest.mark.skipif(os.geteuid() == 0, reason="permissions do not bind root")
def test_a_folder_without_permission_cannot_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o555)
    with pytest.raises(OutputError, match="permission denied"):
        publish(IndexStore(tmp_path), "a")


def test_the_manifest_is_read_without_the_engine(tmp_path: Path) -> None:
    publish(IndexStore(tmp_path), "a")
    program = (
        "import sys; from pathlib import Path; from corpusgraph.flows.store.store import IndexStore\n"
        "import corpusgraph.flows.store.writer, corpusgraph.flows.store.opened\n"
        "print(IndexStore(Path(sys.argv[1])).open('snow').manifest.serial, *sorted(sys.modules))"
    )
    with run(program, tmp_path) as process:
        serial, *modules = line(process.stdout).split()
    assert serial == "1"
    assert {"lancedb", "pyarrow", "pandas"}.isdisjoint(modules)
