"""Nouns with ids, chunks, pages and offsets from what a model said of a document; each place only once."""

import math
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache

from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.evidence import Mention
from corpusgraph.schemas.study import AttributeKind, Ontology
from corpusgraph.tasks.extract.llm.stated import STATED
from corpusgraph.tasks.extract.name_forms import singular
from corpusgraph.tasks.extract.rules.quantities import find_quantities, number
from corpusgraph.tasks.extract.rules.tagger import read, tag
from corpusgraph.tasks.text.dates import find_dates, iso_date
from corpusgraph.tasks.text.layout import Layout
from corpusgraph.tasks.text.tokens import CJK, MARKS

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
            last = end
            for part in parts[1:]:
                found = next(self._plainly(part, (last, len(self.text))), None)
                if found is None or found[0] - last > GAP:
                    break
                last = found[1]
            else:
                return start, last
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


Value = str | float | int | bool
TYPE, RELATION = "concept", "relates_to"
"""Of what a model gives no type."""
MAX_TYPE = 60
"""Characters of a type's name: what is longer is none."""

_NO_WORD = re.compile(r"[\W_]+")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NUMBER = re.compile(r"[-+\u2212]?\d+(?:,\d{3})*(?:\.\d+)?")
_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_TRUE = frozenset({"true", "yes", "1"})
_FALSE = frozenset({"false", "no", "0"})
_USUAL = {
    "organization": "organisation",
    "company": "organisation",
    "institution": "organisation",
    "people": "person",
    "location": "place",
    "geo": "place",
    "time": "date",
    "number": "quantity",
    "amount": "quantity",
}
"""Other words for the types that the rest of corpusgraph knows."""


@lru_cache(maxsize=4096)
def snake(name: str) -> str:
    """Return a type's name in lower_snake_case: "Born In" -> "born_in"; letters of any script stay."""
    return _NO_WORD.sub("_", _CAMEL.sub("_", nfc(name))).strip("_").casefold()


def _short(name: str) -> str:
    return name if len(name := snake(name)) <= MAX_TYPE else ""


@lru_cache(maxsize=4096)
def _key(name: str) -> str:
    """Return the form under which variants of a type's name are one: case, spaces and plural do not count."""
    return singular(snake(name).replace("_", " ")).replace(" ", "")


class Types:
    """Knows which types, ends and attributes there may be."""

    def __init__(self, ontology: Ontology) -> None:
        self.strict = ontology.strict
        self._ontology = ontology
        self._entities = _keys(ontology.entities)
        self._relationships = _keys(ontology.relationships)
        self._closed = any(kind.attributes for kind in ontology.entities.values())

    def entity(self, said: str) -> tuple[str, bool]:
        """Return a type of entities and whether it may be."""
        known = self._entities.get(_key(said))
        if known is not None:
            return known, True
        name = _short(said) or TYPE
        name = _USUAL.get(_key(name), name)
        known = self._entities.get(_key(name))
        return known or name, known is not None or not self._entities

    def relationship(self, said: str) -> tuple[str, bool]:
        """Return a type of relationships and whether it may be."""
        known = self._relationships.get(_key(said))
        return known or _short(said) or RELATION, known is not None or not self._relationships

    def fits(self, type_: str, source: str, target: str) -> bool:
        """Tell whether a relationship may lead from one type to the other."""
        kind = self._ontology.relationships.get(type_)
        if kind is None:
            return True
        return (not kind.source or source in kind.source) and (not kind.target or target in kind.target)

    def is_causal(self, type_: str) -> bool:
        """Tell whether the ontology calls a relationship causal."""
        kind = self._ontology.relationships.get(type_)
        return kind is not None and kind.is_causal

    def end(self, type_: str, *, source: bool) -> str | None:
        """Return the type of an end that is no entity of the document: the only one there may be.

        None where a strict ontology leaves it open and has types of its own.
        """
        kind = self._ontology.relationships.get(type_)
        ends = (kind.source if source else kind.target) if kind else ()
        if len(ends) == 1:
            return ends[0]
        return TYPE if not self.strict or (not ends and self.entity(TYPE)[1]) else None

    def attributes(self, type_: str, said: Iterable[tuple[str, str]]) -> tuple[dict[str, Value], list[str]]:
        """Return the attributes of an entity, typed, and the names of those that may not be."""
        kind = self._ontology.entities.get(type_)
        known = {_key(name): name for name in kind.attributes} if kind else {}
        kept: dict[str, Value] = {}
        outside = []
        for name, value in said:
            given = known.get(_key(name))
            declared = kind.attributes[given] if kind and given else None
            typed = _typed(value, declared) if declared else _guessed(value)
            wrong = typed is None or (declared is None and self._closed)
            if wrong:
                outside.append(f"{type_}.{snake(name)} = {value[:40]}")
            if not wrong or not self.strict:
                kept.setdefault(given or snake(name), " ".join(value.split()) if typed is None else typed)
        return {name: value for name, value in kept.items() if name}, outside


