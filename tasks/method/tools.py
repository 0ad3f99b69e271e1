"""The tools that a method names, imported one by one: a chain of three need not wait for forty."""

import importlib
from functools import lru_cache
from importlib.util import find_spec

import corpusgraph.tasks as tasks_package
from corpusgraph.tasks._tool import FAMILIES, TOOLS, Tool, load


def find_tool(name: str) -> Tool | None:
    """Return a tool by name or alias, or None."""
    if name not in TOOLS:
        _import_named(name)
    return TOOLS.get(name) or next((tool for tool in load().values() if name in tool.aliases), None)


@lru_cache(maxsize=256)
def _import_named(name: str) -> None:
    """Import the module that holds a tool: its folder and file are in its name, or the file alone."""
    for family in FAMILIES if name.isidentifier() else ():
        stem = name.removeprefix(f"{family}_")
        module = f"{tasks_package.__name__}.{family}.{stem}"
        if find_spec(module) is not None:
            importlib.import_module(module)
            if name in TOOLS:
                return
