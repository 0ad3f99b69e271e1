"""Time the first look of a reader after a change, in a memory that has grown, and a look after no change.

    python -m benchmarks.memory.looks [--changes 2000 20000] [--entities 10000] [--relationships 50000]
                                      [--turns 10] [--index FOLDER] [--write]

An index is published in a temporary folder (or in FOLDER; its journal is removed first). Its memory is filled
with new entities of one observation each, every other one with a relationship to an entity of the index.
Then, in turn: one more change, the call, and the same call again. Figures are CPU milliseconds of the process
(medians), since other work on a machine is in wall times. Beside these: additions a second of CPU, the first
call of a fresh process, and how many functions of ours a look after one added relationship calls.
"""

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from types import FrameType

from benchmarks.memory.given import indexed, keep, options, shown
from benchmarks.operators.synthetic import Made, entity_id
from corpusgraph.flows.api import called
from corpusgraph.flows.store.journal import FILE
from corpusgraph.flows.store.store import IndexStore, open_recent
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.memory import CreateEntity, Named, Observe, Relate
from corpusgraph.schemas.ports import Memory
from corpusgraph.tasks import registry as _tool

HUBS = 50
"""Entities of the index that relationships by hand point to."""
HEAD = "| changes | tool | after a change | after none |\n|--:|---|--:|--:|"


def change(memory: Memory, made: Made, k: int) -> None:
    """Make an entity, note something of it and, every other time, relate it to one of the index."""
    name = f"note {k}"
    one = Named(id=Entity.make_id(name, "note"), name=name, type="note")
    hub = k // 2 % HUBS
    said = Relate(source=one, target=Named(id=entity_id(hub), name=made.names[hub]), type="part_of")
    memory.record(
        [
            CreateEntity(id=one.id, name=name, type="note"),
            Observe(entity=one, contents=(f"{name} was made on day {k}.",)),
            *([said] if k % 2 else []),
        ],
        by="benchmark",
        request_id="",
        at="2026-01-01T00:00:00+00:00",
    )


def asked(made: Made, turn: int) -> dict[str, JsonDict]:
    """Return what is asked of each tool."""
    hub = entity_id(turn % HUBS)
    return {
        "get_entity_neighbors": {"entity_id": hub},
        "open_nodes": {"names": [hub, f"note {turn}"]},
        "search_nodes": {"query": f"note {turn} was"},
        "graph_enhanced_search": {"query": f"{made.names[turn % HUBS]} and notes"},
        "entity_vdb_search": {"query": f"note {turn}"},
    }


def cpu(tool: str, given: JsonDict, outputs: Path) -> float:
    """Call a tool, and return the CPU milliseconds it took."""
    began = time.process_time()
    told = called(_tool.TOOLS[tool], given, "bench", outputs)
    taken = time.process_time() - began
    if not told.success:
        raise SystemExit(str(told.error))
    return 1e3 * taken


def fresh(tool: str, given: JsonDict, outputs: Path) -> float:
    """Call a tool in a process of its own, and return the CPU milliseconds of all but starting it."""
    code = (
        "import sys, time, json; from pathlib import Path; from corpusgraph.tasks import registry as r;"
        "from benchmarks.memory.looks import cpu; r.load();"
        "print(cpu(sys.argv[1], json.loads(sys.argv[2]), Path(sys.argv[3])))"
    )
    command = [sys.executable, "-c", code, tool, json.dumps(given), str(outputs)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def called_functions(tool: str, given: JsonDict, outputs: Path) -> tuple[int, int]:
    """Call a tool, and return how many functions of ours it called, in how many files."""
    seen: set[tuple[str, int]] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and "/corpusgraph/" in code.co_filename:
            seen.add((code.co_filename, code.co_firstlineno))

    sys.setprofile(note)
    try:
        cpu(tool, given, outputs)
    finally:
        sys.setprofile(None)
    return len(seen), len({file for file, _ in seen})


def report(made: Made, outputs: Path, sizes: list[int], turns: int) -> Iterator[str]:
    """Measure, and yield the lines of the report."""
    yield HEAD
    memory, numbers = open_recent(IndexStore(outputs), "bench").memory, count()
    done = 0
    for size in sorted(sizes):
        began, n = time.process_time(), max(0, size - done)
        for k in islice(numbers, n):
            change(memory, made, k)
        done = max(done, size)
        yield f"| {size:,} | additions a second | {n / (time.process_time() - began):,.0f} | |"
        given = asked(made, 0)["get_entity_neighbors"]
        times = [fresh("get_entity_neighbors", given, outputs) for _ in range(3)]
        yield f"| {size:,} | `get_entity_neighbors`, fresh process | {min(times):.0f} | |"
        for tool in asked(made, 0):
            cpu(tool, asked(made, 0)[tool], outputs)
            first, again = [], []
            for turn in range(turns):
                change(memory, made, next(numbers))
                given = asked(made, turn)[tool]
                first.append(cpu(tool, given, outputs))
                again.append(cpu(tool, given, outputs))
            done += turns
            yield f"| {size:,} | `{tool}` | {statistics.median(first):.1f} | {statistics.median(again):.1f} |"
            change(memory, made, 2 * next(numbers) + 1)  # an odd one states a relationship
            told = ["{} in {}".format(*called_functions(tool, given, outputs)) for _ in range(2)]
            yield f"| {size:,} | `{tool}`, functions called | {told[0]} files | {told[1]} files |"


def main() -> None:
    """Measure and print; `--write` keeps it in LOOKS.md."""
    parser = options(__doc__, 10_000, 50_000)
    parser.add_argument("--changes", type=int, nargs="+", default=[2_000, 20_000])
    parser.add_argument("--turns", type=int, default=10)
    given = parser.parse_args()
    _tool.load()
    with indexed(given) as (made, outputs):
        (outputs / "bench" / FILE).unlink(missing_ok=True)
        told = shown(report(made, outputs, given.changes, given.turns))
    keep(given, "looks", "LOOKS.md", f": CPU milliseconds of a call, medians.\n\n{told}")


if __name__ == "__main__":
    main()
