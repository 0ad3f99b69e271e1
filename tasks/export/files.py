"""Files of a bundle as bytes: CSV (UTF-8, RFC 4180 but for the carriage return), JSON, parquet."""

import csv
import hashlib
import io
import json
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.table.coerce import raw
from corpusgraph.tasks.table.columns import Instants, mapped

Files = dict[str, bytes]
"""Relative file name -> content."""
NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold."""
_PLAIN = (str, int)  # csv writes them as `as_text` does
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Write cells as text: numbers to their last digit, true and false as TRUE and FALSE.

    Parameters
    ----------
    header : sequence of str
        One name a column.
    rows : iterable of sequence of Any
        Cells of any type; what is nested becomes JSON, and None is empty.

    Returns
    -------
    bytes
        UTF-8, lines end in a line feed.

    """
    cells = [
        [cell if cell.__class__ in _PLAIN else "" if cell is None else as_text(cell) for cell in row]
        for row in rows
    ]
    # Python before 3.13 leaves a bare carriage return unquoted, which ends a line for whoever reads it
    returns = any("\r" in cell for row in cells for cell in row if cell.__class__ is str)
    out = io.StringIO()
    writer = csv.writer(
        out, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    )
    writer.writerow(header)
    writer.writerows(cells)
    return out.getvalue().encode()


def column_bytes(header: Sequence[str], series: Sequence[Any], missing: str = "") -> bytes:
    """Write columns (polars series, or instants) as `csv_bytes` writes rows; empty text is `""`.

    Parameters
    ----------
    header : sequence of str
        One name a column.
    series : sequence of polars.Series or Instants
        One a column, all of one length.
    missing : str, default ""
        What stands for null.

    Returns
    -------
    bytes
        UTF-8, lines end in a line feed.

    """
    table = pl.DataFrame([_written(values).rename(name) for name, values in zip(header, series, strict=True)])
    returns = any(values.str.contains("\r", literal=True).any() for values in table.select(pl.col(pl.String)))
    out = io.BytesIO()
    table.write_csv(
        out,
        null_value=missing,
        quote_style="non_numeric" if returns else "necessary",  # a bare carriage return ends a line in R
    )
    return out.getvalue()


def _written(values: Any) -> Any:
    if not isinstance(values, pl.Series):
        return values.text()
    return values.cast(pl.String).str.to_uppercase() if values.dtype == pl.Boolean else values


