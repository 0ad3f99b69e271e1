"""The SPSS bundle: a .sav file with measures, labels and missing values, and its syntax."""

import tempfile
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from corpusgraph.schemas.results import Column
from corpusgraph.tasks.dataset.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.coding import codes, is_coded, user_missing
from corpusgraph.tasks.export.spss_script import script

_CREATED = slice(92, 109)
"""Creation date (9 bytes) and time (8 bytes) in the file's header record."""
_WRITTEN = b"01 Jan 0000:00:00"


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
            missing_ranges={
                c.name: [float(code) for code in kept] for c in columns if (kept := user_missing(c))
            },
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
