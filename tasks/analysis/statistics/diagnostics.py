"""What the data allow: missing values, constant and collinear variables, too few rows, identification."""

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, compress, product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.errors import InvalidInputError, PreparationError
from corpusgraph.schemas.results import ToolWarning
from corpusgraph.tasks.analysis.statistics.analysis import (
    AnalysisType,
    Diagnostics,
    MissingPattern,
    Model,
    Term,
)
from corpusgraph.tasks.analysis.statistics.formula import Sem, polynomials, read, whole_categories
from corpusgraph.tasks.analysis.statistics.frame import Frame, Mask, tally
from corpusgraph.tasks.analysis.statistics.tidy import CATEGORIES, CODE_ROLE
from corpusgraph.tasks.digits import settled
from corpusgraph.tasks.table.values import MAX_LEVELS, number

if TYPE_CHECKING:
    import polars as pl

FEW_EVENTS = 10
"""Peduzzi et al. (1996), J. Clin. Epidemiol. 49(12): events for each term of a logistic regression."""
FEW_ROWS = 5
"""Bentler & Chou (1987), Sociol. Methods Res. 16(1): rows for each free parameter of a SEM, at least."""


def doubts(found: Diagnostics, data: Frame, model: Model, *, weights_assumed: bool) -> Iterator[ToolWarning]:
    """Return warnings on a model whose scripts run and whose estimates may yet mislead.

    Parameters
    ----------
    found : Diagnostics
        What the data allow.
    data : Frame
        The tidied table, by variable.
    model : Model
        In the target's names.
    weights_assumed : bool
        Whether the meaning of the weights was not given.

    Yields
    ------
    ToolWarning
        `labels_as_numbers`, `few_rows_per_parameter`, `weights_assumed`.

    References
    ----------
    Peduzzi et al. 1996 (rows of a logistic regression); Bentler & Chou 1987 (rows of a SEM).

    """
    yield from _labelled(data, model)
    yield from _few(found, data, model)
    if weights_assumed and model.weights:
        message = (
            f"weight_type is not given: {model.weights!r} is taken as {model.weight_type} weights. Analytic,"
            " frequency and sampling weights give different standard errors."
        )
        yield _note("weights_assumed", message, [model.weights])


def _labelled(data: Frame, model: Model) -> Iterator[ToolWarning]:
    """Name numbers of a regression whose values all have labels, three or more: they may be codes."""
    for name in dict.fromkeys((model.outcome or "", *model.predictors)) if model.terms else ():
        column = data.columns[name]
        labels = {number(code) for code in column.value_labels or {}}
        if column.dtype not in {"numeric", "integer"} or not labels:
            continue
        values = set(data.series(name).drop_nulls().unique().to_list())
        if len(values) > 2 and values <= labels:
            message = (
                f"Every value of {name!r} has a label, and it is taken as a number; if they are codes of"
                " categories, give its type as nominal or ordinal (types)."
            )
            yield ToolWarning(code="labels_as_numbers", message=message, records=(name,))


def _few(found: Diagnostics, data: Frame, model: Model) -> Iterator[ToolWarning]:
    needed, message = found.n_parameters or 0, ""
    if model.kind == "sem" and needed <= found.n_complete < FEW_ROWS * needed:
        message = (
            f"{found.n_complete} complete rows for {needed} parameters, fewer than {FEW_ROWS} for each:"
            " estimates and fit measures are unstable."
        )
    elif model.kind == "logistic":
        outcome = data.kept(model.outcome or "", data.complete(model.variables())).cast(str)
        events = min(tally(outcome)["n"].to_list(), default=0)
        if events < FEW_EVENTS * (needed - 1):
            message = (
                f"The rarer outcome has {events} rows for {needed - 1} terms, fewer than {FEW_EVENTS} for"
                " each: estimates lean away from 0."
            )
    if message:
        yield _note("few_rows_per_parameter", message, [])


Vector = NDArray[np.float64]
Named = tuple[str, Vector]
"""A column of a design, with its name."""
TOLERANCE = 1e-9
"""Relative length below which what is left of a column counts as rounding."""
INTERCEPT = "(intercept)"
HIGH_INDEX = 30.0
HIGH_SHARE = 0.5
"""A harmful dependency has an index above 30 and two shares above 0.5 (Belsley, Kuh & Welsch 1980, 3.2)."""
_MOST_CELLS = 3_000_000
"""Rows times terms above which leverage is not looked at."""


