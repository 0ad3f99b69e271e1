"""The evidence of an index and of its memory: documents, mentions, assertions, and what they mean."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Protocol, TypeVar

from corpusgraph.schemas.base import stable_id
from corpusgraph.schemas.documents import Document
from corpusgraph.schemas.evidence import Assertion, Finding, Mention, Merge
from corpusgraph.schemas.memory import HAND
from corpusgraph.schemas.ports import Evidence
from corpusgraph.tasks.overlay.changed import blanked
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

    def __init__(self, whole: Whole, graph: RememberedGraph) -> None:
        self._whole, self._graph = whole, graph

    @cached_property
    def documents(self) -> Sequence[Document]:
        """All documents, in id order."""
        theirs = blanked(self._whole.documents, self._graph.changed.withheld)
        found = [*theirs, *(paper.document for paper in self._graph.papers.all)]
        return tuple(sorted(found, key=lambda document: document.id))

    @cached_property
    def mentions(self) -> Sequence[Mention]:
        """All mentions, in text order of each document."""
        ours = (mention for paper in self._graph.papers.all for mention in paper.mentions)
        return _in_text_order(self._left(self._whole.mentions), ours)

    @cached_property
    def assertions(self) -> Sequence[Assertion]:
        """All assertions that count, in text order of each document."""
        ours = (assertion for paper in self._graph.papers.all for assertion in paper.assertions)
        return _in_text_order(self._left(self._counting(self._whole.assertions)), ours)

    def _left(self, evidence: Iterable[F]) -> Iterable[F]:
        """Leave out evidence in lines of an imported memory that are left out."""
        out = self._graph.changed.withheld.chunks
        return (one for one in evidence if one.chunk_id not in out) if out else evidence

    def _counting(self, assertions: Sequence[Assertion]) -> Iterable[Assertion]:
        """Leave out evidence for relationships that were taken out; what never was for one stays."""
        if self._graph.patch.is_adding and not self._graph.moves and not self._graph.splits.moved:
            return assertions
        of = self._whole.relationship_of
        return (one for one in assertions if of(one.id) is None or self.relationship_of(one.id) is not None)

    @property
    def named_by_hand(self) -> frozenset[str]:
        """Return the entities whose names people chose: no document has a say in them."""
        return frozenset(self._graph.state.renamed)

    @cached_property
    def merges(self) -> Sequence[Merge]:
        """Decisions of entity resolution and of those who took entities for one by hand, in id order."""
        graph = self._graph
        ours = [self._merge(id_, into) for id_, into in graph.state.merged.items()]
        return tuple(sorted([*self._whole.merges, *ours], key=lambda merge: merge.id))

    def _merge(self, id_: str, into: str) -> Merge:
        graph = self._graph
        known = graph.base.called(id_) or graph.state.called.get(id_)
        return Merge(
            id=stable_id("mrg", "memory", id_, into),
            name=known.name if known else id_,
            type=(known.type if known else None) or "",
            into=into,
            into_name=graph.roster.called(into).name,
            rule=HAND,
        )

    def entity_of(self, mention_id: str) -> str | None:
        """Return the entity a mention now means."""
        ours = self._entities.get(mention_id)
        if ours is not None:
            return ours
        if (went := self._graph.splits.moved.get(mention_id)) is not None:
            return went[0]
        found = self._whole.entity_of(mention_id)
        return found if found is None else self._graph.moves.get(found, found)

    def relationship_of(self, assertion_id: str) -> str | None:
        """Return the relationship an assertion now is evidence for."""
        ours = self._relationships.get(assertion_id)
        if ours is not None:
            return self._graph.patch.by_hand.get(ours, ours)
        if assertion_id in self._parted:
            return self._parted[assertion_id]
        found = self._whole.relationship_of(assertion_id)
        return None if found is None else self._graph.edge_now(found)

    @cached_property
    def _parted(self) -> dict[str, str | None]:
        patch = self._graph.patch
        now = {
            one.id: edge.id for edge in (*patch.new.values(), *patch.changed.values()) for one in edge.drawn
        }
        return {one.id: now.get(one.id) for one in self._graph.splits.assertions}

    @cached_property
    def _entities(self) -> dict[str, str]:
        return {
            mention.id: id_
            for paper in self._graph.papers.all
            for mention, id_ in zip(paper.mentions, paper.entities, strict=True)
        }

    @cached_property
    def _relationships(self) -> dict[str, str]:
        return {
            assertion.id: id_
            for paper in self._graph.papers.all
            for assertion, id_ in zip(paper.assertions, paper.relationships, strict=True)
        }


def _in_text_order(theirs: Iterable[F], ours: Iterable[F]) -> tuple[F, ...]:
    found = sorted([*theirs, *ours], key=lambda one: (one.document_id, one.start, one.end, one.id))
    return tuple(found)
