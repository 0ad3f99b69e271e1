"""What the protocol adds to a call, in the processor's seconds: client, server and thread together."""

import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from mcp.client import Client

from corpusgraph.flows import api
from tests.mcp.serving import ERAS, served

CALLS = 25
LEAST = 3
"""Rounds; the quickest of them counts."""
NAME, GIVEN = "entity_onehop_neighbors", {"entities": ["cholera"], "index": "tiny"}


@pytest.mark.parametrize("era", ERAS)
def test_a_warm_call_costs_little_more_than_the_function(home: Path, era: str) -> None:
    async def calls(call: Callable[[], Awaitable[object]]) -> float:
        began = time.process_time()
        for _ in range(CALLS):
            await call()
        return (time.process_time() - began) / CALLS

    async def work(client: Client) -> tuple[float, float]:
        async def over_mcp() -> object:
            return await client.call_tool(NAME, GIVEN)

        async def plain() -> object:
            return api.call(NAME, GIVEN, outputs=home)

        await over_mcp()
        await plain()
        rounds = [(await calls(over_mcp), await calls(plain)) for _ in range(LEAST)]
        return min(mcp for mcp, _ in rounds), min(alone for _, alone in rounds)

    over_mcp, alone = served(home, work, era, groups=(NAME,))
    assert over_mcp - alone < 0.005, (over_mcp, alone)
