"""Chunks as they are once a memory is laid over a graph."""

from collections.abc import Callable, Mapping
from functools import cached_property

from corpusgraph.schemas.documents import Chunk
from corpusgraph.tasks.remember.changed import Changed
from corpusgraph.tasks.remember.papers import Papers

Counts = Mapping[str, Mapping[str, int]]
"""Entity -> chunk -> how often the chunk mentions it."""


class ChunkNouns:
    """Makes chunks: those of the base with the ids that their items now have, and those of the memory."""

    def __init__(self, changed: Changed, papers: Papers, counts: Callable[[], Counts]) -> None:
        self._changed, self._papers, self._counts = changed, papers, counts

    def made(self, id_: str) -> Chunk:
        """Return a chunk of the memory."""
        return self._memory[id_]

    @cached_property
    def _memory(self) -> Mapping[str, Chunk]:
        return {chunk.id: chunk for paper in self._papers.all for chunk in paper.chunks}

    def now(self, place: int, noun: Chunk) -> Chunk:  # noqa: ARG002  as rows are made
        """Return a chunk of the base with the ids that its entities and relationships now have."""
        moves, patch = self._changed.moves, self._changed.patch
        if not moves and patch.is_adding:
            return noun
        entities = _mapped(noun.entities, lambda id_: moves.get(id_, id_))
        relationships = _mapped(noun.relationships, self._changed.edge_now)
        if noun.id in self._parted:
            known = self._counts()
            more_entities, more_edges = self._parted[noun.id]
            entities = tuple(
                id_ for id_ in dict.fromkeys((*(entities or ()), *more_entities)) if noun.id in known[id_]
            )
            relationships = tuple(dict.fromkeys((*(relationships or ()), *more_edges)))
        if (entities, relationships) == (noun.entities, noun.relationships):
            return noun
        return noun.model_copy(update={"entities": entities, "relationships": relationships})

    def touched(self) -> None:
        """Return nothing: no field of chunks is read as a column."""

    @cached_property
    def _parted(self) -> Mapping[str, tuple[list[str], list[str]]]:
        """Return chunk -> entities that got mentions in it from others, relationships drawn from it."""
        found: dict[str, tuple[list[str], list[str]]] = {}
        for _, _, now, chunk_id in self._changed.mentions_moved:
            found.setdefault(chunk_id, ([], []))[0].extend([now] if now else [])
        patch = self._changed.patch
        for edge in (*patch.changed.values(), *patch.new.values()):
            for one in edge.drawn:
                found.setdefault(one.chunk_id, ([], []))[1].append(edge.id)
        return found


def _mapped(ids: tuple[str, ...] | None, now: Callable[[str], str | None]) -> tuple[str, ...] | None:
    if ids is None:
        return None
    return tuple(dict.fromkeys(new for id_ in ids if (new := now(id_)) is not None))
