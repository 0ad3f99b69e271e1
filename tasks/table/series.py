"""A table by column, for what would be slow cell by cell."""

from typing import TYPE_CHECKING

from corpusgraph.schemas.results import Table
from corpusgraph.tasks.table.codes import Codes
from corpusgraph.tasks.table.columns import Instants, without
from corpusgraph.tasks.table.quick import held

if TYPE_CHECKING:
    import polars as pl


def series(table: Table, name: str) -> "pl.Series":
    """Return a column of a tidied table with null for missing, also where a code means missing.

    Float64 for numeric, Int64 for integer, Boolean for boolean, Int64 or String for nominal and ordinal
    codes, String for text, dates and instants (ISO 8601). Of a tidied table nothing is copied.
    """
    at = [column.name for column in table.columns].index(name)
    made = raw(table, at)
    return made.text().alias(name) if isinstance(made, Instants) else physical(table, at)


def physical(table: Table, at: int) -> "pl.Series":
    """Return what `series` does for the column of that place, but days as Date and instants as Datetime."""
    made, column = raw(table, at), table.columns[at]
    if isinstance(made, Instants):
        return made.moments.alias(column.name)
    codes = Codes.of(column.missing)
    values = without(made, codes.marks(made)) if codes and made.dtype.is_numeric() else made
    return values.alias(column.name)


def raw(table: Table, at: int) -> "pl.Series | Instants":
    """Return the column of that place with the codes that mean missing in it; dates as instants."""
    return held(table.columns[at], table.cells(at))
