"""Turns what the rules found into nouns with ids, chunks, pages and offsets; each span only once."""

from bisect import insort
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from corpusgraph.schemas.base import JsonDict
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Assertion, Mention
from corpusgraph.tasks.extract.rules.tagger import Sentence
from corpusgraph.tasks.text.layout import Layout

EXTRACTOR = "offline-rules"
BLOCK = 2048
"""Mentions are kept by stretches of so many characters: a long document costs no more per sentence."""


class Findings:
    """Collects the mentions and assertions of one document."""

    def __init__(self, document: Document, chunks: Sequence[Chunk]) -> None:
        self.document = document
        self.mentions: dict[tuple[int, int], Mention] = {}
        self.assertions: dict[str, Assertion] = {}
        self._layout = Layout(document, chunks)
        self._blocks: dict[int, list[tuple[int, int]]] = defaultdict(list)

    def where(self, start: int, end: int, sentence: Sentence) -> JsonDict:
        """Return the fields that every finding has."""
        return self._layout.where((start, end), (sentence.start, sentence.end), EXTRACTOR)

    def mention(
        self,
        start: int,
        end: int,
        type_: str,
        sentence: Sentence,
        *,
        confidence: float,
        cue: str,
        name: str | None = None,
        attributes: JsonDict | None = None,
    ) -> Mention:
        """Add a mention, or return the one that is there already over the same characters."""
        known = self.mentions.get((start, end))
        if known:
            return known
        surface = self.document.text[start:end]
        made = Mention(
            id=Mention.make_id(self.document.id, start, end, type_, EXTRACTOR),
            surface=surface,
            name=name or " ".join(surface.split()),
            type=type_,
            confidence=round(confidence, 3),
            cue=cue,
            attributes=attributes or {},
            **self.where(start, end, sentence),
        )
        self.mentions[start, end] = made
        insort(self._blocks[start // BLOCK], (start, end))
        return made

    def between(self, start: int, end: int) -> list[Mention]:
        """Return the mentions inside a span, in text order; names, dates and phrases alike."""
        return [
            self.mentions[key]
            for block in range(start // BLOCK, (end - 1) // BLOCK + 1)
            for key in self._blocks.get(block, ())
            if start <= key[0] and key[1] <= end
        ]

    def assertion(
        self,
        source: Mention,
        target: Mention,
        type_: str,
        sentence: Sentence,
        *,
        span: tuple[int, int],
        confidence: float,
        **fields: Any,
    ) -> None:
        """Add an assertion, with more `fields` of it; the same ends and type are stated once."""
        if source.id == target.id:
            return
        id_ = Assertion.make_id(source.id, type_, target.id, EXTRACTOR)
        if id_ in self.assertions:
            return
        self.assertions[id_] = Assertion(
            id=id_,
            source_mention=source.id,
            target_mention=target.id,
            source=source.name,
            target=target.name,
            type=type_,
            description=" ".join(sentence.text(self.document.text).split()),
            confidence=round(confidence, 3),
            **self.where(*span, sentence),
            **fields,
        )
