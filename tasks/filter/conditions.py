"""Which documents a filter allows: conditions on fields of their metadata.

Text is equal whatever its case and outer space. Numbers are compared as numbers; dates as intervals, so
that `1788` is the whole of 1788 and a document dated 1788 may be of any day of it: it is in a range that
the year overlaps. Of a list, one item must satisfy. A document without the field satisfies only `not`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

from corpusgraph.schemas.base import nfc
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.errors import InvalidInputError, did_you_mean
from corpusgraph.schemas.results import Condition, DocumentFilter, Excluded, Range, Scalar
from corpusgraph.tasks.table.values import moment, number
from corpusgraph.tasks.text.dates import iso_date

_OWN = ("title", "source", "language")
"""Fields of the document itself; metadata of the same name comes first. `id` is either of its two ids."""
_LENGTH = {"day": timedelta(days=1), "instant": timedelta(microseconds=1)}


class Interval(NamedTuple):
    """From the first instant of a date to the first one after it."""

    start: datetime
    end: datetime


def allowed(documents: Sequence[Document], conditions: Mapping[str, Condition]) -> frozenset[str]:
    """Return the ids of the documents that satisfy all conditions.

    Parameters
    ----------
    documents : sequence of Document
        With their metadata.
    conditions : mapping of str to Condition
        Field -> condition; none allows all.

    Returns
    -------
    frozenset of str
        Perhaps empty.

    Raises
    ------
    InvalidInputError
        For a field that no document has, or a range whose ends are neither numbers nor dates.

    """
    _check(documents, conditions)
    return frozenset(
        document.id
        for document in documents
        if all(satisfies(values_of(document, name), asked) for name, asked in conditions.items())
    )


def _check(documents: Sequence[Document], conditions: Mapping[str, Condition]) -> None:
    known = {name for document in documents for name in document.metadata} | {"id", *_OWN}
    for name, asked in conditions.items():
        if name not in known:
            hint = did_you_mean(name, sorted(known)) or f"Fields: {', '.join(sorted(known))}."
            raise InvalidInputError(f"No document has the field {name!r}.", hint=hint)
        if isinstance(asked, Range):
            for end in (asked.from_, asked.to):
                if end is not None and as_number(end) is None and date_of(end) is None:
                    raise InvalidInputError(
                        f"{name!r} cannot range to or from {end!r}.", hint="A range has numbers or dates."
                    )


def values_of(document: Document, name: str) -> list[Any]:
    """Return the values a document has for a field: none, one, or the items of a list.

    Parameters
    ----------
    document : Document
        Its metadata go before its own fields.
    name : str
        Of the field.

    Returns
    -------
    list of Any
        Without None and empty text.

    """
    found = document.metadata.get(name)
    if name == "id":
        found = [found, document.id]
    elif name in _OWN and found is None:
        found = getattr(document, name)
    values = list(found) if isinstance(found, list | tuple) else [found]
    return [value for value in values if value not in (None, "")]


def satisfies(values: Sequence[Any], asked: Condition) -> bool:
    """Tell whether the values of a field satisfy a condition.

    Parameters
    ----------
    values : sequence of Any
        Of one document.
    asked : Condition
        A value, several, a range or a negation.

    Returns
    -------
    bool
        One value that satisfies is enough; without values, only a negation is satisfied.

    """
    if isinstance(asked, Excluded):
        return not satisfies(values, asked.not_)
    if isinstance(asked, Range):
        return any(_within(value, asked) for value in values)
    wanted = asked if isinstance(asked, tuple) else (asked,)
    return any(same(value, one) for value in values for one in wanted)


def same(value: Any, asked: Scalar) -> bool:
    """Tell whether a value of metadata is the one asked for; a date is the same as one it overlaps.

    Parameters
    ----------
    value : Any
        Of a document.
    asked : Scalar
        Of the filter; case and kind of number do not count.

    Returns
    -------
    bool
        Whether both mean one thing.

    """
    if isinstance(value, bool) or isinstance(asked, bool):
        return _plain(value) == _plain(asked)
    if isinstance(value, int | float) or isinstance(asked, int | float):
        ours, theirs = as_number(value), as_number(asked)
        if ours is not None and theirs is not None:
            return ours == theirs
    if _plain(value) == _plain(asked):
        return True
    mine, other = date_of(value), date_of(asked)
    return bool(mine and other and mine.start < other.end and other.start < mine.end)


def _plain(value: Any) -> str:
    return " ".join(nfc(str(value)).split()).casefold()


def as_number(value: Any) -> float | int | None:
    """Read a number, of text too; true and false are none.

    Parameters
    ----------
    value : Any
        Of a document or a filter.

    Returns
    -------
    float or int or None
        None for what is no number.

    """
    return None if isinstance(value, bool) else number(value)


def _within(value: Any, asked: Range) -> bool:
    ends = [end for end in (asked.from_, asked.to) if end is not None]
    ours, low, high = as_number(value), as_number(asked.from_), as_number(asked.to)
    if ours is not None and all(as_number(end) is not None for end in ends):
        return (low is None or ours >= low) and (high is None or ours <= high)
    mine = date_of(value)
    first, last = date_of(asked.from_), date_of(asked.to)
    if not mine or not all(date_of(end) for end in ends):
        return False
    return (first is None or mine.end > first.start) and (last is None or mine.start < last.end)


def date_of(value: Any) -> Interval | None:
    """Read a date, ISO 8601 or written out; None for what is no date, or could be one of two.

    Parameters
    ----------
    value : Any
        Of a document or a filter.

    Returns
    -------
    Interval or None
        From its first moment to the one after its last: a year is long.

    """
    if isinstance(value, bool) or not isinstance(value, str | int):
        return None
    return _read(str(value))


@lru_cache(maxsize=8192)
def _read(text: str) -> Interval | None:
    found = moment(text)
    if found == "unparsed_timestamp":
        found = moment(iso_date(text))
    if isinstance(found, str):
        return None
    start = found.instant
    try:
        if found.precision == "year":
            return Interval(start, start.replace(year=start.year + 1))
        if found.precision == "month":
            return Interval(start, (start + timedelta(days=31)).replace(day=1))
        return Interval(start, start + _LENGTH[found.precision])
    except (ValueError, OverflowError):  # the year 9999 has no end that can be told
        return Interval(start, start.max)


_FORM = re.compile(r"\s*(?P<field>[^=!<>]+?)\s*(?P<sign>!=|>=|<=|=)\s*(?P<value>.*?)\s*", re.DOTALL)
_HINT = "Write FIELD=VALUE, FIELD=a|b, FIELD!=VALUE, FIELD>=1787 or FIELD<=1788."


def parse_filters(texts: Iterable[str]) -> DocumentFilter | None:
    """Read filters; all must hold. The two ends of a range are one condition; without texts, None.

    Parameters
    ----------
    texts : iterable of str
        Such as `author=Jay` or `date>=1787`.

    Returns
    -------
    DocumentFilter or None
        Field -> condition.

    Raises
    ------
    InvalidInputError
        For what is no filter, and for two conditions on a field that are no range.

    """
    found: DocumentFilter = {}
    for text in texts:
        name, condition = parse_filter(text)
        found[name] = _joined(name, found[name], condition) if name in found else condition
    return found or None


def parse_filter(text: str) -> tuple[str, Condition]:
    """Read one filter as a field and its condition.

    Parameters
    ----------
    text : str
        `field=value`, `!=`, `>=` or `<=`; `|` stands between values.

    Returns
    -------
    tuple of str and Condition
        Values are text.

    Raises
    ------
    InvalidInputError
        For anything else.

    """
    match = _FORM.fullmatch(text)
    if match is None or not match["value"]:
        raise InvalidInputError(f"{text!r} is no filter.", hint=_HINT)
    name, sign, value = match["field"], match["sign"], match["value"]
    if sign == ">=":
        return name, Range.model_validate({"from": value})
    if sign == "<=":
        return name, Range.model_validate({"to": value})
    values = tuple(part.strip() for part in value.split("|"))
    if not all(values):
        raise InvalidInputError(f"{text!r} names an empty value.", hint=_HINT)
    condition = values if len(values) > 1 else values[0]
    return name, Excluded.model_validate({"not": condition}) if sign == "!=" else condition


def _joined(name: str, one: Condition, other: Condition) -> Range:
    """Join the two ends of a range."""
    if isinstance(one, Range) and isinstance(other, Range):
        first, second = (end.model_dump(by_alias=True, exclude_none=True) for end in (one, other))
        if not first.keys() & second.keys():
            return Range.model_validate({**first, **second})
    raise InvalidInputError(f"Two filters are about {name!r}.", hint=f"Several values: {name}=a|b.")
