"""Who there is: the entities of a base and of a memory laid over it, and what they are called now."""

from bisect import bisect_left, insort
from collections.abc import Iterable
from copy import copy
from functools import cached_property

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.delta import News, without
from corpusgraph.tasks.overlay.evidence import Called, Written, document_id, lines_of, relations_from, written
from corpusgraph.tasks.overlay.state import HandRelation, MemoryState


class Roster:
    """Entities that are there: made by hand, named by what is in force, or in the base and not out."""

    def __init__(self, base: Base, state: MemoryState) -> None:
        self._base, self._state = base, state
        self._called: dict[str, Called] = {}
        kept = (id_ for id_ in (*state.created, *state.named) if self._lives(id_))
        self.new: list[str] = sorted({id_ for id_ in kept if base.entities.place(id_) is None})
        self.out: Ints = self._places(id_ for id_ in (*state.deleted, *state.merged) if not self._lives(id_))
        self._new = frozenset(self.new)

    def following(self, state: MemoryState, told: News) -> "Roster":
        """Return that of a state that only adds what is told."""
        after = copy(self)
        after.go_on(state, told)
        return after

    def go_on(self, state: MemoryState, told: News) -> None:
        """Become that of a state that only adds what is told; nothing that was handed out changes."""
        self._state = state
        self._called = without(self._called, told.entities)
        added = [id_ for id_ in told.entities if self._comes(id_)]
        self.new = sorted([*self.new, *added])
        self._new = self._new.union(added)
        vars(self).pop("relations", None)

    def _comes(self, id_: str) -> bool:
        return id_ not in self._new and self._base.entities.place(id_) is None and self._lives(id_)

    def _places(self, ids: Iterable[str]) -> Ints:
        found = {place for id_ in ids if (place := self._base.entities.place(id_)) is not None}
        return np.array(sorted(found), dtype=np.int64)

    def _lives(self, id_: str) -> bool:
        """Tell whether the memory keeps an entity alive, or at least does not take it out."""
        state = self._state
        if id_ in state.merged:
            return False
        return id_ in state.created or (id_ not in state.deleted and not state.is_dormant(id_))

    def is_new(self, id_: str) -> bool:
        """Tell whether an entity is there that the base does not have."""
        return id_ in self._new

    def there(self, id_: str) -> bool:
        """Tell whether there is such an entity."""
        if id_ in self._new:
            return True
        state = self._state
        out = id_ in state.merged or (id_ in state.deleted and id_ not in state.created)
        return not out and self._base.entities.place(id_) is not None

    @cached_property
    def relations(self) -> list[HandRelation]:
        """Return the relationships stated by hand whose ends are there, as they were first stated."""
        ends = {id_ for id_ in self._state.of_entity if self.there(id_)}
        found = self._state.relations.values()
        return [one for one in found if one.source in ends and one.target in ends]

    def stands_in(self, id_: str) -> str | None:
        """Return who an entity of the base now is; None where nothing that the base says of it counts."""
        return None if id_ in self._state.deleted else self._state.now(id_)

    def called(self, id_: str) -> Called:
        """Return what an entity that is there is called."""
        if (known := self._called.get(id_)) is None:
            known = self._called[id_] = self._name(id_)
        return known

    def _name(self, id_: str) -> Called:
        state = self._state
        renamed, made, named = state.renamed.get(id_), state.created.get(id_), state.named.get(id_)
        of_base = None if id_ in state.deleted else self._base.called(id_)
        if of_base is None:
            known = made.made if made else named
            of_base = Called(known.name or id_, known.type) if known else Called(id_)
        return Called(renamed.name, renamed.type or of_base.type) if renamed else of_base


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
