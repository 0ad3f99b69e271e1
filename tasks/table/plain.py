"""Cells as Python's own values: numbers of other libraries, what they call missing, and what is no cell."""

from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from corpusgraph.schemas.errors import PreparationError

_KNOWN = frozenset({str, int, float, bool, type(None), date, datetime, list, tuple, dict})
_MISSING = {"NAType", "NaTType"}
"""pandas.NA, which is equal to nothing and not even false, and pandas.NaT, a time that has no text."""


def plain(name: str, values: Sequence[Any]) -> Sequence[Any]:
    """Return the cells of a column as text, numbers, dates, None, and lists or mappings of them.

    Numbers of numpy and decimals become Python's, sets sorted lists, other values their text. Raises
    PreparationError `mixed_types` for bytes, and for an object whose text would be its place in memory.
    """
    if _KNOWN.issuperset(map(type, values)):
        return values
    return [one if type(one) in _KNOWN else _plain(name, at, one) for at, one in enumerate(values, 1)]


def _plain(name: str, at: int, value: Any) -> Any:
    if type(value).__name__ in _MISSING:
        return None
    if hasattr(value, "tolist"):
        instant = getattr(value.dtype, "kind", "") == "M"
        return (value.astype("datetime64[us]") if instant else value).tolist()
    if isinstance(value, Decimal):
        return _number(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    if isinstance(value, (str, int, float, date, list, tuple, dict)):
        return value
    texts: list[Any] = [type(value).__str__, type(value).__repr__]
    if isinstance(value, (bytes, bytearray, memoryview)) or texts == [object.__str__, object.__repr__]:
        raise PreparationError(
            f"Variable {name!r} has a value of type {type(value).__name__} (row {at}), which is no cell.",
            code="mixed_types",
            hint="Give text, a number, true, false, a date or null; decode bytes to text.",
        )
    return str(value)


def _number(value: Decimal) -> int | float | str | None:
    """Return the decimal as a number with the same digits, else as text: nothing is rounded."""
    if value.is_nan():
        return None
    if value.is_finite() and value == value.to_integral_value():
        return int(value)
    near = float(value)
    return near if value.is_infinite() or Decimal(repr(near)) == value else str(value)
