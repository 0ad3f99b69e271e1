"""Nouns laid over those of a base: those that a memory has a say in are made when they are looked at."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, Generic, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.lists import Ids
from corpusgraph.tasks.remember.news import without
from corpusgraph.tasks.remember.rows import Overlay, among

T = TypeVar("T")
Column = tuple["np.ndarray[Any, Any]", NDArray[np.bool_]]


def _column(n: int) -> Column:
    return np.empty(n, dtype=object), np.zeros(n, dtype=bool)


class Making(Protocol[T]):
    """Makes the nouns of one kind."""

    def now(self, place: int, noun: T) -> T:
        """Return the noun of a place of the base as it is now."""
        ...

    def made(self, id_: str) -> T:
        """Return the noun of a new id."""
        ...

    def touched(self) -> Ints | None:
        """Return the places of the base whose nouns may be others, in order; None where that is not known."""
        ...


class OverlaidNouns(Sequence[T], Generic[T]):
    """Nouns of a base, each as it now is, and new ones; made when first looked at."""

    def __init__(self, overlay: Overlay, base: Sequence[T], making: Making[T]) -> None:
        self._overlay, self._base, self._making = overlay, base, making
        self._length = len(overlay)
        self.ids = Ids(overlay)
        self._new: dict[str, T] = {}
        self._changed: dict[int, T] = {}
        self._columns: dict[str, Column] = {}
        """Fields of new nouns by the numbers of their ids, and which were read."""

    def following(
        self, overlay: Overlay, making: Making[T], other: tuple[Collection[str], Collection[int]]
    ) -> "OverlaidNouns[T]":
        """Return the nouns of a later memory; `other` are those ids and places whose nouns may differ."""
        after = OverlaidNouns(overlay, self._base, making)
        after.go_on(without(self._new, other[0]), without(self._changed, other[1]))
        numbers = [overlay.number(id_) for id_ in other[0] if overlay.is_new(id_)]
        for name, column in self._columns.items():
            after.keep(name, column, numbers)
        return after

    def go_on(self, new: dict[str, T], changed: dict[int, T]) -> None:
        """Take over nouns that were made before."""
        self._new, self._changed = new, changed

    def keep(self, name: str, column: Column, but: Sequence[int]) -> None:
        """Take over a field that was read before, but for some numbers."""
        values, known = _column(len(self._overlay.new))
        values[: len(column[0])], known[: len(column[1])] = column
        known[but] = False
        self._columns[name] = values, known

    def __len__(self) -> int:
        return self._length

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[T]: ...
    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        if isinstance(at, slice):
            return tuple(self[i] for i in range(*at.indices(len(self))))
        if not -self._length <= at < self._length:
            raise IndexError(at)
        is_new, place = self._overlay.where(int(at) % self._length)
        return self._new_one(self._overlay.new[place]) if is_new else self._one(place, self._base[place])

    def column(self, name: str, places: Ints) -> "np.ndarray[Any, Any] | None":
        """Return a field of some nouns (k,), making only those that the base does not have as they are."""
        read = getattr(self._base, "column", None)
        if read is None or not len(self._base) or (others := self._making.touched()) is None:
            return None
        base = self._overlay.in_base(places)
        found = read(name, np.maximum(base, 0))
        if found is None:
            return None
        new = base < 0
        if new.any():
            found[new] = self._new_column(name, places[new])
        for i in np.flatnonzero(among(base, others, np.searchsorted(others, base))).tolist():
            found[i] = getattr(self[int(places[i])], name)
        return found  # type: ignore[no-any-return]

    def _new_column(self, name: str, places: Ints) -> "np.ndarray[Any, Any]":
        """Return a field of some new nouns (k,); each is read once, and kept by the number of its id."""
        overlay = self._overlay
        rows = np.searchsorted(overlay.at_new, places)
        numbers = overlay.came[rows]
        values, known = self._columns.setdefault(name, _column(len(overlay.new)))
        for i in np.flatnonzero(~known[numbers]).tolist():
            values[numbers[i]] = getattr(self._new_one(overlay.new[rows[i]]), name)
            known[numbers[i]] = True
        return values[numbers]

    def _new_one(self, id_: str) -> T:
        if (known := self._new.get(id_)) is None:
            known = self._new[id_] = self._making.made(id_)
        return known

    def _one(self, place: int, noun: T) -> T:
        if (known := self._changed.get(place)) is None:
            known = self._making.now(place, noun)
            if known is noun:
                return noun
            self._changed[place] = known
        return known

    def __iter__(self) -> Iterator[T]:
        return self._overlay.woven(self._base, self._one, self._new_one)
