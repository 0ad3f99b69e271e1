"""Columns of dates: whole days or instants, with the text as given beside them where it said less."""

from collections.abc import Sequence
from typing import Any

from corpusgraph.schemas.results import Column, ToolWarning
from corpusgraph.tasks.dataset.values import AmbiguousDateError, Moment, moment

_MESSAGES = {
    "coarser_than_resolution": "{name!r} gives only a year or a month; the first day stands for it",
    "finer_than_resolution": "{name!r} is a date; its time of day is left out",
    "offset_dropped": "{name!r} is in UTC; its offsets are left out",
    "assumed_utc": "{name!r} has times without an offset beside times with one; they are taken as UTC",
    "ambiguous_date": "{name!r} could be read with day and month exchanged, and is missing",
    "unparsed_timestamp": "{name!r} is no date, and is missing",
}
_LOSSY = {"coarser_than_resolution", "finer_than_resolution", "ambiguous_date", "unparsed_timestamp"}

Beside = tuple[tuple[Column, tuple[Any, ...]], ...]


def date_columns(
    column: Column, values: Sequence[Any], rows: Sequence[str]
) -> tuple[tuple[str | None, ...], tuple[ToolWarning, ...], Beside]:
    """Return ISO 8601 text for each cell, what was changed, and the column `<name>_as_given`.

    The extra column is made only where a cell said less, more, or something else than its date does.
    """
    found = [None if value is None else _read(value) for value in values]
    problems: dict[str, list[str]] = {code: [] for code in _MESSAGES}
    offsets = any(isinstance(f, Moment) and f.has_offset for f in found)
    for one, row in zip(found, rows, strict=True):
        for code in _problems(one, column.dtype == "date", offsets):
            problems[code].append(row)
    fixes = tuple(
        ToolWarning(
            code=code,
            message=f"{_MESSAGES[code].format(name=column.name)} ({len(at)} rows).",
            records=tuple(at),
        )
        for code, at in problems.items()
        if at
    )
    beside: Beside = ()
    if any(problems[code] for code in _LOSSY):
        label = f"{column.label or column.name} (as given)"
        kept = Column(name=f"{column.name}_as_given", dtype="text", label=label, source=column.source)
        beside = ((kept, tuple(None if value is None else str(value) for value in values)),)
    return tuple(_iso(one, column.dtype == "date") for one in found), fixes, beside


def _read(value: Any) -> Moment | str:
    try:
        return moment(value) or "unparsed_timestamp"
    except AmbiguousDateError:
        return "ambiguous_date"


def _problems(found: Moment | str | None, is_date: bool, offsets: bool) -> list[str]:
    if found is None or isinstance(found, str):
        return [found] if found else []
    codes = []
    if found.precision in {"year", "month"}:
        codes.append("coarser_than_resolution")
    if is_date and found.precision == "instant":
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
