"""Turns what the rules found into nouns with ids, chunks, pages and offsets; each span only once."""

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Sequence

from corpusgraph.schemas.base import JsonDict, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Assertion, Mention, Modality
from corpusgraph.tasks.extract.rules.tagger import Sentence

EXTRACTOR = "offline-rules"
BLOCK = 2048
"""Mentions are kept by stretches of so many characters: a long document costs no more per sentence."""


class Findings:
    """Collects the mentions and assertions of one document."""

    def __init__(self, document: Document, chunks: Sequence[Chunk]) -> None:
        self.document = document
        self.mentions: dict[tuple[int, int], Mention] = {}
        self.assertions: dict[str, Assertion] = {}
        self._chunks = sorted(chunks, key=lambda chunk: (chunk.start, chunk.end))
        self._blocks: dict[int, list[tuple[int, int]]] = defaultdict(list)
        self._starts = [chunk.start for chunk in self._chunks]

    def chunk_of(self, start: int, end: int) -> str:
        """Return the first chunk that holds the span, else the one in which it begins, else ""."""
        at = bisect_right(self._starts, start) - 1
        if at < 0:
            return self._chunks[0].id if self._chunks else ""
        best = at
        for before in range(at, max(-1, at - 16), -1):
            if self._chunks[before].end >= end:
                best = before
        return self._chunks[best].id

    def where(self, start: int, end: int, sentence: Sentence) -> JsonDict:
        """Return the fields that every finding has."""
        return {
            "document_id": self.document.id,
            "chunk_id": self.chunk_of(start, end),
            "start": start,
            "end": end,
            "page": self.document.page_of(start) if self.document.pages else None,
            "extractor": EXTRACTOR,
            "sentence_start": sentence.start,
            "sentence_end": sentence.end,
        }

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
        cue: str,
        span: tuple[int, int],
        confidence: float,
        doubtful: bool = False,
        negated: bool = False,
        is_causal: bool = False,
        modality: Modality = "fact",
        speaker: str | None = None,
        cue_span: tuple[int, int] | tuple[None, None] = (None, None),
        source_span: tuple[int, int] | tuple[None, None] = (None, None),
        target_span: tuple[int, int] | tuple[None, None] = (None, None),
    ) -> None:
        """Add an assertion; the same ends and type are stated once."""
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
            doubtful=doubtful,
            is_causal=is_causal,
            negated=negated,
            modality=modality,
            speaker=speaker,
            source_start=source_span[0],
            source_end=source_span[1],
            target_start=target_span[0],
            target_end=target_span[1],
            cue_start=cue_span[0],
            cue_end=cue_span[1],
            description=" ".join(sentence.text(self.document.text).split()),
            confidence=round(confidence, 3),
            cue=cue,
            **self.where(*span, sentence),
        )


def claim_id(document: Document, start: int, end: int) -> str:
    """Identify a claim by its place."""
    return stable_id("clm", document.id, start, end, EXTRACTOR)
