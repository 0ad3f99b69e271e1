"""Read a study file; what is wrong is told with file, line and the nearest valid key."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import yaml
from pydantic import BaseModel, ValidationError

from corpusgraph.schemas.errors import StudyFileError, did_you_mean, shown
from corpusgraph.schemas.study import Study

Location = tuple[int | str, ...]


def read_study(path: Path) -> Study:
    """Return the study in a YAML file."""
    if not path.is_file():
        raise StudyFileError(f"No study file at {shown(path)}.", hint=_near_files(path))
    text = path.read_text(encoding="utf-8")
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        data = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise StudyFileError(_yaml_problem(path, error)) from None
    if not isinstance(data, dict):
        raise StudyFileError(
            f"{shown(path)}:1: a study is a mapping with the keys study, corpus, index, datasets."
        )
    try:
        return Study.model_validate(data)
    except ValidationError as error:
        raise _study_error(path, root, error) from None


def _near_files(path: Path) -> str | None:
    if not path.parent.is_dir():
        return None
    return did_you_mean(path.name, sorted(p.name for p in path.parent.glob("*.yml")))


def _yaml_problem(path: Path, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    line = f":{mark.line + 1}" if mark else ""
    return f"{shown(path)}{line}: not YAML: {getattr(error, 'problem', None) or error}."


def _study_error(path: Path, root: yaml.Node | None, error: ValidationError) -> StudyFileError:
    """Tell the first problem: the others are often its consequences."""
    problem = error.errors()[0]
    where = problem["loc"]
    line = _line(root, where)
    name = ".".join(str(part) for part in _written(root, where)) or "study"
    if problem["type"] == "extra_forbidden":
        hint = did_you_mean(str(where[-1]), _valid_keys(where[:-1])) or _list_keys(_valid_keys(where[:-1]))
        return StudyFileError(f"{shown(path)}:{line}: unknown key {name!r}.", hint=hint)
    message = problem["msg"].removeprefix("Value error, ")
    return StudyFileError(f"{shown(path)}:{line}: {name}: {message[0].lower()}{message[1:]}.")


def _list_keys(keys: Sequence[str]) -> str | None:
    return f"Valid here: {', '.join(keys)}." if keys else None


def _written(root: yaml.Node | None, where: Location) -> Location:
    """Leave out the parts of a location that are not written in the file (the tag of a union)."""
    kept: list[int | str] = []
    node = root
    for part in where:
        child = _child(node, part)
        if child is not None or part == where[-1]:
            kept.append(part)
            node = child
    return tuple(kept)


def _line(root: yaml.Node | None, where: Location) -> int:
    """Return the line of a location's deepest part that is in the file; a key's line is that of its name."""
    node, line = root, 1
    for part in where:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == part:
                    line, node = key.start_mark.line + 1, value
                    break
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
            node = node.value[part]
            line = node.start_mark.line + 1
    return line


def _child(node: yaml.Node | None, part: int | str) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == part), None)
    if isinstance(node, yaml.SequenceNode) and isinstance(part, int) and part < len(node.value):
        found: yaml.Node = node.value[part]
        return found
    return None


def _valid_keys(where: Location) -> list[str]:
    """Return the field names of the model at a location of a study."""
    model: Any = Study
    for part in where:
        if isinstance(part, int):
            continue
        if isinstance(model, type) and issubclass(model, BaseModel) and part in model.model_fields:
            model = model.model_fields[part].annotation
        else:
            model = _tagged(model, part)
    return sorted({name for m in _models(model) for name in m.model_fields})


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [m for argument in get_args(annotation) for m in _models(argument)]


def _tagged(annotation: Any, tag: str | int) -> Any:
    """Return the member of a union whose `kind` is the tag."""
    for model in _models(annotation):
        kind = model.model_fields.get("kind")
        if kind is not None and tag in get_args(kind.annotation):
            return model
    return annotation
