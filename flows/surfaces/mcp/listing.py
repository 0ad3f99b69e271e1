"""tools/list: every tool with what a model needs to choose it, and a program to call it."""

import inspect
from collections.abc import Iterable

from mcp_types import Tool as Listed
from mcp_types import ToolAnnotations

from corpusgraph.flows.surfaces.mcp.options import ServeOptions
from corpusgraph.flows.surfaces.mcp.running import Offered
from corpusgraph.flows.surfaces.mcp.shapes import input_schema, output_schema
from corpusgraph.schemas.base import JsonDict
from corpusgraph.tasks._tool import Tool


def listed(offered: Iterable[Offered], options: ServeOptions, *, asks_model: bool) -> list[Listed]:
    """Return the tools as tools/list shows them; `asks_model`: whether a language model may be asked."""
    return [_listed(one, options, asks_model) for one in offered]


def _listed(one: Offered, options: ServeOptions, asks_model: bool) -> Listed:
    tool = one.tool
    return Listed(
        name=tool.name,
        title=title(tool.name),
        description=description(tool),
        input_schema=input_schema(tool, options.index, bundle=one.bundle),
        output_schema=output_schema(tool),
        annotations=annotations(one, asks_model),
        _meta=_facts(one),
    )


def _facts(one: Offered) -> JsonDict:
    aliases = {"corpusgraph/aliases": list(one.tool.aliases)} if one.tool.aliases else {}
    return {"corpusgraph/groups": sorted(one.groups), **aliases}


def annotations(one: Offered, asks_model: bool) -> ToolAnnotations:
    """Return what a call does: to the index, a second time, and beyond this machine."""
    effect = one.tool.effect
    return ToolAnnotations(
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


def description(tool: Tool) -> str:
    """Return what the tool does, what it is given and what its result is good for, and its source."""
    parts = [inspect.getdoc(tool.function) or "", inspect.getdoc(tool.input) or "", _flows(tool)]
    if "llm" in tool.ports:
        parts.append("A language model does it where the server has one, rules where it has none.")
    if tool.cite:
        parts.append(f"Source: {tool.cite}")
    return "\n".join(part for part in parts if part)


def _flows(tool: Tool) -> str:
    """Say what goes in and comes out, in the same words in every tool: so a model sees what follows what."""
    reads = f"Reads {_and(sorted(set(tool.reads.values())))}." if tool.reads else ""
    gives = f"Gives {tool.writes}." if tool.writes else ""
    return f"{reads} {gives}".strip()


def _and(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)
