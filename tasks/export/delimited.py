"""CSV: UTF-8, commas, quotes where needed, one line feed a row (RFC 4180 but for the carriage return)."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from typing import Any

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[Any]], missing: str = "") -> bytes:
    """Write cells as text: numbers to their last digit, true and false as TRUE and FALSE."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([missing if cell is None else as_text(cell) for cell in row] for row in rows)
    return out.getvalue().encode()


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
