"""Remember what is computed from a graph for as long as the graph lives, or for as long as there is room."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

G = TypeVar("G")
K = TypeVar("K")
T = TypeVar("T")


class Latest(dict[K, T]):
    """The entries that were set last: of more than `most` the oldest quarter is dropped."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: T) -> None:
        super().__setitem__(key, value)
        if len(self) > self._most:
            for old in list(self)[: max(1, self._most // 4)]:
                self.pop(old, None)  # another thread may have dropped it


def per_graph(make: Callable[[G], T]) -> Callable[[G], T]:
    """Run a function once per graph or corpus: neither ever changes, so neither does what is made from it.

    The result must not hold the graph itself, or it would never be freed.
    """
    made: WeakKeyDictionary[G, T] = WeakKeyDictionary()

    @wraps(make)
    def remembered(graph: G) -> T:
        if graph not in made:
            made[graph] = make(graph)
        return made[graph]

    return remembered
