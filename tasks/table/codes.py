"""Codes that mean missing: single ones, and ranges of numbers (`90 thru 99`, as SPSS writes them)."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from corpusgraph.schemas.results import Values
from corpusgraph.tasks.table.columns import among, distinct
from corpusgraph.tasks.table.values import is_missing, number

if TYPE_CHECKING:
    import polars as pl

_RANGE = re.compile(r"\s*(\S+)\s+thru\s+(\S+)\s*", re.IGNORECASE)
_ENDS = {"lo": -math.inf, "lowest": -math.inf, "hi": math.inf, "highest": math.inf}


def code_of(value: Any) -> str:
    """Compare codes by value, so that 99, 99.0 and "99" are one."""
    found = number(value) if not isinstance(value, bool) else None
    return str(value).strip() if found is None else repr(float(found))


def span(code: Any) -> tuple[float, float] | None:
    """Read `90 thru 99`, `LO thru -1` or `90 thru HI` as lowest and highest; None for a single code."""
    found = _RANGE.fullmatch(code) if isinstance(code, str) else None
    ends = [_ENDS.get(end.casefold(), number(end)) for end in found.groups()] if found else []
    low, high = ends or (None, None)
    return None if low is None or high is None else (float(low), float(high))


@dataclass(frozen=True)
class Codes:
    """What means missing in one column."""

    single: frozenset[str]
    spans: tuple[tuple[float, float], ...]

    @classmethod
    def of(cls, codes: Iterable[Any]) -> "Codes":
        """Read codes; the text of a range is a code too, for a column of text may hold it."""
        given = tuple(codes)
        return cls(frozenset(map(code_of, given)), tuple(s for c in given if (s := span(c)) is not None))

    def __bool__(self) -> bool:
        return bool(self.single)

    def has(self, value: Any) -> bool:
        """Return whether the cell means missing."""
        if is_missing(value):
            return False
        if code_of(value) in self.single:
            return True
        found = number(value) if self.spans and not isinstance(value, bool) else None
        return found is not None and any(low <= found <= high for low, high in self.spans)

    def flags(self, values: Values) -> "Sequence[bool] | pl.Series":
        """Return which cells mean missing: a series for a series."""
        import polars as pl

        return self.marks(values) if isinstance(values, pl.Series) else [self.has(value) for value in values]

    def marks(self, values: "pl.Series") -> "pl.Series":
        """Return which cells of a series mean missing, without a loop over numbers."""
        import polars as pl

        if not values.dtype.is_numeric():
            return among(values, [value for value in distinct(values) if self.has(value)])
        numbers = values.cast(pl.Float64)
        known = [float(found) for code in self.single if (found := number(code)) is not None]
        flags = among(numbers, known)
        for low, high in self.spans:
            flags |= numbers.is_between(low, high) & numbers.is_not_nan()
        return flags.fill_null(value=False)
