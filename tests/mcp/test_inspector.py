"""The official MCP Inspector lists and calls every tool over both transports: no answer breaks its schema.

`make inspector` installs it, with the Node that it needs.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from corpusgraph.schemas.base import JsonDict
from tests.mcp.calls import copied, examples, in_turn, violations
from tests.mcp.live import COMMAND, PATIENCE, TOKEN, environment, live

INSPECTOR = Path(__file__).parents[2] / ".inspector" / "node_modules" / ".bin"

pytestmark = [
    pytest.mark.external,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not (INSPECTOR / "mcp-inspector").exists(), reason="`make inspector` installs it"),
]


class Inspector:
    """The Inspector's command line with a server to ask."""

    def __init__(self, home: Path, target: list[str]) -> None:
        self._target = target
        path = f"{INSPECTOR}{os.pathsep}{os.environ['PATH']}"
        self._environment = {**environment(), "PATH": path, "MCP_CATALOG_PATH": str(home / "catalog.json")}

    def ask(self, method: str, *options: str) -> Any:
        """Return what it prints for a method; with --strict, an error in a tool's schema is one."""
        command = [str(INSPECTOR / "mcp-inspector"), "--cli", *self._target, "--method", method, *options]
        ran = subprocess.run(
            command, env=self._environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        assert "--strict" not in options or ran.returncode == 0, ran.stderr
        try:
            return json.loads(ran.stdout)
        except ValueError:
            raise AssertionError(f"{method} {options}: {ran.returncode} {ran.stdout} {ran.stderr}") from None

    def call(self, name: str, arguments: JsonDict) -> JsonDict:
        """Call a tool."""
        given = [f"{key}={json.dumps(value)}" for key, value in arguments.items()]
        options = ["--tool-name", name, *(["--tool-arg", *given] if given else [])]
        found: JsonDict = self.ask("tools/call", *options)
        return found


@pytest.fixture(params=["http", "stdio"])
def asked(
    request: pytest.FixtureRequest, tiny: tuple[Path, str], tmp_path: Path
) -> Iterator[tuple[Inspector, Path]]:
    """Yield the Inspector before a server, and the server's outputs."""
    outputs = copied(tiny, tmp_path)
    if request.param == "stdio":
        yield Inspector(tmp_path, [*COMMAND, "--outputs", str(outputs)]), outputs
        return
    with live(outputs) as server:
        bearer = ["--header", f"Authorization: Bearer {TOKEN}"]
        yield Inspector(tmp_path, [server.url, "--transport", "http", *bearer]), outputs


@pytest.mark.parametrize(
    ("asked", "step"),
    [("http", 1), ("stdio", 12), pytest.param("stdio", 1, marks=pytest.mark.peers)],  # a server a call: slow
    indirect=["asked"],
)
def test_every_tool_is_listed_and_answers_in_its_schema(asked: tuple[Inspector, Path], step: int) -> None:
    inspector, outputs = asked
    tools = {tool["name"]: tool for tool in inspector.ask("tools/list", "--strict")["tools"]}
    assert len(tools) >= 60
    given = examples(outputs, tools)
    wrong: dict[str, Any] = {}
    for name in list(in_turn(tools))[::step]:
        found = inspector.call(name, given[name])
        problems = violations(tools[name]["outputSchema"], found.get("structuredContent"))
        if problems or found.get("isError"):
            wrong[name] = problems or found["content"]
    assert wrong == {}


def test_resources_and_prompts_are_read(asked: tuple[Inspector, Path]) -> None:
    inspector, _ = asked
    resources = inspector.ask("resources/list")["resources"]
    assert resources
    for resource in resources:
        contents = inspector.ask("resources/read", "--uri", resource["uri"])["contents"]
        assert contents[0]["uri"] == resource["uri"]
    assert inspector.ask("resources/templates/list")["resourceTemplates"]
    prompts = inspector.ask("prompts/list")["prompts"]
    assert {"ask"} <= {prompt["name"] for prompt in prompts}


def test_without_the_token_it_is_refused(tiny: tuple[Path, str], tmp_path: Path) -> None:
    with live(tiny[0]) as server:
        inspector = Inspector(tmp_path, [server.url, "--transport", "http", "--stored-auth-only"])
        with pytest.raises(AssertionError, match=r"(?i)auth"):
            inspector.ask("tools/list")
