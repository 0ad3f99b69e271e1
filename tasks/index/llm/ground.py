"""Find a quote in its passage, word for word, whatever became of case, spacing and marks on the way."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property

from corpusgraph.schemas.base import nfc
from corpusgraph.tasks.index.tokens import CJK, MARKS

Span = tuple[int, int]
GAP = 400
"""Characters that one ellipsis may leave out: two ends of a chunk are no quote."""

_SPACELESS = f"{CJK}\u0e00-\u0e7f\u0e80-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Scripts that put no space between words."""
_BINDS = re.compile(rf"[^\W_{_SPACELESS}]|[{MARKS}]")
"""A character that belongs to the same word as another such character beside it."""
_DASHES = "\\-\u2010-\u2015\u2212\u2e3a\u2e3b\uff0d"
_QUOTES = "\"“”„‟«»'‘’‚‛`´′″「」『』《》〈〉_*"
"""Quote marks, and the marks of emphasis in plain text."""
UNSEEN = "\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff"
"""Signs without a shape, as ranges: soft hyphens, bounds of words, and which way a text runs."""
CONTROL = "\x00-\x08\x0e-\x1f\x7f-\x9f"
"""Signs that are no text at all, as ranges."""
_JOINS = "\u0640\u200c\u200d"
"""Signs inside words that models leave out: the long stroke of Arabic, and what joins letters or not."""
_RUN = re.compile(
    rf"""(?P<broken>(?<=[^\W\d_])[-\u2010\u2011\u00ad][^\S\n]*\n\s*(?=[^\W\d_]))
    |(?P<gone>[{UNSEEN}{_JOINS}]+)
    |(?P<words>[A-Za-z0-9]+(?:[ \n][A-Za-z0-9]+)*)
    |(?P<word>(?:[^\W_]|[{MARKS}])+)
    |(?P<inner>(?<=\w)['’‘ʼ](?=\w))
    |(?P<minus>(?<![^\s(])[-\u2212\u2013](?=\d))
    |(?P<dots>\.(?:\s?\.){{2,}}|…+)
    |(?P<gap>[\s{CONTROL}{_QUOTES}]+|[{_DASHES}])
    |(?P<mark>.)""",
    re.VERBOSE | re.DOTALL,
)
_BROKEN = "\u00ad"
"""In the plain form: a hyphen at the end of a line, which belongs to the word or does not."""
_RARE = re.compile(f"[{_JOINS}\ufb00-\ufb06İ]")
_ODD = re.compile(f"[{UNSEEN}{_JOINS}\ufb00-\ufb06]|[-\u2010\u2011][^\\S\n]*\n")
_LIGATURES = dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True))
_SINGLE = {"‹": "<", "›": ">"}
"""What the fence of a prompt makes of < and >."""
_MARKS = {"broken": _BROKEN, "inner": "'", "minus": "-", "dots": "…"}
_EDGES = " .,;:…。，；：、-'"
_ELLIPSIS = re.compile(r"[\[(]?(?:…+|\.(?:\s?\.){2,})[\])]?")
_WORD = re.compile(rf"[{_SPACELESS}]|(?:[^\W_{_SPACELESS}]|[{MARKS}])+")
_CLITICS = r"(?:[وفبكلس]{1,2})?"
"""Arabic writes "and", "in" and "for" as part of the word after them."""


