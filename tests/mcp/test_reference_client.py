"""The reference Python client lists and calls every tool, and each answer is of its declared schema."""

from contextlib import AbstractAsyncContextManager
from pathlib import Path

import anyio
import pytest
from mcp import Client

from tests.mcp.calls import copied, examples, in_turn, over_http, over_stdio, violations
from tests.mcp.live import live

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]

MODES = ["legacy", "2026-07-28"]
"""With a session and its handshake, and without."""


async def _every_tool(client: AbstractAsyncContextManager[Client], outputs: Path) -> None:
    async with client as session:
        tools = {tool.name: tool for tool in (await session.list_tools()).tools}
        asked = examples(outputs, tools)
        assert len(tools) >= 60
        wrong: dict[str, object] = {}
        for tool in (tools[name] for name in in_turn(tools)):
            assert tool.output_schema is not None, tool.name
            for arguments, fails in ((asked[tool.name], False), ({"no_such_argument": 1}, True)):
                result = await session.call_tool(tool.name, arguments)
                problems = violations(tool.output_schema, result.structured_content)
                if problems or bool(result.is_error) is not fails:
                    wrong[f"{tool.name} {arguments}"] = problems or result.content
    assert wrong == {}


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_over_http(mode: str, tiny: tuple[Path, str], tmp_path: Path) -> None:
    outputs = copied(tiny, tmp_path)
    with live(outputs) as server:
        anyio.run(_every_tool, over_http(server.url, mode), outputs)


@pytest.mark.parametrize("mode", MODES)
def test_every_tool_over_stdio(mode: str, tiny: tuple[Path, str], tmp_path: Path) -> None:
    outputs = copied(tiny, tmp_path)
    anyio.run(_every_tool, over_stdio(outputs, mode=mode), outputs)
