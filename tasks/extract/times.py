"""The times that a document tells: dates joined into stretches and narrowed, relative ones reckoned."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from corpusgraph.tasks.extract.context import Context
from corpusgraph.tasks.extract.tree import Tree, squeezed
from corpusgraph.tasks.index.rules.dates import FoundDate, find_dates, narrowed
from corpusgraph.tasks.index.rules.relative_dates import find_relative
from corpusgraph.tasks.index.rules.wordlist import wordset

_OPEN = wordset("since until till before after by prior")
_BEFORE_OPEN = wordset("the about around early late year to end of circa at least")
_REACH = 8
"""Sentences after which a date no longer tells what "the next day" is."""
_YEARLY = re.compile(r"\s+(?:of\s+)?(?:each|every)\s+year\b")
_NOWADAYS = re.compile(r"\b(?:at|to|until|till|up\s+to)\s+$", re.IGNORECASE)
_HABIT = re.compile(r"\b(?:times|once|twice|every|each)\b(?:\s+\w+){0,2}\s+week\b", re.IGNORECASE)
_STAMP = re.compile(r"(?:^|\n)\[$")
_HEAD, _LINE = 300, 90
"""Characters in which a dateline may stand, and of its line."""
_SMALL = wordset("of the for and in from at on to de la le von van")
_ANY = FoundDate(0, 0, "2000-06-15")
"""A day, for finding where relative dates stand."""
_COARSE = ("second", "minute", "day", "month", "year")
_BETWEEN = re.compile(
    r"\s*,?\s*(?:up\s+)?(?:to|until|till|through|[-–—])\s*(?:the\s+)?(?:(?:end|close|spring|year)\s+(?:of\s+)?)?",
    re.IGNORECASE,
)
_AND = re.compile(r"\s+and\s+(?:the\s+)?", re.IGNORECASE)
_STARTS_BETWEEN = re.compile(r"\bbetween\s+(?:the\s+)?(?:years?\s+)?$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Time:
    """A date of a sentence: `first` to `last` are its tokens, `head` the topmost of them.

    `opening` is the preposition that leaves a side of it open ("since", "until", "by"), `bracket` the
    characters of the brackets it stands in.
    """

    date: FoundDate
    head: int
    first: int
    last: int
    relative: bool = False
    opening: str = ""
    bracket: tuple[int, int] | None = None

    def cue(self, text: str) -> str:
        """Return the words that tell the time, marked where they are reckoned from an earlier date."""
        words = squeezed(text[self.date.start : self.date.end])
        words = words if words.startswith(self.opening) else f"{self.opening} {words}"
        return f"relative: {words}" if self.relative else words


def times_of(context: Context) -> Iterator[tuple[int, list[Time]]]:
    """Yield the sentences that tell a time, with the times."""
    text = context.document.text
    written = _written(context)
    anchor: FoundDate | None = None
    since = 0
    for sentence, tree in enumerate(context.trees):
        since += 1
        if written and sentence == 0:
            anchor = written
        dates = [date for date in context.reading.dates[sentence] if _is_single(text, date)]
        stamp = next((date for date in dates if _is_stamp(text, date)), None)
        if stamp:
            written = anchor = replace(stamp, first=(stamp.first or "")[:10], granularity="day")
            since = 0
        dates = [_not_after(date, written) for date in dates if not _is_stamp(text, date)]
        dates = _joined(text, tree.start, [narrowed(text, tree.start, date) for date in dates])
        known = anchor if since <= _REACH else None
        moved = _relative(text, tree, dates, known, written)
        times = [_time(text, tree, date) for date in dates]
        times += [replace(_time(text, tree, date), relative=True) for date in moved]
        times = sorted((time for time in times if time.date != written), key=lambda time: time.date.start)
        for time in times:
            if time.bracket is None:
                anchor, since = time.date, 0
        if times:
            yield sentence, times


def _is_stamp(text: str, date: FoundDate) -> bool:
    """Tell the time that a message was sent: "[2023-01-16 07:42] Ruth: …"."""
    return date.granularity in ("day", "minute", "second") and bool(_STAMP.search(text, 0, date.start))


def _not_after(date: FoundDate, written: FoundDate | None) -> FoundDate:
    """Return a date without a year as that of the year before where it would come after the writing."""
    if written is None or not date.year_inferred or date.last or (date.first or "") <= (written.first or ""):
        return date
    if (date.first or "")[:7] == (written.first or "")[:7]:
        return date
    return replace(date, first=f"{int((date.first or '')[:4]) - 1:04}{(date.first or '')[4:]}")


def _is_single(text: str, date: FoundDate) -> bool:
    """Tell a date of a known year from one of every year: "each 5 May", "in October of every year"."""
    before = text[max(0, date.start - 8) : date.start]
    yearly = _YEARLY.match(text, date.end) or re.search(r"\b(?:each|every)\s+$", before)
    return bool(date.first) and not (date.first or "").startswith("--") and yearly is None


def _written(context: Context) -> FoundDate | None:
    """Return the date of the document itself: that of its metadata, else of its dateline."""
    said = str(context.document.metadata.get("date", ""))
    dates = [date for date in find_dates(said, 0, len(said)) if date.first and not date.first.startswith("-")]
    return dates[0] if dates else _dateline(context.document.text)


def _dateline(text: str) -> FoundDate | None:
    """Return a day that ends a short line, or a field between tabs, at the head of a text."""
    for date in find_dates(text, 0, min(len(text), _HEAD)):
        begin = max(text.rfind("\n", 0, date.start), text.rfind("\t", 0, date.start)) + 1
        rest = re.match(
            r"[.,;]?[^\S\n\t]*[\n\t]" if begin else r"[.,;]?[^\S\n\t]*[\n\t]|\. ", text[date.end :]
        )
        words = [word for word in re.findall(r"[^\W\d_]+", text[begin : date.start]) if word not in _SMALL]
        title = date.end - begin <= _LINE and all(word[0].isupper() for word in words)
        if date.granularity == "day" and (date.first or "-")[0] != "-" and rest and title:
            return date
    return None


def _relative(
    text: str, tree: Tree, dates: list[FoundDate], known: FoundDate | None, written: FoundDate | None
) -> list[FoundDate]:
    """Return the relative dates of a sentence, each reckoned from the date before it."""
    moved: list[FoundDate] = []
    for place in find_relative(text, tree.start, tree.end, _ANY, _ANY):
        before = [
            date
            for date in [*dates, *moved]
            if date.end <= place.start and not _bracket(text, tree, date.start)
        ]
        anchor = max(before, key=lambda date: date.end, default=known)
        overlaps = any(date.start < place.end and place.start < date.end for date in dates)
        if not overlaps and _happens_once(text, tree, place):
            moved += find_relative(text, place.start, place.end + 2, anchor, written)[:1]
    return moved


def _happens_once(text: str, tree: Tree, date: FoundDate) -> bool:
    """Tell "on this day" from "to this day", which is nowadays, and "on Monday" from that of every week."""
    words = text[date.start : date.end].lower()
    if words.startswith("this "):
        return not _NOWADAYS.search(text, tree.start, date.start)
    return not (words.startswith("on ") and _HABIT.search(text, tree.start, tree.end))


def _joined(text: str, start: int, dates: list[FoundDate]) -> list[FoundDate]:
    """Join "from 1929 to 1941", "between 1929 and 1941" and "the 1950s and 1960s" into one."""
    joined: list[FoundDate] = []
    for date in dates:
        before = joined[-1] if joined else None
        if before and _is_range(text, start, before, date):
            joined[-1] = replace(
                before,
                end=date.end,
                last=date.last or date.first,
                granularity=max(before.granularity, date.granularity, key=_COARSE.index),
                year_inferred=before.year_inferred or date.year_inferred,
                approximate=before.approximate or date.approximate,
            )
        else:
            joined.append(date)
    return joined


def _is_range(text: str, start: int, before: FoundDate, date: FoundDate) -> bool:
    between = text[before.end : date.start]
    first, last = before.first or "", date.last or date.first or ""
    bound = _STARTS_BETWEEN.search(text[start : before.start])
    if _AND.fullmatch(between) and before.last and date.last and not bound:
        years = date.granularity == "year" and before.last.isdigit()
        return years and int(date.first or 0) == int(before.last) + 1
    if not (first.startswith("-") or first <= last):
        return False
    if _AND.fullmatch(between):
        return bool(bound)
    return (not before.last or before.approximate) and bool(_BETWEEN.fullmatch(between))


def _time(text: str, tree: Tree, date: FoundDate) -> Time:
    first, last = tree.range_of(date.start, date.end)
    head = tree.position_at(date.start, date.end)
    head = first if head is None else head
    return Time(
        date, head, first, last, opening=_opening(tree, first, head), bracket=_bracket(text, tree, date.start)
    )


def _opening(tree: Tree, first: int, head: int) -> str:
    for word in reversed(tree.lows[max(0, first - 3) : first]):
        if word in _OPEN:
            return word
        if word not in _BEFORE_OPEN:
            break
    return next((tree.lows[case] for case in tree.dependents(head, "case") if tree.lows[case] in _OPEN), "")


def _bracket(text: str, tree: Tree, place: int) -> tuple[int, int] | None:
    """Return the characters of the brackets around a place of the sentence."""
    for opening, closing in ("()", "[]"):
        start = text.rfind(opening, tree.start, place)
        if start >= 0 and text.find(closing, start, place) < 0:
            end = text.find(closing, place, tree.end)
            return start, end if end >= 0 else tree.end
    return None