class Passage:
    """A text in which quotes are looked for; spans are half-open, in its characters."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._known: dict[str, Span | None] = {}

    def find(self, quote: str) -> Span | None:
        """Return where the passage has a quote, or None where it does not say these words.

        They may differ in case, white space, quote marks, dashes, hyphens at the end of lines and the marks
        at the quote's ends; an ellipsis stands for up to `GAP` characters. No word may be another.
        """
        if quote not in self._known:
            self._known[quote] = self._find(nfc(quote).strip())
        return self._known[quote]

    def find_name(self, name: str, within: Span) -> Span | None:
        """Return the first place of a name inside a span, at the bounds of words."""
        name = nfc(name).strip()
        if not name:
            return None
        exact = next(_places(self.text, name, *within), None)
        found = exact or self._loose(name, within)
        return next(self._plainly(name, within), None) if found is None and self._is_odd else found

    def _find(self, quote: str) -> Span | None:
        if not _WORD.search(quote):
            return None
        exact = next(_places(self.text, quote, 0, len(self.text)), None)
        if exact is None:
            exact = next(self._plainly(quote, (0, len(self.text))), None)
        return exact or self._in_parts(quote)

    def _in_parts(self, quote: str) -> Span | None:
        """Find a quote with ellipses: its parts in their order, near each other."""
        parts = [part for part in _ELLIPSIS.split(quote) if _WORD.search(part)]
        if len(parts) < 2:
            return self._find(parts[0]) if parts and parts[0] != quote else None
        if not all(_says_something(part) for part in parts):
            return None
        for start, end in self._plainly(parts[0], (0, len(self.text))):
            last: int | None = end
            for part in parts[1:]:
                within = (last or 0, len(self.text))
                found = next(self._plainly(part, within), None)
                last = found[1] if found and found[0] - within[0] <= GAP else None
                if last is None:
                    break
            else:
                return start, last or end
        return None

    def _loose(self, name: str, within: Span) -> Span | None:
        """Find a name whatever stands between its words, or with an Arabic particle before it."""
        words = _WORD.findall(name)
        pattern = r"[\W_]{0,3}".join(map(re.escape, words))
        if not words:
            return None
        before = _CLITICS if "\u0600" <= words[0][0] <= "\u06ff" else ""
        for found in re.compile(f"{before}({pattern})", re.IGNORECASE).finditer(self.text, *within):
            if _is_whole(self.text, found.start(), found.end()):
                return found.span(1)
        return None

    def _plainly(self, quote: str, within: Span) -> Iterator[Span]:
        """Yield the places of a text by its plain form."""
        wanted = plain(quote)[0].replace(_BROKEN, "").strip(_EDGES)
        if not _WORD.search(wanted):
            return
        text, offsets = self._plain
        first, last = bisect_left(offsets, within[0]), bisect_left(offsets, within[1])
        places = _unbroken if _BROKEN in text else _places
        for start, end in places(text, wanted, first, last):
            yield offsets[start], offsets[end - 1] + 1

    @cached_property
    def _is_odd(self) -> bool:
        """Tell whether words are broken or written with signs that a name would not have."""
        return _ODD.search(self.text) is not None

    @cached_property
    def _plain(self) -> tuple[str, list[int]]:
        return plain(self.text)


def plain(text: str) -> tuple[str, list[int]]:
    """Return the form in which quotes are compared, and the offset in the text of each of its characters.

    Lower case; no quote marks; a space only between two words, for white space and dashes alike.
    """
    made: list[str] = []
    offsets: list[int] = []
    before, apart = "", False
    for run in _RUN.finditer(text):
        kind = run.lastgroup
        if kind == "gap":
            apart = True
        if kind in {"gap", "gone"}:
            continue
        start = run.start()
        said, places = _read(kind, run[0], start)
        if apart and kind in {"word", "words"} and before and _BINDS.match(before) and _BINDS.match(said):
            made.append(" ")
            offsets.append(start)
        made.append(said)
        offsets.extend(places)
        before, apart = said[-1:], False
    return "".join(made), offsets


def _read(kind: str | None, run: str, start: int) -> tuple[str, Sequence[int]]:
    """Return the plain form of a run of characters, and the offset of each character of it."""
    if kind == "words":
        return run.lower().replace("\n", " "), range(start, start + len(run))
    if kind != "word":
        return _MARKS.get(kind or "") or _SINGLE.get(run, run), [start]
    low = run.lower().replace("ς", "σ")
    if len(low) == len(run) and not _RARE.search(run):
        return low, range(start, start + len(run))
    places = [(c, at) for at, c in enumerate(run, start) if c not in _JOINS]
    letters = [(_LIGATURES.get(c, c.lower()), at) for c, at in places]
    return "".join(said for said, _ in letters), [at for said, at in letters for _ in said]


def _places(text: str, wanted: str, start: int, end: int) -> Iterator[Span]:
    """Yield the places of a string at the bounds of words."""
    at = text.find(wanted, start, end)
    while at >= 0:
        if _is_whole(text, at, at + len(wanted)):
            yield at, at + len(wanted)
        at = text.find(wanted, at + 1, end)


def _unbroken(text: str, wanted: str, start: int, end: int) -> Iterator[Span]:
    """Yield the places of a string where hyphens at the end of lines may be a space or nothing."""
    letters = (f"[ {_BROKEN}]" if c == " " else re.escape(c) for c in wanted)
    for found in re.compile(f"{_BROKEN}?".join(letters)).finditer(text, start, end):
        if _is_whole(text, *found.span()):
            yield found.span()


def _is_whole(text: str, start: int, end: int) -> bool:
    """Tell whether a span begins and ends where words do: "can" is not in "cannot" nor in "can't"."""
    if start and _BINDS.match(text, start - 1) and _BINDS.match(text, start):
        return False
    if end >= len(text) or not _BINDS.match(text, end - 1):
        return True
    apostrophe = text[end] in "'’" and _BINDS.match(text, end + 1) and text[end + 1] not in "sS"
    return not _BINDS.match(text, end) and not apostrophe


def _says_something(part: str) -> bool:
    """Tell a part of a quote from a word picked out of the passage."""
    words = _WORD.findall(part)
    return len(words) >= 2 + 2 * all(len(word) == 1 for word in words)