@dataclass(frozen=True)
class Design:
    """The design matrix of a model: n complete cases by k terms, a column for each number or level.

    Columns are divided by their largest value: squares of huge numbers overflow.

    Attributes
    ----------
    names : tuple of str, length k
        Names of the columns.
    matrix : array of float, shape (n, k)
        Their values.

    """

    names: tuple[str, ...]
    matrix: Vector

    @cached_property
    def scaled(self) -> Vector:
        """The columns scaled to length 1, (n, k)."""
        lengths = [max(float(np.linalg.norm(column)), 1e-300) for column in self.matrix.T]
        return self.matrix / np.array(lengths, dtype=np.float64)

    @cached_property
    def factor(self) -> Vector:
        """R of the QR factorisation of the scaled columns, (k, k) or (n, k) where n < k."""
        return _upper(self.scaled)

    @cached_property
    def independent(self) -> tuple[int, ...]:
        """Places of the columns that earlier ones do not determine (Gram-Schmidt, twice)."""
        basis = np.zeros_like(self.factor)
        kept = []
        for at, column in enumerate(self.factor.T):
            rest = column - basis @ (basis.T @ column)
            rest -= basis @ (basis.T @ rest)  # the second pass removes the rounding of the first
            if (left := float(np.linalg.norm(rest))) > TOLERANCE:
                basis[:, at] = rest / left
                kept.append(at)
        return tuple(kept)

    def kept_factor(self) -> Vector:
        """R of the independent columns alone; it has as many rows as columns.

        Returns
        -------
        array of float, shape (r, r)
            Upper triangular, for r independent columns.

        """
        return _upper(self.factor[:, list(self.independent)])


def _upper(matrix: Vector) -> Vector:
    return np.asarray(np.linalg.qr(matrix, mode="r"), dtype=np.float64)


def design(data: Frame, model: Model, rows: Mask) -> Design:
    """Return intercept, numbers and treatment-coded levels (the reference level is left out).

    Powers of a variable that has all lower ones are powers around its middle, scaled to [-1, 1]: the model
    is the same, and its numbers are those of the scripts. A SEM has its observed variables as columns; a
    descriptive analysis has none.

    Parameters
    ----------
    data : Frame
        The tidied table, by variable.
    model : Model
        Terms, reference levels and intercept, in the target's names.
    rows : array of bool, shape (n,)
        The complete cases.

    Returns
    -------
    Design
        As many columns as terms and levels need, each of the m rows that are true in `rows`.

    References
    ----------
    Chambers & Hastie (1992), Statistical Models in S, 2.4.1: which categories keep all levels.

    """
    aside = {model.group, model.cluster, model.weights}
    numbers = [n for n in model.variables() if n not in aside and data.columns[n].dtype not in CATEGORIES]
    terms = model.terms if model.outcome else tuple({name: 1} for name in numbers)
    n = int(rows.sum())
    named: list[Named] = [(INTERCEPT, np.ones(n))] if terms and model.intercept else []
    middles = polynomials(terms, intercept=model.intercept)
    categories = {name for name in model.predictors if data.columns[name].dtype in CATEGORIES}
    for term, whole in zip(
        terms, whole_categories(terms, categories, intercept=model.intercept), strict=True
    ):
        # a category in `whole` is compared with no level of it
        reference = {**model.reference, **dict.fromkeys(whole)}
        named += _product(data, term, rows, reference, middles)
    matrix = np.column_stack([np.empty((n, 0)), *(column for _, column in named)])
    return Design(tuple(name for name, _ in named), matrix)


def _product(
    data: Frame, term: Term, rows: Mask, reference: Mapping[str, str | None], middles: Collection[str]
) -> list[Named]:
    made: list[Named] = []
    for name, power in term.items():
        coded = _coded(data, name, power, rows, reference.get(name), around=name in middles)
        made = [(f"{a}:{b}", x * z) for a, x in made for b, z in coded] if made else coded
    return made


def _coded(
    data: Frame, name: str, power: int, rows: Mask, reference: str | None, *, around: bool
) -> list[Named]:
    values = data.kept(name, rows)
    if data.columns[name].dtype not in CATEGORIES:
        x = np.asarray(values.cast(float).to_numpy(), dtype=np.float64)
        low, high = (float(x.min()), float(x.max())) if len(x) else (0.0, 0.0)
        middle = low / 2 + high / 2 if around else 0.0
        x = (x - middle) / (max(high - middle, middle - low) or 1.0)
        return [(name if power == 1 else f"{name}^{power}", x**power)]
    text = values.cast(str)
    others = [level for level in data.levels(name, rows) if level != reference]
    return [(f"{name}[{level}]", (text == level).cast(float).to_numpy()) for level in others]


