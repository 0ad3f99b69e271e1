"""Time additions to the memory of an index, one by one, and until another process sees one.

    python -m benchmarks.memory.run [--additions 10000] [--entities 10000] [--relationships 50000]
                                    [--looks 50] [--index FOLDER] [--write]

An index is published in a temporary folder (or in FOLDER, on the disk to be measured; a second run finds it
there, and its journal is removed first). Each addition is a call of `add_entity_relationship` as a server
makes it, by names of entities, and returns when the line is on disk.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.memory.given import indexed, keep, options, shown
from benchmarks.operators.synthetic import Made, entity_id
from corpusgraph.flows.api import called
from corpusgraph.flows.store.journal import FILE
from corpusgraph.flows.store.store import IndexStore, open_recent
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.graph import Relationship
from corpusgraph.schemas.memory import Named, Relate
from corpusgraph.tasks import registry as _tool

TYPES = ("knows", "part_of", "implements", "extends", "uses", "depends_on")
NOTES = """
A call of the tool validates its arguments, looks whether another generation was published and whether the
journal has grown, finds both entities by name, writes one line under the lock of the file, syncs it
(fdatasync) and finds the relationship again. The bare disk writes and syncs lines of the same length without
any of this. The first addition opens the index and reads all names; it is in no median. A reader in another
process is asked as soon as the call has returned: its first look is the time to read the new line and find
the relationship; then it asks `get_entity_neighbors`, which lays the memory over the graph anew. The machine
was busy with other work, which is in the wall times; the CPU is the process's own.
"""
HEAD = (
    "| additions | median ms | p95 ms | max ms | first thousand | last thousand | CPU ms, first thousand "
    "| CPU ms, last thousand |\n|---|--:|--:|--:|--:|--:|--:|--:|"
)


def row(label: str, walls: Sequence[float], cpus: Sequence[float]) -> str:
    """Return a line of the table: milliseconds from seconds, medians of the first and the last thousand."""
    ms = sorted(1e3 * wall for wall in walls)
    part = max(1, min(1000, len(walls) // 2))
    ends = [
        1e3 * statistics.median(some) for some in (walls[:part], walls[-part:], cpus[:part], cpus[-part:])
    ]
    cells = [statistics.median(ms), ms[int(0.95 * (len(ms) - 1))], ms[-1], *ends]
    return f"| {label} | {' | '.join(f'{cell:.2f}' for cell in cells)} |"


def pairs(made: Made, n: int) -> Iterator[tuple[int, int, str]]:
    """Draw relationships that differ, between entities whose names nobody shares."""
    lot = random.Random(5)  # noqa: S311
    once = [i for i in range(made.n_entities) if made.names.count(made.names[i]) == 1][:2000]
    for k in range(n):
        source, target = lot.sample(once, 2)
        yield source, target, f"{TYPES[k % len(TYPES)]}_{k}"


def added(outputs: Path, asked: JsonDict) -> None:
    """Call the tool as a server does, which has it found already."""
    told = called(_tool.TOOLS["add_entity_relationship"], asked, "bench", outputs)
    if not told.success:
        raise SystemExit(str(told.error))


def by_tool(made: Made, outputs: Path, n: int) -> tuple[list[float], list[float]]:
    """Add by the tool, and return wall and CPU seconds of each."""
    walls, cpus = [], []
    for source, target, type_ in pairs(made, n + 1):
        asked = {"source_id": made.names[source], "target_id": made.names[target], "relation_type": type_}
        wall, cpu = time.perf_counter(), time.process_time()
        added(outputs, asked)
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return walls[1:], cpus[1:]


def by_port(made: Made, outputs: Path, n: int) -> tuple[list[float], list[float]]:
    """Add by `Memory.record`, and return wall and CPU seconds of each."""
    memory = open_recent(IndexStore(outputs), "bench").memory
    walls, cpus = [], []
    for source, target, type_ in pairs(made, n):
        ends = [Named(id=entity_id(i), name=made.names[i]) for i in (source, target)]
        said = Relate(source=ends[0], target=ends[1], type=f"{type_}_too")
        wall, cpu = time.perf_counter(), time.process_time()
        memory.record([said], by="benchmark", request_id="", at="2026-01-01T00:00:00+00:00")
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return walls, cpus


def bare(outputs: Path, n: int) -> tuple[list[float], list[float]]:
    """Write and sync lines of the same length, and return wall and CPU seconds of each."""
    path = outputs / "bench" / "bare"
    line = (outputs / "bench" / FILE).read_bytes().partition(b"\n")[0] + b"\n"
    handle = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    walls, cpus = [], []
    for _ in range(n):
        wall, cpu = time.perf_counter(), time.process_time()
        os.write(handle, line)
        os.fdatasync(handle)
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    os.close(handle)
    path.unlink()
    return walls, cpus


def looks(made: Made, outputs: Path, n: int) -> str:
    """Add, ask another process at once, and return what it saw and when."""
    command = [sys.executable, "-m", "benchmarks.memory.reader", str(outputs)]
    found: list[list[float]] = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as reader:
        if reader.stdin is None or reader.stdout is None:
            raise SystemExit("the reader has no pipes")
        reader.stdout.readline()
        for source, target, type_ in pairs(made, n):
            ends, seen_as = (entity_id(source), entity_id(target)), f"{type_}_seen"
            added(outputs, {"source_id": ends[0], "target_id": ends[1], "relation_type": seen_as})
            reader.stdin.write(f"{Relationship.make_id(ends[0], seen_as, ends[1])} {ends[0]} {seen_as}\n")
            reader.stdin.flush()
            found.append(json.loads(reader.stdout.readline()))
        reader.stdin.close()
    first, tool = ([1e3 * one[i] for one in found[1:]] for i in (1, 3))
    seen, shown = (int(sum(one[i] for one in found)) for i in (0, 2))
    return (
        f"Another process, asked as soon as an addition had returned: {seen} of {n} seen at the first look,"
        f" which took {statistics.median(first):.2f} ms (median; longest {max(first):.2f}); {shown} of {n} in"
        f" the answer of `get_entity_neighbors`, which came after {statistics.median(tool):.0f} ms (median)."
    )


def opening(outputs: Path) -> str:
    """Return the CPU time it takes to read the whole journal, in a memory that has read nothing."""
    from corpusgraph.flows.store.memory import IndexMemory, Log

    base, folder = IndexStore(outputs).open_corpus("bench"), outputs / "bench"
    began = time.process_time()
    memory = IndexMemory(folder, base, Log(folder))
    n = len(memory.changes())
    read = time.process_time() - began
    with memory.reading() as state:
        relations = len(state.edges)
    whole = time.process_time() - began
    size = (folder / FILE).stat().st_size
    return (
        f"Reading a journal of {n:,} changes ({size / 1e6:.1f} MB) anew: {read:.2f} s of CPU; with what they"
        f" come to ({relations:,} relationships): {whole:.2f} s of CPU."
    )


def report(made: Made, outputs: Path, n: int, n_looks: int) -> Iterator[str]:
    """Measure, and yield the lines of the report."""
    yield HEAD
    yield row(f"{n:,} by `add_entity_relationship`", *by_tool(made, outputs, n))
    yield row(f"{n:,} by `Memory.record`", *by_port(made, outputs, n))
    yield row("write and sync alone", *bare(outputs, n))
    yield "\n" + looks(made, outputs, n_looks)
    yield "\n" + opening(outputs)


def main() -> None:
    """Measure and print; `--write` keeps it in RESULTS.md."""
    parser = options(__doc__, 10_000, 50_000)
    parser.add_argument("--additions", type=int, default=10_000)
    parser.add_argument("--looks", type=int, default=50)
    given = parser.parse_args()
    _tool.load()
    with indexed(given) as (made, outputs):
        (outputs / "bench" / FILE).unlink(missing_ok=True)
        told = shown(report(made, outputs, given.additions, given.looks))
    keep(given, "run", "RESULTS.md", f".\n\n{told}{NOTES}")


if __name__ == "__main__":
    main()
