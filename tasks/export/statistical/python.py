"""The Python bundle: parquet with types, categories and labels, and a script that runs."""

import io
import json
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.export.statistical.python_script import script
from corpusgraph.tasks.statistics.analysis import StatisticalAnalysis
from corpusgraph.tasks.table.columns import Instants, mapped
from corpusgraph.tasks.table.series import raw

if TYPE_CHECKING:
    import polars as pl


def files(result: StatisticalAnalysis) -> dict[str, bytes]:
    """Return data.parquet and analysis.py."""
    return {"data.parquet": parquet(result.table), "analysis.py": script(result).encode()}


def parquet(table: Table) -> bytes:
    """Write a parquet file: levels as dictionaries, days as timestamps, labels as field metadata.

    pandas reads parquet's own dates as objects, hence the timestamps.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    fields, arrays = [], []
    for at, column in enumerate(table.columns):
        array = _array(column, raw(table, at))
        fields.append(pa.field(column.name, array.type, metadata=_told(column) or None))
        arrays.append(array)
    out = io.BytesIO()
    made = pa.Table.from_arrays(arrays, schema=pa.schema(fields))
    pq.write_table(made, out, compression="zstd")
    return out.getvalue()


def _told(column: Column) -> dict[str, str]:
    labels = column.value_labels if column.dtype in {"numeric", "integer"} else None
    written = json.dumps(labels, ensure_ascii=False, sort_keys=True) if labels else ""
    told = {
        "label": column.label,
        "unit": column.unit or "",
        "formula": column.formula,
        "value_labels": written,
    }
    return {key: value for key, value in told.items() if value}


def _array(column: Column, values: "pl.Series | Instants") -> Any:
    import polars as pl
    import pyarrow as pa

    if isinstance(values, Instants):
        return values.moments.cast(pl.Datetime("us")).to_arrow()
    if column.dtype in {"nominal", "ordinal"}:
        return _dictionary(column, values)
    kinds = {"numeric": pa.float64(), "integer": pa.int64(), "boolean": pa.bool_()}
    return values.to_arrow().cast(kinds.get(column.dtype, pa.large_string()))


def _dictionary(column: Column, values: "pl.Series") -> Any:
    """Make levels of text: the label of a code where it has one of its own, else the code."""
    import polars as pl
    import pyarrow as pa

    texts = column.value_labels or {}
    levels = list(column.levels or ())
    words = [texts.get(level, level) for level in levels]
    if len(set(words)) < len(words):
        words = levels
    places = mapped(values.cast(pl.String), {level: at for at, level in enumerate(levels)}, pl.Int32)
    return pa.DictionaryArray.from_arrays(
        places.to_arrow(), pa.array(words, pa.string()), ordered=column.dtype == "ordinal"
    )
