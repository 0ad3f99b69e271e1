"""What a person should know before the model is run, and what makes it impossible."""

import math
from collections.abc import Callable, Sequence

from corpusgraph.schemas.errors import InvalidInputError, PreparationError
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.statistics.analysis import AnalysisType, Diagnostics, Model
from corpusgraph.tasks.statistics.collinear import HIGH_INDEX, INTERCEPT
from corpusgraph.tasks.statistics.frame import Frame, tally
from corpusgraph.tasks.statistics.settle import CATEGORIES
from corpusgraph.tasks.table.values import MAX_LEVELS

FEW_CLUSTERS = 42
"""Angrist & Pischke (2009), Mostly Harmless Econometrics, section 8.2.3."""
HIGH_INFLATION = 10.0
"""Marquardt (1970); a convention, not a test."""
_FEW_CATEGORIES = 4
"""Rhemtulla, Brosseau-Liard & Savalei (2012): with fewer than five categories ordinal methods are better."""
_SPARSE = 5
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_IMPOSSIBLE = {"constant_variable", "perfect_collinearity", "fewer_rows_than_parameters"}


def _note(code: str, message: str, records: Sequence[str]) -> ToolWarning:
    return ToolWarning(code=code, message=message, records=tuple(records))


def on_variables(analysis: AnalysisType, data: Frame, used: Sequence[str]) -> list[ToolWarning]:
    """Warn of empty variables, many levels, text like formulas; an empty variable of a model is an error."""
    import polars as pl

    notes = []
    for name, column in data.columns.items():
        values = data.series(name)
        if values.null_count() == len(values):
            if name in used and analysis != "descriptive":
                raise PreparationError(
                    f"Variable {name!r} has no data in {data.n_rows} rows.",
                    code="no_data_in_variable",
                    hint="Leave it out of the model.",
                )
            notes.append(_note("no_data_in_variable", f"{name!r} has no data.", [name]))
        many = values.drop_nulls().n_unique() if column.dtype in CATEGORIES else 0
        if many > MAX_LEVELS:
            notes.append(_note("too_many_levels", f"{name!r} has {many} levels.", [name]))
        if values.dtype == pl.String and values.str.slice(0, 1).is_in(list(_FORMULA_STARTS)).any():
            message = (
                f"{name!r} has text that a spreadsheet would run as a formula; data files keep it as it is."
            )
            notes.append(_note("formula_like_text", message, [name]))
    return notes


def check_numbers(data: Frame, model: Model) -> None:
    """Raise where weights or exposure are not what the model needs.

    `weight_not_finite`, `weight_not_positive`, `weight_not_whole` (frequency weights); InvalidInputError for
    an exposure or offset.
    """
    for name in filter(None, (model.weights, model.exposure)):
        part = "Weight" if name == model.weights else "Exposure"
        _check(data, name, part, "a finite number", math.isfinite, code="weight_not_finite")
        _check(data, name, part, "above 0", lambda w: w > 0, code="weight_not_positive")
    if model.weights and model.weight_type == "frequency":
        what = "a whole number: it counts rows"
        _check(data, model.weights, "Weight", what, lambda w: w == int(w), code="weight_not_whole")
    if model.offset and data.columns[model.offset].dtype not in {"numeric", "integer"}:
        raise InvalidInputError(f"Offset {model.offset!r} must be a number.")


def _check(
    data: Frame, name: str, part: str, what: str, is_right: Callable[[float], bool], *, code: str
) -> None:
    values = data.series(name).drop_nulls()
    if data.columns[name].dtype not in {"numeric", "integer"}:
        raise PreparationError(
            f"{part} {name!r} must be a number, not {values[0]!r}.",
            code="weight_not_finite",
            hint="Name a column of numbers.",
        )
    wrong = next(
        (value for value in values.unique(maintain_order=True).to_list() if not is_right(value)), None
    )
    if wrong is not None:
        row = (data.series(name).index_of(wrong) or 0) + 1
        raise PreparationError(
            f"{part} {name!r} must be {what}, not {wrong!r} (row {row}).",
            code=code,
            hint="Leave out the row, or make its value missing.",
        )


