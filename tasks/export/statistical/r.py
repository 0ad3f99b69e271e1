"""R: CSV, a script that loads it with types, factors and labels, and the analysis."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.analysis.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.formula import term_text
from corpusgraph.tasks.analysis.statistics.names import is_plain, replaced, started
from corpusgraph.tasks.analysis.statistics.target import Target
from corpusgraph.tasks.export.files import Files, column_bytes
from corpusgraph.tasks.export.statistical.coding import (
    RATIOS,
    Part,
    column_of,
    errors_text,
    flags_of,
    is_category,
    is_sandwich,
    number_labels,
    robust_kind,
    rows_used,
    script_of,
)
from corpusgraph.tasks.table.coerce import raw
from corpusgraph.tasks.table.columns import Instants, distinct
from corpusgraph.tasks.text.wordlist import wordset

if TYPE_CHECKING:
    import polars as pl

_WORDS = wordset(
    "if else repeat while function for next break in TRUE FALSE NULL Inf NaN NA NA_integer_ NA_real_ "
    "NA_complex_ NA_character_ T F"
)


def legal_name(name: str) -> str:
    """Make a syntactic name; letters of every script stay.

    Parameters
    ----------
    name : str
        Any name.

    Returns
    -------
    str
        No reserved word of R; empty where no character is legal.

    """
    legal = replaced(name, lambda c: is_plain(c) or c == ".")
    if legal and not (legal[0].isalpha() or re.match(r"\.(?!\d)", legal)):
        legal = started(legal)
    return f"{legal}_" if legal in _WORDS or re.fullmatch(r"\.\.(\.|\d+)", legal) else legal


_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(text: str) -> str:
    """Return an R string in ASCII: it reads the same in every locale.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        With its quotation marks.

    """
    return '"' + "".join(_ESCAPES.get(character) or _ascii(ord(character)) for character in text) + '"'


def _ascii(code: int) -> str:
    return chr(code) if 32 <= code < 127 else f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"


def vector(texts: Sequence[str]) -> str:
    """Return texts as a character vector of R.

    Parameters
    ----------
    texts : sequence of str
        Any texts.

    Returns
    -------
    str
        R code.

    """
    return f"c({', '.join(quoted(text) for text in texts)})" if texts else "character(0)"


def _describe(_: StatisticalAnalysis) -> Part:
    return ["str(data)", "print(colSums(is.na(data)))", "print(summary(data))"]


def _regression(result: StatisticalAnalysis) -> Part:
    model, ratio = result.model, RATIOS.get(result.model.kind)
    last = [ratio, f"{ratio}_low", f"{ratio}_high"] if ratio else ["standardised"]
    columns = ["estimate", "std_error", "statistic", "p_value", "conf_low", "conf_high", *last]
    return [
        _rows(result),
        "",
        f"fit <- {_call(model)}",
        # summary() has errors of its own, which are not those asked for where these are a sandwich
        "print(fit)" if is_sandwich(model) else "print(summary(fit))",
        _covariance(model),
        _MULTINOMIAL
        if model.kind == "multinomial"
        else [
            f"df <- {_degrees(model)}",
            "estimates <- cbind(lmtest::coeftest(fit, V, df), lmtest::coefci(fit, vcov. = V, df = df))",
        ],
        bool(result.diagnostics.aliased)
        and "estimates <- na.omit(estimates)  # without terms that those before them determine",
        "estimates <- cbind(estimates, exp(estimates[, c(1, 5, 6), drop = FALSE]))"
        if ratio
        else _standardised(model),
        f"colnames(estimates) <- {vector(columns)}",
        f"cat({quoted(f'Standard errors {_errors(model)}.')}, fill = TRUE)",
        "print(estimates)",
        "estimates <- data.frame(term = rownames(estimates), estimates, row.names = NULL)",
        'write.csv(estimates, "estimates.csv", row.names = FALSE, fileEncoding = "UTF-8")',
    ]


_MULTINOMIAL = (
    "b <- setNames(c(t(coef(fit))), rownames(vcov(fit)))",
    "se <- sqrt(diag(V))",
    "half <- qnorm(0.975) * se",
    "estimates <- cbind(b, se, b / se, 2 * pnorm(-abs(b / se)), b - half, b + half)",
)


def _rows(result: StatisticalAnalysis) -> Part:
    model = result.model
    labels = {name: column_of(result, name).value_labels or {} for name in model.reference}
    return [
        "n_rows <- nrow(data)",
        f"data <- droplevels(data[complete.cases(data[{vector(model.variables())}]), ])",
        'cat("n =", nrow(data), "complete rows of", n_rows, "\\n")',
        [f"data${name} <- as.numeric(data${name})  # 0 and 1" for name in flags_of(result)],
        [
            f"data${name} <- relevel(factor(data${name}, ordered = FALSE),"
            f" ref = {quoted(labels[name].get(level, level))})"
            for name, level in model.reference.items()
            if is_category(result, name)
        ],
        model.weight_type == "frequency"
        and f"data <- data[rep(seq_len(nrow(data)), data${model.weights}), ]  # a row is so many",
    ]


def _call(model: Model) -> str:
    terms = [term_text(term, "I({}^{})") for term in model.terms]
    terms += [f"offset({model.offset})"] if model.offset else []
    terms += [f"offset(log({model.exposure}))"] if model.exposure else []
    formula = f"{model.outcome} ~ {' + '.join(terms)}" + ("" if model.intercept else " + 0")
    weighted = model.weight_type in {"analytic", "sampling"}
    weights = f", weights = {model.weights}" if weighted else ""
    # quasibinomial() is the same fit, without a warning of weights that are no whole numbers
    binomial = "quasibinomial" if weighted else "binomial"
    function, options = {
        "linear": ("lm", ""),
        "logistic": ("glm", f", family = {binomial}(), epsilon = 1e-12"),
        "poisson": ("glm", ", family = poisson(), epsilon = 1e-12"),
        "negative_binomial": ("MASS::glm.nb", ""),
        "ordered": ("MASS::polr", ", Hess = TRUE, control = list(reltol = 1e-14)"),
        "multinomial": ("nnet::multinom", ", trace = FALSE, Hess = TRUE, maxit = 1000, reltol = 1e-14"),
    }[model.kind]
    return f"{function}({formula}, data = data{weights}{options})"


def _covariance(model: Model) -> Part:
    """Return lines that compute V, the covariance of the estimates as it was asked for."""
    cluster = f"cluster = data${model.cluster}, " if model.cluster else ""
    kind, sandwich = model.kind, is_sandwich(model)
    robust = f'V <- sandwich::vcovCL(fit, {cluster}type = "HC0")  # times G / (G - 1), as in Stata'
    if kind == "linear":
        robust = f'V <- sandwich::vcovHC(fit, type = "{robust_kind(model)}")'
        robust = f'V <- sandwich::vcovCL(fit, {cluster}type = "HC1")' if cluster else robust
    return [
        kind == "poisson"
        and 'cat("dispersion (Pearson chi2 / df), far above 1: errors are too small:",'
        ' sum(residuals(fit, "pearson")^2) / df.residual(fit), "\\n")',
        kind == "linear"
        and sandwich
        and 'cat("R2 =", summary(fit)$r.squared, "adjusted R2 =", summary(fit)$adj.r.squared, "\\n")',
        "V <- vcov(fit)"
        if not sandwich
        else _multinomial_sandwich(model)
        if kind == "multinomial"
        else robust,
    ]


def _multinomial_sandwich(model: Model) -> list[str]:
    groups = f"data${model.cluster}" if model.cluster else "seq_len(nrow(data))"
    weights = f" * data${model.weights}" if model.weight_type == "sampling" else ""
    return [
        "# nnet has no sandwich: the scores are outcome minus probability, times term",
        "P <- fitted(fit)",
        "if (ncol(P) > 1) P <- P[, -1]",
        f"rest <- (nnet::class.ind(data${model.outcome})[, -1, drop = FALSE] - P){weights}",
        "scores <- do.call(cbind, lapply(seq_len(ncol(rest)), function(k) model.matrix(fit) * rest[, k]))",
        f"scores <- rowsum(scores, {groups})",
        "V <- vcov(fit) %*% crossprod(scores) %*% vcov(fit) * nrow(scores) / (nrow(scores) - 1)",
    ]


def _degrees(model: Model) -> str:
    if model.kind != "linear":
        return "Inf"
    return f"length(unique(data${model.cluster})) - 1" if model.cluster else "df.residual(fit)"


def _standardised(model: Model) -> list[str]:
    weights = f", wt = data${model.weights}" if model.weight_type in {"analytic", "sampling"} else ""
    return [
        f"spread <- sqrt(diag(cov.wt(cbind(data${model.outcome}, model.matrix(fit)){weights})$cov))",
        "estimates <- cbind(estimates, estimates[, 1] * spread[rownames(estimates)] / spread[1])",
        *(['estimates["(Intercept)", 7] <- NA'] if model.intercept else []),
    ]


def _sem(result: StatisticalAnalysis) -> Part:
    model = result.model
    asked = {
        "estimator": model.estimator or "ML",
        "group": model.group,
        "cluster": model.cluster,
        "sampling.weights": model.weights,
        "missing": "ml" if model.fiml else None,
    }
    options = ", ".join(f"{name} = {quoted(value)}" for name, value in asked.items() if value)
    options += f", ordered = {vector(model.ordered)}" if model.ordered else ""
    aside = {model.group, model.cluster, *model.ordered}
    return [
        "library(lavaan)",
        "# lavaan wants numbers: what is neither ordinal nor a group becomes one.",
        f"numbers <- {vector([n for n in model.variables() if n not in aside])}",
        "data[numbers] <- lapply(data[numbers], as.numeric)",
        'model <- paste(readLines("model.lav", encoding = "UTF-8"), collapse = "\\n")',
        f"fit <- sem(model, data = data, {options})",
        "summary(fit, standardized = TRUE, fit.measures = TRUE, ci = TRUE, rsquare = TRUE)",
        'write.csv(parameterEstimates(fit, standardized = TRUE), "estimates.csv", row.names = FALSE,',
        '  fileEncoding = "UTF-8")',
    ]


_CLASSES = {"numeric": "numeric", "boolean": "logical", "date": "Date"}
_LARGEST_INTEGER = 2**31 - 1

Series = list["pl.Series | Instants"]


def data_files(result: StatisticalAnalysis) -> Files:
    """Return data.csv and load.R.

    Parameters
    ----------
    result : StatisticalAnalysis
        An analysis prepared for R.

    Returns
    -------
    dict of str to bytes
        What R reads back is the table, missing cells as NA.

    """
    names = [column.name for column in result.table.columns]
    series = [raw(result.table, at) for at in range(len(names))]
    token = missing_token(series)
    return {
        "data.csv": column_bytes(names, series, missing=token),
        "load.R": load(result.table, series, token).encode(),
    }


def missing_token(series: Series) -> str:
    """Return a word for missing cells that no text of the table is: `NA`, else `.NA`, `..NA` and so on.

    Parameters
    ----------
    series : Series
        The columns of the table.

    Returns
    -------
    str
        For the whole file, as read.csv takes one.

    """
    import polars as pl

    texts = [values for values in series if isinstance(values, pl.Series) and values.dtype == pl.String]
    token = "NA"  # noqa: S105 (no secret)
    while any((values == token).any() for values in texts):
        token = f".{token}"
    return token


def load(table: Table, series: Series, token: str) -> str:
    """Write R code that reads data.csv into `data`.

    Parameters
    ----------
    table : Table
        Its columns say types, levels and labels.
    series : Series
        Its columns, in the same order.
    token : str
        Stands for missing cells in `data.csv`.

    Returns
    -------
    str
        Ends in a line feed.

    """
    pairs = list(zip(table.columns, series, strict=True))
    classes = ",\n  ".join(quoted(_class(column, values)) for column, values in pairs)
    lines = [
        "# Reads data.csv from the working directory into `data`, with types, factors and labels.",
        f'data <- read.csv("data.csv", encoding = "UTF-8", na.strings = {quoted(token)},',
        f'  check.names = FALSE, comment.char = "", colClasses = c(\n  {classes}))',
    ]
    for column, values in pairs:
        lines += _typed(column, values)
        if column.label:
            lines.append(f'attr({_of(column)}, "label") <- {quoted(column.label)}')
    return "\n".join(lines) + "\n"


def _class(column: Column, values: Any) -> str:
    if column.dtype == "integer":
        largest = values.abs().max()
        return "integer" if largest is None or largest <= _LARGEST_INTEGER else "numeric"
    return _CLASSES.get(column.dtype, "character")


def _typed(column: Column, values: Any) -> list[str]:
    if column.dtype == "datetime":
        return [f'{_of(column)} <- as.POSIXct({_of(column)}, format = "%Y-%m-%dT%H:%M:%OS", tz = "UTC")']
    if known := number_labels(column):
        words = ", ".join(f"{quoted(text)} = {code}" for code, text in known.items())
        return [f'attr({_of(column)}, "labels") <- c({words})']
    if column.dtype not in {"nominal", "ordinal"}:
        return []
    seen = {str(value) for value in distinct(values)}
    texts = column.value_labels or {}
    levels = [level for level in column.levels or () if level in seen or level in texts]
    labels = [texts.get(level, level) for level in levels]
    ordered = ", ordered = TRUE" if column.dtype == "ordinal" else ""
    named = f", labels = {vector(labels)}" if labels != levels else ""
    return [f"{_of(column)} <- factor({_of(column)}, levels = {vector(levels)}{named}{ordered})"]


def _of(column: Column) -> str:
    return f"data[[{quoted(column.name)}]]"


def _sem_facts(model: Model) -> list[str]:
    facts = [f"Estimator: {model.estimator}; {rows_used(model)}."]
    if model.ordered:
        facts.append(f"Ordinal, by thresholds: {', '.join(f'`{name}`' for name in model.ordered)}.")
    return facts


def _errors(model: Model) -> str:
    if model.kind != "negative_binomial":
        return errors_text(model)
    note = "; glm.nb takes the dispersion as known, where Stata and statsmodels estimate it with the rest"
    return errors_text(model) + note


TARGET = Target(
    name="r",
    legal_name=legal_name,
    script=script_of(
        ['source("load.R", encoding = "UTF-8")', ""], describe=_describe, regression=_regression, sem=_sem
    ),
    data_files=data_files,
    script_file="analysis.R",
    opening='In R, set the working directory to this folder and run `source("load.R")`; `data` is then the'
    ' data frame. `source("analysis.R")` runs the analysis.',
    files={
        "data.csv": "the data, UTF-8",
        "load.R": "reads data.csv with types, factors and labels",
    },
    errors=_errors,
    sem=_sem_facts,
    writes_estimates=lambda _: True,
)
