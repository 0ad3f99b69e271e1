"""Which tools are put between two steps that do not fit, where a method says `adapt: true`."""

from collections import deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks._tool import Tool, load
from corpusgraph.tasks.method.kinds import PARTS

QUERY = "query"
"""Where a chain starts that has nothing yet: the question."""
SHOWN = 6
"""Tools that a hint names."""


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


def could_write(port: str, there: Collection[str]) -> str:
    """Return a hint: the tools that can write a port from what is there, else all that write it."""
    sources = {port, *(other for other, parts in PARTS.items() if port in parts)}
    tools = [tool for tool in load().values() if tool.writes in sources]
    ready = [tool for tool in tools if _needs(tool) <= {*there, QUERY}]
    names = [tool.name for tool in sorted(ready or tools, key=lambda tool: tool.writes != port)]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    which = "from here" if ready else "at all"
    return f"Tools that write {port} {which}: {', '.join(names[:SHOWN])}{more}."


def _needs(tool: Tool) -> set[str]:
    """Return the ports a tool cannot do without; another required input is one that no step writes."""
    fields = tool.input.model_fields
    return {tool.reads.get(name, name) for name, info in fields.items() if info.is_required()}


def turning(start: str, goal: str) -> str | None:
    """Return a hint that names the tools between two ports, or None where none are."""
    steps: Sequence[Bridge] = chain(start, goal) or ()
    return " then ".join(bridge.tool for bridge in steps) or None