def redundant(made: Design) -> tuple[tuple[str, ...], ...]:
    """Return each term that earlier ones determine, followed by those that do.

    A constant is left out, and so is everything where there are fewer rows than terms.

    Parameters
    ----------
    made : Design
        Of n rows and k terms.

    Returns
    -------
    tuple of tuple of str
        A term, then the terms whose combination it is; only terms that are not constant.

    """
    if len(made.matrix) < len(made.names):
        return ()
    found = []
    for at, name in enumerate(made.names):
        if at in made.independent:
            continue
        before = [place for place in made.independent if place < at]
        weights = np.abs(np.linalg.lstsq(made.factor[:, before], made.factor[:, at], rcond=None)[0])
        large = weights > 1e-6 * max(float(weights.max(initial=0.0)), 1e-300)
        names = [made.names[place] for place in compress(before, large)]
        if names != [INTERCEPT]:
            found.append((name, *[name for name in names if name != INTERCEPT]))
    return tuple(found)


def inflation(made: Design) -> dict[str, float]:
    """Return the variance inflation factor of each term: 1 / (1 - R²) of the term on the others.

    The others include the intercept where the model has one.

    Parameters
    ----------
    made : Design
        Of n rows and k terms.

    Returns
    -------
    dict of str to float
        Term -> factor, 1 and more; without terms that others determine, and empty for fewer than two.

    References
    ----------
    Marquardt (1970), Technometrics 12(3), 591-612.

    """
    kept = [made.names[at] for at in made.independent]
    if len(kept) < 2:
        return {}
    factor = made.kept_factor()
    first = int(kept[0] == INTERCEPT)
    centred = factor[first:, first:]  # without the first row and column: what the intercept does not explain
    inverse = np.linalg.inv(centred)
    vif = (centred**2).sum(axis=0) * (inverse**2).sum(axis=1)
    return {name: float(v) for name, v in zip(kept[first:], vif, strict=True)}


def conditioning(made: Design) -> tuple[float | None, tuple[str, ...]]:
    """Return the scaled condition number, and the terms of the dependencies that harm.

    Columns have length 1 and are not centred: a term is named where more than half of its variance, and of
    another's, goes with an index above 30.

    Parameters
    ----------
    made : Design
        Of n rows and k terms.

    Returns
    -------
    number : float or None
        Largest singular value by the smallest; None without columns.
    terms : tuple of str
        Terms with more than half of their variance in a condition index above 30.

    References
    ----------
    Belsley, Kuh & Welsch (1980), Regression Diagnostics, chapter 3.

    """
    if not made.independent:
        return None, ()
    _, values, rotation = np.linalg.svd(made.kept_factor())
    phi = (rotation.T / values) ** 2
    shares = phi / phi.sum(axis=1, keepdims=True)
    joined = shares[:, values[0] / values > HIGH_INDEX].sum(axis=1)
    kept = [made.names[at] for at in made.independent]
    named = tuple(name for name, share in zip(kept, joined, strict=True) if share > HIGH_SHARE)
    return float(values[0] / values[-1]), named if len(named) > 1 else ()


def leverage(made: Design) -> float | None:
    """Return the largest diagonal element of the hat matrix; None for large data.

    Parameters
    ----------
    made : Design
        Of n rows and k terms.

    Returns
    -------
    float or None
        From k / n to 1; None above 3,000,000 cells, and without rows or columns.

    References
    ----------
    Hoaglin & Welsch (1978), The American Statistician 32(1), 17-22.

    """
    if not made.independent or not 0 < made.matrix.size <= _MOST_CELLS:
        return None
    hat = (made.scaled[:, list(made.independent)] @ np.linalg.inv(made.kept_factor())) ** 2
    return min(float(hat.sum(axis=1).max()), 1.0)


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


def on_variables(analysis: AnalysisType, data: Frame, used: Sequence[str]) -> Iterator[ToolWarning]:
    """Warn of empty variables, many levels, and text that a spreadsheet would run as a formula.

    Parameters
    ----------
    analysis : {"regression", "sem", "descriptive"}
        Kind of analysis.
    data : Frame
        The tidied table, by variable.
    used : sequence of str
        Variables of the model.

    Yields
    ------
    ToolWarning
        `no_data_in_variable`, `too_many_levels`, `formula_like_text`.

    Raises
    ------
    PreparationError
        `no_data_in_variable` for a variable of a model.

    """
    import polars as pl

    for name, column in data.columns.items():
        values = data.series(name)
        if values.null_count() == len(values):
            if name in used and analysis != "descriptive":
                raise PreparationError(
                    f"Variable {name!r} has no data in {data.n_rows} rows.",
                    code="no_data_in_variable",
                    hint="Leave it out of the model.",
                )
            yield _note("no_data_in_variable", f"{name!r} has no data.", [name])
        many = values.drop_nulls().n_unique() if column.dtype in CATEGORIES else 0
        if many > MAX_LEVELS:
            yield _note("too_many_levels", f"{name!r} has {many} levels.", [name])
        if values.dtype == pl.String and values.str.slice(0, 1).is_in(list(_FORMULA_STARTS)).any():
            message = (
                f"{name!r} has text that a spreadsheet would run as a formula; data files keep it as it is."
            )
            yield _note("formula_like_text", message, [name])


