"""Time the tools that look at all of a graph, on a large index, each in a process of its own.

    python -m benchmarks.memory.tools [--entities 100000] [--relationships 300000] [--index FOLDER]
                                      [--tools NAME ...] [--write]

An index with half as many chunks as entities is published in a temporary folder (or in FOLDER; a second run
finds it there). A first call opens the index, which is what an agent meets; a second asks the same of the
same process.
"""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.memory.given import indexed, keep, options, shown
from corpusgraph.flows.api import called
from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks import registry as _tool

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


def main() -> None:
    """Measure and print; `--write` keeps it in TOOLS.md."""
    parser = options(__doc__, 100_000, 300_000)
    parser.add_argument("--tools", nargs="+", choices=list(CALLS), default=list(CALLS))
    parser.add_argument("--one", nargs="+", help="a call, and names to search for; for the program itself")
    given = parser.parse_args()
    if given.one:
        _tool.load()
        call, *query = given.one
        print(json.dumps([once(CALLS[call][0], asked_of(call, query), given.index) for _ in range(2)]))
        return
    with indexed(given) as (made, outputs):
        told = shown(lines(given.tools, outputs, [made.names[17], made.names[4]]))
    keep(given, "tools", "TOOLS.md", f".\n\n{told}{NOTES}")


if __name__ == "__main__":
    main()
