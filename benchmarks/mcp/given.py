"""What both measurements need: an index, a server on it, and the reference client."""

import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from corpusgraph.flows import api
from corpusgraph.schemas.study import Study

INDEX = "bench"
COMMAND = [sys.executable, "-m", "corpusgraph.flows.cli.main", "serve"]
MODES = ("legacy", "2026-07-28")
"""Protocol with sessions and a handshake, and the one whose requests stand alone."""
CAUSES = ("Water", "Air", "Poverty", "Crowding", "Trade", "Rain", "Hunger", "Smoke", "War", "Work")
PLACES = ("London", "Paris", "Leeds", "Bristol", "York", "Dublin", "Glasgow", "Hull", "Bath", "Exeter")


def indexed(home: Path, documents: int = 200) -> Path:
    """Index documents of ten sentences; return the outputs folder."""
    corpus = home / "corpus"
    corpus.mkdir(parents=True)
    for n in range(documents):
        names = [f"Doctor Number{(n * 7 + i) % 150} Case" for i in range(5)]
        lines = [
            f"Dr. {names[i % 5]} worked in {PLACES[(n + i) % 10]}. "
            f"{CAUSES[(n + i) % 10]} caused fever in {PLACES[(n * 3 + i) % 10]} in {1800 + n % 60}."
            for i in range(5)
        ]
        (corpus / f"{n:04}.txt").write_text(" ".join(lines), encoding="utf-8")
    study = Study.model_validate({"study": INDEX, "corpus": {"path": str(corpus)}})
    api.index(study, outputs=home / "outputs")
    return home / "outputs"


@contextmanager
def serving(outputs: Path) -> Iterator[tuple[str, int]]:
    """Start a server over HTTP; yield its address and its process."""
    command = [*COMMAND, "--transport", "http", "--port", "0", "--rate", "0", "--outputs", str(outputs)]
    log = outputs.parent / "server.log"
    with log.open("w") as said, subprocess.Popen(command, stderr=said) as process:
        try:
            while (found := re.search(r"http://\S+/mcp", log.read_text())) is None:
                if process.poll() is not None:
                    raise RuntimeError(log.read_text())
                time.sleep(0.1)
            yield found[0], process.pid
        finally:
            process.terminate()
            process.wait(60)
            sys.stderr.write("".join(log.read_text().splitlines(keepends=True)[1:]))


@asynccontextmanager
async def client(target: str | Path, mode: Any) -> AsyncIterator[Client]:
    """Yield the reference client of a server at an address, or of one started on an outputs folder."""
    if isinstance(target, str):
        transport: Any = streamable_http_client(target)
    else:
        options = [*COMMAND[1:], "--outputs", str(target)]
        transport = stdio_client(StdioServerParameters(command=COMMAND[0], args=options))
    async with Client(transport, mode=mode, read_timeout_seconds=300) as one:
        await one.list_tools()
        yield one


def quantiles(seconds: list[float]) -> tuple[float, float]:
    """Return median and 95th percentile in milliseconds."""
    ordered = sorted(seconds)
    return 1000 * ordered[len(ordered) // 2], 1000 * ordered[int(len(ordered) * 0.95)]
