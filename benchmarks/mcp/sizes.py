"""How long tools/list is: what a model is given of it, and what programs read.

Most clients give a model the name, description and input schema of every tool, at every turn; the output
schema is for programs, which validate by it.
"""

import json
from pathlib import Path
from typing import Any

from corpusgraph.flows.mcp.options import ServeOptions
from corpusgraph.flows.mcp.server import listed, selected

HEADING = "tools/list, in characters of JSON:\n"
CHOICES = ("", "retrieval,memory,prepare", "retrieval,memory", "memory", "ask")
MODEL, INPUT, OUTPUT = ("name", "description", "inputSchema"), ("inputSchema",), ("outputSchema",)
HEAD = (
    "| --tools | tools | name, description, input schema | of that input schemas | output schemas "
    "| the rest | all | longest for a model |\n|---|--:|--:|--:|--:|--:|--:|---|\n"
)


def sizes() -> str:
    """Return the section of the page."""
    return f"{HEADING}\n{HEAD}{''.join(map(_row, CHOICES))}"


def _row(groups: str) -> str:
    options = ServeOptions(Path("outputs"), groups=(groups,) if groups else ())
    offered, _ = selected(options)
    every = [
        one.model_dump(mode="json", by_alias=True, exclude_none=True)
        for one in listed(offered.values(), options, asks_model=False)
    ]
    model, asked, answered = (sum(_size(one, part) for one in every) for part in (MODEL, INPUT, OUTPUT))
    whole = len(_json(every))
    longest = max(every, key=lambda one: _size(one, MODEL))
    figures = (len(every), model, asked, answered, whole - model - answered, whole)
    shown = " | ".join(f"{figure:,}" for figure in figures)
    return f"| {groups or 'all'} | {shown} | {longest['name']}: {_size(longest, MODEL):,} |\n"


def _size(tool: dict[str, Any], parts: tuple[str, ...]) -> int:
    return sum(len(_json(tool[part])) for part in parts)


def _json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def renewed(page: str) -> str:
    """Return a page with this section measured anew, and the rest as it was."""
    return f"{page.partition(HEADING)[0].rstrip()}\n\n{sizes()}"
