"""The Stata bundle: data for version 14 and later and for version 13, and a do-file."""

import io
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.dataset.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.coding import codes, is_coded
from corpusgraph.tasks.export.stata_script import script

_WRITTEN = datetime(2000, 1, 1)  # noqa: DTZ001 (the header has no zone); fixed, so that the same data are the same bytes
_LONGEST_SHORT_TEXT = 2045


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
