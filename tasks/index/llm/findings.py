"""Nouns with ids, chunks, pages and offsets from what a model said of a document; each place only once."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence

from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.documents import Chunk, Document, Failure
from corpusgraph.schemas.evidence import Mention
from corpusgraph.tasks.index.layout import Layout
from corpusgraph.tasks.index.llm.ground import Passage, Span
from corpusgraph.tasks.index.llm.ontology import amount_in
from corpusgraph.tasks.index.rules.dates import find_dates
from corpusgraph.tasks.index.stated import STATED

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
        start, end = span
        sentence = self.layout.sentence_of(start, end)
        return {
            "document_id": self.document.id,
            "chunk_id": next(iter(self.layout.chunks_of(start, end)), ""),
            "start": start,
            "end": end,
            "page": self.layout.page_of(start),
            "extractor": EXTRACTOR,
            "sentence_start": sentence[0],
            "sentence_end": sentence[1],
        }

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
        start, end = place or quote
        key = (start, end, "" if place else name.casefold())
        known = self.mentions.get(key)
        if known is None:
            known = self._mention(name, type_, (start, end), located=place is not None)
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