def check_numbers(data: Frame, model: Model) -> None:
    """Raise where weights, exposure or offset are not what the model needs.

    Parameters
    ----------
    data : Frame
        The tidied table, by variable.
    model : Model
        In the target's names.

    Raises
    ------
    PreparationError
        `weight_not_finite`, `weight_not_positive`, for weights and exposure; `weight_not_whole` for frequency
        weights.
    InvalidInputError
        For an offset that is no number.

    """
    checks: list[tuple[str, str, Callable[[float], bool]]] = [
        ("weight_not_finite", "a finite number", math.isfinite),
        ("weight_not_positive", "above 0", lambda w: w > 0),
    ]
    whole = ("weight_not_whole", "a whole number: it counts rows", lambda w: w == int(w))
    counts_rows = [whole] if model.weight_type == "frequency" else []
    parts = (("Weight", model.weights, [*checks, *counts_rows]), ("Exposure", model.exposure, checks))
    for part, name, wanted in parts:
        if not name:
            continue
        values = data.series(name).drop_nulls()
        if data.columns[name].dtype not in {"numeric", "integer"}:
            raise PreparationError(
                f"{part} {name!r} must be a number, not {values[0]!r}.",
                code="weight_not_finite",
                hint="Name a column of numbers.",
            )
        distinct = values.unique(maintain_order=True).to_list()
        for (code, what, is_right), value in product(wanted, distinct):
            if not is_right(value):
                row = (data.series(name).index_of(value) or 0) + 1
                raise PreparationError(
                    f"{part} {name!r} must be {what}, not {value!r} (row {row}).",
                    code=code,
                    hint="Leave out the row, or make its value missing.",
                )
    if model.offset and data.columns[model.offset].dtype not in {"numeric", "integer"}:
        raise InvalidInputError(f"Offset {model.offset!r} must be a number.")


def on_model(found: Diagnostics, data: Frame, model: Model) -> Iterator[ToolWarning]:
    """Warn of what the diagnostics found.

    Parameters
    ----------
    found : Diagnostics
        What the data allow.
    data : Frame
        The tidied table, by variable.
    model : Model
        In the target's names.

    Yields
    ------
    ToolWarning
        One for each condition, with the names of the variables it is about; empty where nothing is wrong.

    Raises
    ------
    PreparationError
        `few_clusters` where there are fewer than two.

    """
    for name in found.constant:
        yield _note("constant_variable", f"{name!r} has one value only.", [name])
    for name in found.near_constant:
        message = f"Nearly all rows have one value of {name!r}: its coefficient rests on few rows."
        yield _note("near_constant_variable", message, [name])
    for term, *others in found.collinear:
        message = f"{term!r} is a linear combination of {', '.join(map(repr, others))}."
        yield _note("perfect_collinearity", message, [term, *others])
    yield from (*_near(found), *_rows(found), *_clustered(found))
    if found.separated:
        terms = ", ".join(repr(term) for term in found.separated if term != INTERCEPT)
        message = (
            f"{terms} predict the outcome without error in some rows: the"
            " maximum-likelihood estimate is infinite. Consider a penalised fit (Firth 1993)."
        )
        yield _note("separation", message, found.separated)
    if model.kind == "linear":
        yield from _linear_outcome(data, model.outcome or "")
    elif model.kind == "sem":
        yield from _sem(found, data, model)


def _near(found: Diagnostics) -> Iterator[ToolWarning]:
    inflated = [name for name, value in found.vif.items() if value > HIGH_INFLATION]
    if inflated or found.near_collinear:
        number = found.condition_number or 0.0
        above = f"Variance inflation is above {HIGH_INFLATION:g} for {', '.join(inflated)}. "
        high = "above" if number > HIGH_INDEX else "not above"
        message = f"The scaled condition number is {number:.3g}, {high} {HIGH_INDEX:g}."
        records = list(dict.fromkeys((*inflated, *found.near_collinear)))
        yield _note("near_collinearity", (above if inflated else "") + message, records)


def _rows(found: Diagnostics) -> Iterator[ToolWarning]:
    needed = found.n_parameters
    if needed is not None and found.n_complete < needed:
        message = f"{found.n_complete} complete rows for {needed} parameters."
        yield _note("fewer_rows_than_parameters", message, [])
    each = None if needed is None or not found.n_per_group else needed // len(found.n_per_group)
    for level, n in found.n_per_group.items():
        if each is not None and n < each:
            message = f"Group {level!r} has {n} complete rows for {each} parameters."
            yield _note("fewer_rows_than_parameters", message, [level])
    if found.max_leverage is not None and found.max_leverage > 1 - 1e-9 and found.n_complete > (needed or 0):
        message = "A row has leverage 1: it alone decides a coefficient, and HC3 errors are not defined."
        yield _note("leverage_of_one", message, [])


