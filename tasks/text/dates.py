"""Dates as ISO 8601: in running text, in the forms historians and encyclopaedias use, and written alone."""

import calendar
import datetime as dt
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

_NAMES_OF_MONTHS = "january february march april may june july august september october november december"
MONTH_NAMES = tuple(_NAMES_OF_MONTHS.split())
"""In order; what may be a month in other languages and short is in `MONTHS`."""
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
CALENDAR = frozenset((*MONTH_NAMES, *WEEKDAYS))
_SHORT = {name[:3]: n for n, name in enumerate(MONTH_NAMES, 1) if name != "may"} | {"sept": 9}
_FOREIGN = """
    januar janvier enero gennaio|februar février fevrier febrero febbraio|märz mars marzo|avril abril aprile|
    mai mayo maggio|juni juin junio giugno|juli juillet julio luglio|août aout agosto|
    septembre septiembre settembre|oktober octobre octubre ottobre|novembre noviembre|
    dezember décembre decembre diciembre dicembre
"""
MONTHS = {name: n for n, name in enumerate(MONTH_NAMES, 1)} | _SHORT
MONTHS |= {name: n for n, line in enumerate(_FOREIGN.split("|"), 1) for name in line.split()}
_CENTURIES = """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
    fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first
"""
_ORDINALS = _CENTURIES.split()


def _any_of(names: Iterable[str]) -> str:
    """Return a pattern of names, the longer first: they may begin with a shorter one."""
    return "|".join(sorted(names, key=len, reverse=True))


