"""When an event was, read from the passage's own words; no date that they do not hold."""

import re
from datetime import date
from typing import Literal, NamedTuple, cast

from corpusgraph.tasks.index.llm.ground import Passage, Span
from corpusgraph.tasks.index.rules.dates import FoundDate, find_dates, infer_years
from corpusgraph.tasks.index.rules.relative_dates import find_relative
from corpusgraph.tasks.index.written_dates import iso_date

Granularity = Literal["year", "month", "day", "minute", "second"]

_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?Z?)?)?)?", re.ASCII)
_NUMBER = re.compile(r"\d{1,9}")
_LATIN = re.compile("[A-Za-z]{2}")
_OTHER_DIGIT = re.compile(r"(?![0-9])\d")
_VIETNAMESE = re.compile(
    r"(?:ngày\s+(?P<d>\d{1,2})\s+)?tháng\s+(?P<m>\d{1,2}),?\s+(?:năm\s+)?(?P<y>\d{4})", re.IGNORECASE
)
_BY_LENGTH: dict[int, Granularity] = {4: "year", 7: "month", 10: "day", 16: "minute"}


class Time(NamedTuple):
    """A time or a stretch of it, ISO 8601; `sure` is false where its year stands elsewhere."""

    first: str
    last: str | None
    granularity: Granularity
    sure: bool
    words: str


def read_time(passage: Passage, quote: Span, said: str, year: int | None) -> Time | None:
    """Return when an event was, from the words a model says tell it, or from its quote; None if none do.

    `year` is the document's own. A date without a year has that of the nearest date before it. An ISO date
    that the model made itself holds only where its year is in the passage and its day in the quote.
    """
    said = " ".join(said.split())
    text = ascii_digits(passage.text)
    iso = _valid(said) or iso_date(said)
    words = _words(passage, quote, said) if said else None
    if words is not None:
        found = _dated(text, words, year)
        if found:
            return found
    dates = _times(text, quote, year)
    if iso is None:
        return dates[0] if dates else None
    agreeing = [time for time in dates if time.first.startswith(iso) or iso.startswith(time.first)]
    if agreeing and not (len(iso) > len(agreeing[0].first) and _holds(text, quote, iso)):
        return agreeing[0]
    return _made(text, quote, iso, year, said)


def ascii_digits(text: str) -> str:
    """Return a text of the same length with the digits 0 to 9 for those of other scripts."""
    return _OTHER_DIGIT.sub(lambda digit: str(int(digit[0])), text)


def _times(text: str, span: Span, year: int | None) -> list[Time]:
    """Read the dates in a span, in text order."""
    vietnamese = _VIETNAMESE.search(text, *span)
    if vietnamese:
        iso = "-".join(f"{int(part):02}" for part in vietnamese.group("y", "m", "d") if part)
        if _valid(iso):
            return [Time(iso, None, _BY_LENGTH[len(iso)], sure=True, words=" ".join(vietnamese[0].split()))]
    return [time for date in find_dates(text, *span) if (time := _whole(text, date, year))]


def _holds(text: str, quote: Span, iso: str) -> bool:
    """Tell whether a quote has all numbers of an ISO date: it is written in words that the rules lack.

    Of months written in words, the rules know those of languages in Latin letters.
    """
    year, *rest = [int(part) for part in iso[:10].split("-")]
    wanted = {year, *rest} if _LATIN.search(text, *quote) else {year, *rest[1:]}
    return wanted <= _numbers(text, quote)


def _numbers(text: str, span: Span) -> set[int]:
    return {int(digits) for digits in _NUMBER.findall(text, *span)}


def _words(passage: Passage, quote: Span, said: str) -> Span | None:
    """Return where the words that tell the time stand: in the quote, else anywhere in the passage."""
    return passage.find_name(said, quote) or passage.find(said)


def _dated(text: str, words: Span, year: int | None) -> Time | None:
    """Read a stretch of text as a time: a date, two that bound a range, or one told by an earlier one."""
    found = _times(text, words, year)
    if len(found) == 2 and _is_range(*found):
        return found[0]._replace(last=found[1].first, words=" ".join(text[slice(*words)].split()))
    if found:
        return found[0]
    before = [date for date in find_dates(text, 0, words[0]) if date.first]
    told = find_relative(text, *words, before[-1] if before else None)
    return _time(text, told[0], sure=False) if told else None


def _is_range(first: Time, last: Time) -> bool:
    return first.last is None and last.last is None and first.first <= last.first


def _whole(text: str, date: FoundDate, year: int | None) -> Time | None:
    """Give a date without a year the one before it in the passage, or the document's own."""
    if date.first is None:
        return None
    if not date.first.startswith("--"):
        return _time(text, date, sure=True)
    _, before = infer_years(find_dates(text, 0, date.start), year)
    fixed = infer_years([date], before)[0][0]
    return _time(text, fixed, sure=False) if fixed.first and not fixed.first.startswith("--") else None


def _time(text: str, date: FoundDate, *, sure: bool) -> Time:
    words = " ".join(text[date.start : date.end].split())
    return Time(date.first or "", date.last, cast("Granularity", date.granularity), sure, words)


def _valid(text: str) -> str | None:
    """Return an ISO 8601 date that the calendar and the clock have."""
    found = _ISO.fullmatch(text)
    if not found:
        return None
    year, month, day, hour, minute, second = (int(part) if part else None for part in found.groups())
    try:
        date(year or 1, month or 1, day or 1)
    except ValueError:
        return None
    if (hour or 0) > 23 or (minute or 0) > 59 or (second or 0) > 59:
        return None
    return text.replace(" ", "T").removesuffix("Z")


def _made(text: str, quote: Span, iso: str, year: int | None, said: str) -> Time | None:
    """Accept an ISO date that the model made, of words the rules cannot read, if its numbers are there."""
    in_quote = _numbers(text, quote)
    wanted = int(iso[:4])
    if wanted != year and wanted not in _numbers(text, (0, len(text))):
        return None
    day = int(iso[8:10]) if len(iso) >= 10 else None
    if day is not None and day not in in_quote:
        return None
    if wanted not in in_quote and day is None:
        return None
    return Time(iso, None, _BY_LENGTH.get(len(iso), "second"), wanted in in_quote, said)
