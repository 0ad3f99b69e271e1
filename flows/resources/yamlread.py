"""Read a YAML file that a person wrote; what stops it is told with file and line."""

from pathlib import Path
from typing import Any

import yaml

from corpusgraph.flows.resources.yamlfile import load_yaml
from corpusgraph.schemas.errors import CorpusgraphError, did_you_mean, shown


def read_yaml(path: Path, what: str, error: type[CorpusgraphError]) -> tuple[Any, yaml.Node | None]:
    """Return the data and the root node of a file; `what` names it in messages ("study file")."""
    text = _text(path, what, error)
    try:
        return load_yaml(text)
    except yaml.YAMLError as problem:
        raise _yaml_error(path, text, problem, error) from None


def _text(path: Path, what: str, error: type[CorpusgraphError]) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise error(f"No {what} at {shown(path)}.", hint=_near_files(path)) from None
    except IsADirectoryError:
        near = _near_files(path / "study.yml")
        raise error(f"{shown(path)} is a folder, not a {what}.", hint=near) from None
    except OSError as problem:
        raise error(f"{shown(path)} cannot be read: {problem.strerror}.") from None
    except ValueError as problem:  # a null byte in the name
        raise error(f"{str(path)!r} is no path: {problem}.") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        byte = data[problem.start]
        raise error(
            f"{shown(path)}:{line}: the file is not UTF-8 (byte 0x{byte:02x}).", hint="Save it as UTF-8."
        ) from None


def _near_files(path: Path) -> str | None:
    if not path.parent.is_dir():
        return None
    there = sorted(p.name for p in path.parent.iterdir() if p.suffix in {".yml", ".yaml"})
    return did_you_mean(path.name, there) or (f"There is {', '.join(there[:5])}." if there else None)


def _yaml_error(
    path: Path, text: str, error: yaml.YAMLError, made: type[CorpusgraphError]
) -> CorpusgraphError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    position = getattr(error, "position", None)
    line = mark.line + 1 if mark else text.count("\n", 0, position) + 1 if isinstance(position, int) else 1
    problem = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
    hint = "Indent with spaces, not with tabs." if "'\\t'" in problem else None
    what = "" if problem.startswith("the key ") else "not YAML: "
    return made(f"{shown(path)}:{line}: {what}{problem}.", hint=hint)
