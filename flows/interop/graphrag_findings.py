"""The findings of a report, with the sentences that they rest on."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from corpusgraph.flows.interop.graphrag_cells import number
from corpusgraph.flows.interop.graphrag_csv import printed
from corpusgraph.flows.interop.parcel import Parcel
from corpusgraph.schemas.base import JsonDict, nfc
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Community, ReportFinding
from corpusgraph.tasks.index.sentences import sentence_spans

MAX_SOURCES = 5
"""Text units that one finding cites at most; the model cites as many as it likes."""
KEPT = 128
"""Text units whose words are kept at hand: reports on one community cite the same few."""
_DATA = re.compile(r"\s*\[Data:\s*([^\]]*)\]")
_KIND = re.compile(r"(Sources|Entities|Relationships|Claims|Reports)\s*\(([^)]*)\)", re.IGNORECASE)
_WORD = re.compile(r"\w{3,}")


class Sentences:
    """The sentences of a text by their words. Of sentences of the same words the first alone is kept.

    A finding meets only sentences that share a word with it, so that the cost of many findings on one long
    text is not their number times its length.
    """

    def __init__(self, text: str) -> None:
        first: dict[frozenset[str], tuple[int, int]] = {}
        for start, end in sentence_spans(text) or [(0, len(text))]:
            first.setdefault(frozenset(_words(text[start:end])), (start, end))
        self._spans = list(first.values())
        self._holders: dict[str, list[int]] = defaultdict(list)
        for place, words in enumerate(first):
            for word in words:
                self._holders[word].append(place)

    def best(self, words: Iterable[str]) -> tuple[int, int]:
        """Return start and end of the sentence that shares most of the words, the first of equals."""
        shared = Counter[int]()
        for word in words:
            shared.update(self._holders.get(word, ()))
        return self._spans[max(shared, key=lambda place: (shared[place], -place), default=0)]


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


class Findings:
    """Reads findings, which cite rows by their numbers: `[Data: Entities (5, 7); Sources (2)]`."""

    def __init__(self, parcel: Parcel) -> None:
        self._chunks = {chunk.id: chunk for chunk in parcel.chunks}
        self._texts = {document.id: document.text for document in parcel.documents}
        self._cited: dict[str, dict[int, list[str]]] = {
            "sources": {chunk.short_id: [chunk.id] for chunk in parcel.chunks if chunk.short_id is not None},
            "entities": defaultdict(list),
            "relationships": {
                edge.short_id: list(edge.chunk_ids or ())
                for edge in parcel.relationships
                if edge.short_id is not None
            },
        }
        numbers = {entity.id: entity.short_id for entity in parcel.entities}
        for row in parcel.incidence:
            at = numbers.get(row["entity_id"])
            if at is not None:
                self._cited["entities"][at].append(row["chunk_id"])
        self._sentences = lru_cache(KEPT)(Sentences)

    def of(self, row: JsonDict, community: Community) -> tuple[list[ReportFinding], list[str]]:
        """Return the findings of a report, and the words of those that no text can be found for."""
        cited: list[ReportFinding] = []
        rest: list[str] = []
        for summary, explanation in _pairs(row):
            said = f"{summary} {explanation}"
            chunks = self._sources(said) or self._of_community(community)
            best = [self._best(chunk, said) for chunk in chunks[:MAX_SOURCES]]
            if not best:
                rest.append(f"{summary}\n{explanation}".strip())
            for chunk, start, end in best if self._stated(said) else best[:1]:
                cited.append(self._finding(chunk, start, end, summary, explanation))
        return cited, rest

    def _stated(self, said: str) -> bool:
        return _DATA.search(said) is not None

    def _sources(self, said: str) -> list[Chunk]:
        """Return the chunks of what a finding cites: text units first, else those of what it names."""
        found: dict[str, list[str]] = defaultdict(list)
        for data in _DATA.finditer(said):
            for kind, listed in _KIND.findall(data[1]):
                for one in listed.split(","):
                    at = number(one.strip().removeprefix("+"))
                    found[kind.lower()] += self._cited.get(kind.lower(), {}).get(
                        at if at is not None else -1, []
                    )
        for kind in ("sources", "relationships", "entities"):
            if found[kind]:
                return [self._chunks[one] for one in dict.fromkeys(found[kind])]
        return []

    def _of_community(self, community: Community) -> list[Chunk]:
        return [self._chunks[one] for one in community.chunk_ids[: 4 * MAX_SOURCES] if one in self._chunks]

    def _best(self, chunk: Chunk, said: str) -> tuple[Chunk, int, int]:
        """Return the sentence of a chunk that shares most words with what is said, the first of equals."""
        start, end = self._sentences(chunk.content).best(_words(_DATA.sub("", said)))
        return chunk, chunk.start + start, chunk.start + end

    def _finding(self, chunk: Chunk, start: int, end: int, summary: str, explanation: str) -> ReportFinding:
        text = self._texts[chunk.source_doc][start:end]
        plain = _DATA.sub("", explanation).strip()
        verbatim = nfc(summary) == text and not plain
        return ReportFinding(
            text=text,
            chunk_id=chunk.id,
            document_id=chunk.source_doc,
            start=start,
            end=end,
            page=chunk.page,
            summary="" if verbatim else summary,
            explanation="" if verbatim else plain,
        )


def _pairs(row: JsonDict) -> Sequence[tuple[str, str]]:
    """Return summary and explanation of each finding, however a version wrote them."""
    found: Any = row.get("findings")
    if found is None and isinstance(row.get("full_content_json"), str):
        found = printed(row["full_content_json"])
        found = found.get("findings") if isinstance(found, dict) else None
    if isinstance(found, str):
        found = printed(found)
    pairs = []
    for one in found if isinstance(found, list) else ():
        value = printed(one) if isinstance(one, str) else one
        if isinstance(value, dict):
            pairs.append((str(value.get("summary") or ""), str(value.get("explanation") or "")))
        elif one:
            pairs.append((str(one), ""))
    return pairs
