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
from itertools import takewhile
from typing import Any, NamedTuple

from corpusgraph.schemas.base import JsonDict, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.evidence import Assertion, Mention
from corpusgraph.schemas.memory import HAND, JOURNAL
from corpusgraph.tasks.overlay.state import Edge, HandEvidence, MemoryState
from corpusgraph.tasks.text.tokens import count_tokens

ORIGIN: JsonDict = {"origin": "memory"}
"""Metadata of memory documents, and attribute of what only the memory knows."""


DEEPEST, LARGEST = 20, 100_000
"""Levels, and bytes of its JSON."""


def checked_context(value: JsonDict) -> JsonDict:
    """Return a context as it is; raise ValueError for one that is too deep, too large, or not JSON."""
    level: list[Any] = [value]
    for _ in range(DEEPEST):
        level = [inner for held in level for inner in _inside(held)]
        if not level:
            break
    else:
        raise ValueError(f"must not be nested more than {DEEPEST} deep")
    try:
        size = len(json.dumps(value, allow_nan=False, ensure_ascii=False).encode())
    except (TypeError, ValueError) as error:
        raise ValueError(f"must be JSON: {error}") from None
    if size > LARGEST:
        raise ValueError(f"must not be larger than {LARGEST:,} bytes")
    return value


def _inside(held: Any) -> list[Any]:
    if isinstance(held, dict):
        return list(held.values())
    return list(held) if isinstance(held, list | tuple) else []


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


class LineEvidence(NamedTuple):
    """A line's chunk, its mentions with the entities they mean, and what it states of which relationship."""

    chunk: Chunk
    mentions: tuple[tuple[Mention, str], ...]
    assertions: tuple[tuple[Assertion, str], ...]


@dataclass(frozen=True, slots=True)
class Written:
    """All evidence of one entity's memory."""

    lines: tuple[Line, ...]
    document: Document
    evidence: tuple[LineEvidence, ...]

    @property
    def chunks(self) -> list[Chunk]:
        """A chunk of each line."""
        return [one.chunk for one in self.evidence]

    @property
    def mentions(self) -> list[tuple[Mention, str]]:
        """All mentions, and the entities they mean."""
        return [pair for one in self.evidence for pair in one.mentions]

    @property
    def assertions(self) -> list[tuple[Assertion, str]]:
        """All assertions, and the relationships they are evidence for."""
        return [pair for one in self.evidence for pair in one.assertions]


def document_id(entity_id: str) -> str:
    """Identify the memory document of an entity."""
    return stable_id("doc", "memory", entity_id)


def lines_of(
    state: MemoryState, entity_id: str, calling: Calling, relations: Iterable[Edge]
) -> tuple[Line, ...]:
    """Return the lines of an entity's document, in the order of the changes that added them."""
    me = calling(entity_id)
    noted = state.observations.get(entity_id, {}).items()
    lines = [((number, 0, ""), _observed(entity_id, me, sentence)) for sentence, number in noted]
    for edge in relations:
        other = calling(edge.target)
        lines += [((said.change, 1, edge.id), _stated(edge, me, other, said)) for said in edge.said]
    return tuple(line for _, line in sorted(lines, key=lambda pair: pair[0]))


def _observed(entity_id: str, me: Called, sentence: str) -> Line:
    match = re.search(rf"(?<!\w){re.escape(me.name)}(?!\w)", sentence)
    if match:
        return Line(sentence, (Spot(entity_id, me, *match.span()),))
    return Line(f"{me.name}: {sentence}", (Spot(entity_id, me, 0, len(me.name)),))


def _stated(edge: Edge, me: Called, other: Called, said: HandEvidence) -> Line:
    verb = f"{me.name} {edge.type.replace('_', ' ')} "
    end = len(verb) + len(other.name)
    context = ", ".join(f"{key}: {_plain(value)}" for key, value in (said.context or {}).items())
    text = f"{verb}{other.name}." + (f" {context}" if context else "")
    spots = Spot(edge.source, me, 0, len(me.name)), Spot(edge.target, other, len(verb), end)
    return Line(text, spots, Statement(edge.id, edge.type), said)


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def written(entity_id: str, me: Called, lines: tuple[Line, ...], before: Written | None = None) -> Written:
    """Write lines out; a line has one chunk, a mention of each entity it names, at most one assertion.

    What the lines at the head gave `before`, the same document with fewer lines, is taken from there.
    """
    text = "\n".join(line.text for line in lines)
    document = Document(
        id=document_id(entity_id),
        title=me.name,
        text=text,
        source=f"{JOURNAL}#{entity_id}",
        content_hash=hashlib.blake2b(f"{me.name}\x1f{text}".encode(), digest_size=16).hexdigest(),
        metadata=dict(ORIGIN),
    )
    both = zip(before.lines, lines, strict=False) if before else ()
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], both))
    evidence = list(before.evidence[:same]) if before else []
    start = sum(len(line.text) + 1 for line in lines[:same])
    for position in range(same, len(lines)):
        evidence.append(_evidence(document.id, lines[position], position, start))
        start += len(lines[position].text) + 1
    return Written(lines, document, tuple(evidence))


def _evidence(document: str, line: Line, position: int, start: int) -> LineEvidence:
    """Return the evidence of a line that begins at the character `start`."""
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
        metadata=dict(ORIGIN),
    )
    mentions = tuple((_mention(chunk, spot), spot.entity_id) for spot in line.spots)
    if line.edge is None or line.said is None:
        return LineEvidence(chunk, mentions, ())
    stated = _assertion(chunk, mentions[0][0], mentions[1][0], line.edge.type, line.said)
    return LineEvidence(chunk, mentions, ((stated, line.edge.id),))


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


def _assertion(chunk: Chunk, source: Mention, target: Mention, type_: str, said: HandEvidence) -> Assertion:
    return Assertion(
        id=Assertion.make_id(source.id, type_, target.id, HAND),
        document_id=chunk.source_doc,
        chunk_id=chunk.id,
        start=chunk.start,
        end=chunk.end,
        extractor=HAND,
        confidence=said.confidence,
        cue=said.cue,
        sentence_start=chunk.start,
        sentence_end=chunk.end,
        source_mention=source.id,
        target_mention=target.id,
        source=source.name,
        target=target.name,
        type=type_,
        is_causal=said.is_causal,
        description=chunk.content,
    )
