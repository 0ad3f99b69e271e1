"""Cell values: which type a column of them has, and numbers and dates read from text."""

import math
import re
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from itertools import islice
from typing import Any, Literal

from corpusgraph.schemas.errors import PreparationError
from corpusgraph.schemas.results import Column, ColumnType, ToolWarning, Values

MAX_LEVELS = 50
"""A text column with more distinct values than this is text, not nominal."""
MAX_LEVEL_LENGTH = 60
EXACT_INTEGER = 2**53
"""Above this a double no longer holds every integer (IEEE 754)."""

_INTEGER = re.compile(r"[+-]?(0|[1-9]\d*)")
_NUMBER = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
_ISO = re.compile(
    r"(\d{4}(?:-\d\d){0,2})"
    r"(?:(?<=-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6}(\d*))?)?)\s*(Z|[+-]\d\d:?\d\d)?)?"
)
_SLASHED = re.compile(r"(\d{1,2})[/.](\d{1,2})[/.](\d{4})")

_OF_CLASS: Mapping[type, ColumnType] = {
    bool: "boolean",
    int: "integer",
    float: "numeric",
    str: "text",
    datetime: "datetime",
    date: "date",
}
"""Classes before those they are derived from."""
Precision = Literal["year", "month", "day", "instant"]
_PRECISIONS: Mapping[int, Precision] = {4: "year", 7: "month", 10: "day"}
"""By the length of a date."""
Unread = Literal["ambiguous_date", "unparsed_timestamp"]
"""Why text is not read as a date."""


@dataclass(frozen=True)
class Moment:
    """A date read from text: its first instant, how precise it is, and its offset where one is given."""

    instant: datetime
    precision: Precision
    has_offset: bool = False
    is_cut: bool = False
    """Whether the text gave parts of a microsecond, which are left out."""


