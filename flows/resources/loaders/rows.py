"""Tables whose rows are documents: csv, tsv, jsonl, parquet. A column is the text, the rest is metadata.

Rows are streamed: memory holds a row of a text table, or a batch of 256 of a parquet file.
"""

import gzip
import json
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from corpusgraph.flows.resources.loaders.csvrows import csv_rows, unique_names
from corpusgraph.flows.resources.loaders.decoding import Binary, open_text
from corpusgraph.flows.resources.loaders.raw import Raw, UnusableError
from corpusgraph.flows.resources.loaders.values import json_value
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.study import Corpus

Row = tuple[int, JsonDict | UnusableError]

KINDS = frozenset({"csv", "tsv", "jsonl", "ndjson", "parquet"})


def read_rows(path: Path, corpus: Corpus) -> Iterator[Raw | UnusableError]:
    """Yield a document or a failure for each row."""
    columns = (corpus.text_column, corpus.id_column, corpus.title_column)
    n_rows = 0
    for number, row in rows_of(path, corpus.encoding, columns):
        n_rows += number > 0
        if isinstance(row, UnusableError):
            yield row
        elif n_rows == 1 and corpus.text_column not in row and not _is_jsonl(path):
            raise _no_text_column("the table", row, corpus)  # no row of it has one
        else:
            yield _document(number, row, corpus)
    if not n_rows:
        raise UnusableError("empty", "the table has no rows")


def rows_of(path: Path, encoding: str | None, columns: Collection[str]) -> Iterator[Row]:
    """Yield (row or line number from 1, cells by column name); the named `columns` are text and unique."""
    kind = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    with open_maybe_gzip(path) as stream:
        if kind == "parquet":
            yield from _parquet_rows(stream, columns)
            return
        lines, chosen = open_text(stream, encoding)
        yield from ((0, problem) for problem in chosen.problems)
        try:
            if kind in {"csv", "tsv"}:
                yield from csv_rows(lines, kind, columns)
            else:
                yield from _jsonl_rows(lines)
        except UnicodeError as error:
            raise UnusableError("undecodable", f"not {chosen.name}: {error}") from None


class _Unzipped(gzip.GzipFile):
    """A gzip stream whose damage is a named failure."""

    def read(self, size: int | None = -1) -> bytes:
        """Read and unzip."""
        try:
            return super().read(size)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise UnusableError("malformed", f"not readable as gzip: {error}") from None

    read1 = read


def open_maybe_gzip(path: Path) -> Binary:
    """Open a file for reading, unzipped where its name ends with .gz."""
    if path.name.lower().endswith(".gz"):
        return _Unzipped(path)
    return path.open("rb")


def _is_jsonl(path: Path) -> bool:
    return path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))


def _no_text_column(what: str, row: JsonDict, corpus: Corpus) -> UnusableError:
    has = ", ".join(row) or "none"
    message = (
        f"{what} has no column {corpus.text_column!r} (it has {has}); `corpus.text_column` names another"
    )
    return UnusableError("no_text_column", message)


def _document(number: int, row: JsonDict, corpus: Corpus) -> Raw | UnusableError:
    if corpus.text_column not in row:
        return _no_text_column(f"row {number}", row, corpus)
    text, rest = row[corpus.text_column], {k: v for k, v in row.items() if k != corpus.text_column}
    if not isinstance(text, str) or not text.strip():
        what = f"a {type(text).__name__}, not text" if isinstance(text, dict | list) else "no text"
        return UnusableError("empty", f"row {number} has {what} in column {corpus.text_column!r}")
    given, title = rest.pop(corpus.id_column, None), rest.pop(corpus.title_column, None)
    metadata = {k: v for k, v in rest.items() if v is not None and v != ""}
    if given not in (None, ""):
        metadata = {"id": str(given), **metadata}
    return Raw(
        text=text, title=str(title) if title not in (None, "") else None, metadata=metadata, key=str(number)
    )


def _jsonl_rows(lines: Iterator[str]) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        plain = line.strip("\ufeff \t\r\n\x00")
        if not plain:
            continue
        try:
            row = json.loads(plain)
            found = json_value(row)
        except (ValueError, RecursionError) as error:
            yield number, UnusableError("malformed_row", f"line {number} is not JSON: {error}")
            continue
        if isinstance(row, dict):
            yield number, found
        else:
            yield number, UnusableError("malformed_row", f"line {number} is no JSON object")


def _parquet_rows(stream: Binary, columns: Collection[str]) -> Iterator[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(stream)
        names = unique_names(file.schema_arrow.names, columns)
        number = 0
        for batch in file.iter_batches(batch_size=256):
            for cells in zip(*(_python_values(column) for column in batch.columns), strict=True):
                number += 1
                yield number, {name: json_value(cell) for name, cell in zip(names, cells, strict=True)}
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UnusableError("malformed", f"not readable as parquet: {error}") from None


def _python_values(column: Any) -> list[Any]:
    """Return a column's cells; times finer than Python's microseconds are cut to them."""
    import pyarrow as pa

    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", tz=column.type.tz), safe=False)
    values: list[Any] = column.to_pylist()
    return values
