"""Imports that meet, and imports that are killed: what is published is whole, or nothing is."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from corpusgraph.flows import api
from corpusgraph.flows.interop.sources import import_index
from corpusgraph.flows.store.store import IndexStore

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]
N = 600
IMPORT = """
import sys
from corpusgraph.flows.interop.sources import import_index
from corpusgraph.schemas.errors import CorpusgraphError
try:
    import_index(sys.argv[1], "mem", outputs=sys.argv[2], replace=len(sys.argv) > 3)
except CorpusgraphError as error:
    print(error.code)
else:
    print("imported")
"""


def memory(folder: Path, name: str = "a") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.jsonl"
    lines = [
        {"type": "entity", "name": f"{name} {n}", "entityType": "t", "observations": [f"{name} said {n}"]}
        for n in range(N)
    ]
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return path


def started(*arguments: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", IMPORT, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def whole(outputs: Path) -> str:
    """Return whose memory the index holds, all of it."""
    graph = api.open("mem", outputs).graph
    owners = {entity.name.split()[0] for entity in graph.entities}
    assert len(graph.entities) == len(graph.chunks) == N
    (owner,) = owners
    return str(owner)


def test_of_two_imports_of_one_name_one_is_there_and_the_other_is_told(tmp_path: Path) -> None:
    given = [memory(tmp_path, name) for name in ("a", "b")]
    running = [started(path, tmp_path / "outputs") for path in given]
    said = [process.communicate(timeout=300) for process in running]
    told = [out.strip() for out, _ in said]
    assert sorted(told) in (["imported", "index_exists"], ["imported", "index_locked"]), said
    assert whole(tmp_path / "outputs") == "ab"[told.index("imported")]


def test_an_import_that_is_killed_publishes_nothing_or_all(tmp_path: Path) -> None:
    outputs = tmp_path / "outputs"
    began = time.perf_counter()
    assert started(memory(tmp_path, "a"), outputs).communicate(timeout=300)[0].strip() == "imported"
    took = time.perf_counter() - began
    later = memory(tmp_path, "b")
    owner = "a"
    for part in range(2, 10):
        process = started(later, outputs, "replace")
        try:
            process.communicate(timeout=took * part / 9)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
        now = whole(outputs)
        assert now in {"a", "b"}
        assert (owner, now) != ("b", "a"), "what is published stays"
        owner = now
    import_index(later, "mem", outputs=outputs, replace=True)
    assert whole(outputs) == "b"


def test_a_first_import_that_is_killed_leaves_no_index(tmp_path: Path) -> None:
    source, outputs = memory(tmp_path, "a"), tmp_path / "outputs"
    process = started(source, outputs)
    while process.poll() is None and not list(outputs.glob("mem/lancedb/*.lance")):
        time.sleep(0.01)
    process.kill()
    process.communicate()
    if IndexStore(outputs).manifest("mem") is None:
        assert import_index(source, "mem", outputs=outputs).counts["entities"] == N
    assert whole(outputs) == "a"
