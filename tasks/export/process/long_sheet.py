"""CSV files of a million rows, given by column."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corpusgraph.tasks.export.delimited import as_text, column_bytes, csv_bytes
from corpusgraph.tasks.export.folder import Sheet

Cells = Sequence[Any]


@dataclass(frozen=True)
class LongSheet(Sheet):
    """A sheet whose `rows` are its columns, in the same order: the file is that of a `Sheet`, made faster."""

    def content(self) -> bytes:
        """Return the file."""
        header = [name for name, _, _ in self.columns]
        columns = [_written(kind, cells) for (_, kind, _), cells in zip(self.columns, self.rows, strict=True)]
        if any(column is None for column in columns):  # rare, and readers of CSV differ on it
            return csv_bytes(header, zip(*self.rows, strict=True))
        return column_bytes(header, columns)


def _written(kind: str, cells: Cells) -> Any:
    """Return a column as polars has it, missing where it is empty; None where text has a carriage return."""
    import polars as pl

    if kind == "n":
        return pl.Series(cells, dtype=pl.Int64)
    if kind == "b":
        return pl.Series(cells, dtype=pl.Boolean)
    if kind == "x":
        return pl.Series([None if cell is None else as_text(cell) for cell in cells], dtype=pl.String)
    column = pl.Series([cell or None for cell in cells], dtype=pl.String)
    return None if column.str.contains("\r", literal=True).any() else column