def _keys(names: Mapping[str, object]) -> dict[str, str]:
    return {_key(name): name for name in reversed(list(names))}  # of variants the first


def _guessed(value: str) -> Value:
    """Return a plain number as one, all else as text."""
    text = " ".join(value.split())
    if not _PLAIN_NUMBER.fullmatch(text) or len(text) > 15:
        return text
    return float(text) if "." in text else int(text)


def _typed(value: str, kind: AttributeKind) -> Value | None:
    """Return a value as its attribute's type; None where it is none, or not one of the values there are."""
    text = " ".join(nfc(value).split())
    if kind.values:
        return next((one for one in kind.values if _key(one) == _key(text) and _key(one)), None)
    if kind.type == "number":
        return number_in(text)
    if kind.type == "date":
        return date_in(text)
    if kind.type == "boolean":
        low = text.casefold()
        return True if low in _TRUE else False if low in _FALSE else None
    return text or None


def number_in(text: str) -> float | None:
    """Return the number of a text that has one and only one: "1,854 feet" is 1854, "$5 million" 5000000."""
    found = _NUMBER.findall(text)
    signed = any(one[0] in "-+\u2212" for one in found)
    if len(found) > 1 or not text:
        return None
    if not signed and not _NUMBER.fullmatch(text):
        amount = amount_in(text) or amount_in(f"{text} items")
        return amount[0] if amount else float(found[0].replace(",", "")) if found else number(text)
    value = float(found[0].replace(",", "").replace("\u2212", "-"))
    return value if math.isfinite(value) else None


def amount_in(text: str) -> tuple[float, str] | None:
    """Return value and unit of a text that is one quantity."""
    sentence = read(text, 0, len(text))
    tag(sentence)
    found = find_quantities(sentence)
    return (found[0].value, found[0].unit or "") if len(found) == 1 else None


def date_in(text: str) -> str | None:
    """Return the date that a text is or has, as ISO 8601."""
    whole = iso_date(text)
    found = [date.first for date in find_dates(text, 0, len(text)) if date.first and date.first[0] != "-"]
    return whole or (found[0] if len(found) == 1 else None)


EXTRACTOR, STAGE = "llm", "extract"
CONFIDENCE, UNLOCATED = 0.9, 0.6
"""Of a name that its quote has, and of one that a passage only describes."""
SHOWN = 5
"""Items named in a line of the ledger."""
_AROUND = '"“”„‟«»「」『』《》`*'
_WHY = {
    "quote_not_found": "their quotes are not in the passage",
    "outside_ontology": "the ontology does not have them",
    "end_not_found": "somebody or something in them is not in the passage",
    "unnamed": "what they have is no name",
    "same_ends": "both their ends are one entity",
    "undated_event": "their time is not in the passage",
}


def line(text: str) -> str:
    """Return a text on one line, in NFC."""
    return " ".join(nfc(text).split())


def name_of(text: str) -> str:
    """Return a name without the quote marks or asterisks that a model put around it."""
    name = line(text)
    inside = name.strip(_AROUND)
    dressed = len(name) > 2 and name[0] in _AROUND and name[-1] in _AROUND
    return inside.strip() if dressed and inside and not set(_AROUND) & set(inside) else name


class Part:
    """A chunk of a document, as a passage in which a model's quotes are looked for."""

    def __init__(self, chunk: Chunk) -> None:
        self.chunk = chunk
        self.passage = Passage(chunk.content)

    def find(self, quote: str) -> Span | None:
        """Return where a quote stands in the document."""
        return self._in_document(self.passage.find(quote))

    def name(self, name: str, quote: Span) -> Span | None:
        """Return where a name stands in the document: inside the quote, else anywhere in the chunk."""
        return self.name_within(name, quote) or self.name_within(name, (self.chunk.start, self.chunk.end))

    def name_within(self, name: str, span: Span) -> Span | None:
        """Return where a name stands inside a span of the document."""
        return self._in_document(self.passage.find_name(name, self.inside(span)))

    def inside(self, span: Span) -> Span:
        """Return a span of the document as one of the passage."""
        return span[0] - self.chunk.start, span[1] - self.chunk.start

    def _in_document(self, span: Span | None) -> Span | None:
        return span and (span[0] + self.chunk.start, span[1] + self.chunk.start)