def sheet_bytes(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Write a CSV that people open in a spreadsheet: text it would run as a formula gets an apostrophe.

    Parameters
    ----------
    header : sequence of str
        One name a column.
    rows : iterable of sequence of Any
        Cells of any type.

    Returns
    -------
    bytes
        UTF-8, as of `csv_bytes`.

    """
    return csv_bytes(header, ([_harmless(cell) for cell in row] for row in rows))


def as_text(cell: Any) -> str:
    """Return the text of a cell; what is nested is JSON.

    Parameters
    ----------
    cell : Any
        Not None.

    Returns
    -------
    str
        TRUE or FALSE for booleans; a whole float without its decimal point, which is exact below 2^53.

    """
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return repr(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, (dict, list, tuple)):
        return json.dumps(cell, ensure_ascii=False, sort_keys=True)
    return str(cell)


def _harmless(cell: Any) -> Any:
    text = as_text(cell) if isinstance(cell, (dict, list, tuple)) else cell
    return f"'{text}" if isinstance(text, str) and text.startswith(_FORMULA_STARTS) else text


def dot_text(text: str) -> str:
    """Return text as an id of Graphviz, on one line.

    Parameters
    ----------
    text : str
        Any text.

    Returns
    -------
    str
        With its quotation marks; NUL is U+FFFD.

    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\0", "\ufffd")
    return f'"{" ".join(escaped.split())}"'


@cache
def _templates() -> Any:
    made = Environment(
        loader=PackageLoader(__package__),
        autoescape=select_autoescape(),
        undefined=StrictUndefined,  # a name that is not given is an error, not empty text
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals |= {"repr": repr, "dot_text": dot_text}
    return made


def rendered(template: str, **facts: Any) -> str:
    """Return a template of `templates/` filled with facts.

    Parameters
    ----------
    template : str
        Its name without `.j2`.
    **facts : Any
        What it is told.

    Returns
    -------
    str
        The same for the same facts.

    """
    text: str = _templates().get_template(f"{template}.j2").render(facts)
    return text


def json_bytes(value: Any) -> bytes:
    """Write JSON in UTF-8, indented, with a line feed at the end; NaN is an error.

    Parameters
    ----------
    value : Any
        What `json` can write.

    Returns
    -------
    bytes
        UTF-8.

    Raises
    ------
    ValueError
        For NaN and infinity.

    """
    return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode()


def file_facts(files: Files) -> dict[str, dict[str, Any]]:
    """Return size and BLAKE2b (16 bytes) of each file, for the manifest.

    Parameters
    ----------
    files : dict of str to bytes
        Relative file name -> content.

    Returns
    -------
    dict of str to dict
        File name -> `bytes` (its size) and `blake2b` (hexadecimal), in order of name.

    """
    return {
        name: {"bytes": len(content), "blake2b": hashlib.blake2b(content, digest_size=16).hexdigest()}
        for name, content in sorted(files.items())
    }


def library_versions(names: Iterable[str]) -> dict[str, str]:
    """Return the versions of the libraries that wrote the files.

    Parameters
    ----------
    names : iterable of str
        Names of installed distributions.

    Returns
    -------
    dict of str to str
        Name -> version.

    """
    return {name: version(name) for name in names}


def disk_bytes(write: Callable[[str], None]) -> bytes:
    """Return what a library writes that knows only files on disk.

    Parameters
    ----------
    write : callable
        Takes a path and writes one file there.

    Returns
    -------
    bytes
        What it wrote.

    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        write(str(path))
        return path.read_bytes()


def parquet(table: Table) -> bytes:
    """Write a parquet file: levels as dictionaries, days as timestamps, labels as field metadata.

    pandas reads parquet's own dates as objects, hence the timestamps.

    Parameters
    ----------
    table : Table
        Its columns say the types.

    Returns
    -------
    bytes
        A file compressed with zstd.

    """
    fields, arrays = [], []
    for at, column in enumerate(table.columns):
        array = _array(column, raw(table, at))
        fields.append(pa.field(column.name, array.type, metadata=_metadata(column) or None))
        arrays.append(array)
    out = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), out, compression="zstd")
    return out.getvalue()


def _metadata(column: Column) -> Mapping[str, str]:
    labels = column.value_labels if column.dtype in {"numeric", "integer"} else None
    facts = {
        "label": column.label,
        "unit": column.unit or "",
        "formula": column.formula,
        "value_labels": json.dumps(labels, ensure_ascii=False, sort_keys=True) if labels else "",
    }
    return {key: value for key, value in facts.items() if value}


def _array(column: Column, values: pl.Series | Instants) -> Any:
    if isinstance(values, Instants):
        return values.moments.cast(pl.Datetime("us")).to_arrow()
    if column.dtype in {"nominal", "ordinal"}:
        places = mapped(
            values.cast(pl.String), {level: at for at, level in enumerate(column.levels or ())}, pl.Int32
        )
        return pa.DictionaryArray.from_arrays(
            places.to_arrow(), pa.array(level_words(column), pa.string()), ordered=column.dtype == "ordinal"
        )
    kinds = {"numeric": pa.float64(), "integer": pa.int64(), "boolean": pa.bool_()}
    return values.to_arrow().cast(kinds.get(column.dtype, pa.large_string()))


def level_words(column: Column) -> list[str]:
    """Return what the parquet file calls each level: the labels where all are different, else the codes.

    Parameters
    ----------
    column : Column
        A column with levels.

    Returns
    -------
    list of str
        One a level, in the order of the levels.

    """
    levels = list(column.levels or ())
    words = [(column.value_labels or {}).get(level, level) for level in levels]
    return words if len(set(words)) == len(words) else levels
