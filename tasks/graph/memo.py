"""Remember what is computed from a graph for as long as the graph lives."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

G = TypeVar("G")
T = TypeVar("T")


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
