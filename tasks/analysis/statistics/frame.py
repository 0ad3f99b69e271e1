"""A prepared table by variable, for arithmetic on whole columns."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.results import Column, Table
from corpusgraph.tasks.table.coerce import physical

if TYPE_CHECKING:
    import polars as pl

Mask = NDArray[np.bool_]


class Frame:
    """The table by variable, what is missing by its code too; nothing is copied before it is asked.

    Parameters
    ----------
    table : Table
        A tidied table of n rows.

    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.columns: Mapping[str, Column] = {column.name: column for column in table.columns}
        self._places = {column.name: at for at, column in enumerate(table.columns)}
        self.n_rows = len(table.rows)
        self._series: dict[str, pl.Series] = {}

    def series(self, name: str) -> "pl.Series":
        """Return a variable; what is missing, also by its code, is null.

        Parameters
        ----------
        name : str
            Name of a column.

        Returns
        -------
        polars.Series, length n
            As long as the table has rows, of the type in which it is stored.

        """
        if name not in self._series:
            self._series[name] = physical(self.table, self._places[name])
        return self._series[name]

    def complete(self, names: Sequence[str]) -> Mask:
        """Return which rows have a value in each of the variables.

        Parameters
        ----------
        names : sequence of str
            Names of columns.

        Returns
        -------
        array of bool, shape (n,)
            All true where there are no names.

        """
        kept = np.ones(self.n_rows, dtype=np.bool_)
        for name in names:
            if self.series(name).null_count():
                kept &= self.series(name).is_not_null().to_numpy()
        return kept

    def kept(self, name: str, rows: Mask) -> "pl.Series":
        """Return a variable in some rows.

        Parameters
        ----------
        name : str
            Name of a column.
        rows : array of bool, shape (n,)
            Rows wanted.

        Returns
        -------
        polars.Series
            In the order of the rows, missing values among them.

        """
        import polars as pl

        values = self.series(name)
        return values if rows.all() else values.filter(pl.Series(rows))

    def levels(self, name: str, rows: Mask) -> tuple[str, ...]:
        """Return the codes of a categorical variable that occur in the rows, in the order of its levels.

        Parameters
        ----------
        name : str
            Name of a column with levels, or of a boolean one.
        rows : array of bool, shape (n,)
            Rows to look at.

        Returns
        -------
        tuple of str
            Empty for what is neither category nor boolean.

        """
        column = self.columns[name]
        present = self.kept(name, rows).drop_nulls().cast(str).unique().to_list()
        order = ("false", "true") if column.dtype == "boolean" else column.levels or ()
        return tuple(level for level in order if level in present)


def tally(values: "pl.Series") -> "pl.DataFrame":
    """Return each value that is there (`value`) and how often (`n`), commonest first.

    Parameters
    ----------
    values : polars.Series
        A variable.

    Returns
    -------
    polars.DataFrame
        Missing values are not counted.

    """
    return values.drop_nulls().alias("value").value_counts(sort=True, name="n")
