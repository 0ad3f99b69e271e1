"""Read a tools file; what is wrong is told with file, line and the nearest valid key."""

from pathlib import Path

import yaml
from pydantic import ValidationError

from corpusgraph.flows.files.study_keys import Keys, line_of
from corpusgraph.flows.files.yaml_file import read_yaml
from corpusgraph.flows.interop.engine.errors import ToolsFileError
from corpusgraph.flows.interop.engine.models import VectorstoreTool
from corpusgraph.schemas.base import Noun
from corpusgraph.schemas.errors import shown

_SHAPE = "It has the key tools: a list of mappings with name, type, engine, source, description and graphrag."
_FIRST = ("extra_forbidden", "literal_error")
"""Kinds of mistakes that are told first: a missing key is often the consequence of a misspelt one."""


class ToolsFile(Noun):
    """A tools file."""

    tools: tuple[VectorstoreTool, ...]


_KEYS = Keys(ToolsFile, "the file", "A key is never written down: it is read from the environment.")


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
    message, hint = _KEYS.told(where, problem)
    return ToolsFileError(f"{shown(path)}:{line_of(root, where)}: {message}", hint=hint)
