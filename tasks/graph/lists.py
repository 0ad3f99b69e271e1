"""Lists of rows as arrays: the chunks that mention an entity, or state a relationship."""

from bisect import bisect_left
from collections.abc import ItemsView, Iterator, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar, overload, runtime_checkable

import numpy as np

from corpusgraph.schemas.ports import Ints
from corpusgraph.tasks.graph.runs import in_order, starts


@runtime_checkable
class Searched(Protocol):
    """Values in order that know a faster way to one of them than looking at them from outside."""

    def before(self, value: str) -> int:
        """Count the values that are less."""
        ...


class Ids(Sequence[str]):
    """Ids in order, and where each is; `values` may be read from a file one at a time."""

    def __init__(self, values: Sequence[str]) -> None:
        self._values = values
        self._before = values.before if isinstance(values, Searched) else partial(bisect_left, values)

    def __len__(self) -> int:
        return len(self._values)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        return self._values[at]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def before(self, value: str) -> int:
        """Count the ids that are less."""
        return self._before(value)

    def find(self, id_: str) -> int | None:
        """Return the place of an id, or None."""
        at = self._before(id_)
        return at if at < len(self._values) and self._values[at] == id_ else None

    def __contains__(self, id_: object) -> bool:
        return isinstance(id_, str) and self.find(id_) is not None


class Places(Mapping[str, int]):
    """Id -> its place."""

    def __init__(self, ids: Ids) -> None:
        self._ids = ids

    def __getitem__(self, id_: str) -> int:
        at = self._ids.find(id_)
        if at is None:
            raise KeyError(id_)
        return at

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)


@dataclass(frozen=True, eq=False)
class Lists:
    """Row `i` lists `item[start[i]:start[i + 1]]`, each `count` times."""

    start: Ints
    item: Ints
    count: Ints

    def of(self, row: int) -> slice:
        """Return where the items of a row are."""
        return slice(int(self.start[row]), int(self.start[row + 1]))

    @property
    def sizes(self) -> Ints:
        """Count the items of each row."""
        return np.diff(self.start)


def listed(row: Ints, item: Ints, count: Ints, place: Ints, n_rows: int) -> Lists:
    """Group items by row, in order of `place[item]`; the counts of an item that comes twice are summed."""
    order = in_order(row * len(place) + place[item], n_rows * len(place))
    row, item, count = row[order], item[order], count[order]
    first = np.flatnonzero(np.r_[True, (row[1:] != row[:-1]) | (item[1:] != item[:-1])][: len(row)])
    counts = np.add.reduceat(count, first) if len(first) else count
    return Lists(starts(row[first], n_rows), item[first], counts.astype(np.int64))


R = TypeVar("R")


class _ByRow(Mapping[str, R]):
    """Id of a row -> what the row lists, made when looked at."""

    def __init__(self, rows: Ids, lists: Lists, items: Sequence[str]) -> None:
        self._rows, self._at, self._lists, self._items = rows, Places(rows), lists, items

    def __getitem__(self, id_: str) -> R:
        where = self._lists.of(self._at[id_])
        ids = [self._items[i] for i in self._lists.item[where].tolist()]
        return self._made(ids, self._lists.count[where].tolist())

    def _made(self, ids: list[str], counts: list[int]) -> R:
        raise NotImplementedError

    def _rows_made(self) -> Iterator[tuple[str, R]]:
        """Make all rows, one after another, without looking each up."""
        items = list(self._items)
        for at, id_ in enumerate(self._rows):
            where = self._lists.of(at)
            ids = [items[i] for i in self._lists.item[where].tolist()]
            yield id_, self._made(ids, self._lists.count[where].tolist())

    def items(self) -> ItemsView[str, R]:
        """Return ids and rows; walking over them is faster than asking for one after another."""
        return _Items(self)

    def values(self) -> ValuesView[R]:
        """Return the rows."""
        return _Values(self)

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class _Items(ItemsView[str, R]):
    _mapping: _ByRow[R]

    def __iter__(self) -> Iterator[tuple[str, R]]:
        return self._mapping._rows_made()  # noqa: SLF001  one class in two


class _Values(ValuesView[R]):
    _mapping: _ByRow[R]

    def __iter__(self) -> Iterator[R]:
        return (row for _, row in self._mapping._rows_made())  # noqa: SLF001


class IdLists(_ByRow[tuple[str, ...]]):
    """Id of a row -> ids of its items, in order."""

    def _made(self, ids: list[str], counts: list[int]) -> tuple[str, ...]:  # noqa: ARG002
        return tuple(ids)


class IdCounts(_ByRow[Mapping[str, int]]):
    """Id of a row -> id of an item -> its count, in order."""

    def _made(self, ids: list[str], counts: list[int]) -> Mapping[str, int]:
        return dict(zip(ids, counts, strict=True))
