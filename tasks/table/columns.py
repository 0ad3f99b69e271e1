"""Columns as polars series: cells of one kind, changed without a loop over them."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Values
from corpusgraph.tasks.table.cells import clean

if TYPE_CHECKING:
    import polars as pl

_KINDS: Mapping[type, str] = {
    float: "Float64",
    int: "Int64",
    bool: "Boolean",
    str: "String",
    date: "Date",
    datetime: "Datetime",
}


def typed(values: Values) -> "pl.Series | None":
    """Return the cells as a series where all are of one kind that polars can hold, else None.

    Integers beyond 64 bits, lone surrogates and times with an offset are read cell by cell.
    """
    import polars as pl

    if isinstance(values, pl.Series):
        return values
    kinds = set(map(type, values)) - {type(None)}
    if len(kinds) > 1 or not kinds <= set(_KINDS):
        return None
    name = _KINDS[kinds.pop()] if kinds else "String"
    try:
        made = pl.Series(values, dtype=getattr(pl, name) if name != "Datetime" else None)
    except (TypeError, OverflowError, UnicodeEncodeError):
        return None
    return None if isinstance(made.dtype, pl.Datetime) and made.dtype.time_zone else made


def listed(values: Values) -> Sequence[Any]:
    """Return the cells as Python values at hand."""
    return values if isinstance(values, (list, tuple)) else list(values)


def distinct(values: "pl.Series") -> list[Any]:
    """Return the values that are there, each once, in order of first sight."""
    return values.drop_nulls().unique(maintain_order=True).to_list()


def mapped(values: "pl.Series", known: Mapping[Any, Any], dtype: Any) -> "pl.Series":
    """Return what `known` has for each cell; null where it has nothing."""
    import polars as pl

    pairs = pl.DataFrame({"v": pl.Series(list(known), dtype=values.dtype)})
    pairs = pairs.with_columns(pl.Series("to", list(known.values()), dtype=dtype))
    return pl.DataFrame({"v": values}).join(pairs, on="v", how="left", maintain_order="left")["to"]


def among(values: "pl.Series", some: Sequence[Any]) -> "pl.Series":
    """Return which cells are one of `some`; what is missing is not."""
    import polars as pl

    return values.is_in(pl.Series(list(some), dtype=values.dtype).implode()).fill_null(value=False)


def without(values: "pl.Series", flags: "pl.Series") -> "pl.Series":
    """Return the cells with null where a flag is."""
    import polars as pl

    return pl.select(pl.when(~flags).then(values)).to_series()


def where(flags: "pl.Series | Sequence[bool]") -> Sequence[int]:
    """Return the places of what is true, from 0."""
    import polars as pl

    if isinstance(flags, pl.Series):
        places: Sequence[int] = flags.fill_null(value=False).arg_true().to_list()
        return places
    return [at for at, flag in enumerate(flags) if flag]


class RowNames(Sequence[str]):
    """What messages call each row: its unit where there is one, else its number from 1."""

    def __init__(self, height: int, units: Values | None = None) -> None:
        self._height, self._units = height, units

    def __len__(self) -> int:
        return self._height

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(self._height))]
        at = range(self._height)[at]
        return f"row {at + 1}" if self._units is None else clean(str(self._units[at]))


class Instants(Sequence[str | None]):
    """A column of days or instants (polars Date or Datetime in microseconds), read as ISO 8601 text."""

    def __init__(self, moments: "pl.Series") -> None:
        self.moments = moments

    def text(self) -> "pl.Series":
        """Return the column as text: a fraction of a second only where there is one."""
        import polars as pl

        if self.moments.dtype == pl.Date:
            return self.moments.dt.to_string("%Y-%m-%d")
        whole = self.moments.dt.to_string("%Y-%m-%dT%H:%M:%S")
        fine = self.moments.dt.microsecond() != 0
        if not fine.any():
            return whole
        return self.moments.dt.to_string("%Y-%m-%dT%H:%M:%S%.6f").zip_with(fine.fill_null(value=False), whole)

    def __len__(self) -> int:
        return len(self.moments)

    def __getitem__(self, at: Any) -> Any:
        found = self.moments[at]
        if isinstance(at, slice):
            return Instants(found)
        return None if found is None else found.isoformat()

    def __iter__(self) -> Any:
        return iter(self.text())
