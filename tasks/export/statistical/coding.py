"""Levels as numbers: the codes that Stata and SPSS want, with their labels."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Column
from corpusgraph.schemas.study import BundleFormat
from corpusgraph.tasks.analysis.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.formula import whole_categories
from corpusgraph.tasks.analysis.statistics.settle import CATEGORIES
from corpusgraph.tasks.table.coerce import held
from corpusgraph.tasks.table.columns import Codes, distinct, mapped
from corpusgraph.tasks.table.values import number

if TYPE_CHECKING:
    import polars as pl

CODED = {"nominal", "ordinal", "boolean"}


def is_coded(column: Column) -> bool:
    """Return whether the column becomes numbers with value labels."""
    return column.dtype in CODED


def coded(column: Column, values: "pl.Series") -> tuple["pl.Series", dict[int, str]]:
    """Return a number for each cell (Int64, null is missing) and the label of each number.

    Integers stay what they are; text levels are numbered from 1 in their order; false and true are 0 and 1.
    """
    import polars as pl

    if column.dtype == "boolean":
        return values.cast(pl.Int64), {0: "no", 1: "yes"}
    texts = column.value_labels or {}
    if values.dtype == pl.Int64:
        labels = {int(code): label for code, label in texts.items() if _is_integer(code)}
        return values, {code: labels.get(code, str(code)) for code in sorted({*distinct(values), *labels})}
    places = {level: at for at, level in enumerate(column.levels or (), 1)}
    labels = {at: texts.get(level, level) for level, at in places.items()}
    return mapped(values.cast(pl.String), places, pl.Int64), labels


def codes(column: Column, values: Sequence[Any]) -> tuple[list[int | None], dict[int, str]]:
    """Return what `coded` does as Python values; codes that mean missing are None."""
    import polars as pl

    missing = Codes.of(column.missing)
    made, labels = coded(column, pl.Series(held(column, values)))
    return [None if code is not None and missing.has(code) else code for code in made.to_list()], labels


def number_labels(column: Column) -> dict[int | float, str]:
    """Return the value labels of a variable that is measured or counted."""
    found = {number(code): text for code, text in (column.value_labels or {}).items()}
    whole = {int(n) if float(n).is_integer() else n: text for n, text in found.items() if n is not None}
    return whole if column.dtype in {"numeric", "integer"} else {}


def _is_integer(code: str) -> bool:
    return code.lstrip("+-").isdigit()


def user_missing(column: Column) -> list[int | float]:
    """Return the single codes that mean missing in a variable of numbers."""
    found = [number(code) for code in column.missing]
    numbers = column.dtype in {"numeric", "integer", "nominal", "ordinal"}
    return [code for code in found if code is not None] if numbers else []


def whole_in_terms(result: StatisticalAnalysis) -> tuple[frozenset[str], ...]:
    """Return for each term of the model the categories that enter it with all their levels."""
    model = result.model
    kinds = {column.name: column.dtype for column in result.table.columns}
    categories = {name for name in model.predictors if kinds[name] in CATEGORIES}
    return whole_categories(model.terms, categories, intercept=model.intercept)


GENLIN = {"linear", "logistic", "poisson", "negative_binomial"}
"""Kinds of model that SPSS's GENLIN fits, its only command here with robust and clustered errors."""


def is_sandwich(model: Model) -> bool:
    """Whether the errors asked for are robust or clustered; those of sampling weights are robust."""
    return bool(model.cluster or model.robust or model.weight_type == "sampling")


def errors_text(model: Model, target: BundleFormat) -> str:
    """Return a sentence on the standard errors of a regression, without a full stop."""
    spread = "equal variances" if model.kind == "linear" else "the model's own variance"
    plain = f"assume {spread} and independent rows"
    if not is_sandwich(model):
        return plain
    kind = f"are clustered by {model.cluster}" if model.cluster else "are robust to unequal variances"
    if target == "spss":
        if model.kind not in GENLIN:
            return f"{plain}, though others were asked for: SPSS has no simple command for them"
        return f"{kind} in GENLIN (sandwich without correction for small samples), not in other commands"
    return f"{kind} ({_how(model, target)})"


def _how(model: Model, target: BundleFormat) -> str:
    linear = model.kind == "linear"
    if target == "stata":
        if model.cluster:
            return "vce(cluster)"
        return "vce(hc3)" if model.robust == "HC3" and not model.weights else "vce(robust)"
    if model.cluster:
        return (
            "HC1; t with clusters - 1 degrees of freedom" if linear else "sandwich, times G / (G - 1); normal"
        )
    if linear:
        return f"{model.robust or 'HC1'}; t with residual degrees of freedom"
    return "sandwich, times n / (n - 1); normal"
