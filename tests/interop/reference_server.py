"""The reference memory server (npm: @modelcontextprotocol/server-memory) beside ours, each with the same client."""

import json
import os
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

from corpusgraph.schemas.base import JsonDict, nfc
from tests.mcp.calls import over_stdio
from tests.mcp.live import PATIENCE

NODE = Path(__file__).parents[2] / ".inspector" / "node_modules" / ".bin"
SERVER = NODE / "mcp-server-memory"
TOOLS = (
    *("create_entities", "create_relations", "add_observations"),
    *("delete_entities", "delete_observations", "delete_relations"),
    *("read_graph", "search_nodes", "open_nodes"),
)
LOOKS = TOOLS[6:]


class Answer(NamedTuple):
    """What a call came to: whether it failed, what it answered but for warnings, which theirs has none of."""

    fails: bool
    data: JsonDict
    text: str


def entity(name: str, type_: str, *observations: str) -> JsonDict:
    """Return an entity as both take it."""
    return {"name": name, "entityType": type_, "observations": list(observations)}


def relation(source: str, type_: str, target: str) -> JsonDict:
    """Return a relation as both take it."""
    return {"from": source, "to": target, "relationType": type_}


@asynccontextmanager
async def reference(file: Path) -> AsyncIterator[Client]:
    """Yield a client of their server, which keeps its memory in a file."""
    path = f"{NODE}{os.pathsep}{os.environ['PATH']}"
    server = StdioServerParameters(
        command=str(NODE / "node"), args=[str(SERVER)], env={"PATH": path, "MEMORY_FILE_PATH": str(file)}
    )
    with Path(os.devnull).open("w") as unheard:
        async with Client(
            stdio_client(server, errlog=unheard), mode="legacy", read_timeout_seconds=PATIENCE
        ) as client:
            yield client


@asynccontextmanager
async def both(home: Path) -> AsyncIterator[tuple[Client, Client]]:
    """Yield clients of their server and of ours, each with an empty memory."""
    async with reference(home / "theirs.jsonl") as theirs, over_stdio(home, "--memory", "memory") as ours:
        yield theirs, ours


async def ask(client: Client, tool: str, arguments: JsonDict) -> Answer:
    """Call a tool."""
    result = await client.call_tool(tool, arguments)
    data = {key: value for key, value in (result.structured_content or {}).items() if key != "warnings"}
    return Answer(bool(result.is_error), data, "".join(getattr(part, "text", "") for part in result.content))


def as_ours(data: JsonDict) -> JsonDict:
    """Return their answer as ours tells it: an observation, and a relation, once; in words no outcome."""
    found = {key: value for key, value in data.items() if key != "message"}
    for one in (row for rows in found.values() if isinstance(rows, list) for row in rows):
        for key in {"observations", "addedObservations"} & one.keys():
            one[key] = list(dict.fromkeys(one[key]))
    if "relations" in found:
        found["relations"] = [
            dict(row) for row in dict.fromkeys(tuple(r.items()) for r in found["relations"])
        ]
    return found


def as_theirs(data: JsonDict, tool: str, ghosts: Collection[str]) -> JsonDict:
    """Return our answer without the entities that only relations name: theirs has none of them.

    Theirs answers with relations of entities that it answers with, or of all.
    """
    found = {key: value for key, value in data.items() if key != "message"}
    if tool in LOOKS:
        found["entities"] = [one for one in data["entities"] if one["name"] not in ghosts]
        stubs = [one for one in data["entities"] if one["name"] in ghosts]
        assert all((one["entityType"], one["observations"]) == ("", []) for one in stubs)
        shown = {one["name"] for one in found["entities"]}
        if tool != "read_graph":
            found["relations"] = [r for r in data["relations"] if {r["from"], r["to"]} & shown]
    return found


def unordered(data: JsonDict) -> JsonDict:
    """Return an answer with its lists in one order and its letters composed, for comparing what they hold."""
    return {
        key: sorted(nfc(json.dumps(one, ensure_ascii=False)) for one in value)
        if isinstance(value, list)
        else value
        for key, value in data.items()
    }
