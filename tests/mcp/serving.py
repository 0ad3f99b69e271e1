"""A server in this process, and the reference client that talks to it in either protocol era."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

from mcp.client import Client

from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.server import build_server

T = TypeVar("T")
ERAS = ("legacy", "auto")
"""The handshake of 2025 and before, and what the newest protocol does."""


def served(outputs: Path, work: Callable[[Client], Awaitable[T]], era: str = "auto", **options: Any) -> T:
    """Return what the work does with a client of a server on the outputs."""
    server = build_server(ServeOptions(outputs, **options))

    async def run() -> T:
        async with Client(server, mode=era, raise_exceptions=True) as client:
            return await work(client)

    return asyncio.run(run())
