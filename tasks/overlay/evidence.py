"""What was added by hand as evidence: a document of each entity with memory, a chunk of each line.

An observation is a line, "John Snow: lived in Soho"; so is each statement of a relationship, in the document
of its source: "contaminated water causes cholera. year: 1854". Lines stand in the order in which they were
added, so that a new one leaves the places, and the ids, of the others as they are.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from corpusgraph.schemas.base import JsonDict, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Assertion, Mention
from corpusgraph.schemas.memory import HAND, JOURNAL
from corpusgraph.tasks.overlay.state import HandEvidence, HandRelation, MemoryState
from corpusgraph.tasks.text.tokens import count_tokens

ORIGIN: JsonDict = {"origin": "memory"}
"""Metadata of memory documents, and attribute of what only the memory knows."""


class Called(NamedTuple):
    """What an entity is called now."""

    name: str
    type: str | None = None


Calling = Callable[[str], Called]
"""Entity id -> what it is called."""


class Spot(NamedTuple):
    """An entity named in a line, at the characters `start` to `end` of the line."""

    entity_id: str
    called: Called
    start: int
    end: int


class Line(NamedTuple):
    """A line of a memory document; `stated` where it states a relationship."""

    text: str
    spots: tuple[Spot, ...]
    relation: tuple[str, str] | None = None
    """Id and type of the relationship that it states."""
    stated: HandEvidence | None = None


@dataclass(frozen=True, slots=True)
class Written:
    """All evidence of one entity's memory; `entities[i]` is what `mentions[i]` means."""

    lines: tuple[Line, ...]
    document: Document
    chunks: tuple[Chunk, ...]
    mentions: tuple[Mention, ...]
    entities: tuple[str, ...]
    assertions: tuple[Assertion, ...]
    relationships: tuple[str, ...]


def document_id(entity_id: str) -> str:
    """Identify the memory document of an entity."""
    return stable_id("doc", "memory", entity_id)


def relations_from(state: MemoryState, entity_id: str) -> list[HandRelation]:
    """Return the relationships stated by hand in which an entity is the source, in no order that counts."""
    found = (state.relations.get(id_) for id_ in state.of_entity.get(entity_id, ()))
    return [relation for relation in found if relation is not None and relation.source == entity_id]


def lines_of(
    state: MemoryState, entity_id: str, calling: Calling, relations: Iterable[HandRelation]
) -> tuple[Line, ...]:
    """Return the lines of an entity's document, in the order of the changes that added them."""
    me = calling(entity_id)
    found: list[tuple[tuple[int, int, str], Line]] = [
        ((number, 0, ""), _observed(entity_id, me, sentence))
        for sentence, number in state.observations.get(entity_id, {}).items()
    ]
    for relation in relations:
        other = calling(relation.target)
        found += [
            ((evidence.change, 1, relation.id), _stated(relation, me, other, evidence))
            for evidence in relation.evidence
        ]
    return tuple(line for _, line in sorted(found, key=lambda pair: pair[0]))


def _observed(entity_id: str, me: Called, sentence: str) -> Line:
    there = re.search(rf"(?<!\w){re.escape(me.name)}(?!\w)", sentence)
    if there:
        return Line(sentence, (Spot(entity_id, me, *there.span()),))
    return Line(f"{me.name}: {sentence}", (Spot(entity_id, me, 0, len(me.name)),))


def _stated(relation: HandRelation, me: Called, other: Called, evidence: HandEvidence) -> Line:
    verb = f"{me.name} {relation.type.replace('_', ' ')} "
    end = len(verb) + len(other.name)
    text = f"{verb}{other.name}."
    told = ", ".join(f"{key}: {_plain(value)}" for key, value in (evidence.context or {}).items())
    spots = (
        Spot(relation.source, me, 0, len(me.name)),
        Spot(relation.target, other, len(verb), end),
    )
    return Line(f"{text} {told}" if told else text, spots, (relation.id, relation.type), evidence)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def written(entity_id: str, me: Called, lines: tuple[Line, ...], before: Written | None = None) -> Written:
    """Write lines out; a line has one chunk, a mention of each entity it names, at most one assertion.

    What the lines at the head gave `before`, the same document with fewer lines, is taken from there.
    """
    document = _document(entity_id, me, lines)
    found = _Found(document)
    start = found.go_on(before, lines) if before is not None else 0
    for position, line in enumerate(lines[len(found.chunks) :], len(found.chunks)):
        found.take(line, position, start)
        start += len(line.text) + 1
    return Written(
        lines=lines,
        document=document,
        chunks=tuple(found.chunks),
        mentions=tuple(found.mentions),
        entities=tuple(spot.entity_id for line in lines for spot in line.spots),
        assertions=tuple(found.assertions),
        relationships=tuple(line.relation[0] for line in lines if line.relation),
    )


