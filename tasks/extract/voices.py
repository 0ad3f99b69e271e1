"""Who speaks where in a text: its author, who is quoted, whose turn it is in a chat."""

import re
from bisect import bisect_right

from corpusgraph.schemas.documents import Document
from corpusgraph.tasks.extract.entities import Entity, names_of
from corpusgraph.tasks.extract.quotations import Quotation, quotations, turns
from corpusgraph.tasks.extract.tree import Tree
from corpusgraph.tasks.index.rules.known_names import SAYING

NEAR = 100
"""Characters between a quotation and who says it, or the next quotation of the same speaker."""
_FROM = re.compile(r"^From:[ \t]*\"?([^<\"\n(]+)", re.MULTILINE)
_CLOSING = re.compile(
    r"\b(?i:yours|sincerely|regards|wishes|servant|love|cheers|faithfully|respectfully)\b[^\n.]{0,30}[,.\n]\s*"
    r"((?:[^\W\d_a-z][\w.'’-]*[ \t]*){1,4})\.?\s*$"
)


class Voices:
    """Who speaks where: the author, who is quoted, whose turn it is in a chat."""

    def __init__(self, document: Document) -> None:
        text = document.text
        lines = turns(text)
        self._author = "" if lines else _author(document)
        self._heads = [Quotation(line.label, line.start) for line in lines]
        self.labels = {at: line.name for at, line in enumerate(lines)}
        """Turn of a chat -> characters of its speaker's name."""
        self.speakers: dict[int, Entity | str] = {
            at: text[slice(*line.name)] for at, line in enumerate(lines)
        }
        self._quotes = [Quotation(line.start, line.end) for line in lines] or quotations(text)
        self._starts = [quote.start for quote in self._quotes]
        self._text = text
        self.sayers: dict[int, int] = {}
        """Of the sentence at hand: quotation -> subject of the verb of saying beside it."""

    def quote_of(self, place: int) -> int:
        """Return which quotation a character stands in, -1 outside of all."""
        at = bisect_right(self._starts, place) - 1
        return at if at >= 0 and place < self._quotes[at].end else -1

    def is_label(self, place: int) -> bool:
        """Tell the name and time before a line of a chat, which nothing refers to."""
        at = bisect_right(self._heads, (place, len(self._text))) - 1
        return at >= 0 and place < self._heads[at].end

    def hear(self, tree: Tree) -> None:
        """Note the sayers of a sentence."""
        self.sayers = {}
        if not self._quotes or self.labels:
            return
        for verb in range(len(tree)):
            if tree.lemmas[verb] not in SAYING or self.quote_of(tree.starts[verb]) >= 0:
                continue
            subject = tree.dependent(verb, "nsubj")
            if subject is None or self.quote_of(tree.starts[subject]) >= 0:
                continue
            start, end = (
                min(tree.starts[verb], tree.starts[subject]),
                max(tree.ends[verb], tree.ends[subject]),
            )
            at = bisect_right(self._starts, start) - 1
            if (
                at >= 0
                and tree.start <= self._quotes[at].end
                and not self._stops(self._quotes[at].end, start)
            ):
                self.sayers[at] = subject
            elif at + 1 < len(self._quotes) and not self._stops(end, self._quotes[at + 1].start):
                self.sayers[at + 1] = subject

    def _stops(self, start: int, end: int, stops: str = r"[.;!?]\s|\n\s*\n") -> bool:
        between = self._text[start:end]
        return len(between) > NEAR or re.search(stops, between) is not None

    def speaker(self, quote: int) -> "Entity | str | None":
        """Return who speaks in a quotation; one without a verb of saying goes on with that before it."""
        if quote < 0:
            return self._author
        if quote in self.speakers:
            return self.speakers[quote]
        if quote - 1 in self.speakers and not self._stops(
            self._quotes[quote - 1].end, self._quotes[quote].start, r"\n\s*\n"
        ):
            return self.speakers[quote - 1]
        return None

    def is_speaker(self, quote: int, entity: Entity) -> bool:
        """Tell who says it from who is spoken of."""
        speaker = self.speaker(quote)
        if isinstance(speaker, str):
            return entity.name is not None and speaker.lower() in names_of(entity.name)
        return speaker is entity


def _author(document: Document) -> str:
    """Return the one author whom metadata, head or signature name, "" where there is none or several."""
    given = document.metadata.get("author")
    name = given.strip() if isinstance(given, str) else ""
    for written in (_FROM, _CLOSING):
        if not name and (match := written.search(document.text)) is not None:
            name = match[1].strip(" .\t")
    several = re.search(r"[;&,/@]|\band\b|\bor\b|\bet\b|\d", name, re.IGNORECASE)
    return "" if several or len(name.split()) > 5 else name
