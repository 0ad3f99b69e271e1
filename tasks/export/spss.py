"""The SPSS bundle: a .sav file with measures, labels and missing values, and its syntax."""

import tempfile
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from corpusgraph.schemas.results import Column
from corpusgraph.tasks.dataset.analysis import CodebookEntry, StatisticalAnalysis
from corpusgraph.tasks.dataset.names import legal_names
from corpusgraph.tasks.dataset.values import number
from corpusgraph.tasks.export.coding import codes, is_coded

_CREATED = slice(92, 109)
"""Creation date (9 bytes) and time (8 bytes) in the file's header record."""
_WRITTEN = b"01 Jan 0000:00:00"
_COMMANDS = {"ordered": "PLUM", "multinomial": "NOMREG"}


def files(result: StatisticalAnalysis) -> dict[str, bytes]:
    """Return data.sav and analysis.sps."""
    return {"data.sav": sav(result), "analysis.sps": script(result).encode()}


def sav(result: StatisticalAnalysis) -> bytes:
    """Write a system file in UTF-8; the same data are the same bytes.

    The writer knows only files on disk, hence the temporary one.
    """
    import pandas as pd
    import pyreadstat

    series, labels = {}, {}
    for at, column in enumerate(result.table.columns):
        values = [row[at] for row in result.table.rows]
        if is_coded(column):
            values, labels[column.name] = codes(column, values)
        series[column.name] = pd.Series(_cells(column, values), dtype=_dtype(column))
    columns = result.table.columns
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.sav"
        pyreadstat.write_sav(
            pd.DataFrame(series),
            str(path),
            file_label=result.table.name[:64],
            column_labels={c.name: c.label for c in columns if c.label},
            variable_value_labels={
                name: {float(k): v for k, v in texts.items()} for name, texts in labels.items()
            },
            missing_ranges={c.name: [float(code) for code in kept] for c in columns if (kept := _missing(c))},
            variable_measure={entry.name: entry.measure for entry in result.codebook},
            variable_format={c.name: "F8.0" for c in columns if c.dtype == "integer" or is_coded(c)},
        )
        content = bytearray(path.read_bytes())
    content[_CREATED] = _WRITTEN
    return bytes(content)


def _dtype(column: Column) -> str:
    return "object" if column.dtype in {"text", "json", "date", "datetime"} else "float64"


def _cells(column: Column, values: Sequence[Any]) -> list[Any]:
    if column.dtype == "date":
        return [None if value is None else date.fromisoformat(value) for value in values]
    if column.dtype == "datetime":
        return [None if value is None else datetime.fromisoformat(value) for value in values]
    return (
        ["" if value is None else value for value in values]
        if column.dtype in {"text", "json"}
        else list(values)
    )


def _missing(column: Column) -> list[int | float]:
    """Return the codes SPSS keeps as user-missing: up to three numbers in a variable of numbers."""
    found = [number(code) for code in column.missing]
    kept = [code for code in found if code is not None]
    numbers = column.dtype in {"numeric", "integer", "nominal", "ordinal"}
    return kept if numbers and len(kept) == len(found) <= 3 else []


def script(result: StatisticalAnalysis) -> str:
    """Write the syntax; categories enter as 0/1 variables made from their codes."""
    body = {"none": _describe, "sem": _sem}.get(result.model.kind, _regression)(result)
    return "\n".join(["GET FILE='data.sav'.", *body]) + "\n"


def quoted(text: str) -> str:
    """Return an SPSS string on one line."""
    return "'" + " ".join(text.split()).replace("'", "''") + "'"


def _listed(names: Sequence[str]) -> str:
    """Break a long list of names: a line of syntax has a limit."""
    return "\n    ".join(" ".join(names[at : at + 8]) for at in range(0, len(names), 8))


