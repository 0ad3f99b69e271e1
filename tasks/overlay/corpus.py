"""The evidence of an index and of its memory: documents, mentions, assertions, and what they mean."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Protocol, TypeVar

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Assertion, Finding, Mention, Merge
from corpusgraph.schemas.memory import HAND
from corpusgraph.schemas.ports import Evidence
from corpusgraph.tasks.overlay.redactions import blanked
from corpusgraph.tasks.overlay.view import RememberedGraph

F = TypeVar("F", bound=Finding)


class Whole(Evidence, Protocol):
    """The evidence of a generation, and what it was found to mean."""

    @property
    def merges(self) -> Sequence[Merge]:
        """Decisions of entity resolution, in id order."""
        ...

    def relationship_of(self, assertion_id: str) -> str | None:
        """Return the relationship an assertion is evidence for."""
        ...


class RememberedEvidence:
    """Evidence of a corpus and of a memory: what no longer counts is left out, what moved means another."""

    _whole: Whole

    @property
    def graph(self) -> RememberedGraph:
        """The graph with the memory."""
        raise NotImplementedError

    @cached_property
    def documents(self) -> Sequence[Document]:
        """All documents, in id order."""
        theirs = blanked(self._whole.documents, self.graph.redactions)
        every = [*theirs, *(written.document for written in self.graph.documents)]
        return tuple(sorted(every, key=lambda document: document.id))

    @cached_property
    def mentions(self) -> Sequence[Mention]:
        """All mentions, in text order of each document."""
        ours = (mention for written in self.graph.documents for mention, _ in written.mentions)
        return _in_text_order(self._left(self._whole.mentions), ours)

    @cached_property
    def assertions(self) -> Sequence[Assertion]:
        """All assertions that count, in text order of each document."""
        ours = (one for written in self.graph.documents for one, _ in written.assertions)
        return _in_text_order(self._left(self._counting(self._whole.assertions)), ours)

    def _left(self, evidence: Iterable[F]) -> Iterable[F]:
        """Leave out evidence in lines of an imported memory that are left out."""
        out = self.graph.redactions.chunks
        return (one for one in evidence if one.chunk_id not in out) if out else evidence

    def _counting(self, assertions: Sequence[Assertion]) -> Iterable[Assertion]:
        """Leave out evidence for relationships that were taken out; what never was for one stays."""
        if self.graph.is_adding and not self.graph.moves and not self.graph.moved:
            return assertions
        of = self._whole.relationship_of
        return (one for one in assertions if of(one.id) is None or self.relationship_of(one.id) is not None)

    @property
    def named_by_hand(self) -> frozenset[str]:
        """Return the entities whose names people chose: no document has a say in them."""
        return frozenset(self.graph.state.renamed)

    @cached_property
    def merges(self) -> Sequence[Merge]:
        """Decisions of entity resolution and of those who took entities for one by hand, in id order."""
        graph = self.graph
        ours = [self._merge(id_, into) for id_, into in graph.state.merged.items()]
        return tuple(sorted([*self._whole.merges, *ours], key=lambda merge: merge.id))

    def _merge(self, id_: str, into: str) -> Merge:
        graph = self.graph
        entity = graph.base.entity(id_) or graph.state.called.get(id_)
        return Merge(
            id=stable_id("mrg", "memory", id_, into),
            name=entity.name if entity else id_,
            type=(entity.type if entity else None) or "",
            into=into,
            into_name=graph.called(into).name,
            rule=HAND,
        )

    def entity_of(self, mention_id: str) -> str | None:
        """Return the entity a mention now means."""
        if (ours := self._ours.get(mention_id)) is not None:
            return ours
        if (went := self.graph.moved.get(mention_id)) is not None:
            return went[0]
        entity = self._whole.entity_of(mention_id)
        return entity if entity is None else self.graph.moves.get(entity, entity)

    def relationship_of(self, assertion_id: str) -> str | None:
        """Return the relationship an assertion now is evidence for."""
        if (ours := self._ours.get(assertion_id)) is not None:
            return ours
        link = self.graph.state.links.get(assertion_id)
        if link is not None and link.place in self.graph.state.stirred:
            return self._drawn.get(assertion_id)
        edge = self._whole.relationship_of(assertion_id)
        return None if edge is None else self.graph.edge_now(edge)

    @cached_property
    def _drawn(self) -> dict[str, str]:
        return {one.id: edge.id for edge in self.graph.state.edges.values() for one in edge.drawn}

    @cached_property
    def _ours(self) -> dict[str, str]:
        """Return mention or assertion of the memory -> entity or relationship that it is evidence for."""
        documents = self.graph.documents
        pairs = (pair for written in documents for pair in (*written.mentions, *written.assertions))
        return {one.id: id_ for one, id_ in pairs}


def _in_text_order(theirs: Iterable[F], ours: Iterable[F]) -> tuple[F, ...]:
    every = [*theirs, *ours]
    return tuple(sorted(every, key=lambda one: (one.document_id, one.start, one.end, one.id)))
