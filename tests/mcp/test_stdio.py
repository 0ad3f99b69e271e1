"""Over stdin and stdout: nothing but the protocol on stdout, and a clean end."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters

from corpusgraph.schemas.base import JsonDict
from tests.mcp.live import environment
from tests.mcp.serving import ERAS

pytestmark = pytest.mark.faults
PATIENCE = 90.0
SERVE = """
import sys
from pathlib import Path
from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.stdio import serve_stdio
{before}
serve_stdio(ServeOptions(Path(sys.argv[1])))
"""
LOUD = """
import os, subprocess
from corpusgraph.flows.mcp import server as extras

def loud(ask, here):
    '''Print where a library would.'''
    print("to sys.stdout", flush=True)
    os.write(1, b"to descriptor 1\\n")
    subprocess.run(["echo", "from a child"])
    return sys.stdin.read()

loud.__module__ = extras.__name__
extras.EXTRAS = (*extras.EXTRAS, extras.Tool("loud", None, loud, extras.ListIndexes, str))
"""
HELLO: JsonDict = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2024-11-05",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}
READY: JsonDict = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def command(outputs: Path, before: str = "") -> list[str]:
    return [sys.executable, "-c", SERVE.format(before=before), str(outputs)]


def request(number: int, method: str, **params: Any) -> JsonDict:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


class Raw:
    """A client that writes lines and reads lines."""

    def __init__(self, outputs: Path, before: str = "") -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command(outputs, before), stdin=pipe, stdout=pipe, stderr=pipe, text=True, env=environment()
        )

    def say(self, *messages: JsonDict | str) -> None:
        """Write messages, or text that is none."""
        assert self.process.stdin is not None
        for one in messages:
            self.process.stdin.write((one if isinstance(one, str) else json.dumps(one)) + "\n")
        self.process.stdin.flush()

    def hear(self) -> JsonDict:
        """Read the next message; anything else on stdout fails."""
        assert self.process.stdout is not None
        found: JsonDict = json.loads(self.process.stdout.readline())
        return found

    def end(self) -> tuple[int, str, str]:
        """Close stdin; return the exit code and what was still said."""
        out, err = self.process.communicate(timeout=PATIENCE)
        return self.process.returncode, out, err

    def stop(self) -> None:
        """Leave nothing of it behind, whatever a test found."""
        self.process.kill()
        self.process.wait(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()


@pytest.fixture
def start(home: Path) -> Iterator[Callable[..., Raw]]:
    """Return what starts a server on the tiny index."""
    started: list[Raw] = []

    def make(before: str = "") -> Raw:
        started.append(Raw(home, before))
        return started[-1]

    yield make
    for one in started:
        one.stop()


def test_both_eras_in_a_process_of_its_own(home: Path) -> None:
    parameters = StdioServerParameters(command=sys.executable, args=command(home)[1:], env=environment())

    async def work(era: str) -> tuple[str, str]:
        async with Client(parameters, mode=era, read_timeout_seconds=PATIENCE) as client:
            found = await client.call_tool("entity_onehop_neighbors", {"entities": ["cholera"]})
            assert found.structured_content["success"]
            page = (await client.read_resource("corpusgraph://tiny/entities/cholera")).contents[0]
            return str(client.session.protocol_version), page.uri

    uri = "corpusgraph://tiny/entities/cholera"
    assert [asyncio.run(work(era)) for era in ERAS] == [("2025-11-25", uri), ("2026-07-28", uri)]


def test_an_old_client_gets_text_and_no_other_line_is_on_stdout(start: Callable[..., Raw]) -> None:
    raw = start(LOUD)
    raw.say(HELLO)
    assert raw.hear()["result"]["protocolVersion"] == "2024-11-05"
    raw.say(READY, request(2, "tools/call", name="loud", arguments={}))
    result = raw.hear()["result"]
    assert "structuredContent" not in result
    assert json.loads(result["content"][0]["text"])["data"] == "", (
        "stdin is the protocol's, and empty for others"
    )
    raw.say(request(3, "tools/list"))
    tools = raw.hear()["result"]["tools"]
    assert {"loud", "entity_ppr_rank"} <= {tool["name"] for tool in tools}
    code, out, err = raw.end()
    assert (code, out) == (0, "")
    for line in ("to sys.stdout", "to descriptor 1", "from a child"):
        assert line in err


def test_what_was_asked_before_the_end_is_answered(start: Callable[..., Raw]) -> None:
    raw = start()
    question = {"question": "What caused cholera?"}
    raw.say(HELLO, READY, request(2, "tools/call", name="ask", arguments=question), request(3, "tools/list"))
    code, out, _ = raw.end()
    assert code == 0
    assert {json.loads(line)["id"] for line in out.splitlines()} == {1, 2, 3}


def test_what_is_no_message_breaks_nothing(start: Callable[..., Raw]) -> None:
    raw = start()
    deep = "[" * 100_000
    raw.say(
        "",
        "no json",
        deep,
        '{"jsonrpc": "2.0", "id": 5, "method": 7}',
        "\ud800".encode("utf-8", "replace").decode(),
    )
    raw.say('{"jsonrpc": "2.0"', "[]", "null", HELLO)
    found = raw.hear()
    while found.get("id") != 1:
        found = raw.hear()
    assert found["result"]["serverInfo"]["name"] == "corpusgraph"
    assert raw.end()[0] == 0


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(start: Callable[..., Raw], how: signal.Signals) -> None:
    raw = start()
    raw.say(HELLO)
    raw.hear()
    raw.process.send_signal(how)
    code, out, err = raw.end()
    assert (code, out) == (0, "")
    assert "Traceback" not in err


def test_a_client_that_is_gone_ends_it(start: Callable[..., Raw]) -> None:
    raw = start()
    raw.say(HELLO)
    raw.hear()
    assert raw.process.stdout is not None
    raw.process.stdout.close()  # nobody reads any more
    raw.say(READY, request(2, "tools/list"))
    assert raw.process.stdin is not None
    raw.process.stdin.close()
    assert raw.process.wait(PATIENCE) in {0, 1}
    assert raw.process.stderr is not None
    raw.process.stderr.close()