def _clustered(found: Diagnostics) -> Iterator[ToolWarning]:
    n = found.n_clusters
    if n is not None and n < 2:
        raise PreparationError(
            f"Standard errors cannot be clustered: there is {n} cluster.",
            code="few_clusters",
            hint="Name a column with more clusters, or leave cluster out.",
        )
    if n is not None and n < FEW_CLUSTERS:
        message = f"{n} clusters: with fewer than {FEW_CLUSTERS} clustered errors tend to be too small."
        yield _note("few_clusters", message, [])


def _linear_outcome(data: Frame, name: str) -> Iterator[ToolWarning]:
    """Say where a linear model may not be what the outcome's values ask for."""
    values = data.series(name).drop_nulls()
    if data.columns[name].dtype != "integer" or not len(values):
        return
    if set(values.unique().to_list()) == {0, 1}:
        message = "is 0 or 1: the model is a linear probability model; type boolean makes it logistic."
        yield _note("outcome_type", f"{name!r} {message}", [name])
    elif (values >= 0).all() and (values == 0).any():
        message = "may be a count: family poisson or negative_binomial suits counts."
        yield _note("outcome_type", f"{name!r} {message}", [name])


def _sem(found: Diagnostics, data: Frame, model: Model) -> Iterator[ToolWarning]:
    if found.identified is False:
        wrong = [s for s in found.identification if "fewer than" in s or "has no scale" in s]
        yield _note("not_identified", f"The model is not identified. {' '.join(wrong)}", [])
    aside = {model.group, model.cluster, model.weights, *model.ordered}
    for name in (n for n in model.variables() if n not in aside):
        values = data.series(name).drop_nulls()
        if data.columns[name].dtype == "integer" and 2 <= values.n_unique() <= _FEW_CATEGORIES:
            message = (
                f"{name!r} has {values.n_unique()} values and is taken as continuous; type ordinal is safer."
            )
            yield _note("ordinal_as_continuous", message, [name])
    for name in model.ordered:
        counts = tally(data.series(name))["n"].to_list()
        if min(counts) < _SPARSE:
            message = f"A level of {name!r} has {min(counts)} rows: polychoric correlations are unstable."
            yield _note("sparse_level", message, [name])


MOST_CELLS = 300_000
"""Rows times terms above which the linear program would take too long; single terms are looked at alone."""


def separated(made: Design, outcome: Vector) -> tuple[tuple[str, ...], str]:
    """Return the terms of a (quasi-)complete separation, and how it was looked for.

    With it no finite maximum-likelihood estimate exists. A direction that separates is a solution of a linear
    program: maximise the sum of s_i x_i b over -1 <= b <= 1 with s_i x_i b >= 0 for every row, where s is -1
    or 1; there is one where the maximum is above 0.

    Parameters
    ----------
    made : Design
        Of n rows and k terms.
    outcome : array of float, shape (n,)
        0 or 1.

    Returns
    -------
    terms : tuple of str
        Terms with a weight in the separating direction; empty where there is none.
    how : str
        `linear program`, or above 300,000 cells `single terms`.

    References
    ----------
    Albert & Anderson (1984), Biometrika 71(1), 1-10; the program: Konis (2007), DPhil thesis, Oxford.

    """
    if not len(outcome) or outcome.min() == outcome.max():
        return (), "linear program"
    if len(made.matrix) * len(made.independent) > MOST_CELLS:
        terms = zip(made.names, made.matrix.T, strict=True)
        return tuple(name for name, x in terms if _alone(x, outcome)), "single terms"
    return _by_program(made, outcome), "linear program"


def _alone(x: Vector, outcome: Vector) -> bool:
    """Return whether a threshold on one term splits the outcome, ties at the threshold allowed."""
    no, yes = x[outcome == 0], x[outcome == 1]
    varies = x.min() < x.max()
    return bool(varies and (no.max() <= yes.min() or yes.max() <= no.min()))


def _by_program(made: Design, outcome: Vector) -> tuple[str, ...]:
    from scipy.optimize import linprog

    signed = made.matrix[:, made.independent] * (2 * outcome - 1)[:, None]
    zeros = np.zeros(len(made.matrix))
    solved = linprog(-signed.sum(axis=0), A_ub=-signed, b_ub=zeros, bounds=(-1, 1), method="highs")
    if solved.x is None or float((signed @ solved.x).sum()) <= 1e-7 * len(made.matrix):
        return ()
    return tuple(made.names[at] for at in compress(made.independent, np.abs(solved.x) > 1e-7))


