"""A table by column, for what would be slow cell by cell."""

from typing import TYPE_CHECKING

from corpusgraph.schemas.results import Table

if TYPE_CHECKING:
    import polars as pl


def series(table: Table, name: str) -> "pl.Series":
    """Return a column of a tidied table with null for missing.

    Float64 for numeric, Int64 for integer, Boolean for boolean, Int64 or String for nominal and ordinal
    codes, String for text, dates and instants (ISO 8601).
    """
    import polars as pl

    column = next(column for column in table.columns if column.name == name)
    values = table.column(name)
    if column.dtype in {"nominal", "ordinal"}:
        coded = all(value is None or isinstance(value, int) for value in values)
        return pl.Series(name, values, dtype=pl.Int64 if coded else pl.String)
    kinds = {"numeric": pl.Float64, "integer": pl.Int64, "boolean": pl.Boolean}
    return pl.Series(name, values, dtype=kinds.get(column.dtype, pl.String))
