"""What was added by hand as evidence: a document of each entity with memory, a chunk of each line.

An observation is a line, "John Snow: lived in Soho"; so is each statement of a relationship, in the document
of its source: "contaminated water causes cholera. year: 1854". Lines stand in the order in which they were
added, so that a new one leaves the places, and the ids, of the others as they are.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from corpusgraph.schemas.base import JsonDict, nfc, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Assertion, Mention
from corpusgraph.schemas.memory import IMPORT
from corpusgraph.tasks.graph import compiled as arrays
from corpusgraph.tasks.graph.names import HAND_MADE, grouped, is_hand_made
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.state import HandEvidence, MemoryState
from corpusgraph.tasks.text.tokens import count_tokens

ORIGIN: JsonDict = {"origin": "memory"}
"""Metadata of memory documents, and attribute of what only the memory knows."""


class Called(NamedTuple):
    """What an entity is called now."""

    name: str
    type: str | None = None


class Spot(NamedTuple):
    """An entity named in a line, at the characters `start` to `end` of the line."""

    entity_id: str
    called: Called
    start: int = 0
    end: int = 0


class Statement(NamedTuple):
    """Id and type of the relationship that a line states."""

    id: str
    type: str


class Line(NamedTuple):
    """A line of a memory document; `said` where it states a relationship."""

    text: str
    spots: tuple[Spot, ...]
    edge: Statement | None = None
    said: HandEvidence | None = None
    metadata: JsonDict | None = ORIGIN


class LineEvidence(NamedTuple):
    """A line's chunk, its mentions with the entities they mean, and what it states of which relationship."""

    chunk: Chunk
    mentions: tuple[tuple[Mention, str], ...]
    assertions: tuple[tuple[Assertion, str], ...]


class Written(NamedTuple):
    """All evidence of an entity's memory: mentions with whom they mean, assertions with what they are for."""

    document: Document
    chunks: list[Chunk]
    mentions: list[tuple[Mention, str]]
    assertions: list[tuple[Assertion, str]]


def lines_of(state: MemoryState, entity_id: str, calling: Callable[[str], Called]) -> tuple[Line, ...]:
    """Return the lines of an entity's document, in the order of the changes that added them."""
    me = calling(entity_id)
    noted = state.observations.get(entity_id, {}).items()
    lines = [((number, 0, ""), _observed(entity_id, me, sentence)) for sentence, number in noted]
    for edge in (one for one in state.stated_by(entity_id) if one.source == entity_id):
        spots = Spot(entity_id, me), Spot(edge.target, calling(edge.target))
        statement = Statement(edge.id, edge.type)
        lines += [((said.change, 1, edge.id), stated(statement, *spots, said)) for said in edge.said]
    return tuple(line for _, line in sorted(lines, key=lambda pair: pair[0]))


def _observed(entity_id: str, me: Called, sentence: str) -> Line:
    match = re.search(rf"(?<!\w){re.escape(me.name)}(?!\w)", sentence)
    if match:
        return Line(sentence, (Spot(entity_id, me, *match.span()),))
    return Line(f"{me.name}: {sentence}", (Spot(entity_id, me, 0, len(me.name)),))


def stated(edge: Statement, source: Spot, target: Spot, said: HandEvidence) -> Line:
    """Put the statement of a relationship in words; where the two are named there is told by this."""
    verb = f"{source.called.name} {nfc(edge.type.replace('_', ' '))} "
    end = len(verb) + len(target.called.name)
    context = ", ".join(f"{key}: {_plain(value)}" for key, value in (said.context or {}).items())
    text = f"{verb}{target.called.name}." + (f" {nfc(context)}" if context else "")
    spots = source._replace(end=len(source.called.name)), target._replace(start=len(verb), end=end)
    return Line(text, spots, edge, said)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def notebook(id_: str, title: str, lines: Iterable[Line], source: str, metadata: JsonDict) -> Document:
    """Return the document of an entity's lines."""
    text = "\n".join(line.text for line in lines)
    digest = hashlib.blake2b(f"{title}\x1f{text}".encode(), digest_size=16).hexdigest()
    return Document(
        id=id_, title=title, text=text, source=source, content_hash=digest, metadata=dict(metadata)
    )


def starts_of(lines: Iterable[Line]) -> Iterator[tuple[int, int, Line]]:
    """Yield position, first character and line of the lines of a document."""
    start = 0
    for position, line in enumerate(lines):
        yield position, start, line
        start += len(line.text) + 1


def evidence_of(document: str, position: int, start: int, line: Line, extractor: str) -> LineEvidence:
    """Return the evidence of a line: a chunk, a mention of each entity it names, at most one assertion."""
    end = start + len(line.text)
    chunk = Chunk(
        id=Chunk.make_id(document, start, end, line.text),
        content=line.text,
        source_doc=document,
        position=position,
        start=start,
        end=end,
        n_tokens=count_tokens(line.text),
        entities=tuple(dict.fromkeys(spot.entity_id for spot in line.spots)),
        relationships=(line.edge.id,) if line.edge else (),
        metadata=line.metadata and dict(line.metadata),
    )
    where: JsonDict = {"document_id": document, "chunk_id": chunk.id, "extractor": extractor}
    where |= {"sentence_start": start, "sentence_end": end}
    mentions = tuple((_mention(start, line, spot, where), spot.entity_id) for spot in line.spots)
    if line.edge is None or line.said is None:
        return LineEvidence(chunk, mentions, ())
    (source, _), (target, _) = mentions
    assertion = Assertion(
        **where,
        id=Assertion.make_id(source.id, line.edge.type, target.id, extractor),
        start=start,
        end=end,
        confidence=line.said.confidence,
        cue=line.said.cue,
        source_mention=source.id,
        target_mention=target.id,
        source=source.name,
        target=target.name,
        type=line.edge.type,
        is_causal=line.said.is_causal,
        description=line.text,
    )
    return LineEvidence(chunk, mentions, ((assertion, line.edge.id),))