def is_missing(value: Any) -> bool:
    """Return whether the cell holds nothing: None or not-a-number."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def number(value: Any) -> int | float | None:
    """Read a number; text such as `007`, `1,5` or `nan` is no number.

    A whole number too large for a float is infinite, as one with a decimal point is.

    Parameters
    ----------
    value : Any
        A cell; a boolean is returned as it is.

    Returns
    -------
    int or float or None
        None for what is no number.

    """
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return math.inf if value > 0 else -math.inf
    if isinstance(value, (int, float)):
        return value
    text = value.strip() if isinstance(value, str) else ""
    if _INTEGER.fullmatch(text) and len(text) <= sys.float_info.max_10_exp:
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else None


def moment(value: Any) -> Moment | Unread:
    """Read a date: ISO 8601, or day/month/year where only one reading is possible.

    Parameters
    ----------
    value : Any
        A cell.

    Returns
    -------
    Moment or str
        `ambiguous_date` for 03/04/1855, which may be March or April; `unparsed_timestamp` for what is no
        date.

    """
    if isinstance(value, datetime):
        return _in_utc(value, "instant")
    if isinstance(value, date):
        return Moment(datetime(value.year, value.month, value.day), "day")  # noqa: DTZ001 (a day has no zone)
    text = value.strip() if isinstance(value, str) else str(value) if isinstance(value, int) else ""
    try:
        if found := _ISO.fullmatch(text):
            return _iso(found)
        if found := _SLASHED.fullmatch(text):
            first, second, year = map(int, found.groups())
            if first <= 12 and second <= 12 and first != second:
                return "ambiguous_date"
            day, month = (first, second) if second <= 12 else (second, first)
            return Moment(datetime(year, month, day), "day")  # noqa: DTZ001 (a day has no zone)
    except ValueError:  # month 13, 30 February
        pass
    return "unparsed_timestamp"


def sure_moment(value: Any) -> Moment | None:
    """Read a date as `moment` does; what could be two dates is none either.

    Parameters
    ----------
    value : Any
        A cell.

    Returns
    -------
    Moment or None
        None for what is no date, or could be two.

    """
    return found if isinstance(found := moment(value), Moment) else None


def _iso(found: re.Match[str]) -> Moment:
    day, clock, rest, offset = found.groups()
    precision: Precision = "instant" if clock else _PRECISIONS[len(day)]
    instant = datetime.fromisoformat(f"{day}{'-01-01'[len(day) - 4 :]}T{clock or '00:00'}{offset or ''}")
    return replace(_in_utc(instant, precision), is_cut=bool((rest or "").strip("0")))


def _in_utc(instant: datetime, precision: Precision) -> Moment:
    if instant.tzinfo is None:
        return Moment(instant, precision)
    return Moment(instant.astimezone(UTC).replace(tzinfo=None), precision, has_offset=True)


def kind(value: Any) -> ColumnType:
    """Return the type of one cell by what it is, not by what its text looks like.

    Parameters
    ----------
    value : Any
        A cell that is there.

    Returns
    -------
    ColumnType
        `json` for what is neither text, number, boolean nor date.

    """
    return next((dtype for of, dtype in _OF_CLASS.items() if isinstance(value, of)), "json")


def infer(values: Iterable[Any]) -> ColumnType | None:
    """Return the type of a column, or None where its cells are of several types that do not go together.

    Integers and decimals make a numeric column, dates and times a datetime column. Text is read as
    numbers or ISO dates only where every cell allows it. A column without values is text.

    Parameters
    ----------
    values : iterable of Any
        Cells; None and not-a-number are missing.

    Returns
    -------
    ColumnType or None
        What `infer_text` returns for text, else a type that holds every cell.

    """
    cells = values if isinstance(values, (list, tuple)) else list(values)
    kinds = {_kind_of(one, cells) for one in set(map(type, cells)) - {type(None)}} - {None}
    if kinds == {"text"}:
        return infer_text({value for value in cells if isinstance(value, str)}, cells)
    if "json" in kinds:
        return "json"
    if kinds <= {"integer", "numeric"}:
        return "numeric" if "numeric" in kinds else "integer" if kinds else "text"
    if kinds <= {"date", "datetime"}:
        return "datetime" if "datetime" in kinds else "date"
    if kinds == {"boolean"}:
        return "boolean"
    read = kinds <= {"integer", "numeric", "text"}
    return "numeric" if read and all(is_missing(v) or number(v) is not None for v in cells) else None


def _kind_of(one: type, cells: Sequence[Any]) -> ColumnType | None:
    """Return the type of the cells of one class, None where all of them are not-a-number."""
    return next((kind(value) for value in cells if type(value) is one and not is_missing(value)), None)


def infer_text(distinct: Collection[str], all_texts: Iterable[str | None]) -> ColumnType:
    """Return the type of a column of text by its distinct values, and by whether any of them repeats.

    Parameters
    ----------
    distinct : collection of str
        The different texts of the column.
    all_texts : iterable of str or None
        All its cells, None where missing.

    Returns
    -------
    ColumnType
        text where no text says more.

    """
    texts = [text for text in distinct if text.strip()]
    if not texts:
        return "text"
    if all(number(text) is not None for text in texts):
        return "integer" if all(_INTEGER.fullmatch(text.strip()) for text in texts) else "numeric"
    if any("-" in text for text in texts) and (found := _date_type(texts)):
        return found
    if {text.strip().casefold() for text in texts} <= {"true", "false"}:
        return "boolean"
    if len(texts) > MAX_LEVELS or any(len(text) > MAX_LEVEL_LENGTH for text in texts):
        return "text"
    known = set(texts)
    seen = islice((text for text in all_texts if text in known), len(known) + 1)
    return "nominal" if sum(1 for _ in seen) > len(known) else "text"


def _date_type(texts: Sequence[str]) -> ColumnType | None:
    found = [moment(text) if _ISO.fullmatch(text.strip()) else None for text in texts]
    moments = [one for one in found if isinstance(one, Moment)]
    if len(moments) < len(texts):
        return None
    return "datetime" if any(one.precision == "instant" for one in moments) else "date"


MOST_RECORDS = 100
"""A warning that can have a record a row names so many."""
_NOT_TEXT = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Cells:
    """A column with its cells, what was changed in them, and columns made to keep what was lost.

    Attributes
    ----------
    column : Column
        With its type.
    values : Values
        As that type has them.
    fixes : tuple of ToolWarning
        What was changed.
    beside : tuple of tuple of Column and Values
        Columns with their cells.

    """

    column: Column
    values: Values
    fixes: tuple[ToolWarning, ...] = ()
    beside: tuple[tuple[Column, Values], ...] = ()


def fix(
    code: str, message: str, rows: Sequence[str] = (), places: Sequence[int] | None = None
) -> ToolWarning:
    """Describe a change in the rows at `places` (from 0; None: all); the first hundred are named.

    Parameters
    ----------
    code : str
        Name of the condition.
    message : str
        A sentence without its full stop: the number of rows follows.
    rows : sequence of str, optional
        What each row of the table is called.
    places : sequence of int, optional
        Rows that changed, from 0; None for all.

    Returns
    -------
    ToolWarning
        With the number of rows, and their names up to `MOST_RECORDS`.

    """
    n = len(rows) if places is None else len(places)
    named = rows[:MOST_RECORDS] if places is None else [rows[at] for at in places[:MOST_RECORDS]]
    count = f" ({n} {'row' if n == 1 else 'rows'})" if n else ""
    return ToolWarning(code=code, message=f"{message}{count}.", records=tuple(named))


def warning(code: str, message: str, records: Iterable[str] = ()) -> list[ToolWarning]:
    """Return a warning about some records, or nothing where there is none.

    Parameters
    ----------
    code : str
        Name of the condition.
    message : str
        Whole sentences.
    records : iterable of str, optional
        What it is about.

    Returns
    -------
    list of ToolWarning
        Of one item or none, to be joined to others.

    """
    ids = tuple(records)
    return [ToolWarning(code=code, message=message, records=ids)] if ids else []


def mixed(column: Column, value: Any, row: str) -> PreparationError:
    """Say which cell does not fit its column's type, and what to do.

    Parameters
    ----------
    column : Column
        With the type that the others have.
    value : Any
        The cell.
    row : str
        What its row is called.

    Returns
    -------
    PreparationError
        `mixed_types`, to be raised.

    """
    return PreparationError(
        f"Variable {column.name!r} mixes types: {value!r} ({row}) is not {column.dtype}.",
        code="mixed_types",
        hint=f"Give its type (types: {{{column.name}: text}}), or list codes that mean missing"
        f" (missing: {{{column.name}: [{value!r}]}}).",
    )


def clean(text: str) -> str:
    """Replace NUL and lone surrogates, which end a string or cannot be encoded.

    Parameters
    ----------
    text : str
        A cell.

    Returns
    -------
    str
        U+FFFD stands in the place of each.

    """
    return _NOT_TEXT.sub("\ufffd", text)


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


def date_fixes(
    column: Column, rows: Sequence[str], at: Mapping[str, Sequence[int]]
) -> tuple[ToolWarning, ...]:
    """Say what was changed; `at` has the places of each code.

    Parameters
    ----------
    column : Column
        Of dates or instants.
    rows : sequence of str
        What each row of the table is called.
    at : mapping of str to sequence of int
        Code -> places of rows, from 0.

    Returns
    -------
    tuple of ToolWarning
        One for each code that has places.

    """
    messages = _MESSAGES if column.dtype == "date" else _MESSAGES | _OF_INSTANTS
    return tuple(
        fix(code, message.format(name=column.name), rows, at[code])
        for code, message in messages.items()
        if at.get(code)
    )


def as_given(column: Column) -> Column:
    """Describe the column that keeps what was written.

    Parameters
    ----------
    column : Column
        Whose cells were changed when they were read.

    Returns
    -------
    Column
        Of text, named `NAME_as_given`.

    """
    label = f"{column.label or column.name} (as given)"
    return Column(name=f"{column.name}_as_given", dtype="text", label=label, source=column.source)


def problems(found: Moment | str | None, is_date: bool, offsets: bool) -> list[str]:
    """Return the codes of what is lost or assumed; `offsets`: whether the column has any.

    Parameters
    ----------
    found : Moment or str or None
        What `read` returned; None for a missing cell.
    is_date : bool
        Whether the column has days, not instants.
    offsets : bool
        Whether any cell of the column names an offset from UTC.

    Returns
    -------
    list of str
        Such as `offset_dropped`; empty where nothing is.

    """
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
