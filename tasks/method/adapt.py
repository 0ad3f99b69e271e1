"""Which tools are put between two steps that do not fit, where a method says `adapt: true`."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks._tool import Tool, load
from corpusgraph.tasks.method.kinds import PARTS

QUERY = "query"
"""Where a chain starts that has nothing yet: the question."""


@dataclass(frozen=True)
class Bridge:
    """A tool that makes one port of another, and what it is told beside that."""

    reads: str
    writes: str
    tool: str
    inputs: tuple[tuple[str, int], ...] = ()

    def given(self) -> JsonDict:
        """Return the arguments beside the one that reads."""
        return dict(self.inputs)


BRIDGES = (
    Bridge("entities", "relationships", "relationship_score_aggregate"),
    Bridge("relationships", "entities", "entity_relnode_extract"),
    Bridge("relationships", "chunks", "chunk_score_aggregate"),
    Bridge("entities", "chunks", "chunk_entity_occurrence", (("min_entities", 1),)),
    Bridge("entities", "communities", "community_by_entities"),
    Bridge("entities", "paths", "subgraph_khop_paths", (("k", 2),)),
    Bridge("entities", "subgraph", "subgraph_steiner_tree"),
    Bridge(QUERY, "entities", "entity_vdb_search", (("threshold", 0),)),
    Bridge(QUERY, "relationships", "relationship_vdb_search"),
    Bridge(QUERY, "chunks", "chunk_vdb_search"),
)


def chain(start: str, goal: str) -> tuple[Bridge, ...] | None:
    """Return the shortest chain of tools from one port to another; of equals the first in BRIDGES.

    Empty where what is written on `start` holds what is wanted (a subgraph has entities); None where no
    chain leads there.
    """
    found: dict[str, tuple[Bridge, ...]] = {start: ()}
    waiting = deque([start])
    tools = load()
    while waiting:
        port = waiting.popleft()
        if port == goal:
            return found[port]
        for part in reversed(PARTS.get(port, ())):
            if part not in found:
                found[part] = found[port]
                waiting.appendleft(part)
        for bridge in BRIDGES:
            if bridge.reads == port and bridge.writes not in found and bridge.tool in tools:
                found[bridge.writes] = (*found[port], bridge)
                waiting.append(bridge.writes)
    return None


def reading_field(tool: Tool, port: str) -> str | None:
    """Return the field of a tool that reads a port: a required one before an optional one."""
    fields = [name for name, reads in tool.reads.items() if reads == port]
    return min(fields, key=lambda name: not tool.input.model_fields[name].is_required(), default=None)


def makers(port: str) -> list[str]:
    """Return the tools that write a port, or something it can be read from."""
    sources = {port, *(other for other, parts in PARTS.items() if port in parts)}
    return [tool.name for tool in load().values() if tool.writes in sources]


def turning(start: str, goal: str) -> str | None:
    """Return a hint that names the tools between two ports, or None where none are."""
    steps: Sequence[Bridge] = chain(start, goal) or ()
    return " then ".join(bridge.tool for bridge in steps) or None