def on_model(found: Diagnostics, data: Frame, model: Model) -> list[ToolWarning]:
    """Warn of what the diagnostics found."""
    notes = [_note("constant_variable", f"{name!r} has one value only.", [name]) for name in found.constant]
    for name in found.near_constant:
        message = f"Nearly all rows have one value of {name!r}: its coefficient rests on few rows."
        notes.append(_note("near_constant_variable", message, [name]))
    for term, *others in found.collinear:
        message = f"{term!r} is a linear combination of {', '.join(map(repr, others))}."
        notes.append(_note("perfect_collinearity", message, [term, *others]))
    notes += [*_near(found), *_rows(found), *_clusters(found)]
    if found.separated:
        terms = ", ".join(repr(term) for term in found.separated if term != INTERCEPT)
        message = (
            f"{terms} predict the outcome without error in some rows: the"
            " maximum-likelihood estimate is infinite. Consider a penalised fit (Firth 1993)."
        )
        notes.append(_note("separation", message, found.separated))
    if model.kind == "linear":
        notes += _linear_outcome(data, model.outcome or "")
    return [*notes, *(_sem(found, data, model) if model.kind == "sem" else [])]


def _near(found: Diagnostics) -> list[ToolWarning]:
    inflated = [name for name, value in found.vif.items() if value > HIGH_INFLATION]
    if not (inflated or found.near_collinear):
        return []
    number = found.condition_number or 0.0
    told = f"Variance inflation is above {HIGH_INFLATION:g} for {', '.join(inflated)}. " if inflated else ""
    high = "above" if number > HIGH_INDEX else "not above"
    message = f"{told}The scaled condition number is {number:.3g}, {high} {HIGH_INDEX:g}."
    return [_note("near_collinearity", message, list(dict.fromkeys((*inflated, *found.near_collinear))))]


def _rows(found: Diagnostics) -> list[ToolWarning]:
    notes = []
    needed = found.n_parameters
    if needed is not None and found.n_complete < needed:
        message = f"{found.n_complete} complete rows for {needed} parameters."
        notes.append(_note("fewer_rows_than_parameters", message, []))
    each = None if needed is None or not found.n_per_group else needed // len(found.n_per_group)
    for level, n in found.n_per_group.items():
        if each is not None and n < each:
            message = f"Group {level!r} has {n} complete rows for {each} parameters."
            notes.append(_note("fewer_rows_than_parameters", message, [level]))
    if found.max_leverage is not None and found.max_leverage > 1 - 1e-9 and found.n_complete > (needed or 0):
        message = "A row has leverage 1: it alone decides a coefficient, and HC3 errors are not defined."
        notes.append(_note("leverage_of_one", message, []))
    return notes


def _clusters(found: Diagnostics) -> list[ToolWarning]:
    n = found.n_clusters
    if n is None or n >= FEW_CLUSTERS:
        return []
    if n < 2:
        raise PreparationError(
            f"Standard errors cannot be clustered: there is {n} cluster.",
            code="few_clusters",
            hint="Name a column with more clusters, or leave cluster out.",
        )
    message = f"{n} clusters: with fewer than {FEW_CLUSTERS} clustered errors tend to be too small."
    return [_note("few_clusters", message, [])]


def _linear_outcome(data: Frame, name: str) -> list[ToolWarning]:
    """Say where a linear model may not be what the outcome's values ask for."""
    values = data.series(name).drop_nulls()
    if data.columns[name].dtype != "integer" or not len(values):
        return []
    if set(values.unique().to_list()) == {0, 1}:
        message = (
            f"{name!r} is 0 or 1: the model is a linear probability model; type boolean makes it logistic."
        )
    elif (values >= 0).all() and (values == 0).any():
        message = f"{name!r} may be a count: family poisson or negative_binomial suits counts."
    else:
        return []
    return [_note("outcome_type", message, [name])]


def _sem(found: Diagnostics, data: Frame, model: Model) -> list[ToolWarning]:
    notes = []
    if found.identified is False:
        wrong = [s for s in found.identification if "fewer than" in s or "has no scale" in s]
        notes.append(_note("not_identified", f"The model is not identified. {' '.join(wrong)}", []))
    aside = {model.group, model.cluster, model.weights, *model.ordered}
    for name in (n for n in model.variables() if n not in aside):
        values = data.series(name).drop_nulls()
        if data.columns[name].dtype == "integer" and 2 <= values.n_unique() <= _FEW_CATEGORIES:
            message = (
                f"{name!r} has {values.n_unique()} values and is taken as continuous; type ordinal is safer."
            )
            notes.append(_note("ordinal_as_continuous", message, [name]))
    for name in model.ordered:
        counts = tally(data.series(name))["n"].to_list()
        if min(counts) < _SPARSE:
            message = f"A level of {name!r} has {min(counts)} rows: polychoric correlations are unstable."
            notes.append(_note("sparse_level", message, [name]))
    return notes


def raise_impossible(notes: Sequence[ToolWarning]) -> None:
    """Raise for what makes a structural equation model impossible to estimate."""
    for one in notes:
        if one.code in _IMPOSSIBLE:
            raise PreparationError(
                f"The structural equation model cannot be estimated: {one.message}",
                code=one.code,
                hint="Leave the variable out, or gather more rows.",
            )