def free_parameters(sem: Sem, ordered: Mapping[str, int] | None = None) -> int | None:
    """Count the parameters lavaan's `sem()` estimates (no means); None where it cannot be told.

    First loading of a factor fixed to 1; one-indicator factors without residual; exogenous factors
    covary; so do the residuals of outcomes that predict nothing; exogenous observed variables are taken
    as given, with their covariances. `ordered` says how many levels the ordinal variables have: they have
    thresholds, one fewer, and no residual variance.

    Parameters
    ----------
    sem : Sem
        The parts of the model.
    ordered : mapping of str to int, optional
        Ordinal variable -> number of its levels.

    Returns
    -------
    int or None
        Without means; None where the text has what is not counted.

    References
    ----------
    Rosseel (2012), J. Stat. Softw. 48(2): the defaults of `sem()`.

    """
    if not sem.countable:
        return None
    loadings = {(factor, name) for factor, names in sem.latents.items() for name in names}
    marked = {(factor, names[0]) for factor, names in sem.latents.items()} - sem.free
    covariances = covariance_pairs(sem)
    variances = {(name, name) for name in (*sem.latents, *_endogenous(sem), *_random(sem))}
    variances -= {(names[0], names[0]) for names in sem.latents.values() if len(names) == 1}
    explicit = {(min(pair), max(pair)) for pair in sem.covariances}
    free = (loadings - marked) | set(sem.regressions) | covariances | variances | explicit
    free -= {pair for pair in free if pair in sem.fixed or pair[::-1] in sem.fixed}
    levels = ordered or {}
    thresholds = sum(max(n - 1, 0) for n in levels.values())
    return len(free - {(name, name) for name in levels}) + thresholds - sem.n_constraints


def degrees_of_freedom(sem: Sem) -> int | None:
    """Return observed variances and covariances minus free parameters; below 0 nothing is identified.

    Ordinal variables change nothing here: each has as many more thresholds to estimate as to fit.

    Parameters
    ----------
    sem : Sem
        The parts of the model.

    Returns
    -------
    int or None
        None where the parameters cannot be counted.

    References
    ----------
    Bollen (1989), Structural Equations with Latent Variables, chapter 4: the t-rule.

    """
    parameters = free_parameters(sem)
    if parameters is None:
        return None
    n, given = len(sem.observed()), len(_exogenous(sem) - set(_random(sem)))
    return n * (n + 1) // 2 - given * (given + 1) // 2 - parameters


def _indicators(sem: Sem) -> set[str]:
    return {name for names in sem.latents.values() for name in names}


def _endogenous(sem: Sem) -> set[str]:
    """Return the observed variables with a residual: indicators and outcomes."""
    return (_indicators(sem) | {outcome for outcome, _ in sem.regressions}) - set(sem.latents)


def _exogenous(sem: Sem) -> set[str]:
    return set(sem.observed()) - _endogenous(sem)


def _random(sem: Sem) -> list[str]:
    """Return the exogenous observed variables that a covariance names: lavaan estimates their moments."""
    named = {name for pair in sem.covariances for name in pair}
    return sorted(_exogenous(sem) & named)


def covariance_pairs(sem: Sem) -> set[tuple[str, str]]:
    """Return the covariances that lavaan's `sem()` adds by itself.

    Those of exogenous factors, and of the residuals of outcomes that predict nothing and indicate no factor.

    Parameters
    ----------
    sem : Sem
        The parts of a model.

    Returns
    -------
    set of (str, str)
        Each pair sorted.

    References
    ----------
    Rosseel (2012), J. Stat. Softw. 48(2).

    """
    outcomes = {outcome for outcome, _ in sem.regressions}
    predictors = {predictor for _, predictor in sem.regressions}
    inner = _indicators(sem)
    factors = sorted(set(sem.latents) - outcomes - inner)
    last = sorted(outcomes - predictors - inner)
    return {*combinations(factors, 2), *combinations(last, 2)}


