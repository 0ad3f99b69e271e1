"""Codes of the errors and warnings that a tool may give, read off the source that its function reaches."""

import ast
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from corpusgraph.schemas import errors
from corpusgraph.tasks.registry import Tool

HOUSE = "corpusgraph."
OF_PORTS: dict[tuple[str, str], tuple[type[errors.CorpusgraphError], ...]] = {
    ("graph", "entity"): (errors.UnknownEntityError, errors.AmbiguousEntityError),
    ("graph", "relationship"): (errors.UnknownItemError,),
    ("graph", "chunk"): (errors.UnknownItemError,),
    ("memory", "find"): (errors.UnknownEntityError, errors.AmbiguousEntityError),
    ("memory", "relationship"): (errors.UnknownItemError,),
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

    here: dict[str, list[ast.AST]]
    imported: dict[str, tuple[str, str]]


Place = tuple[str, str]
"""Module and name."""


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
    raised = {errors.InvalidInputError.code}
    if set(tool.ports) & OF_AN_INDEX:
        raised |= {errors.IndexNotFoundError.code, errors.MissingResourceError.code}
    if "embedder" in tool.ports:
        raised.add(errors.EmbedderMismatchError.code)
    told = {NOTHING} if getattr(tool.output, "__origin__", None) is list else set[str]()
    passed_on = set[str]()
    calls = list(_calls((tool.function.__module__, tool.function.__name__)))
    for call in calls:
        passed_on |= set(_raised(call))
        told |= set(_told(call))
    told |= passed_on if any(map(_passes_on, calls)) else set()
    return Conditions(tuple(sorted(raised | passed_on)), tuple(sorted(told)))


def _calls(start: Place) -> Iterator[ast.Call]:
    """Yield the calls in a definition, and in those of ours that it names, and so on."""
    waiting, seen = [start], {start}
    while waiting:
        named, calls = _definition(waiting.pop())
        yield from calls
        waiting += named - seen
        seen |= named


@cache
def _definition(place: Place) -> tuple[frozenset[Place], list[ast.Call]]:
    """Return what a definition names of ours, and the calls in it."""
    module = _source(place[0])
    inside = module.here.get(place[1], []) if module else []
    if module is None or not inside:
        return frozenset(), []
    names = {part.id for part in inside if isinstance(part, ast.Name)}
    if isinstance(inside[0], ast.FunctionDef | ast.AsyncFunctionDef):  # its own values hide those names
        names -= {p.id for p in inside if isinstance(p, ast.Name) and isinstance(p.ctx, ast.Store)}
        names -= {part.arg for part in inside if isinstance(part, ast.arg)}
    named = {module.imported.get(name, (place[0], name)) for name in names}
    attributes = [part for part in inside if isinstance(part, ast.Attribute)]
    dotted = [(part.value.id, part.attr) for part in attributes if isinstance(part.value, ast.Name)]
    named |= {(".".join(module.imported[of]), name) for of, name in dotted if of in module.imported}
    ours = frozenset(at for at in named if at[0].startswith(HOUSE) and at[0] != REGISTRY)
    return ours, [part for part in inside if isinstance(part, ast.Call)]


@cache
def _source(name: str) -> Source | None:
    if not name.startswith((f"{HOUSE}tasks", f"{HOUSE}schemas")):
        return None
    try:
        spec = find_spec(name)
    except ModuleNotFoundError:  # a class, not a module
        return None
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
    return Source(here, imported)


def _defined(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    return [node.target.id] if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else []


def _raised(call: ast.Call) -> Iterator[str]:
    function = call.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        yield from (error.code for error in OF_PORTS.get((function.value.id, function.attr), ()))
    error = getattr(errors, getattr(function, "id", ""), None)
    if isinstance(error, type) and issubclass(error, errors.CorpusgraphError):
        given = [code for word in call.keywords if word.arg == "code" for code in _text(word.value)]
        yield from given or [error.code]


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
