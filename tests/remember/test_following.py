"""A view brought on is the view made anew: whatever was looked at before, and whatever was said since."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.memory import (
    Change,
    CreateEntity,
    DeleteEntity,
    MergeEntities,
    Named,
    Observe,
    Operation,
    Relate,
    Rename,
    Reweigh,
    SplitEntity,
    Unobserve,
    Unrelate,
)
from corpusgraph.tasks.graph.compiled import compiled, mentions, stated
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.state import advance, folded
from corpusgraph.tasks.overlay.view import RememberedGraph
from corpusgraph.tasks.tools.memory.reference import holding
from tests.examples import tried
from tests.remember.build import CONFIDENCES, NEW, TYPES, corpus, everyone, named, texts

LATER = [Named(id=f"{one.id}x", name=f"{one.name} too", type="concept") for one in NEW]
NOTES = st.lists(st.sampled_from(["was seen", "is near", "thing a was seen"]), min_size=1, max_size=2).map(
    tuple
)


def looks(view: RememberedGraph) -> dict[str, Any]:
    """Return all that a view shows."""
    arrays = compiled(view)
    edges, whose = arrays.edges_at(np.arange(len(arrays.ids)))
    return {
        "entities": list(view.entities),
        "one at a time": [view.entity(entity.id) for entity in view.entities],
        "relationships": list(view.relationships),
        "chunks": list(view.chunks),
        "communities": list(view.communities),
        "arrays": [list(arrays.ids), arrays.source.tolist(), arrays.target.tolist(), arrays.weight.tolist()],
        "types": [list(arrays.types), arrays.type_names],
        "by node": [edges.tolist(), whose.tolist()],
        "mentions": [rows.tolist() for rows in vars(mentions(view)).values()],
        "stated": [rows.tolist() for rows in vars(stated(view)).values()],
        "documents": [one.document for one in view.documents],
        "held": {word: holding(view, word) for word in ("", "snow", "thing a", "seen", "place", "cholera")},
    }


GLANCES: dict[str, Callable[[RememberedGraph], object]] = {
    "nothing": lambda _: None,
    "entities": lambda view: list(view.entities),
    "relationships": lambda view: list(view.relationships),
    "chunks": lambda view: list(view.chunks),
    "arrays": lambda view: (compiled(view), mentions(view), stated(view)),
    "documents": lambda view: view.documents,
    "reads otherwise": lambda view: (view.reads_otherwise, view.renamed),
}
"""Looks at a part of a view, after which the next view finds it made."""


def adding(known: Sequence[Named]) -> st.SearchStrategy[Operation]:
    """Draw what only adds to what is known of some entities."""
    who = st.sampled_from(known)
    ends = {"source": who, "target": who, "type": st.sampled_from(TYPES[:2])}
    sure = {"confidence": st.sampled_from(CONFIDENCES), "is_causal": st.booleans()}
    return st.one_of(
        st.builds(lambda one: CreateEntity(**one.model_dump(), attributes={"aliases": [one.name]}), who),
        st.builds(Observe, entity=who, contents=NOTES),
        st.builds(Relate, **ends, **sure),
        st.builds(Relate, **ends, **sure),
    )


def changing(known: Sequence[Named]) -> st.SearchStrategy[Operation]:
    """Draw what says that something of this was otherwise."""
    who = st.sampled_from(known)
    ends = {"source": who, "target": who, "type": st.sampled_from(TYPES[:2])}
    return st.one_of(
        st.builds(Unobserve, entity=who, contents=NOTES),
        st.builds(Unrelate, **ends),
        st.builds(Reweigh, **ends, weight=st.just(3.5)),
        st.builds(Rename, entity=who, name=st.sampled_from(["renamed", "thing a"])),
        st.builds(MergeEntities, sources=st.tuples(who), into=who),
        st.builds(DeleteEntity, entity=who),
        st.builds(SplitEntity, entity=who, into=st.sampled_from(LATER), documents=st.just(("d0",))),
    )


@settings(max_examples=tried(40), deadline=None)
@given(st.data(), texts)
def test_a_view_brought_on_is_the_view_made_anew(data: st.DataObject, texts_: list[list[str]]) -> None:
    whole = corpus(texts_)
    who = [*everyone(whole.graph)[:2], *NEW[:2], LATER[0]]  # few, so that much is said of each
    some = st.one_of(adding(who), adding(who), changing(who))
    said = data.draw(st.lists(some, min_size=1, max_size=12))
    parts = st.lists(st.sampled_from(sorted(GLANCES)), max_size=5)
    live = folded((), Base(whole.graph, whole.told))
    views: list[RememberedGraph] = []
    changes: list[Change] = []
    for number, operation in enumerate(said, 1):
        changes.append(Change(number=number, at="", by="", operations=(operation,)))
        advance(live, changes[-1])
        view = RememberedGraph(live.frozen())
        assert view.state == folded(changes, Base(whole.graph, whole.told))
        for part in data.draw(parts):
            GLANCES[part](view)
        views.append(view)
    for at in {data.draw(st.integers(0, len(views) - 1)), len(views) - 1}:
        anew = RememberedGraph(folded(changes[: at + 1], Base(whole.graph, whole.told)).frozen())
        assert looks(views[at]) == looks(anew), "each is as when it was made, whatever came since"


WATER = ["Contaminated water caused cholera.", "John Snow lived in London. Miasma caused cholera."]


def scenes() -> dict[str, tuple[list[Operation], list[Operation]]]:
    """Return what was said before everything was looked at, and what was said then."""
    people = {one.name: named(one) for one in corpus([[text] for text in WATER]).graph.entities}
    cholera, snow = people["cholera"], people["John Snow"]
    cause = next(one for name, one in people.items() if "water" in name)
    one, other, third = NEW
    made: list[Operation] = [CreateEntity(**each.model_dump()) for each in (one, other)]
    base_edge = Relate(source=cause, target=cholera, type="causes", confidence=0.5)
    knows = Relate(source=one, target=other, type="knows", confidence=0.5)
    return {
        "stated again": ([*made, knows], [knows]),
        "of the corpus, stated again": ([base_edge], [base_edge]),
        "of the corpus, stated": ([], [base_edge]),
        "between the corpus and the memory": (made, [Relate(source=snow, target=one, type="met")]),
        "taken out, stated again": ([base_edge, Unrelate(**ends(base_edge))], [base_edge]),
        "given a weight, stated again": ([knows, Reweigh(**ends(knows), weight=3.5)], [knows]),
        "named, then made": ([knows], [CreateEntity(id=one.id, name="thing A!", type="other")]),
        "of the corpus, then made": ([], [CreateEntity(**{**snow.model_dump(), "description": "a doctor"})]),
        "deleted, made again": ([*made, DeleteEntity(entity=one)], [made[0], knows]),
        "taken back, noted again": (
            [Observe(entity=one, contents=("seen",)), Unobserve(entity=one, contents=("seen",))],
            [Observe(entity=one, contents=("seen",))],
        ),
        "of the corpus, taken back, noted again": (
            [Unobserve(entity=snow, contents=("seen",))],
            [Observe(entity=snow, contents=("seen",))],
        ),
        "merged, then spoken of": (
            [*made, knows, MergeEntities(sources=(other,), into=cholera)],
            [Relate(source=one, target=other, type="knows"), Observe(entity=other, contents=("seen",))],
        ),
        "merged, where edges then meet": (
            [
                Relate(source=other, target=cholera, type="causes"),
                MergeEntities(sources=(cause,), into=other),
            ],
            [Relate(source=other, target=cholera, type="causes")],
        ),
        "split, then spoken of": (
            [SplitEntity(entity=cholera, into=LATER[0], documents=("d0",))],
            [base_edge, Relate(source=LATER[0], target=snow, type="met")],
        ),
        "with other names": (
            made,
            [CreateEntity(**third.model_dump(), attributes={"aliases": ["T"]}), knows],
        ),
        "renamed, then spoken of": (
            [knows, Rename(entity=one, name="renamed")],
            [knows, Observe(entity=one, contents=("seen",)), Observe(entity=other, contents=("seen",))],
        ),
    }


def ends(edge: Relate) -> dict[str, Any]:
    return {"source": edge.source, "target": edge.target, "type": edge.type}


@pytest.mark.parametrize("scene", sorted(scenes()))
@pytest.mark.parametrize("looked_at", ["nothing", "relationships", "all"])
def test_after_whatever_was_said(scene: str, looked_at: str) -> None:
    whole = corpus([[text] for text in WATER])
    live = folded((), Base(whole.graph, whole.told))
    before, after = scenes()[scene]
    changes = [Change(number=n, at="", by="", operations=(op,)) for n, op in enumerate([*before, *after], 1)]
    for change in changes:
        advance(live, change)
        view = RememberedGraph(live.frozen())
        for glance in GLANCES.values() if looked_at == "all" else (GLANCES[looked_at],):
            glance(view)
    anew = RememberedGraph(folded(changes, Base(whole.graph, whole.told)).frozen())
    assert looks(view) == looks(anew)


def test_what_was_handed_out_does_not_change() -> None:
    one, other, third = NEW
    live = folded((), Base(corpus([]).graph))

    def say(*operations: Operation) -> None:
        advance(live, Change(number=live.n_changes + 1, at="", by="", operations=operations))

    say(CreateEntity(**one.model_dump()), CreateEntity(**other.model_dump()))
    say(Relate(source=one, target=other, type="knows"), Observe(entity=other, contents=("was seen",)))
    first = RememberedGraph(live.frozen())
    before = looks(first)
    say(Relate(source=one, target=other, type="knows"), Relate(source=third, target=other, type="met"))
    say(Observe(entity=other, contents=("was seen again",)))
    second = RememberedGraph(live.frozen())
    assert len(second.relationships) == 2
    assert looks(second) != before
    assert looks(first) == before
