"""The analysis as an R script."""

from corpusgraph.tasks.export.statistical import r_blocks as blocks
from corpusgraph.tasks.export.statistical.errors import errors_text, is_sandwich
from corpusgraph.tasks.export.statistical.python_script import RATIOS
from corpusgraph.tasks.export.statistical.r_text import quoted, vector
from corpusgraph.tasks.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.statistics.settle import CATEGORIES
from corpusgraph.tasks.statistics.terms import polynomials, term_text


def script(result: StatisticalAnalysis) -> str:
    """Write the analysis in R; it needs the packages named in it and the files of the bundle."""
    body = {"none": _describe, "sem": _sem}.get(result.model.kind, _regression)(result)
    return "\n".join(['source("load.R", encoding = "UTF-8")', "", *body]) + "\n"


def _describe(_: StatisticalAnalysis) -> list[str]:
    return ["str(data)", "print(colSums(is.na(data)))", "print(summary(data))"]


def _regression(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    lines = [*_rows(result), blocks.TABLE]
    powers = {} if result.diagnostics.aliased else polynomials(model.terms, intercept=model.intercept)
    linear = model.kind == "linear"
    lines += [blocks.CENTRED if powers else blocks.NOT_CENTRED]
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
        lines += [blocks.LEAST_SQUARES, blocks.LINEAR, *_linear(model)]
    else:
        lines += _likelihood(model)
    told = f"Standard errors {errors_text(model, 'r')}.\n"
    return [*lines, f"cat({quoted(told)})", blocks.SHOW]


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
        *([blocks.FIT] if is_sandwich(model) else []),
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
    robust = [blocks.MULTINOM, f"V <- robust(fit, {_clusters(model)}, {weights})"]
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
