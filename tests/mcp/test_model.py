"""A server with a language model: what it writes, how its prompts are told, and what a dropped call spends."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import anyio
import mcp_types as types
import pytest
from mcp.client import Client

from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.server import asks_model
from tests.answer.test_over_http import profile
from tests.faults.server import FaultServer
from tests.mcp.serving import ERAS, served

pytestmark = pytest.mark.faults
PATIENCE = 60.0


@pytest.fixture
def endpoint() -> Iterator[FaultServer]:
    with FaultServer(hang=1.0, seed=1) as running:
        yield running


@pytest.mark.parametrize("era", ERAS)
def test_the_model_answers_and_its_prompts_are_steps(
    home: Path, era: str, endpoint: FaultServer, tmp_path: Path
) -> None:
    named = profile(tmp_path, endpoint.base_url)
    assert asks_model(ServeOptions(home, profile=named))
    told: list[tuple[float, float | None, str | None]] = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async def work(client: Client) -> list[types.CallToolResult]:
        question = {"question": "What caused cholera?"}
        asked = await client.call_tool("ask", question, progress_callback=heard)
        given = {"query": "What caused cholera in London?"}
        found = await client.call_tool("query_extract_entities", given, progress_callback=heard)
        return [asked, found]

    asked, found = served(home, work, era, profile=named)
    model = asked.structured_content["data"]["usage"]["model"]
    assert asked.structured_content["data"]["method"].startswith(model)
    assert asked.structured_content["data"]["usage"]["calls"] == 1
    assert found.structured_content["metadata"]["usage"]["calls"] >= 1
    prompts = [words for _, _, words in told if words and words.startswith(f"prompts answered by {model}: ")]
    assert prompts == [f"prompts answered by {model}: 1"] * 2, told


def test_a_dropped_call_asks_no_more(home: Path, endpoint: FaultServer, tmp_path: Path) -> None:
    named = profile(tmp_path, endpoint.base_url, timeout=20)
    endpoint.set("timeout", rate=1.0)

    async def work(client: Client) -> int:
        async with anyio.create_task_group() as group:
            call = {"question": "Who lived in London?", "method": "ircot"}
            group.start_soon(client.call_tool, "ask", call)
            with anyio.fail_after(PATIENCE):
                while not endpoint.calls:
                    await asyncio.sleep(0.02)
            group.cancel_scope.cancel()
        endpoint.set()
        before = len(endpoint.calls)
        await asyncio.sleep(1.5)  # the reply that hung has come by now
        return len(endpoint.calls) - before

    assert served(home, work, profile=named) <= 1, "the request under way may be made again, no other"
