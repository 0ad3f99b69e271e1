"""CSV: UTF-8, commas, quotes where needed, one line feed a row (RFC 4180 but for the carriage return)."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

_PLAIN = (str, int)  # csv writes them as `as_text` does
_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[Any]], missing: str = "") -> bytes:
    """Write cells as text: numbers to their last digit, true and false as TRUE and FALSE."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(
        [cell if cell.__class__ in _PLAIN else missing if cell is None else as_text(cell) for cell in row]
        for row in rows
    )
    return out.getvalue().encode()


def column_bytes(header: Sequence[str], series: Sequence[Any], missing: str = "") -> bytes:
    """Write columns (polars series, or instants) as `csv_bytes` writes rows; empty text is `""`."""
    import polars as pl

    numbered = {str(at): _written(values) for at, values in enumerate(series)}
    texts = [values for values in numbered.values() if values.dtype == pl.String]
    returns = any(values.str.contains("\r", literal=True).any() for values in texts)
    out = io.BytesIO(csv_bytes(header, ()))
    out.seek(0, io.SEEK_END)
    pl.DataFrame(numbered).write_csv(
        out,
        include_header=False,
        null_value=missing,
        quote_style="non_numeric" if returns else "necessary",  # a bare carriage return ends a line in R
    )
    return out.getvalue()


def _written(values: Any) -> Any:
    import polars as pl

    if not isinstance(values, pl.Series):
        return values.text()
    if values.dtype != pl.Boolean:
        return values
    yes = pl.when(values).then(pl.lit("TRUE")).when(~values).then(pl.lit("FALSE"))
    return pl.select(yes).to_series()


def sheet_bytes(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    """Write a CSV that people open in a spreadsheet: text it would run as a formula gets an apostrophe."""
    return csv_bytes(header, ([_harmless(cell) for cell in row] for row in rows))


def as_text(cell: Any) -> str:
    """Return the text of a cell; what is nested is JSON."""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, float):
        return repr(int(cell)) if cell.is_integer() and abs(cell) < 2**53 else repr(cell)
    if isinstance(cell, (dict, list, tuple)):
        return json.dumps(cell, ensure_ascii=False, sort_keys=True)
    return str(cell)


def _harmless(cell: Any) -> Any:
    text = (
        json.dumps(cell, ensure_ascii=False, sort_keys=True)
        if isinstance(cell, (dict, list, tuple))
        else cell
    )
    return f"'{text}" if isinstance(text, str) and text.startswith(_FORMULA_STARTS) else text
