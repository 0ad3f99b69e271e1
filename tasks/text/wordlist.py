"""Word lists: running text in a module, or the lexicons that ship with the package."""

from functools import cache
from importlib import resources

import yaml


def wordset(text: str) -> frozenset[str]:
    """Return the words of a text, split at white space."""
    return frozenset(text.split())


def words(key: str) -> frozenset[str]:
    """Return a word list of the lexicons, named ``section.list``."""
    return frozenset(listed(key))


def listed(key: str) -> list[str]:
    """Return the same in the order of the file, each word once; names of several words are a list there."""
    entry = _entry(key)
    return list(dict.fromkeys(entry.split() if isinstance(entry, str) else entry))


def table(key: str) -> dict[str, str]:
    """Return word -> what the lexicons list it under."""
    return {word: value for value in _entry(key) for word in listed(f"{key}.{value}")}


def _entry(key: str) -> str | list[str]:
    entry = _lexicons()
    for name in key.split("."):
        entry = entry[name]  # type: ignore[index]
    return entry  # type: ignore[return-value]


@cache
def _lexicons() -> object:
    """Return the files of configs/lexicons, which are a part of the package as its modules are."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    merged: dict[str, object] = {}
    for file in resources.files("corpusgraph.configs.lexicons").iterdir():
        if file.name.endswith(".yml"):
            merged |= yaml.load(file.read_text(encoding="utf-8"), loader)  # noqa: S506 - a safe loader
    return merged
