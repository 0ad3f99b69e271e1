"""What a statistics program is, as far as data are made fit for it, and the names that it accepts."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from corpusgraph.schemas.results import Column
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.table.values import Cells

if TYPE_CHECKING:
    import polars as pl


def _not_fitted(model: Model) -> list[str]:
    """Return what is said of a structural equation model that the program's script does not fit."""
    return [f"This script does not fit it; `model.lav` is for lavaan, with the estimator {model.estimator}."]


@dataclass(frozen=True)
class Target:
    """A statistics program: what it can hold, and the files and words of its bundle.

    Parameters
    ----------
    name : BundleFormat
        Format of the bundle, and name of the module that describes the program.
    legal_name : callable
        Makes a name legal (length aside); empty where nothing of it is left.
    script : callable
        The analysis as a user of the program would write it.
    data_files : callable
        The files of the data, relative name -> bytes.
    script_file : str
        Name of the script in the bundle.
    opening : str
        How the bundle is opened, for its README.
    files : dict of str to str
        What each file of the program is, for the README.
    errors : callable
        How the script computes standard errors, as the end of a sentence that begins with these words.
    sem : callable
        What fits a structural equation model, a sentence each.
    writes_estimates : callable
        Whether the script of a model of this kind writes `estimates.csv`.
    cut_name : callable
        Shortens a legal name to what the program holds, with room for so many more characters.
    fold : callable
        What names are compared by.
    cut_label, cut_value_label : callable
        Shorten a label to what the program holds.
    holds_codes : callable
        Whether missing values of the program's own can stand for these codes of a column, whose valid
        cells are given.
    fit : callable
        Changes cells that the program cannot hold, and tells of it; the last argument names the rows.
    unweighted : frozenset of str
        Kinds of model that its command fits without sampling weights.

    """

    name: BundleFormat
    legal_name: Callable[[str], str]
    script: Callable[[StatisticalAnalysis], str]
    data_files: Callable[[StatisticalAnalysis], dict[str, bytes]]
    script_file: str
    opening: str
    files: dict[str, str]
    errors: Callable[[Model], str]
    sem: Callable[[Model], list[str]] = _not_fitted
    writes_estimates: Callable[[Model], bool] = lambda _: False
    cut_name: Callable[[str, int], str] = lambda name, _: name
    fold: Callable[[str], str] = str
    cut_label: Callable[[str], str] = str
    cut_value_label: Callable[[str], str] = str
    holds_codes: "Callable[[Column, Sequence[float], pl.Series], bool]" = lambda *_: False
    fit: Callable[[Cells, Sequence[str]], Cells] = lambda cells, _: cells
    unweighted: frozenset[str] = frozenset()


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
