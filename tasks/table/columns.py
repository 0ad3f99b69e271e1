"""Columns as polars series: cells of one kind, changed without a loop over them."""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Values
from corpusgraph.tasks.table.values import clean, is_missing, number

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

    Parameters
    ----------
    values : Values
        Cells; None is missing.

    Returns
    -------
    Series or None
        String, Boolean, Int64, Float64, Date or Datetime; a series without cells that are there is String.

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


def distinct(values: "pl.Series") -> list[Any]:
    """Return the values that are there, each once, in order of first sight."""
    return values.drop_nulls().unique(maintain_order=True).to_list()


def mapped(values: "pl.Series", known: Mapping[Any, Any], dtype: Any) -> "pl.Series":
    """Return what `known` has for each cell; null where it has nothing.

    Parameters
    ----------
    values : Series
        Cells.
    known : mapping of Any to Any
        Cell -> what it becomes.
    dtype : Any
        polars type of the result.

    Returns
    -------
    Series
        As long as the cells.

    """
    import polars as pl

    pairs = pl.DataFrame({"v": pl.Series(list(known), dtype=values.dtype)})
    pairs = pairs.with_columns(pl.Series("to", list(known.values()), dtype=dtype))
    return pl.DataFrame({"v": values}).join(pairs, on="v", how="left", maintain_order="left")["to"]


def among(values: "pl.Series", some: Sequence[Any]) -> "pl.Series":
    """Return which cells are one of `some`; what is missing is not.

    Parameters
    ----------
    values : Series
        Cells.
    some : sequence of Any
        Values of their type, perhaps none.

    Returns
    -------
    Series
        Boolean, as long as the cells, without nulls.

    """
    import polars as pl

    return values.is_in(pl.Series(list(some), dtype=values.dtype).implode()).fill_null(value=False)


def without(values: "pl.Series", flags: "pl.Series") -> "pl.Series":
    """Return the cells with null where a flag is.

    Parameters
    ----------
    values : Series
        Cells.
    flags : Series
        Boolean, as long as the cells.

    Returns
    -------
    Series
        As long as the cells; null also where a flag is null.

    """
    import polars as pl

    return pl.select(pl.when(~flags).then(values)).to_series()


def where(flags: "pl.Series") -> Sequence[int]:
    """Return the places of what is true, from 0.

    Parameters
    ----------
    flags : Series
        Boolean; a missing one is false.

    Returns
    -------
    sequence of int
        Ascending.

    """
    places: Sequence[int] = flags.fill_null(value=False).arg_true().to_list()
    return places


class RowNames(Sequence[str]):
    """What messages call each row: its unit where there is one, else its number from 1.

    Parameters
    ----------
    height : int
        Rows of the table.
    units : Values, optional
        What each row is called.

    """

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
    """A column of days or instants (polars Date or Datetime in microseconds), read as ISO 8601 text.

    Parameters
    ----------
    moments : Series
        Null where missing.

    """

    def __init__(self, moments: "pl.Series") -> None:
        self.moments = moments

    def text(self) -> "pl.Series":
        """Return the column as text: a fraction of a second only where there is one.

        Returns
        -------
        Series
            `YYYY-MM-DD` of days, `YYYY-MM-DDThh:mm:ss` of instants, with six decimals where there are any;
            null stays.

        """
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


_RANGE = re.compile(r"\s*(\S+)\s+thru\s+(\S+)\s*", re.IGNORECASE)
_ENDS = {"lo": -math.inf, "lowest": -math.inf, "hi": math.inf, "highest": math.inf}


def code_of(value: Any) -> str:
    """Compare codes by value, so that 99, 99.0 and "99" are one.

    Parameters
    ----------
    value : Any
        A cell or a code of a codebook.

    Returns
    -------
    str
        A number in the shortest form of a float; other text without blanks at its ends.

    """
    found = number(value) if not isinstance(value, bool) else None
    return str(value).strip() if found is None else repr(float(found))


def span(code: Any) -> tuple[float, float] | None:
    """Read `90 thru 99`, `LO thru -1` or `90 thru HI` as lowest and highest; None for a single code.

    Parameters
    ----------
    code : Any
        As written in a codebook; case and blanks do not count.

    Returns
    -------
    tuple of float and float or None
        Both ends belong to it, and may be infinite.

    """
    found = _RANGE.fullmatch(code) if isinstance(code, str) else None
    ends = [_ENDS.get(end.casefold(), number(end)) for end in found.groups()] if found else []
    low, high = ends or (None, None)
    return None if low is None or high is None else (float(low), float(high))


@dataclass(frozen=True)
class Codes:
    """What means missing in one column.

    Attributes
    ----------
    single : frozenset of str
        As `code_of` writes them.
    spans : tuple of tuple of float and float
        Lowest and highest of each range, both meant.

    """

    single: frozenset[str]
    spans: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, codes: Iterable[Any]) -> "Codes":
        """Read codes; the text of a range is a code too, for a column of text may hold it.

        Parameters
        ----------
        codes : iterable of Any
            Numbers, text, or ranges as `span` reads them.

        Returns
        -------
        Codes
            For asking of cells whether they mean missing.

        """
        given = tuple(codes)
        return cls(frozenset(map(code_of, given)), tuple(s for c in given if (s := span(c)) is not None))

    def __bool__(self) -> bool:
        return bool(self.single)

    def has(self, value: Any) -> bool:
        """Return whether the cell means missing.

        Parameters
        ----------
        value : Any
            A cell.

        Returns
        -------
        bool
            False for a cell that holds nothing: it needs no code.

        """
        if is_missing(value):
            return False
        if code_of(value) in self.single:
            return True
        found = number(value) if self.spans and not isinstance(value, bool) else None
        return found is not None and any(low <= found <= high for low, high in self.spans)

    def flags(self, values: Values) -> "pl.Series":
        """Return which cells mean missing.

        Parameters
        ----------
        values : Values
            Cells.

        Returns
        -------
        Series
            Boolean, as long as the cells.

        """
        import polars as pl

        if isinstance(values, pl.Series):
            return self.marks(values)
        return pl.Series([self.has(value) for value in values], dtype=pl.Boolean)

    def marks(self, values: "pl.Series") -> "pl.Series":
        """Return which cells of a series mean missing, without a loop over numbers.

        Parameters
        ----------
        values : Series
            Cells.

        Returns
        -------
        Series
            Boolean, as long as the cells, without nulls.

        """
        import polars as pl

        if not values.dtype.is_numeric():
            return among(values, [value for value in distinct(values) if self.has(value)])
        numbers = values.cast(pl.Float64)
        known = [float(found) for code in self.single if (found := number(code)) is not None]
        flags = among(numbers, known)
        for low, high in self.spans:
            flags |= numbers.is_between(low, high) & numbers.is_not_nan()
        return flags.fill_null(value=False)