def identification(sem: Sem) -> tuple[bool | None, tuple[str, ...]]:
    """Return False where a necessary rule fails, True where none does, None where it cannot be told.

    The sentences say what each rule found: t-rule, scale of each factor, three- and two-indicator rules,
    recursive rule. The indicator rules and the recursive rule are sufficient for their part of the model.

    Parameters
    ----------
    sem : Sem
        The parts of the model.

    Returns
    -------
    identified : bool or None
        As above.
    sentences : tuple of str
        What each rule found.

    References
    ----------
    Bollen (1989), Structural Equations with Latent Variables, chapters 4, 7 and 8.

    """
    df = degrees_of_freedom(sem)
    if df is None:
        return None, ("The parameters cannot be counted from this text.",)
    counted = "at least" if df >= 0 else "fewer than"
    told = [f"t-rule (necessary): {df} degrees of freedom, {counted} as many moments as parameters."]
    unscaled = [
        factor
        for factor, names in sem.latents.items()
        if (factor, names[0]) in sem.free
        and sem.fixed.isdisjoint({(factor, factor), *((factor, name) for name in names)})
    ]
    told += [f"{f} has no scale: fix a loading or its variance (necessary)." for f in unscaled]
    told += [_indicator_rule(sem, factor) for factor in sem.latents]
    if sem.regressions:
        told.append(_recursive_rule(sem))
    return df >= 0 and not unscaled, tuple(told)


def _indicator_rule(sem: Sem, factor: str) -> str:
    names = sem.latents[factor]
    others = [name for other, group in sem.latents.items() if other != factor for name in group]
    shared = sorted(set(names) & set(others))
    correlated = {n for a, b in sem.covariances if a != b for n in (a, b)} & set(names)
    if shared or correlated or any(name in sem.latents for name in names):
        why = "shared or correlated indicators" if shared or correlated else "factors as indicators"
        return f"{factor}: no indicator rule covers {why}; check it empirically."
    if len(names) >= 3:
        return f"{factor}: the three-indicator rule holds (sufficient)."
    if len(names) == 1:
        return f"{factor}: one indicator, taken to be without error."
    joined = {name for pair in covariance_pairs(sem) for name in pair if factor in pair} - {factor}
    joined |= {name for pair in sem.regressions if factor in pair for name in pair} - {factor}
    if joined:
        return f"{factor}: the two-indicator rule holds if it covaries with {', '.join(sorted(joined))}."
    return f"{factor}: two indicators and no tie to another variable are not enough."


def _recursive_rule(sem: Sem) -> str:
    import networkx as nx

    if not nx.is_directed_acyclic_graph(nx.DiGraph(sem.regressions)):
        return "The regressions make a cycle: the recursive rule does not apply; check rank and order."
    outcomes = {outcome for outcome, _ in sem.regressions}
    predicts = {predictor for _, predictor in sem.regressions}
    tied = [pair for pair in sem.covariances if pair[0] != pair[1] and set(pair) <= outcomes]
    if any(set(pair) & predicts for pair in tied):
        return "Residuals of variables that predict are correlated: the recursive rule does not apply."
    return "The recursive rule holds for the regressions (sufficient)."


MOST_PATTERNS = 20
_DIGITS = ((1e6, 2), (100.0, 6), (0.0, 8))
"""From a condition number on, so many digits of what is published of the design: those that every processor
gives, for a factorisation loses about as many digits as the number has."""
_NEAR_RATIO, _NEAR_DISTINCT = 19, 0.1
"""Kuhn (2008), J. Stat. Softw. 28(5): the commonest value 95/5 times the next, and few distinct values."""


def diagnose(
    analysis: AnalysisType, data: Frame, model: Model, *, weights_assumed: bool = False
) -> tuple[Diagnostics, tuple["ToolWarning", ...]]:
    """Look at the data before anything is estimated.

    For a SEM, whatever makes estimation impossible is an error; otherwise it is a warning.

    Parameters
    ----------
    analysis : {"regression", "sem", "descriptive"}
        Kind of analysis.
    data : Frame
        The tidied table, by variable.
    model : Model
        In the target's names.
    weights_assumed : bool
        Whether the meaning of the weights was not given.

    Returns
    -------
    found : Diagnostics
        What the data allow.
    notes : tuple of ToolWarning
        What a reader should know of it.

    Raises
    ------
    PreparationError
        `no_data_in_variable` for a variable of the model, the codes of `check_numbers`, `few_clusters`, and
        for a SEM what makes it impossible.

    """
    used = model.variables()
    notes = list(on_variables(analysis, data, used))
    check_numbers(data, model)
    watched = used or tuple(name for name, column in data.columns.items() if column.role != CODE_ROLE)
    complete = data.complete(watched)
    n_complete = int(complete.sum())
    present = {name: data.series(name).drop_nulls() for name in watched}
    clusters = tally(data.kept(model.cluster, complete))["n"].to_list() if model.cluster else []
    found = Diagnostics(
        n_rows=data.n_rows,
        n_complete=data.n_rows if model.fiml else n_complete,
        share_complete=n_complete / data.n_rows,
        missing={name: n for name in data.columns if (n := data.series(name).null_count())},
        missing_patterns=patterns(data, watched),
        constant=tuple(name for name in watched if data.n_rows > 1 and present[name].n_unique() == 1),
        near_constant=tuple(name for name in used if _is_nearly_constant(data.series(name))),
        n_clusters=len(clusters) if model.cluster else None,
        cluster_sizes=(min(clusters), max(clusters)) if clusters else None,
    )
    made = design(data, model, complete)
    if analysis == "regression":
        found = found.model_copy(update=_of_design(data, model, complete, made))
    elif analysis == "sem":
        found = found.model_copy(update={**_of_sem(data, model, complete), "collinear": redundant(made)})
    notes += on_model(found, data, model)
    notes += doubts(found, data, model, weights_assumed=weights_assumed)
    if analysis == "sem" and (fatal := next((note for note in notes if note.code in _IMPOSSIBLE), None)):
        raise PreparationError(
            f"The structural equation model cannot be estimated: {fatal.message}",
            code=fatal.code,
            hint="Leave the variable out, or gather more rows.",
        )
    return found, tuple(notes)