def _document(entity_id: str, me: Called, lines: tuple[Line, ...]) -> Document:
    text = "\n".join(line.text for line in lines)
    digest = hashlib.blake2b(f"{me.name}\x1f{text}".encode(), digest_size=16).hexdigest()
    return Document(
        id=document_id(entity_id),
        title=me.name,
        text=text,
        source=f"{JOURNAL}#{entity_id}",
        content_hash=digest,
        metadata=dict(ORIGIN),
    )


class _Found:
    """The evidence of a document, line by line."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.chunks: list[Chunk] = []
        self.mentions: list[Mention] = []
        self.assertions: list[Assertion] = []

    def go_on(self, before: Written, lines: tuple[Line, ...]) -> int:
        """Take over the evidence of the lines that both begin with; return where the next line begins."""
        both = zip(before.lines, lines, strict=False)
        same = next(
            (at for at, (old, new) in enumerate(both) if old != new), min(len(before.lines), len(lines))
        )
        head = before.lines[:same]
        self.chunks += before.chunks[:same]
        self.mentions += before.mentions[: sum(len(line.spots) for line in head)]
        self.assertions += before.assertions[: sum(line.relation is not None for line in head)]
        return sum(len(line.text) + 1 for line in head)

    def take(self, line: Line, position: int, start: int) -> None:
        """Add the evidence of a line that begins at the character `start`."""
        document, end = self._document.id, start + len(line.text)
        relation = (line.relation[0],) if line.relation else ()
        chunk = Chunk(
            id=Chunk.make_id(document, start, end, line.text),
            content=line.text,
            source_doc=document,
            position=position,
            start=start,
            end=end,
            n_tokens=count_tokens(line.text),
            entities=tuple(dict.fromkeys(spot.entity_id for spot in line.spots)),
            relationships=relation,
            metadata=dict(ORIGIN),
        )
        self.chunks.append(chunk)
        spotted = [_mention(chunk, spot) for spot in line.spots]
        self.mentions += spotted
        if line.relation and line.stated:  # one is never without the other
            self.assertions.append(_assertion(chunk, spotted, line.relation[1], line.stated))


def _mention(chunk: Chunk, spot: Spot) -> Mention:
    start, end, type_ = chunk.start + spot.start, chunk.start + spot.end, spot.called.type or ""
    return Mention(
        id=Mention.make_id(chunk.source_doc, start, end, type_, HAND),
        document_id=chunk.source_doc,
        chunk_id=chunk.id,
        start=start,
        end=end,
        extractor=HAND,
        sentence_start=chunk.start,
        sentence_end=chunk.end,
        surface=spot.called.name,
        name=spot.called.name,
        type=type_,
    )


def _assertion(chunk: Chunk, ends: list[Mention], type_: str, stated: HandEvidence) -> Assertion:
    source, target = ends
    return Assertion(
        id=Assertion.make_id(source.id, type_, target.id, HAND),
        document_id=chunk.source_doc,
        chunk_id=chunk.id,
        start=chunk.start,
        end=chunk.end,
        extractor=HAND,
        confidence=stated.confidence,
        cue=stated.cue,
        sentence_start=chunk.start,
        sentence_end=chunk.end,
        source_mention=source.id,
        target_mention=target.id,
        source=source.name,
        target=target.name,
        type=type_,
        is_causal=stated.is_causal,
        description=chunk.content,
    )