class Ledger:
    """Counts what is left out, by chunk and reason."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._items: dict[tuple[str, str, bool], list[str]] = defaultdict(list)

    def note(self, part: Part, code: str, item: str, *, kept: bool = False) -> None:
        """Note an item that is left out, or one that is kept though it should not be."""
        self._items[part.chunk.id, code, kept].append(" ".join(item.split())[:80])

    def lines(self) -> tuple[Failure, ...]:
        """Return a line for each chunk and reason."""
        return tuple(self._line(*key, items) for key, items in self._items.items())

    def _line(self, chunk_id: str, code: str, kept: bool, items: list[str]) -> Failure:
        names = "; ".join(items[:SHOWN]) + (f" and {len(items) - SHOWN} more" if len(items) > SHOWN else "")
        many = f"{len(items)} item{'s' * (len(items) > 1)} {'kept' if kept else 'left out'}"
        message = f"{many}: {_WHY[code]}: {names}"
        return Failure(source=self._document.source, stage=STAGE, code=code, message=message, item=chunk_id)


class Findings:
    """Makes the nouns of one document."""

    def __init__(self, document: Document, chunks: Sequence[Chunk]) -> None:
        self.document = document
        self.layout = Layout(document, chunks)
        self.mentions: dict[tuple[int, int, str], Mention] = {}
        self._sorted: list[Mention] = []
        self._starts: list[int] = []

    def where(self, span: Span) -> JsonDict:
        """Return the fields that every finding has."""
        return self.layout.where(span, self.layout.sentence_of(*span), EXTRACTOR)

    def mention(
        self,
        name: str,
        type_: str,
        place: Span | None,
        quote: Span,
        *,
        description: str = "",
        stated: JsonDict | None = None,
    ) -> Mention:
        """Add a mention, or what is new to the one at that place; without a place it spans its quote."""
        span = place or quote
        key = (*span, "" if place else name.casefold())
        known = self.mentions.get(key) or self._mention(name, type_, span, located=place is not None)
        self.mentions[key] = _told(known, description, stated or {})
        return self.mentions[key]

    def inside(self, span: Span) -> list[Mention]:
        """Return the mentions inside a span, in text order."""
        if len(self._starts) != len(self.mentions):
            self._sorted = sorted(self.mentions.values(), key=lambda m: (m.start, m.end, m.id))
            self._starts = [mention.start for mention in self._sorted]
        near = self._sorted[bisect_left(self._starts, span[0]) : bisect_left(self._starts, span[1])]
        return [mention for mention in near if mention.end <= span[1]]

    def _mention(self, name: str, type_: str, span: Span, *, located: bool) -> Mention:
        surface = self.document.text[slice(*span)]
        extractor = EXTRACTOR if located else f"{EXTRACTOR}:{name}"
        return Mention(
            id=Mention.make_id(self.document.id, *span, type_, extractor),
            surface=surface,
            name=name,
            type=type_,
            confidence=CONFIDENCE if located else UNLOCATED,
            cue="as written" if located else "quoted",
            attributes=_value(type_, surface) if located else {"located": False},
            **self.where(span),
        )


def _told(mention: Mention, description: str, stated: JsonDict) -> Mention:
    """Return a mention with a description and attributes it does not have yet."""
    before: JsonDict = mention.attributes.get(STATED, {})
    changes: JsonDict = {}
    if description and not mention.description:
        changes["description"] = description
    if stated.keys() - before.keys():
        changes["attributes"] = {**mention.attributes, STATED: {**stated, **before}}
    return mention.model_copy(update=changes) if changes else mention


def _value(type_: str, surface: str) -> JsonDict:
    """Return the date or the amount that a mention of such a type stands for."""
    if type_ == "date":
        date = next(iter(find_dates(surface, 0, len(surface))), None)
        told = {"iso": date.first, "iso_end": date.last} if date else {}
        return {key: value for key, value in told.items() if value}
    if type_ != "quantity":
        return {}
    amount = amount_in(surface)
    return {} if amount is None else {"value": amount[0]} | ({"unit": amount[1]} if amount[1] else {})
