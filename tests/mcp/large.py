"""An index on which tools take long, and what tells whether a server still works for a call."""

import os
import time
from pathlib import Path

from benchmarks.operators.synthetic import draw, write
from corpusgraph.schemas.base import JsonDict

LONG: tuple[str, JsonDict] = (
    "graph_centrality",
    {"measures": ["betweenness", "closeness"], "samples": 6000, "top_k": 3},
)
"""Many seconds of work, in steps of some hundredths of a second."""
WRITES: tuple[str, JsonDict] = ("extract_all_relationships", {})
"""Reads the texts about all entities, and then makes one change."""
PATIENCE = 120.0
_TICKS = os.sysconf("SC_CLK_TCK")


def made(outputs: Path) -> Path:
    """Publish the index `bench` and return its outputs."""
    write(draw(6000, 40_000), outputs, 3000)
    return outputs


def spent(pid: int) -> float:
    """Return the seconds of processor that a process has had."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def until_at_work(pid: int, seconds: float = 0.5) -> None:
    """Wait until a process has worked for so long."""
    before, end = spent(pid), time.monotonic() + PATIENCE
    while spent(pid) - before < seconds:
        assert time.monotonic() < end, "the call does not run"
        time.sleep(0.02)


def until_idle(pid: int) -> float:
    """Wait until a process does nothing for half a second; return what it had till then."""
    before, end = spent(pid), time.monotonic() + PATIENCE
    while True:
        last = spent(pid)
        time.sleep(0.5)
        if spent(pid) - last < 0.1:
            return last - before
        assert time.monotonic() < end, "the thread works on"
