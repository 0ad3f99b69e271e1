"""Columns of dates: whole days or instants, with the text as given beside them where it said less."""

from collections.abc import Mapping, Sequence
from datetime import time
from typing import Any

from corpusgraph.schemas.results import Column, ToolWarning, Values
from corpusgraph.tasks.table.cells import fix
from corpusgraph.tasks.table.values import AmbiguousDateError, Moment, moment

_MESSAGES = {
    "coarser_than_resolution": "{name!r} gives only a year or a month; the first day stands for it",
    "finer_than_resolution": "{name!r} is a date; its time of day is left out",
    "offset_dropped": "{name!r} is in UTC; its offsets are left out",
    "assumed_utc": "{name!r} has times without an offset beside times with one; they are taken as UTC",
    "ambiguous_date": "{name!r} could be read with day and month exchanged, and is missing",
    "unparsed_timestamp": "{name!r} is no date, and is missing",
}
_OF_INSTANTS = {"finer_than_resolution": "{name!r} has parts of a microsecond; they are left out"}
LOSSY = {"coarser_than_resolution", "finer_than_resolution", "ambiguous_date", "unparsed_timestamp"}

Beside = tuple[tuple[Column, Values], ...]


def date_columns(
    column: Column, values: Sequence[Any], rows: Sequence[str]
) -> tuple[tuple[str | None, ...], tuple[ToolWarning, ...], Beside]:
    """Return ISO 8601 text for each cell, what was changed, and the column `<name>_as_given`.

    The extra column is made only where a cell said less, more, or something else than its date does.
    """
    found = [None if value is None else read(value) for value in values]
    is_date = column.dtype == "date"
    offsets = any(isinstance(f, Moment) and f.has_offset for f in found)
    at: dict[str, list[int]] = {}
    for place, one in enumerate(found):
        for code in problems(one, is_date, offsets):
            at.setdefault(code, []).append(place)
    beside: Beside = ()
    if LOSSY & at.keys():
        beside = ((as_given(column), tuple(None if value is None else str(value) for value in values)),)
    return tuple(_iso(one, is_date) for one in found), told(column, rows, at), beside


def told(column: Column, rows: Sequence[str], at: Mapping[str, Sequence[int]]) -> tuple[ToolWarning, ...]:
    """Say what was changed; `at` has the places of each code."""
    messages = _MESSAGES if column.dtype == "date" else _MESSAGES | _OF_INSTANTS
    said = [(code, message.format(name=column.name)) for code, message in messages.items() if at.get(code)]
    return tuple(fix(code=code, message=text, rows=rows, places=at[code]) for code, text in said)


def as_given(column: Column) -> Column:
    """Describe the column that keeps what was written."""
    label = f"{column.label or column.name} (as given)"
    return Column(name=f"{column.name}_as_given", dtype="text", label=label, source=column.source)


def read(value: Any) -> Moment | str:
    """Return the moment of a cell, or the code of what is wrong with it."""
    try:
        return moment(value) or "unparsed_timestamp"
    except AmbiguousDateError:
        return "ambiguous_date"


def problems(found: Moment | str | None, is_date: bool, offsets: bool) -> list[str]:
    """Return the codes of what is lost or assumed; `offsets`: whether the column has any."""
    if found is None or isinstance(found, str):
        return [found] if found else []
    codes = []
    if found.precision in {"year", "month"}:
        codes.append("coarser_than_resolution")
    if found.is_cut or (is_date and found.instant.time() != time()):
        codes.append("finer_than_resolution")
    if found.has_offset:
        codes.append("offset_dropped")
    elif offsets and found.precision == "instant":
        codes.append("assumed_utc")
    return codes


def _iso(found: Moment | str | None, is_date: bool) -> str | None:
    if not isinstance(found, Moment):
        return None
    return found.instant.date().isoformat() if is_date else found.instant.isoformat()
