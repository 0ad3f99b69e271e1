"""A full disk and a read-only folder: one clear line, and what was published stays readable."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_cli import files_below, one_line
from tests.commands import corpusgraph
from tests.conftest import write_corpus

pytestmark = pytest.mark.faults


@pytest.fixture
def tmpfs(tmp_path: Path) -> Iterator[Path]:
    """A file system of 24 MiB."""
    place = tmp_path / "small"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip("mounting a small file system needs root")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def big_corpus(folder: Path, documents: int, sentences: int) -> Path:
    """Write a corpus of many names."""
    folder.mkdir()
    for n in range(documents):
        words = " ".join(f"Person{n}x{k} Smith met Town{k}y{n} in Paris." for k in range(sentences))
        (folder / f"{n}.txt").write_text(words)
    return folder


def test_a_full_disk_is_one_line_and_the_old_generation_stays(tmpfs: Path, tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    made = corpusgraph("index", "corpus", "--outputs", tmpfs, "--json", "--quiet", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    before = json.loads(corpusgraph("status", "corpus", "--outputs", tmpfs, "--json", cwd=tmp_path).stdout)
    big_corpus(tmp_path / "big", 100, 200)
    ran = corpusgraph(
        "index", "big", "--name", "corpus", "--outputs", tmpfs, "--quiet", "--rebuild", cwd=tmp_path
    )
    assert ran.returncode == 1
    assert "no space left" in one_line(ran).lower()
    after = json.loads(corpusgraph("status", "corpus", "--outputs", tmpfs, "--json", cwd=tmp_path).stdout)
    assert after == before
    asked = corpusgraph("ask", "Where did Snow live?", "--index", "corpus", "--outputs", tmpfs, cwd=tmp_path)
    assert "London" in asked.stdout


def test_a_read_only_folder_is_one_line_and_stays_as_it_was(tmpfs: Path, tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus")
    assert corpusgraph("index", "corpus", "--outputs", tmpfs, "--quiet", cwd=tmp_path).returncode == 0
    before = files_below(tmpfs)
    subprocess.run(["mount", "-o", "remount,ro", str(tmpfs)], check=True)
    ran = corpusgraph("index", "corpus", "--outputs", tmpfs, "--quiet", "--rebuild", cwd=tmp_path)
    assert ran.returncode == 1
    assert "read-only" in one_line(ran).lower()
    assert files_below(tmpfs) == before


def test_interrupted_and_killed_runs_leave_the_old_generation_and_are_taken_up(tmp_path: Path) -> None:
    """Interrupt a run after its first document was cached; the next run extracts only the others."""
    import signal
    import time

    corpus = big_corpus(tmp_path / "corpus", 200, 20)
    command = [sys.executable, "-m", "corpusgraph.flows.cli.main", "index", str(corpus), "--quiet"]
    env = {**os.environ, "CORPUSGRAPH_BATCH": "4"}
    for stop in (signal.SIGINT, signal.SIGKILL):
        process = subprocess.Popen(command, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True)
        cache = tmp_path / "outputs" / "corpus" / "cache" / "extract"
        had = len(list(cache.rglob("*.z")))
        end = time.monotonic() + 60
        while len(list(cache.rglob("*.z"))) < had + 8 and time.monotonic() < end:
            time.sleep(0.01)
        process.send_signal(stop)
        _, told = process.communicate(timeout=60)
        if stop == signal.SIGINT:
            assert process.returncode == 130
            assert "run the same command again" in told
        assert not (tmp_path / "outputs" / "corpus" / "manifest.json").exists()
    kept = len(list(cache.rglob("*.z")))
    done = corpusgraph("index", str(corpus), "--quiet", "--json", cwd=tmp_path)
    report = json.loads(done.stdout)
    assert done.returncode == 0
    assert report["n_reused"] >= kept - 1 >= 15
    assert report["n_extracted"] + report["n_reused"] == 200
