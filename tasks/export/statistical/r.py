"""R: CSV, a script that loads it with types, factors and labels, and the analysis."""

import re
from collections.abc import Sequence
from typing import Any

import polars as pl

from corpusgraph.schemas.results import Column
from corpusgraph.tasks.analysis.statistics.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.analysis.statistics.formula import term_text
from corpusgraph.tasks.analysis.statistics.target import Target, is_plain, replaced, started
from corpusgraph.tasks.export.files import Files, column_bytes, rendered
from corpusgraph.tasks.export.statistical.coding import errors_text, number_labels, rows_used, script_of
from corpusgraph.tasks.table.coerce import raw
from corpusgraph.tasks.table.columns import Instants, distinct
from corpusgraph.tasks.text.wordlist import wordset

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


def _facts(result: StatisticalAnalysis) -> dict[str, Any]:
    model = result.model
    labels = {column.name: column.value_labels or {} for column in result.table.columns}
    offsets = [model.offset, model.exposure and f"log({model.exposure})"]
    return {
        "vector": vector,
        "quoted": quoted,
        "errors": _errors(model),
        "label_of": lambda name, level: labels[name].get(level, level),
        "terms": [term_text(term, "I({}^{})") for term in model.terms]
        + [f"offset({name})" for name in offsets if name],
    }


_CLASSES = {"numeric": "numeric", "boolean": "logical", "date": "Date"}
_LARGEST_INTEGER = 2**31 - 1

Series = list[pl.Series | Instants]


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
    facts: dict[str, Any] = {
        "quoted": quoted,
        "vector": vector,
        "number_labels": number_labels,
        "class_of": _class,
        "levels_of": _levels,
        "columns": list(zip(result.table.columns, series, strict=True)),
        "token": missing_token(series),
    }
    return {
        "data.csv": column_bytes(names, series, missing=facts["token"]),
        "load.R": rendered("load.R", **facts).encode(),
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
    texts = [values for values in series if isinstance(values, pl.Series) and values.dtype == pl.String]
    token = "NA"  # noqa: S105 (no secret)
    while any((values == token).any() for values in texts):
        token = f".{token}"
    return token


def _class(column: Column, values: Any) -> str:
    if column.dtype == "integer":
        largest = values.abs().max()
        return "integer" if largest is None or largest <= _LARGEST_INTEGER else "numeric"
    return _CLASSES.get(column.dtype, "character")


def _levels(column: Column, values: Any) -> tuple[list[str], list[str]]:
    """Return the levels that occur or have a label, and their labels."""
    seen, texts = {str(value) for value in distinct(values)}, column.value_labels or {}
    levels = [level for level in column.levels or () if level in seen or level in texts]
    return levels, [texts.get(level, level) for level in levels]


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
    script=script_of("analysis.R", _facts),
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
