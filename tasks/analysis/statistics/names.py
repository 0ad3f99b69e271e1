"""Names that a target program accepts, and the map from the old names to the new."""

import re
from collections.abc import Callable, Iterable, Sequence

from corpusgraph.tasks.analysis.statistics.target import Target


def legal_names(names: Sequence[str], target: Target) -> dict[str, str]:
    """Map each name to one the target accepts; a legal name stays, and no two new names are the same.

    Parameters
    ----------
    names : sequence of str
        Names of variables.
    target : Target
        The program they are for.

    Returns
    -------
    dict of str to str
        Old name -> new name, in the order given.

    """
    made: dict[str, str] = {}
    taken: set[str] = set()
    fixed = {name: target.legal_name(name) or f"v{at}" for at, name in enumerate(names, 1)}
    for name in sorted(dict.fromkeys(names), key=lambda n: fixed[n] != n):  # stable: legal names first
        tried, n = fixed[name], 1
        while target.fold(tried) in taken:
            n += 1
            tried = target.cut_name(fixed[name], len(f"_{n}")) + f"_{n}"
        made[name] = tried
        taken.add(target.fold(tried))
    return {name: made[name] for name in names}


def is_plain(character: str) -> bool:
    """Return whether it is a letter of any script, an ASCII digit or an underscore.

    Parameters
    ----------
    character : str
        One character.

    Returns
    -------
    bool
        False for blanks and all other signs.

    """
    return character.isalpha() or (character.isascii() and character.isdigit()) or character == "_"


def replaced(name: str, is_legal: Callable[[str], bool]) -> str:
    """Put one underscore for each run of illegal characters; a name of nothing else becomes empty.

    Parameters
    ----------
    name : str
        Name of a variable.
    is_legal : callable
        Tells whether a character may stand in a name.

    Returns
    -------
    str
        It may begin with a digit: what a program allows first is for the caller to see to.

    """
    legal = re.sub(" +", "_", "".join(c if is_legal(c) else " " for c in name))
    return legal if legal.strip("_.") else ""


def started(name: str) -> str:
    """Begin with a letter; nothing stays nothing.

    Parameters
    ----------
    name : str
        A name of legal characters that does not begin with a letter; it may begin with an underscore.

    Returns
    -------
    str
        With `v` or `v_` in front.

    """
    return f"v{name}" if name.startswith("_") else f"v_{name}" if name else ""


def changed(names: dict[str, str]) -> Iterable[str]:
    """Return the old names that are not kept.

    Parameters
    ----------
    names : dict of str to str
        Old name -> new name.

    Returns
    -------
    iterable of str
        In the order of the names.

    """
    return (old for old, new in names.items() if old != new)
