"""Codes of the errors and warnings that a tool may give, read off the source that its function reaches."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from corpusgraph.schemas.errors import (
    AmbiguousEntityError,
    CorpusgraphError,
    EmbedderMismatchError,
    IndexNotFoundError,
    InvalidInputError,
    MissingResourceError,
    UnknownEntityError,
    UnknownItemError,
)
from corpusgraph.tasks.registry import Tool

HOUSE = "corpusgraph."
OF_PORTS: dict[tuple[str, str], tuple[type[CorpusgraphError], ...]] = {
    ("graph", "entity"): (UnknownEntityError, AmbiguousEntityError),
    ("graph", "relationship"): (UnknownItemError,),
    ("graph", "chunk"): (UnknownItemError,),
    ("memory", "find"): (UnknownEntityError, AmbiguousEntityError),
    ("memory", "relationship"): (UnknownItemError,),
}
"""What the ports' methods raise; who implements a port is not seen from a tool."""
OF_AN_INDEX = frozenset({"graph", "corpus", "vectors", "memory"})
NOTHING = "nothing_found"
"""What is told of an empty list, whichever tool returns it."""
REGISTRY = "corpusgraph.tasks.registry"
MAKERS = frozenset({"fix", "_note", "warned", "warning"})
"""Functions that make a warning of a code, their first argument."""


class Conditions(NamedTuple):
    """Codes in order."""

    errors: tuple[str, ...]
    warnings: tuple[str, ...]


class Source(NamedTuple):
    """A module: what its names stand for, by syntax (all nodes of it) or by import."""

    name: str
    here: dict[str, list[ast.AST]]
    imported: dict[str, tuple[str, str]]


Place = tuple[str, str]
"""Module and name."""


class Said(NamedTuple):
    """What a definition names of ours, and the codes it raises and tells by itself."""

    named: frozenset[Place]
    raised: frozenset[str]
    told: frozenset[str]
    passes_on: bool


def conditions(tool: Tool) -> Conditions:
    """Return the codes of the errors and warnings of a tool.

    Parameters
    ----------
    tool : Tool
        Its function and what that reaches is read, not run.

    Returns
    -------
    Conditions
        Each once; some may never be met.

    """
    errors = {InvalidInputError.code}
    if set(tool.ports) & OF_AN_INDEX:
        errors |= {IndexNotFoundError.code, MissingResourceError.code}
    if "embedder" in tool.ports:
        errors.add(EmbedderMismatchError.code)
    warnings = {NOTHING} if getattr(tool.output, "__origin__", None) is list else set[str]()
    said = list(_reached((tool.function.__module__, tool.function.__name__)))
    raised = {code for one in said for code in one.raised}
    errors |= raised
    warnings |= {code for one in said for code in one.told}
    warnings |= raised if any(one.passes_on for one in said) else set()
    return Conditions(tuple(sorted(errors)), tuple(sorted(warnings)))


def _reached(start: Place) -> Iterator[Said]:
    waiting, seen = [start], {start}
    while waiting:
        said = _said(waiting.pop())
        if said:
            yield said
            waiting += [place for place in said.named if place not in seen]
            seen |= said.named


@cache
def _said(place: Place) -> Said | None:
    """Read a definition, once for all tools that reach it: most are reached by most tools."""
    module = _source(place[0])
    inside = module.here.get(place[1]) if module else None
    if module is None or inside is None:
        return None
    calls = [part for part in inside if isinstance(part, ast.Call)]
    names = {part.id for part in inside if isinstance(part, ast.Name)}
    if isinstance(inside[0], ast.FunctionDef | ast.AsyncFunctionDef):  # its own values hide those names
        names -= {p.id for p in inside if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
        names -= {part.arg for part in inside if isinstance(part, ast.arg)}
    named = {module.imported.get(name, (module.name, name)) for name in names}
    return Said(
        named=frozenset(at for at in named if at[0].startswith(HOUSE) and at[0] != REGISTRY),
        raised=frozenset(code for call in calls for code in _raised(module, call)),
        told=frozenset(code for call in calls for code in _told(call)),
        passes_on=any(_passes_on(call) for call in calls),
    )


@cache
def _source(name: str) -> Source | None:
    if not name.startswith((f"{HOUSE}tasks", f"{HOUSE}schemas")):
        return None
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        return None
    here: dict[str, list[ast.AST]] = {}
    imported: dict[str, Place] = {}
    for statement in ast.parse(Path(spec.origin).read_text(encoding="utf-8")).body:
        inside = list(ast.walk(statement))
        here |= dict.fromkeys(_defined(statement), inside)
        for node in inside:
            if isinstance(node, ast.ImportFrom) and node.module:
                imported |= {a.asname or a.name: (node.module, a.name) for a in node.names}
    return Source(name, here, imported)


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [node.target.id] if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else []


def _raised(module: Source, call: ast.Call) -> Iterator[str]:
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        yield from (error.code for error in OF_PORTS.get((function.value.id, function.attr), ()))
    if isinstance(function, ast.Name) and (error := _error(module, function.id)):
        given = [code for word in call.keywords if word.arg == "code" for code in _text(word.value)]
        yield from given or [error.code]


def _error(module: Source, name: str) -> type[CorpusgraphError] | None:
    where, what = module.imported.get(name, (module.name, name))
    if not name.endswith("Error") or not where.startswith(HOUSE):
        return None
    found: Any = getattr(sys.modules.get(where) or import_module(where), what, None)
    return found if isinstance(found, type) and issubclass(found, CorpusgraphError) else None


def _told(call: ast.Call) -> Iterator[str]:
    name = getattr(call.func, "id", "")
    if name == "ToolWarning":
        yield from (code for word in call.keywords if word.arg == "code" for code in _text(word.value))
    elif name in MAKERS and call.args:
        yield from _text(call.args[0])


def _passes_on(call: ast.Call) -> bool:
    """Tell a warning that has the code of an error that was met on the way."""
    return getattr(call.func, "id", "") in MAKERS and any(
        isinstance(argument, ast.Attribute) and argument.attr == "code" for argument in call.args[:1]
    )


def _text(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.IfExp):
        yield from (*_text(node.body), *_text(node.orelse))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
