"""A view brought on: what was made for the one before, and still holds, is not made again."""

from functools import partial

import numpy as np

from corpusgraph.tasks.remember.news import News, news, without
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
    known = vars(before)
    if "entity_rows" in known:
        new = filter(after.roster.is_new, told.entities)
        vars(after)["entity_rows"] = before.entity_rows.following(new)
    if "patch" in vars(after.changed) and "relationship_rows" in known:
        _bring_on(before, after, told)
    return after


def _bring_on(before: RememberedGraph, after: RememberedGraph, told: News) -> None:
    """Take over what was looked at before, but for what more is said of."""
    kept, base, known = vars(after), before.base, vars(before)
    ids = {after.patch.by_hand[id_] for id_ in told.relations}
    new, changed = ids & after.patch.new.keys(), sorted(ids - after.patch.new.keys())
    kept["relationship_rows"] = before.relationship_rows.following(new)
    entities = {place for id_ in told.entities if (place := base.entities.place(id_)) is not None}
    edges = {place for id_ in changed if (place := base.relationships.place(id_)) is not None}
    if "met" in known:
        ends = (end for id_ in told.relations for end in _ends(after, id_))
        kept["met"] = before.met.union(ends)
    if "touched" in known:
        kept["touched"] = np.union1d(before.touched, np.array(sorted(entities), dtype=np.int64))
    if "reads_otherwise" in known:
        bare = (base.entities.ids[place] for place in sorted(entities) if after.is_bare(place))
        kept["renamed"], kept["reads_otherwise"] = before.renamed, before.reads_otherwise.union(bare)
    if "degrees" in known:
        kept["degrees"] = without(before.degrees, told.entities)
    if "columns" in known:
        stated = [after.patch.edge(id_, base.relationships.place(id_)) for id_ in sorted(ids)]
        kept["columns"] = before.columns.following(base, after.entity_rows, after.relationship_rows, stated)
    if "entities" in known:
        nouns = after.entity_nouns
        looks = partial(before.entities.following, after.entity_rows, nouns.now, nouns.made)
        kept["entities"] = looks(lambda: after.touched, (told.entities, entities))
    if "held" in known and "entities" in known:
        kept["held"] = {**before.held, **{id_: after.entity_nouns.held(id_) for id_ in told.entities}}
    if "relationships" in known:
        looks_at = partial(before.relationships.following, after.relationship_rows)
        kept["relationships"] = looks_at(
            after.noun_now, after.noun_made, lambda: after.patch.places, (new, edges)
        )


def _ends(view: RememberedGraph, relation: str) -> tuple[str, str]:
    stated = view.state.relations[relation]
    return stated.source, stated.target
