"""Which entities hold a text in name, type or observations: all are searched as one long text."""

import json
from collections.abc import Sequence

import numpy as np

from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.ports import GraphView, Ints
from corpusgraph.tasks.graph.lists import Ids
from corpusgraph.tasks.graph.memo import per_graph
from corpusgraph.tasks.graph.noted import BETWEEN, held_by
from corpusgraph.tasks.memory._columns import column
from corpusgraph.tasks.remember.view import RememberedGraph

_FIELDS = ("name", "type", "description", "attributes")


class Haystack:
    """Texts, of which those that hold a shorter one are found without looking at each."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._whole = BETWEEN.join(texts)
        self._ends: Ints = np.cumsum([len(text) + 1 for text in texts], dtype=np.int64)

    def holding(self, wanted: str) -> Ints:
        """Return the places of the texts that hold another, in order."""
        if not wanted:
            return np.arange(len(self._ends))
        found: list[int] = []
        at = self._whole.find(wanted)
        while at >= 0:
            place = int(np.searchsorted(self._ends, at, side="right"))
            found.append(place)
            at = self._whole.find(wanted, int(self._ends[place]))
        return np.array(found, dtype=np.int64)


def holding(graph: GraphView, wanted: str) -> list[int]:
    """Return the entities that hold a text (without regard to case), in order."""
    wanted = wanted.casefold()
    if BETWEEN in wanted:
        return []
    if not isinstance(graph, RememberedGraph):
        return [int(at) for at in haystack(graph).holding(wanted)]
    rows = graph.entity_rows
    below = haystack(graph.base.graph).holding(wanted)
    here = rows.to_here[below]
    stays = (here >= 0) & ~np.isin(below, graph.touched)
    ids = Ids(rows)
    by_hand = (ids.find(id_) for id_, text in graph.held.items() if wanted in text)
    return sorted([*here[stays].tolist(), *(at for at in by_hand if at is not None)])


@per_graph
def haystack(graph: GraphView) -> Haystack:
    """Return the texts of all entities of a graph that nothing is laid over."""
    places = np.arange(len(graph.entities))
    columns = [column(graph, "entities", name, places) for name in _FIELDS]
    if any(one is None for one in columns):
        return Haystack([held_by(entity) for entity in graph.entities])
    return Haystack([_held(*row) for row in zip(*columns, strict=True)])


def _held(name: str, type_: str | None, description: str | None, attributes: str | None) -> str:
    """Return what `held_by` does of an entity kept as columns; of few the attributes matter."""
    if attributes and ("observations" in attributes or "origin" in attributes):
        told = json.loads(attributes)
        return held_by(Entity(id=name, name=name, type=type_, description=description, attributes=told))
    return BETWEEN.join((name, type_ or "", *([description] if description else ()))).casefold()
