"""What a statistics program is, as far as data are made fit for it and exported to it."""

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
