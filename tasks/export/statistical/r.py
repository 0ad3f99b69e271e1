"""The R bundle: CSV, a script that loads it with types, factors and labels, and the analysis."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.analysis.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.formula import polynomials, term_text
from corpusgraph.tasks.analysis.statistics.settle import CATEGORIES
from corpusgraph.tasks.export.delimited import column_bytes
from corpusgraph.tasks.export.statistical.coding import errors_text, is_sandwich, number_labels
from corpusgraph.tasks.export.statistical.python import RATIOS
from corpusgraph.tasks.table.coerce import raw
from corpusgraph.tasks.table.columns import Instants, distinct

if TYPE_CHECKING:
    import polars as pl

TABLE = """
# Estimates with standard errors, tests and 95 % intervals: t with df, else normal.
estimates <- function(terms, estimate, covariance, df = Inf, ratio = NULL) {
  error <- sqrt(diag(covariance))
  half <- qt(0.975, df) * error
  found <- data.frame(term = terms, estimate = estimate, std_error = error, statistic = estimate / error,
    p_value = 2 * pt(-abs(estimate / error), df), conf_low = estimate - half, conf_high = estimate + half,
    row.names = NULL)
  if (!is.null(ratio)) {
    found[[ratio]] <- exp(estimate)
    found[[paste0(ratio, "_low")]] <- exp(estimate - half)
    found[[paste0(ratio, "_high")]] <- exp(estimate + half)
  }
  found
}
"""

CENTRED = """
# Powers of a variable are fitted around its middle, where they are far less collinear; `back` turns the
# coefficients into those of the plain powers. The scale is a power of two, which rounds nothing.
middles <- list()
around <- function(x, name) {
  middle <- (min(x) + max(x)) / 2
  middles[[name]] <<- c(middle, 2 ^ ceiling(log2(max(x) - middle)))
  (x - middle) / middles[[name]][2]
}
put_back <- function(names) {
  back <- diag(length(names))
  for (name in base::names(middles)) {
    centred <- paste0(name, "..centred")
    power <- function(k) {
      if (k == 0) "(Intercept)" else if (k == 1) centred else paste0("I(", centred, "^", k, ")")
    }
    degree <- 1
    while (power(degree + 1) %in% names) degree <- degree + 1
    for (k in seq_len(degree)) for (i in 0:k) {
      back[match(power(i), names), match(power(k), names)] <-
        choose(k, i) * (-middles[[name]][1]) ^ (k - i) / middles[[name]][2] ^ k
    }
  }
  back
}
plain_names <- function(names) {
  for (name in base::names(middles)) names <- gsub(paste0(name, "..centred"), name, names, fixed = TRUE)
  names
}
"""

NOT_CENTRED = """
put_back <- function(names) diag(length(names))
plain_names <- function(names) names
"""

LEAST_SQUARES = """
# a * b and its rounding error (Dekker 1971).
product <- function(a, b) {
  halves <- function(v) { high <- 134217729 * v; high <- high - (high - v); list(high, v - high) }
  A <- halves(a); B <- halves(b); made <- a * b
  list(made, ((A[[1]] * B[[1]] - made) + A[[1]] * B[[2]] + A[[2]] * B[[1]]) + A[[2]] * B[[2]])
}
# One step of refinement with sums to twice the working precision (R sums in long double where there is one).
refined <- function(Z, y, coefficients) {
  if (length(Z) > 1e6 || max(abs(Z), abs(y)) > 1e100) return(coefficients)
  parts <- lapply(product(Z, matrix(coefficients, nrow(Z), ncol(Z), byrow = TRUE)), function(part) -part)
  parts <- cbind(y, parts[[1]], parts[[2]])
  high <- rowSums(parts)
  low <- rowSums(cbind(parts, -high))
  whole <- product(Z, matrix(high, nrow(Z), ncol(Z)))
  gradient <- colSums(rbind(whole[[1]], whole[[2]], Z * low))
  R <- qr.R(qr(Z, tol = 1e-14))
  coefficients + backsolve(R, backsolve(R, gradient, transpose = TRUE))
}
"""

LINEAR = """
# Standard deviation where rows weigh differently.
spread <- function(x, w) sqrt(sum(w * (x - weighted.mean(x, w))^2) / sum(w) * length(x) / (length(x) - 1))
coefficients <- coef(fit)
kept <- !is.na(coefficients)  # R leaves out what is a combination of the terms before it
Z <- model.matrix(fit)[, kept, drop = FALSE]
coefficients <- coefficients[kept]
"""

FIT = """
cat(sprintf("residual df = %d, residual standard deviation = %.10g, R2 = %.10g, adjusted R2 = %.10g\\n",
  df.residual(fit), summary(fit)$sigma, summary(fit)$r.squared, summary(fit)$adj.r.squared))
