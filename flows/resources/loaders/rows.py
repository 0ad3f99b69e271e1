"""Tables whose rows are documents: csv, tsv, jsonl, parquet. A column is the text, the rest is metadata."""

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

from corpusgraph.flows.resources.loaders.raw import Raw, UnusableError
from corpusgraph.flows.resources.loaders.text import decode
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.study import Corpus

Row = tuple[int, JsonDict | UnusableError]


def read_rows(data: bytes, kind: str, corpus: Corpus) -> Iterator[Raw | UnusableError]:
    """Yield a document or a failure for each row."""
    readers = {
        "csv": csv_rows,
        "tsv": csv_rows,
        "jsonl": _jsonl_rows,
        "ndjson": _jsonl_rows,
        "parquet": _parquet_rows,
    }
    for number, row in readers[kind](data, corpus.encoding):
        yield row if isinstance(row, UnusableError) else _document(number, row, corpus)


def _document(number: int, row: JsonDict, corpus: Corpus) -> Raw | UnusableError:
    if corpus.text_column not in row:
        return UnusableError(
            "no_text_column", f"row {number} has no column {corpus.text_column!r}; it has {', '.join(row)}"
        )
    text, rest = row[corpus.text_column], {k: v for k, v in row.items() if k != corpus.text_column}
    if not isinstance(text, str) or not text.strip():
        return UnusableError("empty", f"row {number} has no text")
    given = rest.pop(corpus.id_column, None)
    title = rest.pop(corpus.title_column, None)
    metadata = {k: v for k, v in rest.items() if v is not None and v != ""}
    key = str(given) if given not in (None, "") else None
    if key is not None:
        metadata = {"id": key, **metadata}
    return Raw(text=nfc(text), title=nfc(str(title)) if title else None, metadata=metadata, key=str(number))


def csv_rows(data: bytes, encoding: str | None) -> Iterator[Row]:
    """Yield (row number from 1, cells by column name), numbers read as numbers."""
    text = decode(data, encoding)
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    csv.field_size_limit(2**31 - 1)
    for number, row in enumerate(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter), start=1):
        if None in row:
            yield number, UnusableError("malformed_row", f"row {number} has more cells than the header")
        else:
            yield number, {str(k): _number(v) for k, v in row.items() if v is not None}


def _number(cell: str) -> str | int | float:
    """Read a cell that is written as a number (and could be written back the same) as one."""
    plain = cell.strip()
    for cast in (int, float):
        try:
            value = cast(plain)
        except ValueError:
            continue
        if str(value) == plain:
            return value
    return cell


def _jsonl_rows(data: bytes, encoding: str | None) -> Iterator[Row]:
    for number, line in enumerate(decode(data, encoding).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            yield number, UnusableError("malformed_row", f"line {number} is not JSON: {error}")
            continue
        if isinstance(row, dict):
            yield number, row
        else:
            yield number, UnusableError("malformed_row", f"line {number} is no JSON object")


def _parquet_rows(data: bytes, encoding: str | None) -> Iterable[Row]:  # noqa: ARG001 - the format fixes it
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(io.BytesIO(data))
    except pa.ArrowInvalid as error:
        raise UnusableError("malformed", f"not readable as parquet: {error}") from None
    number = 0
    for batch in file.iter_batches(batch_size=1000):
        for row in batch.to_pylist():
            number += 1
            yield number, {k: _json_value(v) for k, v in row.items()}


def _json_value(value: Any) -> Any:
    return value.isoformat() if hasattr(value, "isoformat") else value