_NAMES = _any_of(name.capitalize() for name in MONTHS if name not in _SHORT and name != "may")
_MONTH = rf"(?:{_NAMES}|May|(?:{'|'.join(s.capitalize() for s in reversed(_SHORT))})\b\.?)"
_LOWER = _any_of(name for name in MONTHS if name not in _SHORT and name not in ("march", "may", "mars"))
_DAY = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|\.|er)?"
_PLAIN_DAY = r"(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?:1\d{3}|20\d\d|[1-9]\d\d(?=\s?(?:AD|CE|BC|BCE)\b))(?:\s?(?:AD|CE|BCE?|A\.D\.|B\.C\.)(?!\w))?"
_WEEKDAY = r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day,?\s+)?"
_TO = r"\s?(?:[-–—/]|to|until|till|and|through|bis|au)\s?"
_SEP = r",?\s+(?:of\s+|de\s+|del\s+)?"
DATE = re.compile(
    rf"""(?<![\w.,/$£€])(?<!\d-)(?:
    (?P<iso>\d{{4}}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?)(?!\d)
    |(?P<cjk>\d{{3,4}}年(?:\d{{1,2}}月(?:\d{{1,2}}日)?)?)
    |(?P<numeric>\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{4}})(?!\d)
    |{_WEEKDAY}(?P<d1>{_DAY})\s+(?:day\s+)?(?:of\s+|de\s+)?(?P<m1>{_MONTH}|(?:{_LOWER}))\b(?:{_SEP}(?P<y1>{_YEAR}))?
        (?:{_TO}(?P<d2>{_DAY})\s+(?:of\s+)?(?P<m2>{_MONTH})\b(?:{_SEP}(?P<y2>{_YEAR}))?)?
    |{_WEEKDAY}(?P<d3>{_DAY}){_TO}(?P<d4>{_DAY})\s+(?:of\s+)?(?P<m3>{_MONTH}|(?:{_LOWER}))\b(?:{_SEP}(?P<y3>{_YEAR}))?
    |{_WEEKDAY}(?P<m5>{_MONTH})\s+(?:the\s+)?(?P<d5>{_PLAIN_DAY})(?!\d|:)(?:{_TO}(?:(?P<m6>{_MONTH})\s+)?(?P<d6>{_PLAIN_DAY})(?!\d))?
        (?:{_SEP}(?P<y5>{_YEAR}))?
    |(?P<m8>{_MONTH}){_TO}(?P<m9>{_MONTH}){_SEP}(?P<y9>{_YEAR})(?!\d)
    |(?P<part>(?:(?:early|late|mid)[-\s])?)(?P<m7>{_MONTH}|(?:{_LOWER})(?=\s\d)){_SEP}(?P<y7>{_YEAR})(?!\d)
    |(?P<season>(?:[Ss]pring|[Ss]ummer|[Aa]utumn|[Ff]all|[Ww]inter)){_SEP}(?P<y8>1\d{{3}}|20\d\d)(?!\d)
    |(?:(?:early|mid|late)-)?(?P<decade>[1-9]?\d\d0)(?:'s|s|er)\b
    |(?:(?:early|mid|late)-)?(?P<century>[1-9]\d?(?:st|nd|rd|th)|{'|'.join(_ORDINALS)})[\s-]century(?:\s?(?:AD|CE|BCE?))?
    |(?P<ya>{_YEAR})(?:\s?[-–—/]\s?)(?P<yb>1\d{{3}}|20\d\d|\d\d(?!\s+{_MONTH}))(?!\w|[.,:]\d)
    |(?P<cue>(?:c\.|ca\.|circa)\s?)?(?P<year>{_YEAR})(?!\w|[.,:/]\d|-\w|\s?%)
    |(?P<bc>\d{{1,4}}\s?(?:BCE?|B\.C\.|AD|CE))(?!\w)
    |(?P<small>(?<=died\s)[1-9]\d\d|(?<=born\s)[1-9]\d\d|(?<=\bin\s)[1-9]\d\d)(?=[\s]?[,.;)]|$)
    |(?P<month>(?<=\b[Ii]n\s){_MONTH}|(?<=\b[Oo]f\s){_MONTH}|(?<=[Ss]ince\s){_MONTH}|(?<=[Uu]ntil\s){_MONTH})\b
    )""",
    re.VERBOSE,
)  # fmt: skip
TRIGGER = re.compile(r"\d|[Cc]entury|(?:[JFMASOND][a-zûé]{2,8})")
_UNIT_AFTER = re.compile(
    r"\s+(?:deaths?|people|persons?|men|women|children|houses?|inhabitants|votes|copies|miles?|km|metres?|meters?|feet|"
    r"acres|tons?|tonnes?|pounds?|dollars|employees|students|soldiers|troops|seats?|gallons?|cases|years|days|cubic|square)\b"
)
_COUNTED = re.compile(r"\b(?:its|our|their|his|her|your|this|that|each|every|another|an?|whole)\s+$")
"""What stands before a century that is counted from something else: "its second century of existence"."""
_NUMBERED = re.compile(
    r"\b(?:Resolution|Flight|Route|Highway|Room|Model|Section|Article|Directive|Regulation|Proposition|Squadron)\s+$"
)
"""What a number belongs to that is no year."""


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date in the text.

    Attributes
    ----------
    start, end : int
        Offsets in the text, `end` excluded.
    first, last : str or None
        ISO 8601; a date without a year starts with "--". None where it cannot be read, or has one day only.
    granularity : str
        How exact it is, such as day or year.
    year_inferred : bool
        The year is that of a date before it.
    approximate : bool
        The text is vague about the time, or names a day that no calendar has.

    """

    start: int
    end: int
    first: str | None
    last: str | None = None
    granularity: str = "day"
    year_inferred: bool = False
    approximate: bool = False


def find_dates(text: str, start: int, end: int) -> list[FoundDate]:
    """Return the dates between two offsets, in order, without years guessed.

    Parameters
    ----------
    text : str
        The whole text.
    start, end : int
        Offsets of the stretch, `end` excluded.

    Returns
    -------
    list of FoundDate
        A day without its year has `--MM-DD`; offsets count from the beginning of the text.

    """
    if not TRIGGER.search(text, start, end):
        return []
    found = []
    for match in DATE.finditer(text, start, end):
        numbered = match["year"] and _NUMBERED.search(text, max(start, match.start() - 16), match.start())
        if numbered or (match["year"] and _UNIT_AFTER.match(text, match.end(), end)):
            continue
        if match["century"] and _COUNTED.search(text, max(start, match.start() - 16), match.start()):
            continue
        date = _read(match)
        middle = _DASH.search(text, date.start, date.end) if _is_life(text, date) else None
        if middle is None:
            found.append(date)
        else:
            found += find_dates(text, date.start, middle.start()) + find_dates(text, middle.end(), date.end)
    return found


LIFE = 10
"""Years between two days in a bracket from which on these are a birth and a death, and no stretch of time."""
_DASH = re.compile(r"\s*[-–—]\s*")


def _is_life(text: str, date: FoundDate) -> bool:
    """Tell "(18 January 1954 – 13 May 2013)"."""
    first, last = (date.first or "")[:10], (date.last or "")[:10]
    days = date.granularity == "day" and len(first) == len(last) == 10
    bracket = text[max(0, date.start - 1) : date.start] == "("
    return days and bracket and int(last[:4]) - int(first[:4]) >= LIFE


def infer_years(dates: list[FoundDate], year: int | None) -> tuple[list[FoundDate], int | None]:
    """Give dates without a year the nearest explicit year before them; return the last year seen too.

    Parameters
    ----------
    dates : list of FoundDate
        Of one text, in order.
    year : int or None
        Last year before them, None where there was none.

    Returns
    -------
    tuple of list of FoundDate and int or None
        As many dates; those that no year comes before stay without.

    """
    done = []
    for date in dates:
        fixed, first = date, date.first or ""
        if first.startswith("--"):
            if year is not None:
                last = f"{year:04}{date.last[1:]}" if date.last else None
                fixed = existing(replace(date, first=f"{year:04}{first[1:]}", last=last, year_inferred=True))
        elif first[:4].isdigit() and date.granularity in ("day", "month", "year", "minute"):
            year = int(first[:4])
        done.append(fixed)
    return done, year


def _number(text: str | None) -> int:
    return int(re.sub(r"\D", "", text or "0") or 0)


def _month(text: str) -> int:
    return MONTHS[text.rstrip(".").lower()]


def _year(text: str) -> str:
    """Return four digits; years before Christ count astronomically (44 BC is -0043)."""
    number = _number(text)
    return f"-{number - 1:04}" if re.search(r"B\.?C", text) else f"{number:04}"


def _day(year: str | None, month: str, day: str) -> str:
    head = _year(year) if year else "-"
    return f"{head}-{_month(month):02}-{_number(day):02}"


def _read(match: re.Match[str]) -> FoundDate:
    start, end = match.span()
    for name, reader in _READERS.items():
        if match[name]:
            first, last, granularity = reader(match)
            return existing(FoundDate(start, end, first, last, granularity))
    return FoundDate(start, end, None)


_ON_DAY = re.compile(r"(-?\d{4}|-)-(\d\d)-(\d\d)(?:T.*)?")


def existing(date: FoundDate) -> FoundDate:
    """Return a date as it is, or the month of a day that is on no calendar: 29 February 1900, 31 April.

    A date whose month is on none is left unread.

    Parameters
    ----------
    date : FoundDate
        Read from text.

    Returns
    -------
    FoundDate
        Approximate where it was changed.

    """
    ends = [_ON_DAY.fullmatch(end) for end in (date.first, date.last) if end]
    days = [(match[1], int(match[2]), int(match[3])) for match in ends if match]
    if any(not 1 <= month <= 12 for _, month, _ in days):
        return replace(date, first=None, last=None, granularity="month")
    first, last = (_on_calendar(end) for end in (date.first, date.last))
    if (first, last) == (date.first, date.last):
        return date
    granularity = date.granularity if first == date.first else "month"
    last = last if last != first else None
    return replace(date, first=first, last=last, granularity=granularity, approximate=True)


def _on_calendar(end: str | None) -> str | None:
    """Return a day, or its month where no calendar has the day."""
    match = _ON_DAY.fullmatch(end or "")
    if end is None or match is None or 1 <= int(match[3]) <= _days(match[1], int(match[2])):
        return end
    return f"{match[1]}-{match[2]}"


def _days(year: str, month: int) -> int:
    """Return the days of a month; February may have 29 where the year is not given."""
    return calendar.monthrange(2000 + (int(year) % 400 if year != "-" else 0), month)[1]


Reading = tuple[str | None, str | None, str]


def _iso(match: re.Match[str]) -> Reading:
    text = match["iso"].replace(" ", "T").removesuffix("Z")
    return text, None, {10: "day", 16: "minute"}.get(len(text), "second")


def _cjk(match: re.Match[str]) -> Reading:
    parts = [int(part) for part in re.findall(r"\d+", match["cjk"])]
    first = "-".join(f"{part:0{4 if at == 0 else 2}}" for at, part in enumerate(parts))
    return first, None, ("year", "month", "day")[len(parts) - 1]


def _numeric(match: re.Match[str]) -> Reading:
    """Read 31/08/1854 or 08/31/1854; leave 03/04/1854, which may be either, unread."""
    one, two, year = re.split(r"[./-]", match["numeric"])
    day, month = (int(one), int(two)) if int(one) > 12 or "." in match["numeric"] else (int(two), int(one))
    if max(int(one), int(two)) <= 12 and one != two and "." not in match["numeric"]:
        return None, None, "day"
    first = f"{year}-{month:02}-{day:02}" if 1 <= month <= 12 and 1 <= day <= 31 else None
    return first, None, "day"


def _day_month(match: re.Match[str]) -> Reading:
    year = match["y1"] or match["y2"]
    last = _day(match["y2"] or match["y1"], match["m2"], match["d2"]) if match["m2"] else None
    return _day(year, match["m1"], match["d1"]), last, "day"


def _days_month(match: re.Match[str]) -> Reading:
    year, month = match["y3"], match["m3"]
    return _day(year, month, match["d3"]), _day(year, month, match["d4"]), "day"


def _month_day(match: re.Match[str]) -> Reading:
    year, month = match["y5"], match["m5"]
    last = _day(year, match["m6"] or month, match["d6"]) if match["d6"] else None
    return _day(year, month, match["d5"]), last, "day"


def _months(match: re.Match[str]) -> Reading:
    year = _year(match["y9"])
    return f"{year}-{_month(match['m8']):02}", f"{year}-{_month(match['m9']):02}", "month"


def _decade(match: re.Match[str]) -> Reading:
    first = int(match["decade"])
    return f"{first:04}", f"{first + 9:04}", "year"


def _century(match: re.Match[str]) -> Reading:
    word = match["century"]
    number = _number(word) or _ORDINALS.index(word) + 1
    if "BC" in match[0]:
        return f"-{number * 100 - 1:04}", f"-{number * 100 - 100:04}", "year"
    return f"{number * 100 - 100:04}", f"{number * 100 - 1:04}", "year"


def _years(match: re.Match[str]) -> Reading:
    first, last = _year(match["ya"]), match["yb"]
    last = first[:2] + last if len(last) == 2 else last
    if last > first or first.startswith("-"):
        return first, last, "year"
    month = match["yb"]
    return (f"{first}-{month}", None, "month") if "01" <= month <= "12" else (first, None, "year")


_READERS: Mapping[str, Callable[[re.Match[str]], Reading]] = {
    "iso": _iso,
    "cjk": _cjk,
    "numeric": _numeric,
    "d1": _day_month,
    "d3": _days_month,
    "d5": _month_day,
    "m8": _months,
    "m7": lambda match: (f"{_year(match['y7'])}-{_month(match['m7']):02}", None, "month"),
    "season": lambda match: (match["y8"], None, "year"),
    "decade": _decade,
    "century": _century,
    "ya": _years,
    "year": lambda match: (_year(match["year"]), None, "year"),
    "bc": lambda match: (_year(match["bc"]), None, "year"),
    "small": lambda match: (_year(match["small"]), None, "year"),
    "month": lambda match: (f"--{_month(match['month']):02}", None, "month"),
}
"""Group of `DATE` -> its first and last day, month or year, and how exact they are."""


_PART = re.compile(
    r"\b(?:(?P<early>early|first\s+(?:days|weeks|months|years|half|part)|(?:beginning|start|opening|outset)(?=\s+of))"
    r"|(?P<middle>mid|middle)"
    r"|(?P<late>late|latter|last\s+(?:days|weeks|months|years)|second\s+half|(?:end|close)(?=\s+of)))"
    r"(?:\s+(?:days|weeks|months|years|part|half))?(?:\s+(?:in|of))?(?:\s+the)?(?:\s+(?:year|month)(?:\s+of)?)?[\s-]*$",
    re.IGNORECASE,
)
_OWN_PART = re.compile(r"(?:(?P<early>early)|(?P<middle>mid)|(?P<late>late))[\s-]", re.IGNORECASE)
_VAGUE = re.compile(
    r"\b(?:about|around|circa|ca?\.|approximately|roughly|towards?|before|after|by|prior\s+to|"
    r"some\s?time\s+(?:in|during|around)|(?:perhaps|probably|possibly)(?:\s+in)?)(?:\s+the)?(?:\s+year)?\s*$",
    re.IGNORECASE,
)
_THIRDS = {9: ((0, 3), (4, 6), (7, 9)), 99: ((0, 33), (34, 66), (67, 99))}
"""First and last year of each third of a decade and of a century, from its first year."""
_SEASONS = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11), "winter": (12, 2)}


def narrowed(text: str, start: int, date: FoundDate) -> FoundDate:
    """Return a date with what the words from `start` to it make of it.

    "early in 1850" is the first third of the year, "towards the end of May 1854" the last of the month,
    "the summer of 1854" June to August; "about", "before", "after" and "by" leave the date and mark it
    approximate. "the winter of 1854" stays the year: it may have begun or ended in it.

    Parameters
    ----------
    text : str
        The whole text.
    start : int
        Offset where words that belong to it may begin, such as that of the sentence.
    date : FoundDate
        A date in the text.

    Returns
    -------
    FoundDate
        The date itself where the words say nothing.

    """
    if not date.first or date.first.startswith("-"):
        return date
    before, own = text[start : date.start], text[date.start : date.end]
    season = season_of(own.partition(" ")[0].lower(), int(date.first[:4])) if own[:1].isalpha() else None
    if season and date.granularity == "year":
        return replace(date, first=season[0], last=season[1], granularity="month", approximate=True)
    part = _OWN_PART.match(own) or _PART.search(before)
    if part:
        return _third(date, 0 if part["early"] else 1 if part["middle"] else 2)
    vague = _VAGUE.search(before) or own.startswith(("c", "winter", "Winter"))
    return replace(date, approximate=True) if vague else date


def season_of(name: str, year: int) -> tuple[str, str] | None:
    """Return the first and last month of a season of the northern year; None for winter, of two years.

    Parameters
    ----------
    name : str
        spring, summer, autumn, fall or winter, in lower case.
    year : int
        The year that is named with it.

    Returns
    -------
    tuple of str and str or None
        YYYY-MM each; None also for what is no season.

    """
    months = _SEASONS.get(name)
    if months is None or name == "winter":
        return None
    return f"{year:04}-{months[0]:02}", f"{year:04}-{months[1]:02}"


def _third(date: FoundDate, third: int) -> FoundDate:
    """Return the first, second or last third of a month, year, decade or century."""
    first, granularity = date.first or "", date.granularity
    if granularity == "month" and date.last is None and "-" in first:
        last = (10, 20, _days(first[:4], int(first[5:7])))[third]
        ends = (f"{first}-{1 + 10 * third:02}", f"{first}-{last:02}")
        granularity = "day"
    elif granularity == "year" and date.last is None:
        ends = (f"{first}-{1 + 4 * third:02}", f"{first}-{4 + 4 * third:02}")
        granularity = "month"
    elif granularity == "year" and date.last and (steps := _THIRDS.get(int(date.last) - int(first))):
        ends = (f"{int(first) + steps[third][0]:04}", f"{int(first) + steps[third][1]:04}")
    else:
        return date
    return replace(date, first=ends[0], last=ends[1], granularity=granularity, approximate=True)


_ANY_WEEKDAY = r"(?:[^\W\d_]{2,10}[.,]{1,2}\s*)?"
_THE_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|er|\.|º)?"
_THE_MONTH = r"(?P<month>[^\W\d_]{3,10})\.?"
_THE_YEAR = r"(?P<year>\d{4})"
_WRITTEN = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<year>\d{4})(?:-(?P<number>\d{2})(?:-(?P<day>\d{2}))?)?",
        rf"{_THE_YEAR}[./](?P<number>\d{{1,2}})[./](?P<day>\d{{1,2}})\.?",
        rf"{_THE_YEAR}年(?:(?P<number>\d{{1,2}})月(?:(?P<day>\d{{1,2}})日)?)?",
        rf"{_ANY_WEEKDAY}(?:the\s+)?{_THE_DAY}[\s-]*(?:of\s+|de\s+)?{_THE_MONTH},?[\s-]*(?:de\s+|del\s+)?{_THE_YEAR}",
        rf"{_ANY_WEEKDAY}{_THE_MONTH}\s+(?:the\s+)?{_THE_DAY},?\s+{_THE_YEAR}",
        rf"{_THE_MONTH},?\s+(?:of\s+|de\s+)?{_THE_YEAR}",
    )
)
_NUMBERS = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})")


def iso_date(text: str) -> str | None:
    """Return YYYY, YYYY-MM or YYYY-MM-DD; None when the text is no date, or one of two.

    "27.10.1787" is a day of October, "10/11/1787" may be October or November and is left alone.

    Parameters
    ----------
    text : str
        Nothing but a date.

    Returns
    -------
    str or None
        As exact as the text is.

    """
    plain = " ".join(text.split())
    if numbers := _NUMBERS.fullmatch(plain):
        return _from_numbers(int(numbers[1]), int(numbers[3]), int(numbers[4]))
    for pattern in _WRITTEN:
        if found := pattern.fullmatch(plain):
            parts = found.groupdict()
            month = MONTHS.get(parts["month"].lower()) if parts.get("month") else _int(parts.get("number"))
            if parts.get("month") and month is None:
                return None
            return _checked(int(parts["year"]), month, _int(parts.get("day")))
    return None


def _int(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _from_numbers(one: int, two: int, year: int) -> str | None:
    if one <= 12 and two <= 12 and one != two:
        return None
    day, month = (two, one) if two > 12 else (one, two)
    return _checked(year, month, day)


def _checked(year: int, month: int | None, day: int | None) -> str | None:
    """Return the ISO form of a date that the calendar has."""
    try:
        return dt.date(year, month or 1, day or 1).isoformat()[: 10 if day else 7 if month else 4]
    except ValueError:
        return None