"""

SHOW = """
print(format(found, digits = 7), row.names = FALSE)
write.csv(found, "estimates.csv", row.names = FALSE, fileEncoding = "UTF-8")
"""

MULTINOM = """
# Sandwich of the scores (outcome minus probability, times term); nnet has no method for it.
robust <- function(fit, groups, weights) {
  X <- model.matrix(fit)
  P <- fitted(fit)
  if (is.null(dim(P)) || ncol(P) == 1) P <- cbind(1 - c(P), c(P))
  outcome <- model.response(model.frame(fit))
  Y <- outer(as.character(outcome), levels(outcome), "==") * 1
  scores <- do.call(cbind, lapply(2:ncol(P), function(j) X * (Y[, j] - P[, j]) * weights))
  sums <- rowsum(scores, groups)
  G <- nrow(sums)
  bread <- vcov(fit)
  bread %*% crossprod(sums) %*% bread * G / (G - 1)
}
"""


def quoted(text: str) -> str:
    """Return an R string in ASCII: it reads the same in every locale."""
    return '"' + "".join(_escaped(character) for character in text) + '"'


def _escaped(character: str) -> str:
    if character in {'"', "\\"}:
        return f"\\{character}"
    if character in {"\n", "\r", "\t"}:
        return {"\n": "\\n", "\r": "\\r", "\t": "\\t"}[character]
    code = ord(character)
    if 32 <= code < 127:
        return character
    return f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"


def vector(texts: Sequence[str]) -> str:
    """Return a character vector."""
    return f"c({', '.join(quoted(text) for text in texts)})" if texts else "character(0)"


def script(result: StatisticalAnalysis) -> str:
    """Write the analysis in R; it needs the packages named in it and the files of the bundle."""
    body = {"none": _describe, "sem": _sem}.get(result.model.kind, _regression)(result)
    return "\n".join(['source("load.R", encoding = "UTF-8")', "", *body]) + "\n"


def _describe(_: StatisticalAnalysis) -> list[str]:
    return ["str(data)", "print(colSums(is.na(data)))", "print(summary(data))"]


def _regression(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    lines = [*_rows(result), TABLE]
    powers = {} if result.diagnostics.aliased else polynomials(model.terms, intercept=model.intercept)
    linear = model.kind == "linear"
    lines += [CENTRED if powers else NOT_CENTRED]
    for name in powers:
        lines.append(
            f"data[[{quoted(name + '..centred')}]] <- around(data[[{quoted(name)}]], {quoted(name)})"
        )
    # summary() has errors of its own, which are not those asked for where these are a sandwich
    shown = "print(fit)" if is_sandwich(model) else "print(summary(fit))"
    lines += [f"formula <- {_formula(model, powers)}", f"fit <- {_call(model)}", shown]
    if model.kind == "multinomial":
        lines += _multinomial(model)
    elif linear:
        lines += [LEAST_SQUARES, LINEAR, *_linear(model)]
    else:
        lines += _likelihood(model)
    told = f"Standard errors {errors_text(model, 'r')}.\n"
    return [*lines, f"cat({quoted(told)})", SHOW]


def _rows(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    lines = [
        "n_rows <- nrow(data)",
        f"data <- droplevels(data[complete.cases(data[{vector(model.variables())}]), ])",
        'cat("n =", nrow(data), "complete rows of", n_rows, "\\n")',
        'options(contrasts = c("contr.treatment", "contr.treatment"))',
    ]
    kinds = {column.name: column.dtype for column in result.table.columns}
    if flags := [name for name in model.predictors if kinds[name] == "boolean"]:
        lines.append(f"data[{vector(flags)}] <- lapply(data[{vector(flags)}], as.numeric)  # 0 and 1")
    for name, level in model.reference.items():
        column = next(c for c in result.table.columns if c.name == name)
        if column.dtype in CATEGORIES:
            text = (column.value_labels or {}).get(level, level)
            it = f"data[[{quoted(name)}]]"
            lines.append(
                f"{it} <- relevel(factor({it}, ordered = FALSE), ref = {quoted(text)})  # reference level"
            )
    if model.weight_type == "frequency":
        lines.append("# Frequency weights: a row stands for so many.")
        lines.append(f"data <- data[rep(seq_len(nrow(data)), data[[{quoted(model.weights or '')}]]), ]")
    return lines


def _formula(model: Model, powers: dict[str, int]) -> str:
    terms = [
        term_text(
            {f"{n}..centred" if n in powers and len(term) == 1 else n: k for n, k in term.items()}, "I({}^{})"
        )
        for term in model.terms
    ]
    offset = [f"offset({model.offset})"] if model.offset else []
    exposure = [f"offset(log({model.exposure}))"] if model.exposure else []
    return f"{model.outcome} ~ {' + '.join([*terms, *offset, *exposure])}" + (
        "" if model.intercept else " + 0"
    )


def _call(model: Model) -> str:
    weighted = model.weights if model.weight_type in {"analytic", "sampling"} else None
    weights = f", weights = data[[{quoted(weighted)}]]" if weighted else ""
    exact = "control = glm.control(epsilon = 1e-12, maxit = 100)"
    family = (
        "quasibinomial()" if weighted else "binomial()"
    )  # the same fit, without a warning of whole numbers
    return {
        "linear": f"lm(formula, data = data{weights})",
        "logistic": f"glm(formula, data = data, family = {family}{weights}, {exact})",
        "poisson": f"glm(formula, data = data, family = poisson(){weights}, {exact})",
        "negative_binomial": f"MASS::glm.nb(formula, data = data{weights}, {exact})",
        "ordered": f"MASS::polr(formula, data = data, Hess = TRUE{weights}, control = list(reltol = 1e-12))",
        "multinomial": "nnet::multinom(formula, data = data, trace = FALSE, Hess = TRUE, maxit = 1000,"
        f" reltol = 1e-12{weights})",
    }[model.kind]


def _clusters(model: Model) -> str:
    return f"data[[{quoted(model.cluster)}]]" if model.cluster else "seq_len(nrow(data))"


def _linear(model: Model) -> list[str]:
    lines = (
        []
        if model.weight_type in {"analytic", "sampling"}
        else [f"coefficients <- refined(Z, data[[{quoted(model.outcome or '')}]], coefficients)"]
    )
    lines += ["covariance <- vcov(fit)[kept, kept, drop = FALSE]", "df <- df.residual(fit)"]
    if model.cluster:
        lines += [
            "# Errors clustered by group (sandwich), t with one degree of freedom fewer than clusters.",
            f'covariance <- sandwich::vcovCL(fit, cluster = {_clusters(model)}, type = "HC1")',
            f"df <- length(unique({_clusters(model)})) - 1",
        ]
    elif is_sandwich(model):
        lines.append(f'covariance <- sandwich::vcovHC(fit, type = "{model.robust or "HC1"}")')
    return [
        *lines,
        "back <- put_back(colnames(Z))",
        "found <- estimates(plain_names(colnames(Z)), c(back %*% coefficients),",
        "  back %*% covariance %*% t(back), df)",
        f"weighed <- {_weighed(model)}",
        f"deviation <- spread(data[[{quoted(model.outcome or '')}]], weighed)",
        "plain <- Z %*% solve(back)",
        "found$standardised <- found$estimate * apply(plain, 2, spread, weighed) / deviation",
        'found$standardised[found$term == "(Intercept)"] <- NA',
        *([FIT] if is_sandwich(model) else []),
    ]


def _weighed(model: Model) -> str:
    if model.weight_type in {"analytic", "sampling"}:
        return f"data[[{quoted(model.weights or '')}]]"
    return "rep(1, nrow(data))"


def _likelihood(model: Model) -> list[str]:
    lines = ["b <- coef(fit)[!is.na(coef(fit))]", "V <- vcov(fit)"]
    if is_sandwich(model):
        lines += [
            "# Errors clustered by group, or robust row by row (sandwich), with G / (G - 1) as in Stata.",
            f'V <- sandwich::vcovCL(fit, cluster = {_clusters(model)}, type = "HC0", cadjust = TRUE)',
        ]
    lines += ["V <- V[names(b), names(b), drop = FALSE]", "back <- put_back(names(b))"]
    lines.append(
        "found <- estimates(plain_names(names(b)), c(back %*% b), back %*% V %*% t(back),"
        f" ratio = {quoted(RATIOS[model.kind])})"
    )
    if model.kind == "poisson":
        lines.append(
            'cat("dispersion (Pearson chi2 / df):", sum(residuals(fit, "pearson")^2) / df.residual(fit),'
            ' "far above 1: errors are too small\\n")'
        )
    return lines


def _multinomial(model: Model) -> list[str]:
    weighted = model.weights if model.weight_type == "sampling" else None
    weights = f"data[[{quoted(weighted)}]]" if weighted else "1"
    robust = [MULTINOM, f"V <- robust(fit, {_clusters(model)}, {weights})"]
    return [
        "b <- coef(fit)",
        "if (is.null(dim(b))) b <- matrix(b, 1, dimnames = list(fit$lev[2], names(b)))",
        *(robust if is_sandwich(model) else ["V <- vcov(fit)"]),
        'labels <- c(outer(colnames(b), rownames(b), function(term, level) paste0(level, ": ", term)))',
        "back <- diag(nrow(b)) %x% put_back(colnames(b))",
        "found <- estimates(plain_names(labels), c(back %*% c(t(b))), back %*% V %*% t(back),",
        f"  ratio = {quoted(RATIOS['multinomial'])})",
    ]


def _sem(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    options = [f"estimator = {quoted(model.estimator or 'ML')}"]
    options += [f"ordered = {vector(model.ordered)}"] if model.ordered else []
    options += [f"group = {quoted(model.group)}"] if model.group else []
    options += [f"cluster = {quoted(model.cluster)}"] if model.cluster else []
    options += [f"sampling.weights = {quoted(model.weights)}"] if model.weights else []
    options += ['missing = "ml"'] if model.fiml else []
    aside = {model.group, model.cluster, *model.ordered}
    return [
        "library(lavaan)",
        "# lavaan wants numbers: what is neither ordinal nor a group becomes one.",
        f"numbers <- {vector([n for n in model.variables() if n not in aside])}",
        "data[numbers] <- lapply(data[numbers], as.numeric)",
        'model <- paste(readLines("model.lav", encoding = "UTF-8"), collapse = "\\n")',
        f"fit <- sem(model, data = data, {', '.join(options)})",
        "summary(fit, standardized = TRUE, fit.measures = TRUE, ci = TRUE, rsquare = TRUE)",
        'write.csv(parameterEstimates(fit, standardized = TRUE), "estimates.csv", row.names = FALSE,',
        '  fileEncoding = "UTF-8")',
    ]


_CLASSES = {"numeric": "numeric", "boolean": "logical", "date": "Date"}
_LARGEST_INTEGER = 2**31 - 1

Series = list["pl.Series | Instants"]


def files(result: StatisticalAnalysis) -> dict[str, bytes]:
    """Return data.csv, load.R and analysis.R."""
    names = [column.name for column in result.table.columns]
    series = [raw(result.table, at) for at in range(len(names))]
    token = missing_token(series)
    return {
        "data.csv": column_bytes(names, series, missing=token),
        "load.R": load(result.table, series, token).encode(),
        "analysis.R": script(result).encode(),
    }


def missing_token(series: Series) -> str:
    """Return a word for missing cells that no text of the table is: `NA`, else `.NA`, `..NA` and so on."""
    import polars as pl

    texts = [values for values in series if isinstance(values, pl.Series) and values.dtype == pl.String]
    token = "NA"  # noqa: S105 (no secret)
    while any((values == token).any() for values in texts):
        token = f".{token}"
    return token


def load(table: Table, series: Series, token: str) -> str:
    """Write R code that reads data.csv into `data`."""
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
