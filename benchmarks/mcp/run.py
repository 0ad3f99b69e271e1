"""What MCP adds to a call, and what fifty clients at once get.

    python -m benchmarks.mcp.run [--calls 500] [--clients 50] [--seconds 60] [--listing] [--write]

Calls: a light tool (the neighbours of an entity), warm, one call after the other: the tool's function on
an open index, `corpusgraph.call`, and a call over each transport by the reference client (which validates
what it gets) and by a bare one. Overhead is the median over that of the function. CPU is what the server
works a call, the function included; on a machine that others use too, it is the steadier figure.

Load: so many clients with a connection each, without pauses, two reads for every two writes. A turn that
writes makes an entity of its own, then an observation or a relationship; afterwards another process looks
for each entity.

Listing: how long tools/list is, and what a model is given of it. `--listing` measures nothing else.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import anyio

from benchmarks.mcp.bare import VERSION, Bare, children, worked
from benchmarks.mcp.given import INDEX, MODES, client, indexed, quantiles, serving
from benchmarks.mcp.load import load
from benchmarks.mcp.sizes import renewed, sizes
from corpusgraph.flows import api
from corpusgraph.flows.ports import IndexResources
from corpusgraph.tasks.registry import find

RESULTS = Path(__file__).resolve().parent / "RESULTS.md"
TOOL = "entity_onehop_neighbors"
WARM = 30
TITLE = """# MCP

`python -m benchmarks.mcp.run --write`, on two cores that were shared with other work.

A light tool, warm, one call after the other (ms):

| call | median | p95 | over the function | server CPU a call |
|---|--:|--:|--:|--:|
"""
Taken = tuple[list[float], float]
"""Seconds of each call, and CPU seconds of the process that answered, a call."""


def timed(call: Callable[[], object], calls: int, process: int) -> Taken:
    """Return the seconds of each call, after some that warm up."""
    taken = []
    for _ in range(WARM):
        call()
    before = worked(process)
    for _ in range(calls):
        began = time.perf_counter()
        call()
        taken.append(time.perf_counter() - began)
    return taken, (worked(process) - before) / calls


def settle(process: int) -> None:
    """Wait until a server does nothing: it makes ready what first calls need once it can be called."""
    before = -1.0
    while (now := worked(process)) != before:
        before = now
        time.sleep(0.5)


async def remote(
    target: str | Path, mode: str, arguments: dict[str, object], calls: int, process: int | None
) -> Taken:
    """Return the same of the reference client; `process` is the server, or None where it is started here."""
    taken = []
    async with client(target, mode) as one:
        server = process or children()[-1]
        for _ in range(WARM):
            await one.call_tool(TOOL, arguments)
        await anyio.to_thread.run_sync(settle, server)
        before = worked(server)
        for _ in range(calls):
            began = time.perf_counter()
            result = await one.call_tool(TOOL, arguments)
            taken.append(time.perf_counter() - began)
            if result.is_error:
                raise RuntimeError(str(result.content))
        return taken, (worked(server) - before) / calls


def light(outputs: Path, calls: int) -> str:
    """Measure a light call in every way there is; return the rows of the table."""
    opened = api.open(INDEX, outputs)
    arguments: dict[str, object] = {"entities": [opened.graph.entities[0].id]}
    tool, ports, here = find(TOOL), IndexResources(opened), os.getpid()
    taken = {
        "the function": timed(lambda: tool.run(arguments, ports), calls, here),
        "`corpusgraph.call`": timed(lambda: api.call(TOOL, arguments, INDEX, outputs), calls, here),
    }
    for mode in MODES:
        taken[f"stdio, {mode}"] = anyio.run(remote, outputs, mode, arguments, calls, None)
    with serving(outputs) as (url, process):
        for mode in MODES:
            taken[f"HTTP, {mode}"] = anyio.run(remote, url, mode, arguments, calls, process)
        bare = Bare(url)
        taken[f"HTTP, {VERSION}, bare client"] = timed(lambda: bare.call(TOOL, arguments), calls, process)
    plain = quantiles(taken["the function"][0])[0]
    return "".join(_row(name, seconds, cpu, plain) for name, (seconds, cpu) in taken.items())


def _row(name: str, seconds: list[float], cpu: float, plain: float) -> str:
    middle, high = quantiles(seconds)
    return f"| {name} | {middle:.2f} | {high:.2f} | {middle - plain:.2f} | {1000 * cpu:.2f} |\n"


def look(outputs: Path, names: Path) -> int:
    """Return how many of the names in a file another process does not find."""
    code = (
        "import sys\nfrom pathlib import Path\nfrom corpusgraph.flows import api\n"
        "graph = api.open(sys.argv[1], sys.argv[2]).graph\n"
        "there = {entity.name for entity in graph.entities}\n"
        "print(sum(name not in there for name in Path(sys.argv[3]).read_text('utf-8').splitlines()))"
    )
    command = [sys.executable, "-c", code, INDEX, str(outputs), str(names)]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def loaded(url: str, process: int, clients: int, seconds: float) -> tuple[str, list[str]]:
    """Let clients of both kinds ask; return the tables and the names that were written."""
    page, every = "", []
    for bare, kind in ((False, "reference clients in one process"), (True, "bare clients")):
        before = worked(process)
        table, names = anyio.run(partial(load, url, clients, seconds, bare=bare))
        share = (worked(process) - before) / seconds
        page += f"{clients} {kind} at once for {seconds:g} s, without pauses (ms):\n\n{table}\n"
        page += f"The server worked {share:.2f} s a second, the clients' beginning included.\n\n"
        every += names
    return page.rstrip() + "\n", every


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--calls", type=int, default=500)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--listing", action="store_true")
    given = parser.parse_args()
    if given.listing:
        print(sizes())
        if given.write:
            RESULTS.write_text(renewed(RESULTS.read_text(encoding="utf-8")), encoding="utf-8")
        return
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        outputs = indexed(home)
        page = TITLE + light(outputs, given.calls)
        print(page, flush=True)
        with serving(outputs) as (url, process):
            table, names = loaded(url, process, given.clients, given.seconds)
        (home / "names").write_text("\n".join(names), encoding="utf-8")
        lost = look(outputs, home / "names")
        written = f"\n{len(names):,} writes were acknowledged; another process misses {lost}.\n"
        print(table + written)
        page += f"\n{table}{written}"
    if given.write:
        RESULTS.write_text(renewed(page), encoding="utf-8")


if __name__ == "__main__":
    main()
