"""Time every deterministic operator on a synthetic power-law graph, beside other libraries.

    python -m benchmarks.operators.run [--entities 100000] [--relationships 1000000] [--chunks 50000]
                                       [--queries 25] [--index FOLDER] [--write]

A real index is published in a temporary folder (or in FOLDER, where a second run finds it) and opened as a
question opens it. First calls build what is remembered with the graph; the others are warm, each with its
own arguments. CPU is the process's own time: on a busy machine the wall time is longer.
"""

import argparse
import os
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.operators.operators import Operator, operators
from benchmarks.operators.peers import Peers
from benchmarks.operators.synthetic import Made, draw, write
from corpusgraph.flows.ports import IndexResources
from corpusgraph.flows.store.store import IndexStore
from corpusgraph.tasks import registry as _tool
from corpusgraph.tasks.graph.compiled import compiled

PATIENCE = 12.0
"""Seconds that a peer may take for one operator: a slow one is asked fewer questions."""
NOTES = """
Every query has other arguments: seeds are drawn from all entities that have a relationship, texts are three
words. Peers answer the nearest question they know: networkx and igraph give neighbourhoods without scores,
rustworkx a dictionary of neighbours, scikit-network 30 power iterations; a peer that takes long is asked
less often. Vector searches are exact. Where at most half of the vectors' values are not 0, as the offline
embedder's of names and short texts, they are kept by dimension on disk, and a query reads the dimensions
that it has; others are a matrix in memory, beyond 200,000 of them Lance's IVF index. On 1,000,000 x 512
sparse vectors that index at its defaults found 52 of 100 of the ten nearest, at 200 probes 94 of 100 in over
three times the time; postings of 0.74 GB took 20 to 27 ms of CPU, the same vectors as 2.05 GB of whole
columns 11 to 13 ms, float16 columns over ten times that (numpy converts them one by one). Results without
`top_k` hold whatever there is; a noun takes about 20 microseconds to make the first time.
"""
HEAD = (
    "| operator | first ms | median ms | p95 ms | CPU ms | networkx ms | best other ms | networkx / ours |\n"
    "|---|--:|--:|--:|--:|--:|--:|--:|"
)


def timed(call: Callable[[], Any]) -> tuple[float, float]:
    """Return wall and CPU milliseconds of a call."""
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3


def ours(operator: Operator, resources: Any, queries: int) -> tuple[float, list[float], list[float]]:
    """Return the first call's time, and wall and CPU of the others."""
    tool = _tool.find(operator.tool)
    asked = [operator.arguments(i) for i in range(queries + 1)]
    first, _ = timed(lambda: tool.run(asked[0], resources))
    times = [timed(lambda ask=ask: tool.run(ask, resources)) for ask in asked[1:]]  # type: ignore[misc]
    return first, [wall for wall, _ in times], [cpu for _, cpu in times]


def theirs(operator: Operator, peers: Peers, queries: int) -> dict[str, float]:
    """Return the median of each library that can answer."""
    found = {}
    for name, answer in peers.by_operator.get(operator.label, {}).items():
        began, times = time.perf_counter(), []
        for i in range(1, queries + 1):
            times.append(timed(lambda i=i, answer=answer: answer(operator.arguments(i)))[0])  # type: ignore[misc]
            if time.perf_counter() - began > PATIENCE:
                break
        found[name] = statistics.median(times)
    return found


def row(label: str, first: float, walls: list[float], cpus: list[float], others: dict[str, float]) -> str:
    """Return a line of the table."""
    median, p95 = statistics.median(walls), sorted(walls)[int(0.95 * (len(walls) - 1))]
    nx = others.get("networkx")
    best = min(((ms, name) for name, ms in others.items() if name != "networkx"), default=None)
    cells = [
        label,
        f"{first:.0f}",
        f"{median:.1f}",
        f"{p95:.1f}",
        f"{statistics.median(cpus):.1f}",
        f"{nx:.1f}" if nx else "",
        f"{best[0]:.1f} ({best[1]})" if best else "",
        f"{nx / median:.0f}x" if nx else "",
    ]
    return f"| {' | '.join(cells)} |"


def table(made: Made, outputs: Path, queries: int) -> Iterator[str]:
    """Open the index and yield the lines of the report."""
    store = IndexStore(outputs)
    opened = store.open("bench")
    began = time.perf_counter()
    graph = store.open("bench").graph
    n_entities, n_edges = len(graph.entities), len(graph.relationships)
    seconds = time.perf_counter() - began
    yield f"Opening: {seconds:.3f} s ({n_entities:,} entities, {n_edges:,} relationships)."
    began = time.perf_counter()
    graph.entity(made.ids[n_entities // 2])
    yield f"First entity by id: {(time.perf_counter() - began) * 1e3:.1f} ms."
    began = time.perf_counter()
    graph.entity(made.names[n_entities // 2])
    yield f"First entity by name (reads all names): {(time.perf_counter() - began) * 1e3:.0f} ms.\n"
    resources = dict(IndexResources(opened))
    chosen = [operator for operator in operators(made) if operator.tool in _tool.load()]
    measured = [(operator, ours(operator, resources, queries)) for operator in chosen]
    peers = Peers(made, compiled(opened.graph).adjacency(directed=False))
    yield HEAD
    for operator, (first, walls, cpus) in measured:
        yield row(operator.label, first, walls, cpus, theirs(operator, peers, queries))
    yield (
        "\nTime to give a library the graph, from arrays: "
        + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in peers.prepared.items())
        + "."
    )


def main() -> None:
    """Measure and print; `--write` keeps it in RESULTS.md."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entities", type=int, default=100_000)
    parser.add_argument("--relationships", type=int, default=1_000_000)
    parser.add_argument("--chunks", type=int, default=50_000)
    parser.add_argument("--queries", type=int, default=25)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    made = draw(given.entities, given.relationships)
    lines = []
    with tempfile.TemporaryDirectory() as scratch:
        outputs = given.index or Path(scratch)
        if IndexStore(outputs).manifest("bench") is None:
            began = time.perf_counter()
            write(made, outputs, given.chunks)
            lines.append(
                f"Writing the index (embedding, search indexes): {time.perf_counter() - began:.0f} s."
            )
            print(lines[0], flush=True)
        for line in table(made, outputs, given.queries):
            lines.append(line)
            print(line, flush=True)
    if given.write:
        machine = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
        head = f"Made by `python -m benchmarks.operators.run --write` on {machine}.\n\n"
        text = head + "\n".join(lines) + "\n" + NOTES
        Path(__file__).with_name("RESULTS.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
