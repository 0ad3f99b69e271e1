"""The R bundle: CSV, a script that loads it with types, factors and labels, and the analysis."""

from collections.abc import Sequence
from typing import Any

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.dataset.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.delimited import csv_bytes
from corpusgraph.tasks.export.r_script import script
from corpusgraph.tasks.export.r_text import quoted, vector

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
    texts = f", labels = {vector(labels)}" if labels != levels else ""
    return [f"{_of(column)} <- factor({_of(column)}, levels = {vector(levels)}{texts}{ordered})"]


def _of(column: Column) -> str:
    return f"data[[{quoted(column.name)}]]"
