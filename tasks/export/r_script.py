"""The analysis as an R script."""

from corpusgraph.tasks.dataset.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.export.r_text import quoted, vector


def script(result: StatisticalAnalysis) -> str:
    """Write the analysis in R; it needs the packages named in it and the files of the bundle."""
    body = {"none": _describe, "sem": _sem}.get(result.model.kind, _regression)(result.model)
    return "\n".join(['source("load.R", encoding = "UTF-8")', "", *body]) + "\n"


def _describe(_: Model) -> list[str]:
    return ["str(data)", "print(summary(data))"]


def _regression(model: Model) -> list[str]:
    weights = f", weights = data[[{quoted(model.weights)}]]" if model.weights else ""
    call = {
        "linear": f"lm(formula, data = data{weights})",
        "logistic": f"glm(formula, data = data, family = binomial(){weights})",
        "ordered": f"MASS::polr(formula, data = data, Hess = TRUE{weights})",
        "multinomial": f"nnet::multinom(formula, data = data, trace = FALSE{weights})",
    }[model.kind]
    used = vector(model.variables())
    lines = [
        f"data <- droplevels(data[complete.cases(data[{used}]), ])",
        'options(contrasts = c("contr.treatment", "contr.treatment"))',
        f"formula <- {model.text}",
        f"fit <- {call}",
        "print(summary(fit))",
    ]
    if model.cluster:
        lines += [
            "# Standard errors clustered by group (packages sandwich and lmtest).",
            f"clusters <- data[[{quoted(model.cluster)}]]",
            "print(lmtest::coeftest(fit, vcov. = sandwich::vcovCL(fit, cluster = clusters)))",
        ]
    return lines


def _sem(model: Model) -> list[str]:
    group = f", group = {quoted(model.group)}" if model.group else ""
    return [
        "library(lavaan)",
        "is_logical <- vapply(data, is.logical, logical(1))",
        "data[is_logical] <- lapply(data[is_logical], as.integer)",
        'model <- paste(readLines("model.lav", encoding = "UTF-8"), collapse = "\\n")',
        f"fit <- sem(model, data = data{group})",
        "summary(fit, standardized = TRUE, fit.measures = TRUE)",
    ]
