"""Levels as numbers, the coding of terms, and what all programs say of a model."""

from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from corpusgraph.schemas.results import Column
from corpusgraph.tasks.analysis.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.formula import whole_categories
from corpusgraph.tasks.analysis.statistics.target import Target, legal_names
from corpusgraph.tasks.analysis.statistics.tidy import CATEGORIES
from corpusgraph.tasks.export.files import rendered
from corpusgraph.tasks.table.coerce import held
from corpusgraph.tasks.table.columns import Codes, distinct, mapped
from corpusgraph.tasks.table.values import number

RATIOS = {"logistic": "odds_ratio", "ordered": "odds_ratio", "multinomial": "relative_risk_ratio"}
RATIOS |= {"poisson": "rate_ratio", "negative_binomial": "rate_ratio"}
"""Kind of model -> what the exponential of an estimate is."""


def column_of(result: StatisticalAnalysis, name: str) -> Column:
    """Return the column of an analysis that has a name.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.
    name : str
        Name of a column of its table.

    Returns
    -------
    Column
        With its levels and labels.

    Raises
    ------
    StopIteration
        For a name that there is not.

    """
    return next(column for column in result.table.columns if column.name == name)


def script_of(
    template: str, facts: Callable[[StatisticalAnalysis], Mapping[str, Any]]
) -> Callable[[StatisticalAnalysis], str]:
    """Return what writes the script of an analysis.

    Parameters
    ----------
    template : str
        One of `tasks/export/templates`; it knows what all programs are told, and the facts.
    facts : callable
        What this program is told of an analysis besides.

    Returns
    -------
    callable
        Takes an analysis prepared for the program.

    """

    def script(result: StatisticalAnalysis) -> str:
        model, dtypes = result.model, {column.name: column.dtype for column in result.table.columns}
        aside, factors = {model.group, model.cluster, model.weights}, model.latents.items()
        said: dict[str, Any] = {
            "result": result,
            "model": model,
            "ratio": RATIOS.get(model.kind),
            "columns": ["estimate", "std_error", "statistic", "p_value", "conf_low", "conf_high"],
            "weighted": model.weight_type in {"analytic", "sampling"},
            "sandwich": is_sandwich(model),
            "robust_kind": robust_kind(model),
            "aliased": result.diagnostics.aliased,
            "categories": [name for name, dtype in dtypes.items() if dtype in CATEGORIES],
            "flags": [name for name in model.predictors if dtypes[name] == "boolean"],
            "numbers": [e.name for e in result.codebook if e.type in {"numeric", "integer"} and e.n],
            "levels": [e.name for e in result.codebook if e.frequencies],
            "observed": [name for name in model.variables() if name not in aside],
            "indicators": {factor: [*names] for factor, names in factors if not {*names} & {*model.latents}},
        }
        return rendered(template, **{**said, **facts(result)})

    return script


def is_category(result: StatisticalAnalysis, name: str) -> bool:
    """Return whether a variable enters the model by its levels.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.
    name : str
        Name of a column of its table.

    Returns
    -------
    bool
        Whether its type is one of `CATEGORIES`.

    """
    return column_of(result, name).dtype in CATEGORIES


def base_number(result: StatisticalAnalysis, name: str) -> int:
    """Return the number that stands for the reference level of a category.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.
    name : str
        Name of a column of its table.

    Returns
    -------
    int
        The level itself where all are whole numbers, else its place from 1.

    """
    level, levels = result.model.reference[name], column_of(result, name).levels or ()
    return int(level) if all(map(_is_integer, levels)) else levels.index(level) + 1


def fresh_name(wanted: str, taken: list[str], target: Target) -> str:
    """Return a legal name that no variable has; it is taken then.

    Parameters
    ----------
    wanted : str
        The name wanted.
    taken : list of str
        Names in use; the one returned is added.
    target : Target
        The program it is for.

    Returns
    -------
    str
        The wanted name, made legal, with underscores behind it where it is taken.

    """
    while (name := legal_names([*taken, wanted], target)[wanted]) in taken:
        wanted += "_"
    taken.append(name)
    return name


def is_coded(column: Column) -> bool:
    """Return whether the column becomes numbers with value labels.

    Parameters
    ----------
    column : Column
        A column.

    Returns
    -------
    bool
        True for nominal, ordinal and boolean ones.

    """
    return column.dtype in {"nominal", "ordinal", "boolean"}