def _describe(result: StatisticalAnalysis) -> list[str]:
    numbers = [e.name for e in result.codebook if e.type in {"numeric", "integer"} and e.n]
    levels = [e.name for e in result.codebook if e.frequencies]
    lines = ["DISPLAY DICTIONARY."]
    if numbers:
        lines.append(f"DESCRIPTIVES VARIABLES={_listed(numbers)}\n  /STATISTICS=MEAN STDDEV MIN MAX.")
    if levels:
        lines.append(f"FREQUENCIES VARIABLES={_listed(levels)}.")
    return lines


def _sem(result: StatisticalAnalysis) -> list[str]:
    observed = [name for name in result.model.variables() if name != result.model.group]
    return [
        "* SPSS Statistics fits no structural equation models; model.lav holds the model as lavaan text.",
        f"CORRELATIONS\n  /VARIABLES={_listed(observed)}.",
    ]


def _regression(result: StatisticalAnalysis) -> list[str]:
    model = result.model
    setup, terms = [], list[str]()
    entries = {entry.name: entry for entry in result.codebook}
    for name in model.predictors:
        made, names = _dummies(result, entries[name], terms)
        setup += made
        terms += names
    outcome = model.outcome or ""
    if model.weights and model.kind != "linear":
        setup.append(f"WEIGHT BY {model.weights}.")
    if model.kind == "linear":
        weight = f"\n  /REGWGT={model.weights}" if model.weights else ""
        command = f"REGRESSION{weight}\n  /STATISTICS=COEFF R ANOVA\n  /DEPENDENT={outcome}"
        command += f"\n  /METHOD=ENTER {_listed(terms)}."
    elif model.kind == "logistic":
        command = f"LOGISTIC REGRESSION VARIABLES {outcome} WITH {_listed(terms)}."
    else:
        base = " (BASE=FIRST)" if model.kind == "multinomial" else ""
        command = f"{_COMMANDS[model.kind]} {outcome}{base} WITH {_listed(terms)}."
    if not model.cluster:
        return [*setup, command]
    kept = f"SELECT IF NOT MISSING({model.cluster})."
    if entries[model.cluster].type == "text":
        kept = f"SELECT IF {model.cluster} <> ''."
    return [
        "* A case without a cluster is in no analysis.",
        kept,
        *setup,
        command,
        *_clustered(result, terms),
    ]


def _dummies(
    result: StatisticalAnalysis, entry: CodebookEntry, made: Sequence[str]
) -> tuple[list[str], list[str]]:
    """Return commands that make one 0/1 variable for each level but the first, and their names."""
    if entry.type not in {"nominal", "ordinal"}:
        return [], [entry.name]
    column = next(c for c in result.table.columns if c.name == entry.name)
    numbers, texts = codes(column, result.table.column(entry.name))
    present = sorted({code for code in numbers if code is not None} - set(_missing(column)))
    wanted = [f"{entry.name}_{code}" for code in present[1:]]
    names = legal_names([*result.name_map.values(), *made, *wanted], "spss")
    lines = []
    for code, name in zip(present[1:], wanted, strict=True):
        lines += [f"COMPUTE {names[name]} = ({entry.name} = {code})."]
        lines += [f"VARIABLE LABELS {names[name]} {quoted(f'{entry.name}: {texts[code]}')}."]
    return lines, [names[name] for name in wanted]


def _clustered(result: StatisticalAnalysis, terms: Sequence[str]) -> list[str]:
    """Add generalised estimating equations with robust errors, independent within clusters."""
    model = result.model
    family = {"linear": "NORMAL LINK=IDENTITY", "logistic": "BINOMIAL LINK=LOGIT"}.get(model.kind)
    if family is None:
        return [f"* Standard errors are not clustered by {model.cluster}: SPSS has no simple command for it."]
    options = f"INTERCEPT=YES DISTRIBUTION={family}"
    return [
        f"* Standard errors clustered by {model.cluster}.",
        f"GENLIN {model.outcome} WITH {_listed(terms)}",
        f"  /MODEL {_listed(terms)} {options}",
        f"  /REPEATED SUBJECT={model.cluster} SORT=YES CORRTYPE=INDEPENDENT COVB=ROBUST.",
    ]
