"""Remember what is computed from a graph for as long as the graph lives."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from corpusgraph.schemas.ports import GraphView

T = TypeVar("T")


def per_graph(make: Callable[[GraphView], T]) -> Callable[[GraphView], T]:
    """Run a function once per graph: a graph never changes, so neither does what is made from it.

    The result must not hold the graph itself, or it would never be freed.
    """
    made: WeakKeyDictionary[GraphView, T] = WeakKeyDictionary()

    @wraps(make)
    def remembered(graph: GraphView) -> T:
        if graph not in made:
            made[graph] = make(graph)
        return made[graph]

    return remembered
