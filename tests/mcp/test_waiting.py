"""Calls that take long: progress, cancellation, the time limit, how many at once, and a tool that breaks."""

import asyncio
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from corpusgraph.flows.mcp import threads as progress
from corpusgraph.flows.mcp.threads import LEFT, Steps
from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.llm import Prompt
from tests.llm.fake import FakeModel
from tests.mcp.serving import ERAS, served
from tests.mcp.slow import PATIENCE, Gate, logged, offer

Told = list[tuple[float, float | None, str | None]]
QUICK = ("entity_tfidf_rank", {"query": "water"})
FEW = ("slow", QUICK[0])
"""Tools to offer: a short list is quicker told."""


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch) -> Gate:
    made = Gate()
    offer(monkeypatch, made.pass_through)
    return made


async def begun(gate: Gate) -> None:
    """Wait until a call is in the tool."""
    assert await asyncio.to_thread(gate.began.acquire, timeout=PATIENCE)


@pytest.mark.parametrize("era", ERAS)
def test_progress_is_told_to_who_asked(
    home: Path, era: str, gate: Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "BEAT", 0.02)
    told: Told = []

    async def heard(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))
        if len(told) == 3:
            gate.open.set()

    async def work(client: Client) -> types.CallToolResult:
        return await client.call_tool("slow", {}, progress_callback=heard)

    assert served(home, work, era, groups=FEW).structured_content["data"] == "passed"
    assert told[0] == (0, None, "begun")
    assert "running for" in str(told[1][2])
    assert told[-1][2] == "done"
    assert told[-1][0] == told[-1][1]
    assert [done for done, _, _ in told] == sorted({done for done, _, _ in told}), "it only goes up"


def test_prompts_of_a_model_are_steps() -> None:
    class Said(BaseModel):
        word: str

    prompts = [Prompt(system="s", user=str(n)) for n in range(3)]
    told: Told = []

    async def report(done: float, total: float | None, message: str | None) -> None:
        told.append((done, total, message))

    async def work() -> None:
        steps = Steps(report)
        model = steps.watched(FakeModel({"word": "yes"}))
        async with steps.told():
            replies = await asyncio.to_thread(model.ask, prompts, Said)
        assert [reply.value for reply in replies] == [Said(word="yes")] * 3
        steps.drop()
        with pytest.raises(CorpusgraphError, match="cancelled"):
            await asyncio.to_thread(model.ask, prompts, Said)

    asyncio.run(work())
    assert told[0] == (0, None, "begun")
    assert told[-2:] == [(3, None, "prompts answered by fake: 3"), (4, 4, "done")]


async def given_up(client: Client, gate: Gate) -> None:
    """Call, wait until the tool is at it, and cancel."""
    async with anyio.create_task_group() as group:
        group.start_soon(client.call_tool, "slow", {})
        await begun(gate)
        group.cancel_scope.cancel()


@pytest.mark.parametrize("era", ERAS)
def test_a_cancelled_call_makes_room_at_once(home: Path, era: str, gate: Gate) -> None:
    async def work(client: Client) -> types.CallToolResult:
        await given_up(client, gate)
        assert gate.done == 0
        with anyio.fail_after(PATIENCE):
            return await client.call_tool(*QUICK)

    assert not served(home, work, era, concurrency=1, groups=FEW).is_error
    gate.open.set()


def test_calls_that_were_given_up_do_not_pile_up(home: Path, gate: Gate) -> None:
    async def work(client: Client) -> list[types.CallToolResult]:
        for _ in range(1 + LEFT):
            await given_up(client, gate)
        refused = await client.call_tool(*QUICK)
        gate.open.set()
        with anyio.fail_after(PATIENCE):
            while (after := await client.call_tool(*QUICK)).is_error:
                await anyio.sleep(0.02)
        return [refused, after]

    refused, after = served(home, work, concurrency=1, groups=FEW)
    assert refused.structured_content["error"]["code"] == "server_busy"
    assert after.structured_content["success"]


@pytest.mark.parametrize("effect", ["reads", "adds"])
def test_a_call_that_takes_too_long_is_told(
    home: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch, effect: Any
) -> None:
    offer(monkeypatch, gate.pass_through, effect=effect)

    async def work(client: Client) -> types.CallToolResult:
        found = await client.call_tool("slow", {})
        gate.open.set()  # else the end of the server waits for what writes
        return found

    told = served(home, work, seconds=0.2, groups=FEW).structured_content
    assert (told["success"], told["data"], told["error"]["code"]) == (False, None, "time_limit")
    assert "0.2 s" in told["error"]["message"]
    assert ("list_changes" in told["error"]["message"]) == (effect == "adds")


def test_only_so_many_calls_run_at_once(home: Path, gate: Gate) -> None:
    async def work(client: Client) -> None:
        async with anyio.create_task_group() as group:
            for _ in range(12):
                group.start_soon(client.call_tool, "slow", {})
            for _ in range(3):
                await begun(gate)
            await anyio.sleep(0.05)
            assert gate.at_once == 3
            gate.open.set()

    served(home, work, concurrency=3, groups=FEW)
    assert (gate.done, gate.most) == (12, 3)


def test_the_end_waits_for_what_writes(home: Path, gate: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    offer(monkeypatch, gate.pass_through, effect="adds")

    async def work(client: Client) -> None:
        await given_up(client, gate)
        asyncio.get_running_loop().call_later(0.1, gate.open.set)

    served(home, work, groups=FEW)
    assert gate.done == 1


@pytest.mark.parametrize("era", ERAS)
def test_a_tool_that_breaks_breaks_nothing_else(
    home: Path, era: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, lambda _ask: 1 // 0)
    seen = logged(monkeypatch)

    async def work(client: Client) -> list[types.CallToolResult]:
        return [await client.call_tool("slow", {}), await client.call_tool(*QUICK)]

    broken, after = served(home, work, era, groups=FEW)
    assert broken.structured_content["error"]["code"] == "internal_error"
    assert "division" not in broken.model_dump_json(), "what is inside stays in the log"
    assert seen == [ZeroDivisionError]
    assert not after.is_error


@pytest.mark.parametrize("era", ERAS)
def test_arguments_of_any_kind_are_told_and_the_server_lives(home: Path, era: str) -> None:
    deep: Any = []
    for _ in range(200):
        deep = [deep]
    odd: list[dict[str, Any]] = [
        {"query": deep},
        {"query": "x" * 1_000_000, "top_k": -(10**30)},
        {"query": None, "filter": {"a": deep}},
        {"query": "Ngữyễn\u0000", "top_k": 0},
        {"query": 1.5, "top_k": True, "request_id": 3, "timestamp": "never"},
        {"index": "../tiny", "query": "x"},
        {"index": None, "query": "x"},
        {"": 1},
    ]

    async def work(client: Client) -> list[types.CallToolResult]:
        return [await client.call_tool("entity_tfidf_rank", one) for one in [*odd, QUICK[1]]]

    *refused, fine = served(home, work, era, groups=FEW[1:])
    for given, result in zip(odd, refused, strict=True):
        assert result.is_error, given
        assert result.structured_content["error"]["code"] in {"invalid_input", "path_refused"}, result
    assert not fine.is_error


def test_unknown_methods_of_the_protocol_are_refused(home: Path) -> None:
    async def work(client: Client) -> int:
        with pytest.raises(MCPError) as told:
            await client.session.send_request(
                types.SetLevelRequest(params={"level": "debug"}), types.EmptyResult
            )
        return told.value.code

    assert served(home, work, "legacy", groups=FEW[1:]) == -32601