def _mention(at: int, line: Line, spot: Spot, where: JsonDict) -> Mention:
    start, end, type_ = at + spot.start, at + spot.end, spot.called.type or ""
    return Mention(
        **where,
        id=Mention.make_id(where["document_id"], start, end, type_, where["extractor"]),
        start=start,
        end=end,
        surface=line.text[spot.start : spot.end],
        name=spot.called.name,
        type=type_,
    )


# Lines of a memory that was imported which say what was taken out since: they are in no text any more.


def notebook_id(entity_id: str, origin: str = IMPORT) -> str:
    """Identify the document of an entity of an imported memory."""
    return stable_id("doc", origin, entity_id)


def is_of(document_id: str, entity_id: str) -> bool:
    """Tell whether a document is the notebook of an entity."""
    return any(document_id == notebook_id(entity_id, origin) for origin in HAND_MADE)


@dataclass(frozen=True)
class Redactions:
    """Lines that are left out; none of a graph that no memory was imported into."""

    lines: Mapping[int, Chunk] = field(default_factory=dict)
    """Place in the base -> the chunk, in order."""
    lost: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Entity of the base -> chunk of these -> how often the chunk mentions it."""
    forgotten: frozenset[str] = frozenset()
    """Entities of an imported memory that were taken out."""

    @cached_property
    def chunks(self) -> frozenset[str]:
        """Return the ids of the chunks."""
        return frozenset(chunk.id for chunk in self.lines.values())


def redactions(state: MemoryState) -> Redactions:
    """Return the lines that are left out."""
    base, dead = state.base, [at for at in state.taken if at not in state.counts_for]
    if not (state.unobserved or state.deleted or dead):
        return Redactions()
    forgotten = _imported(base, state.deleted)
    lines = dict(_unobserved(state)) | dict(_stated(state, dead))
    for id_ in forgotten:
        lines |= _notes(base, id_)
    counts, lost = base.graph.mention_counts() if lines else {}, dict[str, dict[str, int]]()
    for chunk in lines.values():
        for id_ in chunk.entities or ():
            lost.setdefault(id_, {})[chunk.id] = counts[id_].get(chunk.id, 0)
    return Redactions(dict(sorted(lines.items())), lost, frozenset(forgotten))


def _imported(base: Base, entities: Iterable[str]) -> list[str]:
    """Return those of some entities that a memory which was imported had."""
    return [id_ for id_ in entities if (entity := base.entity(id_)) is not None and is_hand_made(entity)]


def _notes(base: Base, entity_id: str) -> dict[int, Chunk]:
    """Return the lines of an entity's notebook that note something, and state no relationship."""
    find, chunks = arrays.chunk_ids(base.graph).find, base.graph.chunks
    places = (at for id_ in base.graph.entity_chunks()[entity_id] if (at := find(id_)) is not None)
    rows = ((at, chunks[at]) for at in places)
    return {at: one for at, one in rows if not one.relationships and is_of(one.source_doc, entity_id)}


def _unobserved(state: MemoryState) -> Iterator[tuple[int, Chunk]]:
    """Yield the lines of what was taken back of an entity, and of those that were taken for it."""
    for owner, sentences in state.unobserved.items():
        for id_ in _imported(state.base, state.parts(owner) if sentences else ()):
            entity = state.base.entity(id_)
            name = nfc(entity.name) if entity else id_
            texts = {*sentences, *(nfc(f"{name}: {sentence}") for sentence in sentences)}
            yield from ((at, one) for at, one in _notes(state.base, id_).items() if one.content in texts)


def _stated(state: MemoryState, dead: Sequence[int]) -> Iterator[tuple[int, Chunk]]:
    """Yield the lines that state relationships which no longer count."""
    base = state.base
    sources = {at: base.ends(at)[0] for at in dead}
    by_hand = set(_imported(base, dict.fromkeys(sources.values())))
    if not by_hand:
        return
    gone = {base.relationship_ids[at] for at in dead}
    drawn = {one.chunk_id for edge in state.edges.values() for one in edge.drawn}
    lists = arrays.stated(base.graph)
    for at in (at for at in dead if sources[at] in by_hand):
        for place in lists.item[lists.of(at)].tolist():
            chunk = base.graph.chunks[place]
            counts = chunk.id in drawn or not gone.issuperset(chunk.relationships or ())
            if not counts and is_of(chunk.source_doc, sources[at]):
                yield place, chunk


def blanked(documents: Sequence[Document], out: Redactions) -> Sequence[Document]:
    """Return documents with the lines blank: all else keeps its place. One that is all blank is left out."""
    by_document = grouped((chunk.source_doc, chunk) for chunk in out.lines.values())
    rows = (_blanked(one, by_document[one.id]) if one.id in by_document else one for one in documents)
    return tuple(one for one in rows if one is not None) if by_document else documents


def _blanked(document: Document, lines: Iterable[Chunk]) -> Document | None:
    text = document.text
    for line in lines:
        text = f"{text[: line.start]}{' ' * (line.end - line.start)}{text[line.end :]}"
    if not text.strip():
        return None
    digest = stable_id("doc", document.title, text)
    return document.model_copy(update={"text": text, "content_hash": digest})
