"""Rows of comma, semicolon, tab or bar separated files."""

import csv
import itertools
from collections.abc import Collection, Iterator

from corpusgraph.flows.resources.loaders.decoding import clean
from corpusgraph.flows.resources.loaders.raw import UnusableError
from corpusgraph.flows.resources.loaders.values import number as as_number
from corpusgraph.schemas.base import JsonDict

_END = "\x00end"
"""A last line that no table has: if it ends up inside a cell, a quotation mark was never closed."""


Rows = Iterator[tuple[int, JsonDict | UnusableError]]


def csv_rows(lines: Iterator[str], kind: str, columns: Collection[str]) -> Rows:
    """Yield (row number from 1, cells by column name); blank lines do not count.

    A cell written as a number is one, but not in the named `columns`; the header may have those only once.
    """
    csv.field_size_limit(2**31 - 1)
    first = next((line for line in lines if line.strip("\ufeff \r\n")), "").removeprefix("\ufeff")
    delimiter = "\t" if kind == "tsv" else _delimiter(first, columns)
    if first.startswith("sep=") and len(first.rstrip()) <= 5:  # Excel's own line
        delimiter, first = first[4:5], next(lines, "")
    reader = csv.reader(itertools.chain([first], lines, [_END]), delimiter=delimiter)
    try:
        header = unique_names(next(reader) if first else [], columns)
        yield from _numbered(reader, header, columns)
    except csv.Error as error:
        raise UnusableError("malformed", f"line {reader.line_num}: {error}") from None


def _numbered(reader: Iterator[list[str]], header: list[str], columns: Collection[str]) -> Rows:
    for number, cells in enumerate((cells for cells in reader if any(cells)), start=1):
        if cells == [_END]:
            return
        if _END in cells[-1]:
            message = f"row {number} opens a quotation mark that nothing closes"
            yield number, UnusableError("malformed_row", message)
        else:
            yield number, _row(number, [clean(cell) for cell in cells], header, columns)


def _delimiter(first: str, columns: Collection[str]) -> str:
    """Choose the separator that finds the named columns in the header, else the one that finds most cells."""
    cut = {mark: [cell.strip() for cell in next(csv.reader([first], delimiter=mark), [])] for mark in ",;\t|"}
    return max(cut, key=lambda mark: (any(cell in columns for cell in cut[mark]), len(cut[mark])))


def unique_names(cells: list[str], columns: Collection[str]) -> list[str]:
    """Name each column once: an empty name becomes its place, a repeated one gets a number."""
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
        return UnusableError(
            "malformed_row", f"row {number} has {len(cells)} cells, the header {len(header)}"
        )
    cells += [""] * (len(header) - len(cells))
    return {
        name: cell if name in columns else as_number(cell.strip())
        for name, cell in zip(header, cells, strict=False)
    }
