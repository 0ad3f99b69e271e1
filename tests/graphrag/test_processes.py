"""Several processes of one application, and one that is killed while it indexes."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.flows.store.store import IndexStore
from tests.graphrag.given import ASKED, engine, home, run

pytestmark = pytest.mark.faults

APPLICATION = """
import asyncio, json, sys
from corpusgraph.flows.interop.engine import GraphRAGEngine, VectorstoreTool

async def main(base):
    tool = VectorstoreTool(name="knowledge_graph", engine="graphrag", source="data/documents")
    engine = GraphRAGEngine(tool, base)
    await engine.initialize()
    print(json.dumps([engine.index_stats, await engine.search("What caused cholera?")]))
    await engine.close()

asyncio.run(main(sys.argv[1]))
"""


def start(base: Path) -> "subprocess.Popen[str]":
    given: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    env = {**os.environ, "PYTHONPATH": ""}
    return subprocess.Popen([sys.executable, "-c", APPLICATION, str(base)], env=env, **given)


def test_processes_that_begin_at_once_share_one_index(tmp_path: Path) -> None:
    base = home(tmp_path)
    told = []
    for process in [start(base) for _ in range(3)]:
        out, err = process.communicate(timeout=110)
        assert process.returncode == 0, err
        told.append(json.loads(out))
    assert told[0] == told[1] == told[2]
    published = IndexStore(base / ".holodeck" / "graphrag").manifest("knowledge_graph")
    assert published is not None
    assert published.serial == 1


def test_after_a_kill_the_next_run_goes_on(tmp_path: Path) -> None:
    base = home(tmp_path)
    for number in range(60):
        text = f"Doctor Number{number} of Town{number} said that water caused cholera in Town{number}. " * 20
        (base / "data" / "documents" / f"{number}.txt").write_text(text, encoding="utf-8")
    process = start(base)
    root = base / ".holodeck" / "graphrag" / "knowledge_graph"
    until = time.monotonic() + 60
    while not any((root / "cache" / "extract").rglob("*.z")) and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=30)
    assert process.returncode == -signal.SIGKILL
    assert not (root / "manifest.json").exists()
    made = engine(base)
    assert made.metadata is not None
    assert made.metadata.n_reused > 0
    assert made.metadata.n_reused + made.metadata.n_extracted == 63
    assert "cholera" in run(made.search(ASKED))
