"""The evidence of a memory, entity by entity, each written out when it is first asked for."""

from bisect import bisect_left, insort
from collections.abc import Iterable
from copy import copy
from functools import cached_property

from corpusgraph.tasks.remember.evidence import Written, document_id, lines_of, relations_from, written
from corpusgraph.tasks.remember.news import News, without
from corpusgraph.tasks.remember.roster import Roster
from corpusgraph.tasks.remember.state import HandRelation, MemoryState

Kept = tuple[object, Written | None]
"""What a document was written from, and the document."""


class Papers:
    """Memory documents. What reads as it did in the state before is taken from `kept`."""

    def __init__(self, state: MemoryState, roster: Roster, kept: dict[str, Kept]) -> None:
        self._state, self._roster, self._kept = state, roster, kept
        self._calling, self._there = roster.called, roster.there
        self._of: dict[str, Written | None] = {}

    def following(self, state: MemoryState, roster: Roster, told: News) -> "Papers":
        """Return those of a state that only adds what is told; all else stays as it was gathered."""
        after = copy(self)
        after.go_on(state, roster, told)
        return after

    def go_on(self, state: MemoryState, roster: Roster, told: News) -> None:
        """Become those of a state that only adds what is told; nothing that was handed out changes."""
        self._state, self._roster = state, roster
        self._calling, self._there = roster.called, roster.there
        self._of = without(self._of, told.sources)
        gathered = vars(self)
        if "all" in gathered:
            gathered["all"] = self._with(self.all, told.sources)
        gathered.pop("owners", None)

    def _with(self, papers: list[Written], sources: Iterable[str]) -> list[Written]:
        found = list(papers)
        for id_ in sources:
            own = document_id(id_)
            at = bisect_left(found, own, key=_id)
            if at < len(found) and _id(found[at]) == own:
                del found[at]
            if (paper := self.of(id_)) is not None:
                insort(found, paper, key=_id)
        return found

    @cached_property
    def owners(self) -> list[str]:
        """Return the entities that have a document, in id order."""
        noted = (id_ for id_, sentences in self._state.observations.items() if sentences)
        sources = (relation.source for relation in self._roster.relations)
        return sorted({*sources, *filter(self._there, noted)})

    def of(self, entity_id: str) -> Written | None:
        """Return the evidence in the document of an entity; None for one without."""
        if entity_id not in self._of:
            self._of[entity_id] = self._made(entity_id)
        return self._of[entity_id]

    def _made(self, entity_id: str) -> Written | None:
        if not self._there(entity_id):
            return None
        stated = self._stated(entity_id)
        me, noted = self._calling(entity_id), self._state.observations.get(entity_id)
        key = me, noted, stated, [self._calling(relation.target) for relation in stated]
        known = self._kept.get(entity_id)
        if known is not None and known[0] == key:  # quick: what did not change is the same object
            return known[1]
        lines = lines_of(self._state, entity_id, self._calling, stated)
        found = written(entity_id, me, lines, known[1] if known else None) if lines else None
        self._kept[entity_id] = key, found
        return found

    def _stated(self, entity_id: str) -> list[HandRelation]:
        """Return the relationships stated by hand in which an entity is the source, ends there."""
        found = (one for one in relations_from(self._state, entity_id) if self._there(one.target))
        return sorted(found, key=lambda one: (one.evidence[0].change, one.id))

    @cached_property
    def all(self) -> list[Written]:
        """Return all evidence, by document id."""
        found = [paper for id_ in self.owners if (paper := self.of(id_)) is not None]
        return sorted(found, key=_id)

    def naming(self, entity_id: str) -> list[Written]:
        """Return the documents that name an entity, its own first, in order."""
        state = self._state
        own = self.of(entity_id)
        relations = (state.relations[id_] for id_ in sorted(state.of_entity.get(entity_id, ())))
        others = sorted({relation.source for relation in relations} - {entity_id})
        found = [own, *(self.of(id_) for id_ in others)]
        return [paper for paper in found if paper is not None]


def _id(paper: Written) -> str:
    return paper.document.id