def coded(column: Column, values: pl.Series) -> tuple[pl.Series, dict[int, str]]:
    """Return a number for each cell (Int64, null is missing) and the label of each number.

    Integers stay what they are; text levels are numbered from 1 in their order; false and true are 0 and 1.

    Parameters
    ----------
    column : Column
        A column that `is_coded`.
    values : polars.Series, length n
        Its cells.

    Returns
    -------
    (polars.Series, dict of int to str)
        The numbers, of length n; number -> label.

    """
    if column.dtype == "boolean":
        return values.cast(pl.Int64), {0: "no", 1: "yes"}
    texts = column.value_labels or {}
    if values.dtype == pl.Int64:
        labels = {int(code): label for code, label in texts.items() if _is_integer(code)}
        return values, {code: labels.get(code, str(code)) for code in sorted({*distinct(values), *labels})}
    places = {level: at for at, level in enumerate(column.levels or (), 1)}
    labels = {at: texts.get(level, level) for level, at in places.items()}
    return mapped(values.cast(pl.String), places, pl.Int64), labels


def codes(result: StatisticalAnalysis, name: str) -> tuple[list[int], dict[int, str]]:
    """Return the numbers of the levels that occur, ascending, and the label of each number.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.
    name : str
        A column of its table that `is_coded`.

    Returns
    -------
    (list of int, dict of int to str)
        Codes that mean missing are not among the numbers.

    """
    column = column_of(result, name)
    missing = Codes.of(column.missing)
    numbers, labels = coded(column, pl.Series(held(column, result.table.column(name))))
    return sorted(code for code in distinct(numbers) if not missing.has(code)), labels


def number_labels(column: Column) -> dict[int | float, str]:
    """Return the value labels of a variable that is measured or counted.

    Parameters
    ----------
    column : Column
        A column.

    Returns
    -------
    dict of int or float to str
        Empty for a column of another type.

    """
    labels = {number(code): text for code, text in (column.value_labels or {}).items()}
    whole = {int(n) if float(n).is_integer() else n: text for n, text in labels.items() if n is not None}
    return whole if column.dtype in {"numeric", "integer"} else {}


def _is_integer(code: str) -> bool:
    return code.lstrip("+-").isdigit()


def whole_in_terms(result: StatisticalAnalysis) -> tuple[frozenset[str], ...]:
    """Return for each term of the model the categories that enter it with all their levels.

    Parameters
    ----------
    result : StatisticalAnalysis
        The prepared analysis.

    Returns
    -------
    tuple of frozenset of str
        One a term, in the order of the terms.

    """
    model = result.model
    categories = {name for name in model.predictors if is_category(result, name)}
    return whole_categories(model.terms, categories, intercept=model.intercept)


def is_sandwich(model: Model) -> bool:
    """Whether the errors asked for are robust or clustered; those of sampling weights are robust.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    bool
        True for standard errors from a sandwich of the scores (Huber 1967; White 1980).

    """
    return bool(model.cluster or model.robust or model.weight_type == "sampling")


def robust_kind(model: Model) -> str:
    """Return HC1 or HC3; with weights HC1 in every program, for Stata has no HC3 with weights.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    str
        The small-sample correction (MacKinnon & White 1985).

    """
    return "HC3" if model.robust == "HC3" and not model.weights else "HC1"


def rows_used(model: Model) -> str:
    """Return what becomes of rows that lack a value of a structural equation model.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    str
        A clause.

    """
    return "incomplete rows are used (full information)" if model.fiml else "incomplete rows are left out"


def plain_errors(model: Model) -> str:
    """Return what errors that are no sandwich assume.

    Parameters
    ----------
    model : Model
        The model.

    Returns
    -------
    str
        What follows "Standard errors".

    """
    spread = "equal variances" if model.kind == "linear" else "the model's own variance"
    return f"assume {spread} and independent rows"


def errors_text(model: Model, command: str = "") -> str:
    """Return how errors are computed, the same in R, Python and Stata, with the command that does it.

    Parameters
    ----------
    model : Model
        The model.
    command : str, default ""
        Nothing is said of a command where it is empty.

    Returns
    -------
    str
        What follows "Standard errors".

    """
    if not is_sandwich(model):
        return plain_errors(model)
    of = f"are clustered by {model.cluster}" if model.cluster else "are robust to unequal variances"
    if model.kind == "linear":
        how = f"{robust_kind(model)}; t with residual degrees of freedom"
        how = "HC1; t with clusters - 1 degrees of freedom" if model.cluster else how
        how += ", for Stata has no HC3 with weights" if model.robust == "HC3" and model.weights else ""
    else:
        how = f"sandwich, times {'G / (G - 1)' if model.cluster else 'n / (n - 1)'}; normal"
    return f"{of} ({f'{command}: ' if command else ''}{how})"
