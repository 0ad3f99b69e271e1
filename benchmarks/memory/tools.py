"""Time the tools that look at all of a graph, on a large index, each in a process of its own.

    python -m benchmarks.memory.tools [--entities 100000] [--relationships 300000] [--index FOLDER]
                                      [--tools NAME ...] [--write]

An index with half as many chunks as entities is published in a temporary folder (or in FOLDER; a second run
finds it there). A first call opens the index, which is what an agent meets; a second asks the same of the
same process.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.operators.synthetic import draw, write
from corpusgraph.flows.calling import called
from corpusgraph.flows.resources.store import IndexStore
from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks import _tool

HERE = Path(__file__).parent
HEAD = "| tool | asked | first call, CPU s | second call, CPU s |\n|---|---|--:|--:|"
NOTES = """
A power-law graph drawn at random (`benchmarks.operators.synthetic`): it has no communities to speak of, so
that Leiden, which `detect_communities` and `identify_topics` run, looks at each node many times. A partition
is kept with the graph it was made of; a second call finds it, of either tool. CPU time is that of the
process, all threads together; what a first call imports and opens is in it.
"""
CALLS: dict[str, tuple[str, JsonDict]] = {
    "hybrid_search": ("hybrid_search", {}),
    "identify_topics": ("identify_topics", {}),
    "detect_communities": ("detect_communities", {}),
    "betweenness": ("graph_centrality", {"measures": ["betweenness"]}),
    "closeness": ("graph_centrality", {"measures": ["closeness"]}),
    "score_confidence": ("score_confidence", {}),
}


def once(name: str, asked: JsonDict, outputs: Path) -> float:
    """Call a tool, and return the CPU seconds it took."""
    began = time.process_time()
    told = called(_tool.TOOLS[name], asked, "bench", outputs)
    if not told.success:
        raise SystemExit(str(told.error))
    return time.process_time() - began


def asked_of(call: str, made: list[str]) -> JsonDict:
    """Return what is asked; a search asks for the names of two entities."""
    return {"query": " and ".join(made)} if call == "hybrid_search" else CALLS[call][1]


def measured(call: str, outputs: Path, query: list[str]) -> list[float]:
    """Return the CPU seconds of a first and a second call in a new process."""
    command = [sys.executable, "-m", "benchmarks.memory.tools", "--index", str(outputs), "--one", call]
    done = subprocess.run([*command, *query], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(done.stderr)
    seconds: list[float] = json.loads(done.stdout)
    return seconds


def lines(calls: list[str], outputs: Path, query: list[str]) -> Iterator[str]:
    """Measure, and yield the rows of the table."""
    yield HEAD
    for call in calls:
        first, second = measured(call, outputs, query)
        asked = json.dumps(asked_of(call, query)).replace("|", "\\|")
        yield f"| `{CALLS[call][0]}` | `{asked}` | {first:.1f} | {second:.2f} |"


def _parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--relationships", type=int, default=300_000)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--tools", nargs="+", choices=list(CALLS), default=list(CALLS))
    parser.add_argument("--one", nargs="+", help="a call, and names to search for; for the program itself")
    parser.add_argument("--write", action="store_true")
    return parser.parse_args()


def main() -> None:
    """Measure and print; `--write` keeps it in TOOLS.md."""
    given = _parsed()
    if given.one:
        _tool.load()
        call, *query = given.one
        print(json.dumps([once(CALLS[call][0], asked_of(call, query), given.index) for _ in range(2)]))
        return
    made = draw(given.entities, given.relationships)
    with tempfile.TemporaryDirectory() as scratch:
        outputs = given.index or Path(scratch)
        if IndexStore(outputs).manifest("bench") is None:
            write(made, outputs, max(1, given.entities // 2))
        rows = list[str]()
        for row in lines(given.tools, outputs, [made.names[17], made.names[4]]):
            rows.append(row)
            print(row, flush=True)
    if given.write:
        machine = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
        on = f"{given.entities:,} entities and {given.relationships:,} relationships"
        head = f"Made by `python -m benchmarks.memory.tools --write` on {machine}, on an index of {on}.\n\n"
        (HERE / "TOOLS.md").write_text(head + "\n".join(rows) + "\n" + NOTES, encoding="utf-8")


if __name__ == "__main__":
    main()
