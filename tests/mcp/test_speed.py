"""What the protocol adds to a call, in Python calls made on the event loop: client and server, without the tool."""

import sys
from pathlib import Path
from types import FrameType

import pytest
from mcp.client import Client

from tests.mcp.serving import ERAS, served

CALLS = 25
LIMIT = 4_000
NAME, GIVEN = "entity_onehop_neighbors", {"entities": ["cholera"], "index": "tiny"}


@pytest.mark.parametrize("era", ERAS)
def test_a_warm_call_adds_little_to_the_function(home: Path, era: str) -> None:
    """The tool itself runs in a thread of its own, which is not counted."""
    made = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal made
        made += event == "call"

    async def work(client: Client) -> None:
        await client.call_tool(NAME, GIVEN)
        sys.setprofile(count)
        try:
            for _ in range(CALLS):
                await client.call_tool(NAME, GIVEN)
        finally:
            sys.setprofile(None)

    served(home, work, era, groups=(NAME,))
    assert made / CALLS < LIMIT, made / CALLS
