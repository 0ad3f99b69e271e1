"""Python: parquet with types, categories and labels, and a script for pandas and statsmodels."""

import keyword
import unicodedata
from typing import Any

from corpusgraph.tasks.analysis.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.formula import term_text
from corpusgraph.tasks.analysis.statistics.target import Target, replaced, started
from corpusgraph.tasks.analysis.statistics.tidy import CATEGORIES
from corpusgraph.tasks.export.files import level_words, parquet
from corpusgraph.tasks.export.statistical.coding import errors_text, script_of

_FORMULA = {"C", "Q", "I", "np", "poly", "scale", "center", "bs", "cr", "cc", "te", "data", "model"}
"""Functions of model formulas, and names the script itself uses."""


def legal_name(name: str) -> str:
    """Make an identifier; letters of every script stay.

    Parameters
    ----------
    name : str
        Any name.

    Returns
    -------
    str
        No keyword of Python and no function of a formula; empty where no character is legal.

    """
    legal = replaced(unicodedata.normalize("NFKC", name), lambda c: f"a{c}".isidentifier())
    legal = legal if legal.isidentifier() and not legal.startswith("_") else started(legal)
    return f"{legal}_" if keyword.iskeyword(legal) or legal in _FORMULA else legal


def _facts(result: StatisticalAnalysis) -> dict[str, Any]:
    model = result.model
    columns = {column.name: column for column in result.table.columns}

    def word(name: str) -> str:
        """Return what the parquet file calls the reference level of a category."""
        column = columns[name]
        return level_words(column)[(column.levels or ()).index(model.reference[name])]

    names = {
        name: f"C({name}, Treatment({word(name)!r}))"
        for name in model.predictors
        if columns[name].dtype in CATEGORIES and name in model.reference
    }
    terms = [
        term_text({names.get(name, name): k for name, k in term.items()}, "I({}**{})") for term in model.terms
    ]
    return {
        "word": word,
        "errors": errors_text(model),
        "few": result.diagnostics.n_complete <= len(model.terms),
        "codes": [entry.name for entry in result.codebook if entry.type in CATEGORIES],
        "formula": f"{model.outcome} ~ {' + '.join(terms)}" + ("" if model.intercept else " + 0"),
    }


TARGET = Target(
    name="python",
    legal_name=legal_name,
    script=script_of("analysis.py", _facts),
    data_files=lambda result: {"data.parquet": parquet(result.table)},
    script_file="analysis.py",
    opening="`python analysis.py` runs the analysis with pandas and statsmodels;"
    ' `pandas.read_parquet("data.parquet")` opens the data.',
    files={"data.parquet": "the data with types, categories and labels"},
    errors=errors_text,
    writes_estimates=lambda model: model.kind != "sem",
    unweighted=frozenset({"ordered", "multinomial", "negative_binomial"}),
)
