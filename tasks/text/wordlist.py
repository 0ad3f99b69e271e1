"""Word lists: running text in a module, or the lexicons that ship with the package."""

from functools import cache
from importlib import resources
from typing import Any

import yaml


def wordset(text: str) -> frozenset[str]:
    """Return the words of a text, split at white space."""
    return frozenset(text.split())


@cache
def words(key: str) -> frozenset[str]:
    """Return a word list of the lexicons, named ``section.list``."""
    return frozenset(listed(key))


def listed(key: str) -> list[str]:
    """Return the same in the order of the file, each word once; names of several words are a list there."""
    value = entry(key)
    return list(dict.fromkeys(value.split() if isinstance(value, str) else value))


@cache
def table(key: str) -> dict[str, str]:
    """Return word -> what the lexicons list it under."""
    return {word: value for value in entry(key) for word in listed(f"{key}.{value}")}


def entry(key: str) -> Any:
    """Return what stands under a key of the lexicons, as it is."""
    value = _lexicons()
    for name in key.split("."):
        value = value[name]
    return value


@cache
def _lexicons() -> Any:
    """Return the files of configs/lexicons, which are a part of the package as its modules are."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    merged: dict[str, object] = {}
    for file in resources.files("corpusgraph.configs.lexicons").iterdir():
        if file.name.endswith(".yml"):
            merged |= yaml.load(file.read_text(encoding="utf-8"), loader)  # noqa: S506 - a safe loader
    return merged