def patterns(data: Frame, names: Sequence[str]) -> tuple[MissingPattern, ...]:
    """Count the rows by which of the variables they lack; commonest first, ties by order of variables.

    Parameters
    ----------
    data : Frame
        The tidied table, by variable.
    names : sequence of str
        Variables to look at.

    Returns
    -------
    tuple of MissingPattern
        At most 20.

    """
    import polars as pl

    holes = [name for name in names if data.series(name).null_count()]
    if not holes:
        return (MissingPattern(variables=(), rows=data.n_rows),)
    lacking = pl.DataFrame([data.series(name).is_null().alias(name) for name in holes])
    counts = (
        lacking.group_by(holes)
        .len("\0rows")
        .sort(["\0rows", *holes], descending=[True] + [False] * len(holes))
    )
    return tuple(
        MissingPattern(variables=tuple(compress(holes, row)), rows=n)
        for *row, n in counts.head(MOST_PATTERNS).iter_rows()
    )


def _is_nearly_constant(values: "pl.Series") -> bool:
    present = values.drop_nulls()
    counts = tally(present)["n"].head(2).to_list()
    few = present.n_unique() < _NEAR_DISTINCT * len(present)
    return len(counts) == 2 and few and counts[0] > _NEAR_RATIO * counts[1]


def _of_design(data: Frame, model: Model, complete: Mask, made: Design) -> dict[str, object]:
    n_terms, cuts = len(made.names), max(len(data.levels(model.outcome or "", complete)) - 1, 0)
    parameters = {
        "ordered": n_terms - 1 + cuts,
        "multinomial": n_terms * cuts,
        "negative_binomial": n_terms + 1,
    }
    number, near = conditioning(made)
    digits = next(digits for least, digits in _DIGITS if (number or 0.0) >= least)
    found: dict[str, object] = {
        "n_parameters": parameters.get(model.kind, n_terms),
        "collinear": redundant(made),
        "aliased": tuple(at for at in range(n_terms) if at not in made.independent),
        "vif": {name: settled(factor, digits) for name, factor in inflation(made).items()},
        "condition_number": None if number is None else settled(number, digits),
        "near_collinear": near,
        "max_leverage": None if (largest := leverage(made)) is None else settled(largest, digits),
    }
    if model.kind == "logistic" and complete.any():
        found["separated"], found["separation_check"] = separated(made, event(data, model, complete))
    return found


def event(data: Frame, model: Model, rows: Mask) -> Vector:
    """Return 1 for each row whose outcome is not the reference, else 0.

    Parameters
    ----------
    data : Frame
        The tidied table, by variable.
    model : Model
        Of kind logistic, with its reference levels.
    rows : array of bool, shape (n,)
        The m complete cases.

    Returns
    -------
    array of float, shape (m,)
        1.0 and 0.0, in the order of the rows that are marked.

    """
    outcome = model.outcome or ""
    other = data.kept(outcome, rows).cast(str) != model.reference.get(outcome, "")
    return np.asarray(other.cast(float).to_numpy())


def _of_sem(data: Frame, model: Model, complete: Mask) -> dict[str, object]:
    """Count free parameters (no means) and degrees of freedom, each group having its own."""
    sizes: dict[str, int] = {}
    if model.group:
        counted = tally(data.kept(model.group, complete))
        sizes = {str(level): int(n) for level, n in sorted(counted.iter_rows(), key=lambda row: str(row[0]))}
    levels, sem = {name: len(data.levels(name, complete)) for name in model.ordered}, read(model.text)
    parameters, df = free_parameters(sem, levels), degrees_of_freedom(sem)
    identified, sentences = identification(sem)
    groups = max(len(sizes), 1)
    return {
        "n_parameters": None if parameters is None else parameters * groups,
        "degrees_of_freedom": None if df is None else df * groups,
        "identified": identified,
        "identification": sentences,
        "n_per_group": sizes,
    }
