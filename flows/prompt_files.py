"""Find prompt sets: those that come with the package, one for each field, and files of the user's own."""

from functools import cache
from pathlib import Path
from typing import Any

import yaml

from corpusgraph.flows.files.yaml_file import Keys, is_path, own_file, packaged, read_packaged, read_yaml
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.errors import PromptFileError, UnknownPromptsError, did_you_mean, shown
from corpusgraph.schemas.llm import PromptSet

KIND = "prompts"
_OPTIONAL = ", ".join(key for key in PromptSet.model_fields if key not in {"prompts", "extract"})
_KEYS = Keys(
    PromptSet,
    "prompt file",
    f"It has the keys prompts and extract, and may have {_OPTIONAL}.",
    "No key of an endpoint belongs here.",
)
_TYPES = ("entities", "relationships")


def load_prompts(name: str, base: Path | None = None) -> PromptSet:
    """Return a prompt set by name or path of a file; a path starts at `base`, or here.

    Raises UnknownPromptsError with the nearest names, or PromptFileError with file and line.
    """
    if is_path(name):
        path = own_file(name, base)
        data, root = read_yaml(path, "prompt file", PromptFileError)
        return _parsed(data, root, shown(path), path.stem)
    known = packaged(KIND)
    if name not in known:
        hint = (
            did_you_mean(name, sorted(known)) or f"There are {', '.join(sorted(known))}; a file ends in .yml."
        )
        raise UnknownPromptsError(f"Unknown prompts {name!r}.", hint=hint)
    return _preset(name)


def all_prompts() -> list[PromptSet]:
    """Return the prompt sets that come with the package, by name."""
    return [_preset(name) for name in sorted(packaged(KIND))]


@cache
def _preset(name: str) -> PromptSet:
    file = packaged(KIND)[name]
    data, root = read_packaged(file, PromptFileError)
    return _parsed(data, root, file.name, name)


def _parsed(data: Any, root: yaml.Node | None, source: str, name: str) -> PromptSet:
    tidied = {"prompts": name, **_tidy(data)} if isinstance(data, dict) else data
    return _KEYS.read(tidied, root, source, PromptFileError)


def _tidy(data: JsonDict) -> JsonDict:
    """Join lines of a text, and read a type without a description, or a list of types, as it is meant."""
    tidy = {key: " ".join(value.split()) if isinstance(value, str) else value for key, value in data.items()}
    for key in _TYPES:
        types = tidy.get(key)
        if isinstance(types, list) and all(isinstance(one, str) for one in types):
            types = dict.fromkeys(types, "")
        if isinstance(types, dict):
            tidy[key] = {name: "" if about is None else about for name, about in types.items()}
    return tidy
