"""Read a study file; what is wrong is told with file, line and the nearest valid key."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from corpusgraph.flows.files.study_keys import (
    Location,
    homes_of,
    line_of,
    reached,
    tags_of,
    valid_keys,
    written,
)
from corpusgraph.flows.files.yaml_file import read_yaml
from corpusgraph.schemas.errors import (
    MethodCheckError,
    MethodFileError,
    StudyFileError,
    UnknownMethodError,
    did_you_mean,
    shown,
)
from corpusgraph.schemas.study import Study

_ORDER = ("extra_forbidden", "union_tag_invalid", "union_tag_not_found", "literal_error")
"""Kinds of mistakes that are told first: a missing key, say, is often the consequence of a misspelt one."""
Problem = tuple[int, str, str | None]
"""Line, message and hint."""


def read_study(path: Path) -> Study:
    """Return the study in a YAML file.

    Parameters
    ----------
    path : Path
        Of YAML.

    Returns
    -------
    Study
        Validated, questions and their methods too.

    Raises
    ------
    StudyFileError
        For what is not there, no YAML or no study, with file, line and the nearest key.

    """
    data, root = read_yaml(path, "study file", StudyFileError)
    if root is None:
        raise StudyFileError(f"{shown(path)}:1: the file is empty.", hint=_SHAPE)
    if not isinstance(data, dict):
        line = root.start_mark.line + 1
        raise StudyFileError(f"{shown(path)}:{line}: a study is a mapping of keys to values.", hint=_SHAPE)
    try:
        study = Study.model_validate(data)
    except ValidationError as error:
        raise _study_error(path, root, error) from None
    _check_methods(path, root, study)
    return study


def _check_methods(path: Path, root: yaml.Node, study: Study) -> None:
    """Raise for a question whose method is unknown or cannot run, with the study's line."""
    if not study.questions:
        return
    from corpusgraph.flows.retrieve import check_method

    problems = []
    for number, question in enumerate(study.questions):
        try:
            check_method(question.method, path.parent)
        except (UnknownMethodError, MethodFileError, MethodCheckError) as error:
            line = line_of(root, ("questions", number, "method"))
            problems.append((line, f"questions[{number}].method: {error.message}", error.hint))
    if problems:
        raise _error_of(path, problems)


_SHAPE = "It has the keys study and corpus, and may have title, index, questions and datasets."


def _study_error(path: Path, root: yaml.Node, error: ValidationError) -> StudyFileError:
    """Tell all problems but those that are likely to follow from another."""
    problems = error.errors(include_url=False)
    ranks = {kind: rank for rank, kind in enumerate(_ORDER)}
    told: dict[Location, Problem] = {}
    for problem in sorted(problems, key=lambda p: (ranks.get(p["type"], len(_ORDER)), -len(p["loc"]))):
        where = tuple(problem["loc"])
        # A key that is missing beside one that is wrong is likely to be that one, misspelt; and a list lacks
        # the items that are wrong.
        misspelt = problem["type"] == "missing" and any(other[:-1] == where[:-1] for other in told)
        if misspelt or any(other[: len(where)] == where for other in told):
            continue
        message, hint = _told(reached(written(root, where), "study"), where, problem)
        line = line_of(root, (*where, "kind") if problem["type"] == "union_tag_invalid" else where)
        told[where] = (line, f"{message}.", hint)
    return _error_of(path, list(told.values()))


def _error_of(path: Path, problems: list[Problem]) -> StudyFileError:
    """Return an error of one problem, or of all of them in a list, by line."""
    if len(problems) == 1:
        line, message, hint = problems[0]
        return StudyFileError(f"{shown(path)}:{line}: {message}", hint=hint)
    told = [
        f"{shown(path)}:{line}: {message}" + (f" {hint}" if hint else "")
        for line, message, hint in sorted(problems, key=lambda problem: problem[0])
    ]
    return StudyFileError("\n  - ".join([f"The study file has {len(told)} problems.", *told]))


def _told(name: str, where: Location, problem: ErrorDetails) -> tuple[str, str | None]:
    """Return message and hint for a problem that pydantic found."""
    context: dict[str, Any] = problem.get("ctx", {})
    said = problem["msg"].removeprefix("Value error, ")
    said = f"{said[0].lower()}{said[1:]}"
    message, hint = f"{name}: {said}" if where else said, None
    match problem["type"]:
        case "extra_forbidden" | "invalid_key":
            message, hint = f"unknown key {name!r}", _key_hint(where)
        case "missing":
            message = f"the key {name!r} is missing"
        case "union_tag_not_found":
            message, hint = f"{name} has no `kind`", f"It is one of {', '.join(tags_of(where))}."
        case "union_tag_invalid":
            tag = str(context["tag"])
            message, hint = f"unknown kind {tag!r} in {name}", _choices(tag, tags_of(where))
        case "literal_error":
            known = re.findall(r"'([^']*)'", str(context["expected"]))
            message, hint = f"{name} cannot be {problem['input']!r}", _choices(str(problem["input"]), known)
        case "model_type" | "model_attributes_type":
            message, hint = f"{name} is no mapping of keys", f"Its keys are {', '.join(valid_keys(where))}."
    return message, hint


def _choices(given: str, known: Sequence[str]) -> str:
    return did_you_mean(given, known) or f"It is one of {', '.join(known)}."


def _key_hint(where: Location) -> str | None:
    """Name the nearest key that is valid there, else the place where this one is, else all valid keys."""
    key, known = str(where[-1]), valid_keys(where[:-1])
    if near := did_you_mean(key, known):
        return near
    if homes := homes_of(key):
        return f"It belongs under {' or '.join(homes)}."
    return f"Valid here: {', '.join(known)}." if known else None
