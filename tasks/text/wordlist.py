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
    """Return a word list of the lexicons, named ``section.list``.

    Parameters
    ----------
    key : str
        Two names joined by a dot.

    Returns
    -------
    frozenset of str
        See `listed` for the order.

    Raises
    ------
    KeyError
        Where the lexicons have no such list.

    """
    return frozenset(listed(key))


def listed(key: str) -> list[str]:
    """Return a word list of the lexicons in the order of the file, each word once.

    Parameters
    ----------
    key : str
        Named ``section.list``.

    Returns
    -------
    list of str
        Names of several words stand whole where the file has a list of them.

    Raises
    ------
    KeyError
        Where the lexicons have no such list.

    """
    value = entry(key)
    return list(dict.fromkeys(value.split() if isinstance(value, str) else value))


@cache
def table(key: str) -> dict[str, str]:
    """Return word -> what the lexicons list it under.

    Parameters
    ----------
    key : str
        Of a mapping of lists.

    Returns
    -------
    dict of str to str
        A word that stands under two has the last.

    Raises
    ------
    KeyError
        Where the lexicons have no such mapping.

    """
    return {word: value for value in entry(key) for word in listed(f"{key}.{value}")}


def entry(key: str) -> Any:
    """Return what stands under a key of the lexicons, as it is.

    Parameters
    ----------
    key : str
        Names joined by dots.

    Returns
    -------
    Any
        Text, a list or a mapping.

    Raises
    ------
    KeyError
        Where the lexicons have no such key.

    """
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
