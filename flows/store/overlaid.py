"""An opened index with its memory laid over it: the ports Corpus and Vectors see what was added by hand."""

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from corpusgraph.flows.store.opened import OpenIndex
from corpusgraph.schemas.evidence import ArgumentRelation, Claim, Event
from corpusgraph.tasks.overlay.view import RememberedEvidence, RememberedGraph

if TYPE_CHECKING:
    from corpusgraph.flows.store.memory import IndexMemory
    from corpusgraph.flows.store.overlaid_search import RememberedVectors


class RememberedIndex(RememberedEvidence, OpenIndex):
    """A generation and its memory as it was when this was first looked at; neither changes under the reader.

    What is read of the generation itself (tables, columns, the failure ledger) is the corpus's alone. Reading
    a journal with a line that is no change raises MemoryFileError.
    """

    _whole: OpenIndex

    def __init__(self, base: OpenIndex, memory: "IndexMemory") -> None:
        vars(self).update({name: vars(base)[name] for name in _SHARED})
        self.views = {}
        self._whole, self._memory = base, memory

    @property
    def memory(self) -> "IndexMemory":
        """What was added to the index by hand, as it is now."""
        return self._memory

    @cached_property
    def graph(self) -> RememberedGraph:
        """Entities, relationships, chunks, communities and reports, with what was added by hand."""
        with self._memory.reading() as state:
            return RememberedGraph(state.frozen())

    @property
    def claims(self) -> Sequence[Claim]:
        """All claims, in text order of each document: the corpus's alone."""
        return self._whole.claims

    @property
    def arguments(self) -> Sequence[ArgumentRelation]:
        """Supports and attacks between claims."""
        return self._whole.arguments

    @property
    def events(self) -> Sequence[Event]:
        """All dated events."""
        return self._whole.events

    @cached_property
    def _vectors(self) -> "RememberedVectors":
        from corpusgraph.flows.store.overlaid_search import RememberedVectors

        return RememberedVectors(self._whole, self.graph)


_SHARED = ("manifest", "folder", "_compiled", "_database")
