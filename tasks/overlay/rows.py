"""Ids in order, laid over others without a copy: some of a base are out, new ones stand between."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any, Generic, Protocol, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.compiled import Doubles, Ids
from corpusgraph.tasks.overlay.delta import without

T = TypeVar("T")
A = TypeVar("A", Ints, Doubles, NDArray[np.bool_])


class Finder:
    """Where ids are in a base, each looked up once: the same are asked for after every change."""

    def __init__(self, ids: Ids) -> None:
        self.ids = ids
        self._place: dict[str, int | None] = {}
        self._rank: dict[str, int] = {}

    def place(self, id_: str) -> int | None:
        """Return the place of an id, or None."""
        try:
            return self._place[id_]
        except KeyError:
            found = self._place[id_] = self.ids.find(id_)
            return found

    def places(self, ids: Iterable[str], more: Callable[[], Iterable[str]]) -> set[int]:
        """Return the places of those that there are, of two lists."""
        every = {*ids, *more()}
        return {place for id_ in every if (place := self.place(id_)) is not None}

    def rank(self, id_: str) -> int:
        """Count the ids that are less."""
        try:
            return self._rank[id_]
        except KeyError:
            found = self._rank[id_] = self.ids.before(id_)
            return found


def among(values: Ints, known: Ints, before: Ints) -> NDArray[np.bool_]:
    """Tell which values are among known ones, in order, of which so many are less (k,)."""
    if not len(known):
        return np.zeros(len(values), dtype=bool)
    found: NDArray[np.bool_] = known[np.minimum(before, len(known) - 1)] == values
    return found


class Overlay(Sequence[str]):
    """Ids in order: those of a base without the places `out`, in order, and the ids `new`, in order.

    A new id is none of the base's that stay.
    """

    def __init__(
        self, finder: Finder, out: Ints, new: Sequence[str], before: "tuple[Overlay, Ints] | None" = None
    ) -> None:
        self._finder, self.base, self.out, self.new = finder, finder.ids, out, new
        if before is None:
            self.rank: Ints = np.array([finder.rank(id_) for id_ in new], dtype=np.int64)
            self.came: Ints = np.arange(len(new))
            """The number of each new id, which it keeps while others come."""
        else:
            old, at = before
            self.rank = np.insert(
                old.rank, at, [finder.rank(new[i]) for i in (at + np.arange(len(at))).tolist()]
            )
            self.came = np.insert(old.came, at, np.arange(len(old.new), len(new)))
        self._kept = self.rank - np.searchsorted(out, self.rank)
        self.at_new: Ints = self._kept + np.arange(len(new))
        """Place here of each new id."""
        self._shift = out - np.arange(len(out))
        self._length = len(finder.ids) - len(out) + len(new)
        self._at_new: list[int] = self.at_new.tolist()
        self._shifted: list[int] = self._shift.tolist()

    def following(self, ids: Iterable[str]) -> "Overlay":
        """Return the same with more new ids, of which some may be there already."""
        added = sorted(id_ for id_ in {*ids} if not self.is_new(id_))
        at = np.array([bisect_left(self.new, id_) for id_ in added], dtype=np.int64)
        return Overlay(self._finder, self.out, sorted([*self.new, *added]), (self, at)) if added else self

    def is_new(self, id_: str) -> bool:
        """Tell whether an id is a new one."""
        return (at := bisect_left(self.new, id_)) < len(self.new) and self.new[at] == id_

    def number(self, id_: str) -> int:
        """Return the number that a new id keeps."""
        return int(self.came[bisect_left(self.new, id_)])

    @cached_property
    def at_came(self) -> Ints:
        """Return the places here of the new ids, by their numbers."""
        found = np.empty(len(self.new), dtype=np.int64)
        found[self.came] = self.at_new
        return found

    def __len__(self) -> int:
        return self._length

    def where(self, at: int) -> tuple[bool, int]:
        """Tell whether a place here holds a new id, and its place among the new ones or in the base."""
        before = bisect_left(self._at_new, at)  # one place at a time: lists are ten times as quick as arrays
        if before < len(self._at_new) and self._at_new[before] == at:
            return True, before
        kept = at - before
        return False, kept + bisect_right(self._shifted, kept)

    def in_base(self, places: Ints) -> Ints:
        """Return for each place here its place in the base (k,); -1 for a new id."""
        before = np.searchsorted(self.at_new, places)
        kept = places - before
        found = kept + np.searchsorted(self._shift, kept, side="right")
        return np.where(among(places, self.at_new, before), -1, found)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return [self[i] for i in range(*at.indices(len(self)))]
        if not -self._length <= at < self._length:
            raise IndexError(at)
        is_new, place = self.where(at % self._length)
        return self.new[place] if is_new else self.base[place]

    def __iter__(self) -> Iterator[str]:
        return self.woven(self.base, lambda _, id_: id_, lambda id_: id_)

    def woven(self, base: Iterable[T], now: Callable[[int, T], T], made: Callable[[str], T]) -> Iterator[T]:
        """Iterate over what stands at the places here: items of the base that stay, and new ones."""
        gone = set(self.out.tolist())
        ranks, coming = self.rank.tolist(), 0
        for place, item in enumerate(base):
            while coming < len(ranks) and ranks[coming] <= place:
                yield made(self.new[coming])
                coming += 1
            if place not in gone:
                yield now(place, item)
        yield from (made(id_) for id_ in self.new[coming:])

    def before(self, value: str) -> int:
        """Count the ids that are less."""
        of_base = self.base.before(value)
        return of_base - int(np.searchsorted(self.out, of_base)) + bisect_left(self.new, value)

    @cached_property
    def to_here(self) -> Ints:
        """Return for each place of the base its place here (len(base),); -1 for one that is out."""
        stays = np.ones(len(self.base), dtype=np.int64)
        stays[self.out] = 0
        here = np.cumsum(stays) - 1
        if len(self.new):
            here += np.cumsum(np.bincount(self.rank, minlength=len(self.base) + 1))[: len(self.base)]
        here[self.out] = -1
        return here

    def laid(self, base: A, new: A) -> A:
        """Return an array of what stands at each place here."""
        found = np.empty(len(self), dtype=base.dtype)
        here = self.to_here
        if len(self.out):
            stays = here >= 0
            found[here[stays]] = base[stays]
        else:
            found[here] = base
        found[self.at_new] = new
        return found


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
