"""The R bundle: CSV, a script that loads it with types, factors and labels, and the analysis."""

from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.export.delimited import column_bytes
from corpusgraph.tasks.export.statistical.coding import number_labels
from corpusgraph.tasks.export.statistical.r_script import script
from corpusgraph.tasks.export.statistical.r_text import quoted, vector
from corpusgraph.tasks.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.table.columns import Instants, distinct
from corpusgraph.tasks.table.series import raw

if TYPE_CHECKING:
    import polars as pl

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
