"""Lines of a memory that was imported which say what was taken out since: they are in no text any more."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from corpusgraph.schemas.base import nfc, stable_id
from corpusgraph.schemas.documents import Chunk, Document
from corpusgraph.schemas.memory import IMPORT
from corpusgraph.tasks.graph import compiled as arrays
from corpusgraph.tasks.graph.names import HAND_MADE, is_hand_made
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.state import MemoryState

Line = tuple[int, Chunk]
"""Place of a chunk in the base, and the chunk."""


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
    lines = dict(_observed(state)) | dict(_stated(state, dead))
    for id_ in forgotten:
        lines |= _notes(base, id_)
    if not lines and not forgotten:
        return Redactions()
    counts, lost = base.graph.mention_counts(), dict[str, dict[str, int]]()
    for chunk in lines.values():
        for id_ in chunk.entities or ():
            lost.setdefault(id_, {})[chunk.id] = counts[id_].get(chunk.id, 0)
    return Redactions(dict(sorted(lines.items())), lost, frozenset(forgotten))


def _imported(base: Base, entities: Iterable[str]) -> list[str]:
    """Return those of some entities that a memory which was imported had."""
    return [id_ for id_ in entities if (entity := base.entity(id_)) is not None and is_hand_made(entity)]


def _notes(base: Base, entity_id: str) -> dict[int, Chunk]:
    """Return the lines of an entity's notebook that note something, and state no relationship."""
    find = arrays.chunk_ids(base.graph).find
    places = [at for id_ in base.graph.entity_chunks()[entity_id] if (at := find(id_)) is not None]
    chunks = {at: base.graph.chunks[at] for at in places}
    return {
        at: one for at, one in chunks.items() if not one.relationships and is_of(one.source_doc, entity_id)
    }


def _observed(state: MemoryState) -> Iterator[Line]:
    """Yield the lines of what was taken back of an entity, and of those that were taken for it."""
    for owner, sentences in state.unobserved.items():
        for id_ in _imported(state.base, state.parts(owner) if sentences else ()):
            entity = state.base.entity(id_)
            name = nfc(entity.name) if entity else id_
            texts = {*sentences, *(nfc(f"{name}: {sentence}") for sentence in sentences)}
            yield from ((at, one) for at, one in _notes(state.base, id_).items() if one.content in texts)


def _stated(state: MemoryState, dead: Sequence[int]) -> Iterator[Line]:
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
    by_document: dict[str, list[Chunk]] = {}
    for chunk in out.lines.values():
        by_document.setdefault(chunk.source_doc, []).append(chunk)
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
