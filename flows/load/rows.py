"""Tables whose rows are documents: csv, tsv, jsonl, parquet. A column is the text, the rest is metadata.

Rows are streamed: memory holds a row of a text table, or a batch of 256 of a parquet file.
"""

import csv
import gzip
import itertools
import json
import math
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

from corpusgraph.flows.load.decoding import Binary, Format, Raw, UnusableError, clean, open_text
from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.study import Corpus
from corpusgraph.tasks.text.dates import iso_date


def json_value(value: Any) -> Any:
    """Return a value that JSON can hold: dates in ISO 8601, decimals as numbers, NaN and bytes as None.

    Parameters
    ----------
    value : Any
        A cell, as the reader of a format has it.

    Returns
    -------
    Any
        Text is clean; what is nested is worked through.

    """
    if isinstance(value, dict):
        return {clean(str(key)): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    if isinstance(value, Decimal):
        value = int(value) if value.is_finite() and value == int(value) else float(value)
    if isinstance(value, bytes) or (isinstance(value, float) and not math.isfinite(value)):
        return None
    if value is None or isinstance(value, bool | int | float):
        return value
    if hasattr(value, "isoformat"):
        return str(value.isoformat()).removesuffix("T00:00:00")
    return clean(str(value))


def number_or_text(cell: str) -> str | int | float:
    """Read a cell that is written as a number (and could be written back the same) as one.

    Parameters
    ----------
    cell : str
        `007`, `1e3` and numbers beyond 64 bits stay text.

    Returns
    -------
    str or int or float
        As `str` would write it back.

    """
    for cast in (int, float):
        try:
            value = cast(cell)
        except ValueError:
            continue
        if str(value) == cell and abs(value) < 2**63:
            return value
    return cell


def with_iso_date(metadata: JsonDict) -> JsonDict:
    """Write `date` in ISO 8601 where it can be read in one way only; `date_text` keeps what was written.

    Parameters
    ----------
    metadata : JsonDict
        Of a document.

    Returns
    -------
    JsonDict
        The same where there is no date, or one that can be read in several ways.

    """
    written = metadata.get("date")
    if not isinstance(written, str | int) or isinstance(written, bool):
        return metadata
    iso = iso_date(str(written))
    if iso is None:
        return metadata
    is_same = iso == str(written).strip() or "date_text" in metadata
    return {**metadata, "date": iso, **({} if is_same else {"date_text": written})}


_END = "\x00end"
"""A last line that no table has: if it ends up inside a cell, a quotation mark was never closed."""


Rows = Iterator[tuple[int, JsonDict | UnusableError]]
"""Number of a row or line, from 1, and its cells by name of column."""


def csv_rows(lines: Iterator[str], kind: str, columns: Collection[str]) -> Rows:
    """Yield rows; blank lines do not count.

    A cell written as a number is one, but not in the named `columns`; the header may have those only once.

    Parameters
    ----------
    lines : iterator of str
        With their ends.
    kind : str
        csv or tsv; the delimiter of csv is found.
    columns : collection of str
        Names of columns.

    Returns
    -------
    Rows
        (row number from 1, cells by column name, or what is wrong with the row).

    Raises
    ------
    UnusableError
        `malformed`, for what cannot be read any further.

    """
    csv.field_size_limit(2**31 - 1)
    first = next((line for line in lines if line.strip("\ufeff \r\n")), "").removeprefix("\ufeff")
    delimiter = "\t" if kind == "tsv" else _delimiter(first, columns)
    if first.startswith("sep=") and len(first.rstrip()) <= 5:  # Excel's own line
        delimiter, first = first[4:5], next(lines, "")
    reader = csv.reader(itertools.chain([first], lines, [_END]), delimiter=delimiter)
    try:
        header = unique_names(next(reader) if first else [], columns)
        for number, cells in enumerate((cells for cells in reader if any(cells)), start=1):
            if cells == [_END]:
                return
            if _END in cells[-1]:
                message = f"row {number} opens a quotation mark that nothing closes"
                yield number, UnusableError("malformed_row", message)
            else:
                yield number, _row(number, [clean(cell) for cell in cells], header, columns)
    except csv.Error as error:
        raise UnusableError("malformed", f"line {reader.line_num}: {error}") from None


def _delimiter(first: str, columns: Collection[str]) -> str:
    """Choose the separator that finds the named columns in the header, else the one that finds most cells."""
    cut = {mark: [cell.strip() for cell in next(csv.reader([first], delimiter=mark), [])] for mark in ",;\t|"}
    return max(cut, key=lambda mark: (any(cell in columns for cell in cut[mark]), len(cut[mark])))


def unique_names(cells: list[str], columns: Collection[str]) -> list[str]:
    """Name each column once: an empty name becomes its place, a repeated one gets a number.

    Parameters
    ----------
    cells : list of str
        Of the header.
    columns : collection of str
        Names that may come only once.

    Returns
    -------
    list of str
        As many as cells, all different.

    Raises
    ------
    UnusableError
        `malformed`, for one of `columns` that comes twice.

    """
    names: list[str] = []
    for place, cell in enumerate(cells, start=1):
        plain = clean(cell).strip() or f"column_{place}"
        if plain in names and plain in columns:
            raise UnusableError("malformed", f"the column {plain!r} stands twice in the header")
        name, again = plain, 2
        while name in names:
            name, again = f"{plain}_{again}", again + 1
        names.append(name)
    return names


def _row(
    number: int, cells: list[str], header: list[str], columns: Collection[str]
) -> JsonDict | UnusableError:
    if len(cells) > len(header) and any(cells[len(header) :]):
        message = f"row {number} has {len(cells)} cells, the header {len(header)}"
        return UnusableError("malformed_row", message)
    cells += [""] * (len(header) - len(cells))
    return {
        name: cell if name in columns else number_or_text(cell.strip())
        for name, cell in zip(header, cells, strict=False)
    }


FORMATS = (Format(("csv", "tsv")), Format(("jsonl", "ndjson")), Format(("parquet",)))


def read_rows(path: Path, corpus: Corpus) -> Iterator[Raw | UnusableError]:
    """Yield a document or a failure for each row.

    Parameters
    ----------
    path : Path
        csv, tsv, jsonl or parquet, perhaps gzipped.
    corpus : Corpus
        Names the columns.

    Yields
    ------
    Raw or UnusableError
        In the order of the rows.

    Raises
    ------
    UnusableError
        For a table without rows, or without the column of texts.

    """
    columns = (corpus.text_column, corpus.id_column, corpus.title_column)
    is_jsonl = path.name.lower().removesuffix(".gz").endswith((".jsonl", ".ndjson"))
    n_rows = 0
    for number, row in rows_of(path, corpus.encoding, columns):
        n_rows += number > 0
        if isinstance(row, UnusableError):
            yield row
        elif n_rows == 1 and corpus.text_column not in row and not is_jsonl:
            raise _no_text_column("the table", row, corpus)  # no row of it has one
        else:
            yield _document(number, row, corpus)
    if not n_rows:
        raise UnusableError("empty", "the table has no rows")


def rows_of(path: Path, encoding: str | None, columns: Collection[str]) -> Rows:
    """Yield (row or line number from 1, cells by column name); the named `columns` are text and unique.

    Parameters
    ----------
    path : Path
        csv, tsv, jsonl or parquet, perhaps gzipped.
    encoding : str or None
        The researcher's word; None to find out.
    columns : collection of str
        Names of columns whose cells stay text, and that may come only once.

    Returns
    -------
    Rows
        The cells, or what is wrong with the row; number 0 for the whole file.

    Raises
    ------
    UnusableError
        For a file that cannot be read any further.

    """
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


@contextmanager
def open_maybe_gzip(path: Path) -> Iterator[Binary]:
    """Open a file for reading, unzipped where its name ends with .gz; damage is a named failure.

    Parameters
    ----------
    path : Path
        A file.

    Yields
    ------
    Binary
        For the `with` statement.

    Raises
    ------
    UnusableError
        `malformed`, for a damaged archive.

    """
    opened: Binary = gzip.GzipFile(path) if path.name.lower().endswith(".gz") else path.open("rb")
    try:
        with opened:
            yield opened
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UnusableError("malformed", f"not readable as gzip: {error}") from None


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
    own_id, title = (rest.pop(name, None) for name in (corpus.id_column, corpus.title_column))
    metadata = {} if own_id in (None, "") else {"id": str(own_id)}
    metadata |= {name: value for name, value in rest.items() if value is not None and value != ""}
    return Raw(text, str(title) if title not in (None, "") else None, metadata, key=str(number))


def _jsonl_rows(lines: Iterator[str]) -> Rows:
    for number, line in enumerate(lines, start=1):
        plain = line.strip("\ufeff \t\r\n\x00")
        if not plain:
            continue
        try:
            row = json_value(json.loads(plain))
        except (ValueError, RecursionError) as error:
            row = UnusableError("malformed_row", f"line {number} is not JSON: {error}")
        if not isinstance(row, dict | UnusableError):
            row = UnusableError("malformed_row", f"line {number} is no JSON object")
        yield number, row


def _parquet_rows(stream: Binary, columns: Collection[str]) -> Rows:
    import pyarrow as pa
    import pyarrow.parquet as pq

    def python_values(column: Any) -> Any:
        """Return a column's cells; times finer than Python's microseconds are cut to them."""
        if pa.types.is_timestamp(column.type):
            column = column.cast(pa.timestamp("us", tz=column.type.tz), safe=False)
        return column.to_pylist()

    try:
        file = pq.ParquetFile(stream)
        names = unique_names(file.schema_arrow.names, columns)
        batches = (map(python_values, batch.columns) for batch in file.iter_batches(batch_size=256))
        rows = (cells for arrays in batches for cells in zip(*arrays, strict=True))
        for number, cells in enumerate(rows, start=1):
            yield number, {name: json_value(cell) for name, cell in zip(names, cells, strict=True)}
    except (pa.ArrowException, OSError, ValueError) as error:
        raise UnusableError("malformed", f"not readable as parquet: {error}") from None
