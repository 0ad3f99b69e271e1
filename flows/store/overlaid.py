"""An opened index with its memory laid over it: the ports Corpus and Vectors see what was added by hand."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from corpusgraph.flows.files.files import file_digest
from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import ArgumentRelation, Assertion, Claim, Event, Mention, Merge
from corpusgraph.schemas.ports import Floats

if TYPE_CHECKING:
    from corpusgraph.flows.store.memory import IndexMemory
    from corpusgraph.flows.store.overlaid_search import RememberedVectors
    from corpusgraph.tasks.overlay.corpus import RememberedEvidence
    from corpusgraph.tasks.overlay.state import MemoryState
    from corpusgraph.tasks.overlay.view import RememberedGraph


class RememberedIndex(OpenIndex):
    """A generation and its memory as it was when this was first looked at; neither changes under the reader.

    What is read of the generation itself (tables, columns, the failure ledger) is the corpus's alone. Reading
    a journal with a line that is no change raises MemoryFileError.
    """

    def __init__(self, base: OpenIndex, memory: "IndexMemory") -> None:
        vars(self).update({name: vars(base)[name] for name in _SHARED})
        self.views = {}
        self._base, self._memory = base, memory

    @property
    def memory(self) -> "IndexMemory":
        """What was added to the index by hand, as it is now."""
        return self._memory

    @cached_property
    def state(self) -> "MemoryState":
        """What the changes come to."""
        from corpusgraph.tasks.overlay.delta import frozen

        below = self._base.below
        with self._memory.reading() as state:
            below.latest = frozen(state, below.latest)
            return below.latest

    @cached_property
    def graph(self) -> "RememberedGraph":
        """Entities, relationships, chunks, communities and reports, with what was added by hand."""
        return self._base.below.viewed(self.state)

    @cached_property
    def _evidence(self) -> "RememberedEvidence":
        from corpusgraph.tasks.overlay.corpus import RememberedEvidence

        return RememberedEvidence(self._base, self.graph)

    @cached_property
    def documents(self) -> Sequence[Document]:
        """All documents, those of the memory too, in id order."""
        return self._evidence.documents

    @cached_property
    def mentions(self) -> Sequence[Mention]:
        """All mentions, in text order of each document."""
        return self._evidence.mentions

    @cached_property
    def assertions(self) -> Sequence[Assertion]:
        """All assertions that count, in text order of each document."""
        return self._evidence.assertions

    @property
    def claims(self) -> Sequence[Claim]:
        """All claims, in text order of each document: the corpus's alone."""
        return self._base.claims

    @property
    def arguments(self) -> Sequence[ArgumentRelation]:
        """Supports and attacks between claims."""
        return self._base.arguments

    @property
    def events(self) -> Sequence[Event]:
        """All dated events."""
        return self._base.events

    @cached_property
    def merges(self) -> Sequence[Merge]:
        """Decisions of entity resolution, those made by hand too, in id order."""
        return self._evidence.merges

    @property
    def named_by_hand(self) -> frozenset[str]:
        """Return the entities whose names people chose: a filter leaves these as they are."""
        return self._evidence.named_by_hand

    def entity_of(self, mention_id: str) -> str | None:
        """Return the entity a mention now means."""
        return self._evidence.entity_of(mention_id)

    def relationship_of(self, assertion_id: str) -> str | None:
        """Return the relationship an assertion now is evidence for."""
        return self._evidence.relationship_of(assertion_id)

    @cached_property
    def _search(self) -> "RememberedVectors":
        from corpusgraph.flows.store.overlaid_search import RememberedVectors

        self._base.searched = RememberedVectors(self._base, self.graph, self._base.searched)
        return self._base.searched

    def nearest(self, kind: str, vector: Floats, top_k: int) -> list[tuple[str, float]]:
        """Return (id, cosine similarity), best first, ties by id."""
        return self._search.nearest(kind, vector, top_k)

    def match(self, kind: str, query: str, top_k: int) -> list[tuple[str, float]]:
        """Return (id, BM25 score), best first, ties by id."""
        return self._search.match(kind, query, top_k)

    def matrix(self, kind: str) -> tuple[list[str], Floats]:
        """Return ids, in order, and their unit vectors (n, dimension)."""
        return self._search.matrix(kind)


_SHARED = ("manifest", "folder", "_compiled", "_database", "_vectors")


def remembered(base: OpenIndex) -> OpenIndex:
    """Return an opened index with its memory; itself where nothing was ever added by hand."""
    return RememberedIndex(base, base.memory) if base.has_memory else base


def remembered_now(base: OpenIndex, before: "Kept | None") -> "Kept":
    """Return an opened index with its memory as it is now: the same one for as long as nothing is added."""
    version = base.memory.version if base.has_memory else (0, 0)
    if before is not None and before[0] is base and before[1] == version:
        return before
    return base, version, remembered(base) if version[1] else base


def memory_print(folder: Path) -> str:
    """Return a hash of what was added by hand to the index in a folder; nothing where nothing was."""
    from corpusgraph.flows.store.journal import FILE

    try:
        return file_digest(folder / FILE, 8).hex()
    except (FileNotFoundError, NotADirectoryError):
        return ""


Kept = tuple[OpenIndex, tuple[int, int], OpenIndex]
"""A generation, the version of its memory, and the two as one."""
