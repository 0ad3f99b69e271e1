"""The R bundle: CSV, a script that loads it with types, factors and labels, and the analysis."""

from collections.abc import Sequence
from typing import Any

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.dataset.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.export.delimited import csv_bytes

_CLASSES = {"numeric": "numeric", "boolean": "logical", "date": "Date"}
_LARGEST_INTEGER = 2**31 - 1


def files(result: StatisticalAnalysis) -> dict[str, bytes]:
    """Return data.csv, load.R and analysis.R."""
    names = [column.name for column in result.table.columns]
    return {
        "data.csv": csv_bytes(names, result.table.rows, missing=missing_token(result.table)),
        "load.R": load(result.table).encode(),
        "analysis.R": script(result).encode(),
    }


def missing_token(table: Table) -> str:
    """Return a word for missing cells that no text of the table is: `NA`, else `.NA`, `..NA` and so on."""
    texts = {cell for row in table.rows for cell in row if isinstance(cell, str)}
    token = "NA"  # noqa: S105 (no secret)
    while token in texts:
        token = f".{token}"
    return token


def load(table: Table) -> str:
    """Write R code that reads data.csv into `data`."""
    series = [(column, [row[at] for row in table.rows]) for at, column in enumerate(table.columns)]
    classes = ",\n  ".join(quoted(_class(column, values)) for column, values in series)
    lines = [
        "# Reads data.csv from the working directory into `data`, with types, factors and labels.",
        f'data <- read.csv("data.csv", encoding = "UTF-8", na.strings = {quoted(missing_token(table))},',
        f'  check.names = FALSE, comment.char = "", colClasses = c(\n  {classes}))',
    ]
    for column, values in series:
        lines += _typed(column, values)
        if column.label:
            lines.append(f'attr({_of(column)}, "label") <- {quoted(column.label)}')
    return "\n".join(lines) + "\n"


def script(result: StatisticalAnalysis) -> str:
    """Write the analysis in R; it needs the packages named in it and the files of the bundle."""
    body = {"none": _describe, "sem": _sem}.get(result.model.kind, _regression)(result.model)
    return "\n".join(['source("load.R", encoding = "UTF-8")', "", *body]) + "\n"


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


def _class(column: Column, values: Sequence[Any]) -> str:
    if column.dtype == "integer":
        small = all(value is None or abs(value) <= _LARGEST_INTEGER for value in values)
        return "integer" if small else "numeric"
    return _CLASSES.get(column.dtype, "character")


def _typed(column: Column, values: Sequence[Any]) -> list[str]:
    if column.dtype == "datetime":
        return [f'{_of(column)} <- as.POSIXct({_of(column)}, format = "%Y-%m-%dT%H:%M:%OS", tz = "UTC")']
    if column.dtype not in {"nominal", "ordinal"}:
        return []
    seen = {str(value) for value in values}
    levels = [level for level in column.levels or () if level in seen or level in (column.value_labels or {})]
    labels = [(column.value_labels or {}).get(level, level) for level in levels]
    ordered = ", ordered = TRUE" if column.dtype == "ordinal" else ""
    texts = f", labels = {_vector(labels)}" if labels != levels else ""
    return [f"{_of(column)} <- factor({_of(column)}, levels = {_vector(levels)}{texts}{ordered})"]


def _of(column: Column) -> str:
    return f"data[[{quoted(column.name)}]]"


def _vector(texts: Sequence[str]) -> str:
    return f"c({', '.join(quoted(text) for text in texts)})" if texts else "character(0)"


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
    used = _vector(model.variables())
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
