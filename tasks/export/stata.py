"""The Stata bundle: data for version 14 and later and for version 13, and a do-file."""

import io
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.dataset.analysis import Model, StatisticalAnalysis
from corpusgraph.tasks.dataset.names import legal_names
from corpusgraph.tasks.export.coding import codes, is_coded

_WRITTEN = datetime(2000, 1, 1)  # noqa: DTZ001 (the header has no zone); fixed, so that the same data are the same bytes
_LONGEST_SHORT_TEXT = 2045
_COMMANDS = {"linear": "regress", "logistic": "logit", "ordered": "ologit", "multinomial": "mlogit"}


def files(result: StatisticalAnalysis) -> dict[str, bytes]:
    """Return data.dta (format 118), data_stata13.dta (format 117, Latin-1) and analysis.do."""
    return {
        "data.dta": dta(result.table, 118),
        "data_stata13.dta": dta(result.table, 117),
        "analysis.do": script(result).encode(),
    }


def dta(table: Table, version: int) -> bytes:
    """Write a Stata file. Format 117 knows Latin-1 only: other characters become `<U+1EC5>`."""
    import pandas as pd

    series, labels, dates = {}, {}, {}
    for at, column in enumerate(table.columns):
        values = [row[at] for row in table.rows]
        if is_coded(column):
            values, texts = codes(column, values)
            labels[column.name] = {code: _fitted(text, version) for code, text in texts.items()}
        if column.dtype in {"date", "datetime"}:
            dates[column.name] = "td" if column.dtype == "date" else "tc"
        series[column.name] = _series(column, values, version)
    options: dict[str, Any] = {
        "version": version,
        "write_index": False,
        "time_stamp": _WRITTEN,
        "convert_dates": dates,
        "variable_labels": {c.name: _fitted(c.label, version)[:80] for c in table.columns if c.label},
        "value_labels": labels,
        "data_label": _fitted(table.name, version)[:80],
    }
    out = io.BytesIO()
    pd.DataFrame(series).to_stata(out, **options)
    return out.getvalue()


def _series(column: Column, values: Sequence[Any], version: int) -> Any:
    import pandas as pd

    if column.dtype in {"date", "datetime"}:
        return pd.Series(pd.array(list(values), dtype="datetime64[us]"))
    if column.dtype in {"text", "json"}:
        return pd.Series(_texts(values, version), dtype=object)
    whole = column.dtype != "numeric" and all(value is not None for value in values)
    return pd.Series(list(values), dtype="int64" if whole else "float64")


def _texts(values: Sequence[str | None], version: int) -> list[str]:
    """Fit text; in format 117 long text (strL) is ASCII, for its encoding is not that of short text."""
    fitted = ["" if value is None else _fitted(value, version) for value in values]
    if version > 117 or all(len(text) <= _LONGEST_SHORT_TEXT for text in fitted):
        return fitted
    return [_fitted(text, version, highest=127) for text in fitted]


def _fitted(text: str, version: int, highest: int = 255) -> str:
    if version > 117:
        return text
    return "".join(c if ord(c) <= highest else f"<U+{ord(c):04X}>" for c in text)


def script(result: StatisticalAnalysis) -> str:
    """Write the analysis as a do-file."""
    body = {"none": _describe, "sem": _sem}.get(result.model.kind, _regression)(result)
    return "\n".join(["version 14", 'use "data.dta", clear', *body]) + "\n"


def _describe(result: StatisticalAnalysis) -> list[str]:
    numbers = [c.name for c in result.table.columns if c.dtype in {"numeric", "integer"}]
    levels = [c.name for c in result.table.columns if is_coded(c)]
    summary = [f"summarize {' '.join(numbers)}, detail"] if numbers else []
    return ["describe", *summary, *(f"tabulate {name}, missing" for name in levels)]


def _regression(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    dtypes = {column.name: column.dtype for column in result.table.columns}
    terms = [f"i.{n}" if dtypes[n] in {"nominal", "ordinal"} else n for n in model.predictors]
    outcome = [model.outcome or ""]
    setup: list[str] = []
    if model.kind == "logistic" and dtypes[outcome[0]] != "boolean":
        setup, outcome = _two_levels(result, outcome[0])
    kind = "aweight" if model.kind == "linear" else "pweight"
    weight = f" [{kind} = {model.weights}]" if model.weights else ""
    cluster = f", vce(cluster {model.cluster})" if model.cluster else ""
    return [*setup, f"{_COMMANDS[model.kind]} {' '.join((*outcome, *terms))}{weight}{cluster}"]


def _two_levels(result: StatisticalAnalysis, name: str) -> tuple[list[str], list[str]]:
    """Make 0 and 1 of two codes, for logit takes any number above 0 for a success."""
    numbers, _ = codes(next(c for c in result.table.columns if c.name == name), result.table.column(name))
    last = max(number for number in numbers if number is not None)
    new = legal_names([*result.name_map.values(), f"{name}_01"], "stata")[f"{name}_01"]
    return [f"generate {new} = ({name} == {last}) if !missing({name})"], [new]


def _sem(result: StatisticalAnalysis) -> list[str]:
    return ["* The same model as lavaan text is in model.lav.", f"sem {stata_sem(result.model)}"]


def stata_sem(model: Model) -> str:
    """Write paths and options of Stata's sem; latent variables are declared, so that any name will do."""
    paths = [f"({factor} -> {' '.join(names)})" for factor, names in model.latents.items()]
    outcomes = dict.fromkeys(outcome for outcome, _ in model.regressions)
    paths += [f"({y} <- {' '.join(x for o, x in model.regressions if o == y)})" for y in outcomes]
    options = [f"latent({' '.join(model.latents)})"] if model.latents else []
    options += [f"cov({a}*{b})" if a != b else f"var({a})" for a, b in _residual(model)]
    options += [f"group({model.group})"] if model.group else []
    return " ".join(paths) + (f", {' '.join(options)}" if options else "")


def _residual(model: Model) -> list[tuple[str, str]]:
    """Name the error terms of endogenous variables, `e.y`, as Stata's covariances want them."""
    inner = {name for group in model.latents.values() for name in group} | {y for y, _ in model.regressions}
    return [(_error(a, inner), _error(b, inner)) for a, b in model.covariances]


def _error(name: str, endogenous: set[str]) -> str:
    return f"e.{name}" if name in endogenous else name
