"""Read a tools file; what is wrong is told with file, line and the nearest valid key."""

import re
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from corpusgraph.flows.graphrag.errors import ToolsFileError
from corpusgraph.flows.graphrag.models import VectorstoreTool
from corpusgraph.flows.resources.yamlread import read_yaml
from corpusgraph.flows.studykeys import Location, line_of, models_in
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.errors import did_you_mean, shown

_SHAPE = "It has the key tools: a list of mappings with name, type, engine, source, description and graphrag."
_FIRST = ("extra_forbidden", "literal_error")
"""Kinds of mistakes that are told first: a missing key is often the consequence of a misspelt one."""


class ToolsFile(Noun):
    """A tools file."""

    tools: tuple[VectorstoreTool, ...]


def load_tools(path: str | Path) -> list[VectorstoreTool]:
    """Return the tools of a YAML file, in order. ToolsFileError, a ValueError, with file and line."""
    path = Path(path).expanduser()
    data, root = read_yaml(path, "tools file", ToolsFileError)
    if root is None:
        raise ToolsFileError(f"{shown(path)}:1: the file is empty.", hint=_SHAPE)
    if not isinstance(data, dict):
        line = root.start_mark.line + 1
        raise ToolsFileError(f"{shown(path)}:{line}: a tools file is a mapping of keys.", hint=_SHAPE)
    try:
        found = list(ToolsFile.model_validate(data).tools)
    except ValidationError as error:
        raise _error(path, root, error) from None
    _refuse_twins(path, root, found)
    return found


def _refuse_twins(path: Path, root: yaml.Node, tools: list[VectorstoreTool]) -> None:
    """Two tools of one name would share a folder, and on some systems case makes no difference."""
    seen: dict[str, str] = {}
    for number, tool in enumerate(tools):
        before = seen.setdefault(tool.name.casefold(), tool.name)
        if before is not tool.name:
            line = line_of(root, ("tools", number, "name"))
            message = f"{shown(path)}:{line}: two tools are named {tool.name!r}"
            told = "" if before == tool.name else f", the other {before!r}: they would share a folder"
            raise ToolsFileError(f"{message}{told}.", hint="Give each a name of its own.")


def _error(path: Path, root: yaml.Node, error: ValidationError) -> ToolsFileError:
    problems = error.errors(include_url=False)
    problem = next((p for kind in _FIRST for p in problems if p["type"] == kind), problems[0])
    where = tuple(problem["loc"])
    message, hint = _told(where, problem)
    return ToolsFileError(f"{shown(path)}:{line_of(root, where)}: {message}.", hint=hint)


def _told(where: Location, problem: ErrorDetails) -> tuple[str, str | None]:
    """Return message and hint for a problem that pydantic found."""
    name = _shown(where)
    said = problem["msg"].removeprefix("Value error, ").rstrip(".")
    match problem["type"]:
        case "extra_forbidden":
            return f"unknown key {name!r}", _nearest(str(where[-1]), _keys(where[:-1]))
        case "missing":
            return f"the key {name!r} is missing", None
        case "literal_error":
            known = re.findall(r"'([^']*)'", str(problem.get("ctx", {}).get("expected", "")))
            return f"{name} cannot be {problem['input']!r}", _nearest(str(problem["input"]), known)
        case "model_type" | "model_attributes_type":
            return f"{name} is no mapping of keys", f"Its keys are {', '.join(_keys(where))}."
    return f"{name}: {said[:1].lower()}{said[1:]}", None


def _shown(where: Location) -> str:
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in where)
    return "".join(parts).removeprefix(".") or "the file"


def _nearest(given: str, known: list[str]) -> str | None:
    if given in {"api_key", "key"}:
        return "A key is never written down: it is read from the environment."
    return did_you_mean(given, known) or (f"Valid here: {', '.join(known)}." if known else None)


def _keys(where: Location) -> list[str]:
    """Return the keys that a place of a tools file has."""
    models: list[type[BaseModel]] = [ToolsFile]
    for part in where:
        if not isinstance(part, int):
            fields: list[Any] = [m.model_fields[part] for m in models if part in m.model_fields]
            models = [model for field in fields for model in models_in(field.annotation)]
    return sorted({name for model in models for name in model.model_fields})
