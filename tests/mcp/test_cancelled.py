"""A call that is given up ends: its thread at the next step, whichever way the client lets go of it."""

import json
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import anyio
import httpx
import pytest
from anyio.to_thread import run_sync
from mcp.client import Client

from corpusgraph.schemas.base import JsonDict
from tests.mcp.calls import over_http, over_stdio
from tests.mcp.large import LONG, PATIENCE, WRITES, made, spent, until_at_work, until_idle
from tests.mcp.live import COMMAND, TOKEN, environment, live
from tests.mcp.serving import ERAS
from tests.mcp.test_stdio import HELLO, READY

pytestmark = [
    pytest.mark.faults,
    pytest.mark.timeout(300),
    pytest.mark.skipif(
        not Path("/proc/self/stat").exists(), reason="the processor's time is read from /proc"
    ),
]
SOON = 2.0
"""Seconds of processor that a call may take after it was given up; all of it would be far more."""
LOADED = SOON + 5.0
"""The same where the reader's weights may be loading meanwhile, which nothing interrupts."""
QUICK = ("graph_centrality", {"measures": ["pagerank", "betweenness", "closeness"], "samples": 20})
WAYS = [("stdio", era) for era in ERAS] + [("http", era) for era in ERAS]


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("large"))


@asynccontextmanager
async def client_of(way: str, era: str, outputs: Path, *options: str) -> AsyncIterator[tuple[Client, int]]:
    """Yield the reference client of a server in a process of its own, and that process."""
    if way == "http":
        with live(outputs, *options) as server:
            async with over_http(server.url, mode=era) as client:
                yield client, server.process.pid
        return
    before = _children()
    async with over_stdio(outputs, *options, mode=era) as client:
        (pid,) = _children() - before
        yield client, pid


def _children() -> set[int]:
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # the thread has ended meanwhile
            found.update(int(pid) for pid in (task / "children").read_text(encoding="ascii").split())
    return found


async def given_up(client: Client, pid: int, name: str, arguments: JsonDict) -> None:
    """Call, wait until the server works, and cancel."""
    await client.call_tool(*QUICK)  # the index is open, and what is kept of it made
    async with anyio.create_task_group() as group:
        group.start_soon(client.call_tool, name, arguments)
        await run_sync(until_at_work, pid)
        group.cancel_scope.cancel()


@pytest.mark.parametrize(("way", "era"), WAYS)
def test_a_cancelled_call_stops_and_leaves_the_index_as_it_was(outputs: Path, way: str, era: str) -> None:
    journal = outputs / "bench" / "memory.jsonl"

    async def work() -> None:
        async with client_of(way, era, outputs) as (client, pid):
            first = await client.call_tool(*QUICK)
            await given_up(client, pid, *LONG)
            assert await run_sync(until_idle, pid) < SOON
            await given_up(client, pid, *WRITES)
            assert await run_sync(until_idle, pid) < LOADED
            with anyio.fail_after(PATIENCE):
                again = await client.call_tool(*QUICK)
            assert again.structured_content["entities"] == first.structured_content["entities"]

    anyio.run(work)
    assert not journal.exists() or not journal.read_text(encoding="utf-8"), "no part of the change is there"


@pytest.mark.parametrize(("way", "era"), [("stdio", "legacy"), ("http", "auto")])
def test_the_time_limit_stops_the_thread(outputs: Path, way: str, era: str) -> None:
    async def work() -> None:
        async with client_of(way, era, outputs, "--timeout", "2") as (client, pid):
            told = await client.call_tool(*LONG)
            assert told.structured_content["error"]["code"] == "time_limit"
            assert await run_sync(until_idle, pid) < SOON

    anyio.run(work)


def test_calls_that_are_given_up_one_after_the_other_never_fill_the_server(outputs: Path) -> None:
    async def work() -> None:
        async with client_of("http", "auto", outputs, "--timeout", "0.3") as (client, pid):
            codes = [(await client.call_tool(*LONG)).structured_content["error"]["code"] for _ in range(60)]
            assert set(codes) == {"time_limit"}
            assert await run_sync(until_idle, pid) < SOON

    anyio.run(work)


MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(era: str) -> JsonDict:
    """Return a request to call the long tool, as a client of the era writes it, that asks to hear how it is."""
    meta = {"progressToken": 1, **(MODERN if era == "auto" else {})}
    params = {"name": LONG[0], "arguments": LONG[1], "_meta": meta}
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params}


def headers(era: str, client: httpx.Client, url: str) -> dict[str, str]:
    """Return the headers of a request; one of 2025 has a session."""
    if era == "auto":
        return {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": LONG[0]}
    session = {"mcp-session-id": client.post(url, json=HELLO).headers["mcp-session-id"]}
    client.post(url, json=READY, headers=session)
    return session


@pytest.mark.parametrize("era", ["auto"])
def test_a_connection_that_is_closed_stops_the_call(outputs: Path, era: str) -> None:
    own = {"accept": "application/json, text/event-stream", "authorization": f"Bearer {TOKEN}"}
    with live(outputs) as server, httpx.Client(headers=own, timeout=PATIENCE) as client:
        told = headers(era, client, server.url)
        with client.stream("POST", server.url, json=request(era), headers=told) as response:
            assert response.status_code == 200
            lines = response.iter_lines()
            heard = [line for line in (next(lines) for _ in range(40)) if "betweenness" in line]
            assert heard, "it is at work"
        assert until_idle(server.process.pid) < SOON


def runs(pid: int) -> bool:
    """Tell whether a process runs; one that nobody has buried yet does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


CLIENT = """
import json, subprocess, sys, time
server = subprocess.Popen(json.loads(sys.argv[1]), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
*before, last = json.loads(sys.argv[2])
for message in [*before, last]:
    server.stdin.write(json.dumps(message).encode() + b"\\n")
    server.stdin.flush()
    while message is not last and "id" in message:  # until it is answered
        if json.loads(server.stdout.readline()).get("id") == message["id"]:
            break
print(server.pid, flush=True)
time.sleep(600)
"""


def test_a_server_whose_client_was_killed_ends(outputs: Path) -> None:
    asked = request("legacy")
    del asked["params"]["_meta"]  # nothing is written to a client that asked for no progress
    # the index is open before the long call: what starting takes differs between machines
    quick = {**asked, "id": 6, "params": {"name": QUICK[0], "arguments": QUICK[1]}}
    command = [*COMMAND, "--outputs", str(outputs)]
    given = [json.dumps(command), json.dumps([HELLO, READY, quick, asked])]
    with subprocess.Popen(
        [sys.executable, "-c", CLIENT, *given], stdout=subprocess.PIPE, text=True, env=environment()
    ) as client:
        assert client.stdout is not None
        server = int(client.stdout.readline())
        until_at_work(server)
        before = spent(server)  # not later: the server may be gone by then
        client.kill()
    last, end = before, time.monotonic() + PATIENCE
    while runs(server):
        assert time.monotonic() < end, "the server works on"
        with suppress(OSError, IndexError):
            last = spent(server)
        time.sleep(0.02)
    assert last - before < SOON
