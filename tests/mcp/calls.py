"""A call of every tool that a server offers, for clients of any kind, and what their answers are held to."""

import shutil
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from corpusgraph.flows import api
from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks.registry import find
from tests.contract.examples import EXAMPLES
from tests.contract.test_surfaces_agree import on_index
from tests.mcp.live import COMMAND, PATIENCE, TOKEN, environment

OWN: dict[str, JsonDict] = {
    "ask": {"question": "What caused cholera?"},
    "list_indexes": {},
    "list_methods": {"query": "local"},
}
"""Examples of what this surface adds to the registry."""


def copied(tiny: tuple[Path, str], home: Path) -> Path:
    """Return outputs of one's own with the tiny index, and nothing that was added to it by hand."""
    outputs, index = tiny
    made = home / "outputs"
    shutil.copytree(outputs / index, made / index, ignore=shutil.ignore_patterns("memory*"))
    return made


def examples(outputs: Path, names: Iterable[str], index: str = "tiny") -> dict[str, JsonDict]:
    """Return the arguments of a call of each tool on the index; a tool without an example is a KeyError."""
    opened = api.open(index, outputs)
    swaps = _swaps(opened)
    return {name: _example(name, opened, swaps) for name in names}


def in_turn(names: Iterable[str]) -> list[str]:
    """Return tools in an order in which none needs what another took away: those that read come first."""
    effects = ["reads", "adds", "changes", "removes"]
    return sorted(names, key=lambda name: 0 if name in OWN else effects.index(find(name).effect))


def _example(name: str, opened: Any, swaps: dict[str, str]) -> JsonDict:
    if name in OWN:
        return OWN[name]
    tool, given = find(name), EXAMPLES[name]
    if tool.family == "memory":
        return {key: _swapped(value, swaps) for key, value in given.items()}
    return on_index(given, opened) if tool.ports else given


def _swaps(opened: Any) -> dict[str, str]:
    """Return items of the index for those of the contract's graph: the ends of an edge, and two others."""
    documents = {chunk.id: chunk.source_doc for chunk in opened.graph.chunks}
    spread = {
        one: sorted({documents[c] for c in chunks}) for one, chunks in opened.graph.entity_chunks().items()
    }
    edge = max(opened.graph.relationships, key=lambda r: (len(spread.get(r.target_id, ())), r.id))
    used = {edge.source_id, edge.target_id, *(e.id for e in opened.graph.entities[:2])}  # those of on_index
    others = [e.id for e in opened.graph.entities if e.id not in used]
    ends = {"ent_a": edge.source_id, "ent_b": edge.target_id, "ent_c": others[0], "ent_d": others[1]}
    return {**ends, "rel_1": edge.id, "relates_to": edge.type, "doc_1": spread[edge.target_id][0]}


def _swapped(value: Any, swaps: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _swapped(one, swaps) for key, one in value.items()}
    if isinstance(value, list):
        return [_swapped(one, swaps) for one in value]
    return swaps.get(value, value) if isinstance(value, str) else value


def violations(schema: JsonDict, value: Any) -> list[str]:
    """Return what of a value breaks its schema."""
    Draft202012Validator.check_schema(schema)
    return [error.message[:300] for error in Draft202012Validator(schema).iter_errors(value)]


@asynccontextmanager
async def over_http(url: str, mode: Any = "auto", token: str | None = TOKEN) -> AsyncIterator[Client]:
    """Yield the reference client over HTTP."""
    headers = {"authorization": f"Bearer {token}"} if token else {}
    async with (
        create_mcp_http_client(headers=headers) as web,
        Client(
            streamable_http_client(url, http_client=web), mode=mode, read_timeout_seconds=PATIENCE
        ) as client,
    ):
        yield client


@asynccontextmanager
async def over_stdio(outputs: Path, *options: str, mode: Any = "auto") -> AsyncIterator[Client]:
    """Yield the reference client of a server that it starts itself."""
    arguments = [*COMMAND[1:], "--outputs", str(outputs), *options]
    server = StdioServerParameters(command=COMMAND[0], args=arguments, env=environment())
    async with Client(stdio_client(server), mode=mode, read_timeout_seconds=PATIENCE) as client:
        yield client
