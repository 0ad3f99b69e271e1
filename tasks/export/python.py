"""The Python bundle: parquet with types, categories and labels, and a script that runs."""

import io
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.dataset.analysis import StatisticalAnalysis
from corpusgraph.tasks.export.python_script import script


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
        array = _array(column, [row[at] for row in table.rows])
        told = {"label": column.label, "unit": column.unit or "", "formula": column.formula}
        told = {key: value for key, value in told.items() if value}
        fields.append(pa.field(column.name, array.type, metadata=told or None))
        arrays.append(array)
    out = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), out, compression="zstd")
    return out.getvalue()


def _array(column: Column, values: Sequence[Any]) -> Any:
    import pyarrow as pa

    if column.dtype in {"nominal", "ordinal"}:
        return _dictionary(column, values)
    if column.dtype in {"date", "datetime"}:
        read = [None if v is None else datetime.fromisoformat(v) for v in values]
        return pa.array(read, pa.timestamp("us"))
    kinds = {"numeric": pa.float64(), "integer": pa.int64(), "boolean": pa.bool_()}
    return pa.array(values, kinds.get(column.dtype, pa.string()))


def _dictionary(column: Column, values: Sequence[Any]) -> Any:
    """Make levels of text: the label of a code where it has one of its own, else the code."""
    import pyarrow as pa

    texts = column.value_labels or {}
    levels = list(column.levels or ())
    words = [texts.get(level, level) for level in levels]
    if len(set(words)) < len(words):
        words = levels
    at = {level: place for place, level in enumerate(levels)}
    places = pa.array([None if v is None else at[str(v)] for v in values], pa.int32())
    return pa.DictionaryArray.from_arrays(
        places, pa.array(words, pa.string()), ordered=column.dtype == "ordinal"
    )
