"""tools/list: every tool with what a model needs to choose it, and a program to call it."""

import inspect
from collections.abc import Iterable

from mcp_types import Tool as Listed
from mcp_types import ToolAnnotations

from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.flows.surfaces.mcp.running import Offered
from corpusgraph.flows.surfaces.mcp.shapes import input_schema, output_schema
from corpusgraph.tasks._tool import Tool

NEIGHBOURS = 4
"""Tools that are named before and after one."""


def listed(offered: Iterable[Offered], options: ServeOptions, *, asks_model: bool) -> list[Listed]:
    """Return the tools as tools/list shows them; `asks_model`: whether a language model may be asked."""
    every = list(offered)
    tools = [one.tool for one in every]
    return [_listed(one, tools, options, asks_model) for one in every]


def _listed(one: Offered, every: list[Tool], options: ServeOptions, asks_model: bool) -> Listed:
    tool = one.tool
    return Listed(
        name=tool.name,
        title=title(tool.name),
        description=description(tool, every),
        input_schema=input_schema(tool, options.index, bundle=one.bundle),
        output_schema=output_schema(tool),
        annotations=annotations(one, asks_model),
        _meta={"corpusgraph/groups": sorted(one.groups), "corpusgraph/aliases": list(tool.aliases)},
    )


def annotations(one: Offered, asks_model: bool) -> ToolAnnotations:
    """Return what a call does: to the index, a second time, and beyond this machine."""
    effect = one.tool.effect
    return ToolAnnotations(
        title=title(one.name),
        read_only_hint=effect == "reads" and not one.bundle,
        destructive_hint=effect in {"changes", "removes"},
        idempotent_hint=one.tool.idempotent,
        open_world_hint=asks_model and "llm" in one.tool.ports,
    )


def title(name: str) -> str:
    """Return a tool's name for people."""
    words = name.replace("_", " ")
    shown = " ".join(
        {"vdb": "VDB", "ppr": "PPR", "tfidf": "TF-IDF"}.get(word, word) for word in words.split()
    )
    return shown[:1].upper() + shown[1:]


def description(tool: Tool, every: list[Tool]) -> str:
    """Return what the tool does, what it is given and what its result is good for, and its source."""
    parts = [inspect.getdoc(tool.function) or "", inspect.getdoc(tool.input) or ""]
    if tool.reads:
        before = [t.name for t in every if t.writes in tool.reads.values() and t is not tool]
        parts.append(_named(f"Reads {_and(sorted(set(tool.reads.values())))}, given by", before))
    after = [t.name for t in every if tool.writes and tool.writes in t.reads.values() and t is not tool]
    parts.append(_named(f"Gives {tool.writes}, read by", after))
    if "llm" in tool.ports:
        parts.append("A language model does it where the server has one, rules where it has none.")
    if tool.cite:
        parts.append(f"Source: {tool.cite}")
    return "\n".join(part for part in parts if part)


def _named(said: str, names: list[str]) -> str:
    """Name a few tools."""
    if not names:
        return ""
    more = " …" if len(names) > NEIGHBOURS else "."
    return f"{said} {', '.join(names[:NEIGHBOURS])}{more}"


def _and(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
