"""Who there is: the entities of a base and of a memory laid over it, and what they are called now."""

from collections.abc import Iterable
from copy import copy
from functools import cached_property

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.remember.base import Base
from corpusgraph.tasks.remember.evidence import Called
from corpusgraph.tasks.remember.news import News, without
from corpusgraph.tasks.remember.state import HandRelation, MemoryState


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
