"""The SPSS bundle: a .sav file with measures, labels and missing values, and its syntax."""

import math
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Column
from corpusgraph.tasks.export.statistical.coding import coded, is_coded, number_labels
from corpusgraph.tasks.export.statistical.spss_script import script
from corpusgraph.tasks.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.statistics.kept import spss_missing
from corpusgraph.tasks.statistics.limits import cut_bytes, spss_seconds
from corpusgraph.tasks.table.codes import Codes
from corpusgraph.tasks.table.columns import Instants, without
from corpusgraph.tasks.table.series import raw

if TYPE_CHECKING:
    import polars as pl

_CREATED = 92
"""Where creation date (9 bytes) and time (8 bytes) are in the file's header record."""
_WRITTEN = b"01 Jan 0000:00:00"
_LOWEST = -math.nextafter(sys.float_info.max, 0)
"""SPSS's LOWEST: the smallest double but one, for the smallest is its missing value."""
_HIGHEST = sys.float_info.max
_TITLE_BYTES = 64


def files(result: StatisticalAnalysis) -> dict[str, bytes]:
    """Return data.sav and analysis.sps."""
    return {"data.sav": sav(result), "analysis.sps": script(result).encode()}


def sav(result: StatisticalAnalysis) -> bytes:
    """Write a system file in UTF-8; the same data are the same bytes.

    The writer knows only files on disk, hence the temporary one.
    """
    import polars as pl
    import pyreadstat

    table = result.table
    series, labels, formats, missing = {}, {}, {}, {}
    for at, column in enumerate(table.columns):
        name, values = column.name, raw(table, at)
        missing[name] = _missing(column, values)
        made, texts, shown = _cells(column, values)
        series[name] = made
        labels[name] = {float(code): text for code, text in texts.items()}
        formats[name] = shown
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.sav"
        pyreadstat.write_sav(
            pl.DataFrame(series),
            str(path),
            file_label=cut_bytes(table.name, _TITLE_BYTES),
            column_labels={c.name: c.label for c in table.columns if c.label},
            variable_value_labels={name: texts for name, texts in labels.items() if texts},
            missing_ranges={name: kept for name, kept in missing.items() if kept},
            variable_measure={entry.name: entry.measure for entry in result.codebook},
            variable_format={name: shown for name, shown in formats.items() if shown},
        )
        with path.open("r+b") as file:
            file.seek(_CREATED)
            file.write(_WRITTEN)
        return path.read_bytes()


def _cells(column: Column, values: "pl.Series | Instants") -> tuple["pl.Series", dict[Any, str], str]:
    """Return numbers or text, value labels and the format; dates are seconds from 1582."""
    import polars as pl

    if isinstance(values, Instants):
        day = values.moments.dtype == pl.Date
        return spss_seconds(values.moments), {}, "DATE11" if day else _clock(values)
    if is_coded(column):
        made, texts = coded(column, values)
        return made.cast(pl.Float64), texts, _whole(made)
    if column.dtype in {"numeric", "integer"}:
        return (
            values.cast(pl.Float64),
            number_labels(column),
            _whole(values) if column.dtype == "integer" else "",
        )
    return values.fill_null(""), {}, ""


def _whole(values: "pl.Series") -> str:
    """Return a format wide enough for the digits and the sign."""
    ends = [0 if end is None else end for end in (values.min(), values.max())]
    return f"F{max(8, *(len(str(end)) for end in ends))}.0"


def _clock(values: Instants) -> str:
    return "DATETIME26.5" if (values.moments.dt.microsecond() != 0).any() else "DATETIME20"


def _missing(column: Column, values: "pl.Series | Instants") -> list[Any]:
    """Return what the file says is missing: up to three values, or a range and a value."""
    codes = Codes.of(column.missing)
    if not codes or isinstance(values, Instants) or not values.dtype.is_numeric():
        return []
    found = spss_missing(column, without(values, codes.marks(values))) or []
    return [
        low if low == high else {"lo": max(low, _LOWEST), "hi": min(high, _HIGHEST)} for low, high in found
    ]
