"""Many clients at once that read and write.

Reference clients check every answer against the listed schema, which takes this one process three times as
long as the answer takes the server: what they see is mostly each other. Bare clients show the server.
"""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial

import anyio
import httpx2
from anyio.abc import TaskStatus
from mcp import MCPError

from benchmarks.mcp.bare import Bare
from benchmarks.mcp.given import CAUSES, MODES, PLACES, client, quantiles

HEAD = "| calls | number | a second | median | p95 | longest | errors |\n|---|--:|--:|--:|--:|--:|--:|\n"


@dataclass
class Tally:
    """What the clients saw."""

    reads: list[float] = field(default_factory=list)
    writes: list[float] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """Entities whose making was acknowledged."""
    errors: list[str] = field(default_factory=list)


Call = Callable[[str, dict[str, object]], Awaitable[str]]
"""Calls a tool; returns the error, where there is one."""


async def load(url: str, clients: int, seconds: float, *, bare: bool = False) -> tuple[str, list[str]]:
    """Let so many clients ask for so long; return the table and the names that were written."""
    tally, ready = Tally(), anyio.Event()
    kind = partial(_bare, url, anyio.CapacityLimiter(clients)) if bare else partial(_reference, url)
    async with anyio.create_task_group() as group:
        for number in range(clients):
            await group.start(_one, kind, number, seconds, tally, ready)
        ready.set()
    rows = [
        _row(name, times, seconds, tally)
        for name, times in (("reads", tally.reads), ("writes", tally.writes))
    ]
    for error in tally.errors[:5]:
        print("error:", error)
    return HEAD + "".join(rows), tally.names


def _row(name: str, times: list[float], seconds: float, tally: Tally) -> str:
    mid, high = quantiles(times)
    errors = sum(error.startswith(name) for error in tally.errors)
    rate, longest = len(times) / seconds, 1000 * max(times)
    return f"| {name} | {len(times):,} | {rate:.0f} | {mid:.0f} | {high:.0f} | {longest:.0f} | {errors} |\n"


@asynccontextmanager
async def _reference(url: str, number: int) -> AsyncIterator[tuple[Call, str]]:
    async with client(url, MODES[number % 2]) as one:

        async def call(tool: str, arguments: dict[str, object]) -> str:
            result = await one.call_tool(tool, arguments)
            return str(result.content) if result.is_error else ""

        yield call, f"Writer{number}"


@asynccontextmanager
async def _bare(url: str, limiter: anyio.CapacityLimiter, number: int) -> AsyncIterator[tuple[Call, str]]:
    one = Bare(url)

    def answered(tool: str, arguments: dict[str, object]) -> str:
        try:
            one.call(tool, arguments)
        except RuntimeError as error:
            return str(error)
        return ""

    async def call(tool: str, arguments: dict[str, object]) -> str:
        return await anyio.to_thread.run_sync(answered, tool, arguments, limiter=limiter)

    yield call, f"Scribe{number}"


async def _one(
    kind: Callable[..., AbstractAsyncContextManager[tuple[Call, str]]],
    number: int,
    seconds: float,
    tally: Tally,
    ready: anyio.Event,
    *,
    task_status: TaskStatus[None],
) -> None:
    async with kind(number) as (one, name):
        task_status.started()
        await ready.wait()
        end, turn = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            turn += 1
            if turn % 3:
                await _timed(one, "reads", *_read(number + turn), tally)
            else:
                await _write(one, f"{name} note{turn}", turn, tally)


def _read(turn: int) -> tuple[str, dict[str, object]]:
    place, cause = PLACES[turn % 10], CAUSES[turn % 7]
    asked: tuple[tuple[str, dict[str, object]], ...] = (
        ("get_entity_neighbors", {"entity_id": place}),
        ("search_nodes", {"query": place}),
        ("open_nodes", {"names": [place, cause]}),
        ("graph_enhanced_search", {"query": f"What caused fever in {place}?"}),
    )
    return asked[turn % 4]


async def _write(one: Call, name: str, turn: int, tally: Tally) -> None:
    """Make an entity, and say something about it in a second call."""
    entity = {"name": name, "entityType": "note", "observations": [f"{name} was made."]}
    if await _timed(one, "writes", "create_entities", {"entities": [entity]}, tally):
        tally.names.append(name)
    more: tuple[str, dict[str, object]] = (
        "add_observations",
        {"observations": [{"entityName": name, "contents": [f"{name} was seen again."]}]},
    )
    if turn % 2:
        more = (
            "add_entity_relationship",
            {"source_id": name, "target_id": "London", "relation_type": "part_of"},
        )
    await _timed(one, "writes", *more, tally)


async def _timed(one: Call, kind: str, tool: str, arguments: dict[str, object], tally: Tally) -> bool:
    began = time.perf_counter()
    try:
        problem = await one(tool, arguments)
    except (MCPError, httpx2.HTTPError) as error:
        tally.errors.append(f"{kind} {tool}: {error!r}")
        return False
    (tally.reads if kind == "reads" else tally.writes).append(time.perf_counter() - began)
    if problem:
        tally.errors.append(f"{kind} {tool}: {problem}")
    return not problem
