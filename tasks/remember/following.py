"""A view brought on: what was made for the one before, and still holds, is not made again."""

from collections.abc import Iterable

import numpy as np

from corpusgraph.tasks.remember.edge_nouns import EdgeNouns
from corpusgraph.tasks.remember.layout import Layout
from corpusgraph.tasks.remember.news import News, news, without
from corpusgraph.tasks.remember.rows import Finder
from corpusgraph.tasks.remember.state import MemoryState
from corpusgraph.tasks.remember.view import RememberedGraph


def following(before: RememberedGraph, state: MemoryState) -> RememberedGraph:
    """Return the view of a later state over the same base, in time that does not grow with what was before.

    It is equal to `RememberedGraph(before.base, state)`, which it is where more than additions came between.
    """
    told = news(before.state, state)
    if told is None:
        return RememberedGraph(before.base, state)
    after = RememberedGraph(before.base, state, before.parts.following(state, told))
    known = vars(before.layout)
    if "entity_rows" in known:
        new = filter(after.roster.is_new, told.entities)
        vars(after.layout)["entity_rows"] = before.entity_rows.following(new)
    if "patch" in vars(after.changed) and "relationship_rows" in known:
        stated = {after.patch.by_hand[id_] for id_ in told.relations}
        _lay(before.layout, after.layout, told, stated)
        _make(before, after, told, stated)
    return after


def _lay(before: Layout, after: Layout, told: News, stated: set[str]) -> None:
    """Take over rows and arrays, with what was added."""
    kept, base, known = vars(after), before.base, vars(before)
    kept["relationship_rows"] = before.relationship_rows.following(stated & after.patch.new.keys())
    if "met" in known:
        ends = (end for id_ in told.relations for end in _ends(after.state, id_))
        kept["met"] = before.met.union(ends)
    if "touched" in known:
        kept["touched"] = np.union1d(
            before.touched, np.array(_places(base.entities, told.entities), np.int64)
        )
    if "degrees" in known:
        kept["degrees"] = without(before.degrees, told.entities)
    if "columns" in known:
        edges = [after.patch.edge(id_, base.relationships.place(id_)) for id_ in sorted(stated)]
        kept["columns"] = before.columns.following(base, after.entity_rows, after.relationship_rows, edges)


def _make(before: RememberedGraph, after: RememberedGraph, told: News, stated: set[str]) -> None:
    """Take over nouns and what was read off them, but for what more is said of."""
    kept, base, known = vars(after), before.base, vars(before)
    places = _places(base.entities, told.entities)
    if "reads_otherwise" in known:
        ids = ((place, base.entities.ids[place]) for place in places)
        others = (id_ for place, id_ in ids if after.is_bare(place) or id_ in after.state.observations)
        kept["renamed"], kept["reads_otherwise"] = before.renamed, before.reads_otherwise.union(others)
    if "entities" in known:
        kept["entities"] = before.entities.following(
            after.entity_rows, after.entity_nouns, (told.entities, places)
        )
    if "held" in known and "entities" in known:
        kept["held"] = {**before.held, **{id_: after.entity_nouns.held(id_) for id_ in told.entities}}
    if "relationships" in known:
        changed = _places(base.relationships, stated - after.patch.new.keys())
        kept["relationships"] = before.relationships.following(
            after.relationship_rows, EdgeNouns(after.layout), (stated & after.patch.new.keys(), changed)
        )


def _places(finder: Finder, ids: Iterable[str]) -> list[int]:
    return sorted(place for id_ in ids if (place := finder.place(id_)) is not None)


def _ends(state: MemoryState, relation: str) -> tuple[str, str]:
    stated = state.relations[relation]
    return stated.source, stated.target
