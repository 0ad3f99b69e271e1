"""A split is about what there is when its turn comes; what comes later is about either side."""

from collections.abc import Sequence

import pytest

from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.schemas.memory import (
    Change,
    CreateEntity,
    DeleteEntity,
    MergeEntities,
    Named,
    Operation,
    SplitEntity,
    Unrelate,
)
from corpusgraph.tasks.graph.names import aliases_of
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.overlay.base import Base
from corpusgraph.tasks.overlay.memory import Names
from corpusgraph.tasks.overlay.state import folded
from corpusgraph.tasks.overlay.view import RememberedGraph
from tests.remember.build import corpus, made, named, over

E, X, Y, N = (made(name) for name in ("Ears", "Xylem", "Yarn", "New"))
Triple = tuple[str, str, str]


def plain(*edges: Triple, aliases: Sequence[str] = ()) -> MemoryGraph:
    """Return a graph without evidence."""
    entities = [
        Entity(id=e.id, name=e.name, type=e.type, attributes={"aliases": list(aliases)} if e is E else {})
        for e in (E, X, Y)
    ]
    return MemoryGraph(
        entities,
        [Relationship(id=Relationship.make_id(*t), source_id=t[0], type=t[1], target_id=t[2]) for t in edges],
    )


def laid(graph: MemoryGraph, *operations: Operation) -> RememberedGraph:
    """Lay operations over a graph without evidence."""
    changes = [Change(number=n, at="", by="", operations=(op,)) for n, op in enumerate(operations, 1)]
    return RememberedGraph(folded(changes, Base(graph)).frozen())


def told(view: RememberedGraph) -> set[Triple]:
    """Return the relationships there are; the port finds each of them."""
    names = Names(view.state)
    found = {(edge.source_id, edge.type, edge.target_id) for edge in view.relationships}
    for edge in view.relationships:
        known = names.edge(edge.id)
        triple = (
            view.base.triple(known) if isinstance(known, int) else (known.source, known.type, known.target)
        )
        assert triple in found
    return found


def splitting(*relationships: Triple, names: Sequence[str] = ()) -> SplitEntity:
    ids = tuple(Relationship.make_id(*one) for one in relationships)
    return SplitEntity(entity=E, into=N, relationships=ids, names=tuple(names))


def taking_out(source: Named, target: Named) -> Unrelate:
    return Unrelate(source=source, target=target, type="r")


FIRST, SECOND = (E.id, "r", Y.id), (X.id, "r", Y.id)
GONE = (N.id, "r", Y.id)


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ([splitting(FIRST)], {GONE, SECOND}),
        ([splitting(FIRST), taking_out(E, Y)], {GONE, SECOND}),
        ([splitting(FIRST), taking_out(N, Y)], {SECOND}),
        ([taking_out(E, Y), splitting(FIRST)], {SECOND}),
        ([splitting(FIRST), MergeEntities(sources=(X,), into=E)], {GONE, FIRST}),
        ([MergeEntities(sources=(X,), into=E), splitting(FIRST)], {GONE}),
        ([splitting(FIRST), MergeEntities(sources=(N,), into=X)], {SECOND}),
        ([splitting(FIRST), MergeEntities(sources=(N,), into=E)], {FIRST, SECOND}),
        ([splitting(FIRST), taking_out(E, Y), MergeEntities(sources=(N,), into=E)], {FIRST, SECOND}),
        ([splitting(FIRST), DeleteEntity(entity=E)], {GONE, SECOND}),
        ([splitting(FIRST), DeleteEntity(entity=N)], {SECOND}),
        ([splitting(FIRST), DeleteEntity(entity=Y)], set()),
        (
            [DeleteEntity(entity=E), CreateEntity(**E.model_dump()), MergeEntities(sources=(X,), into=E)],
            {FIRST},
        ),
    ],
)
def test_relationships_without_evidence(operations: list[Operation], expected: set[Triple]) -> None:
    assert told(laid(plain(FIRST, SECOND), *operations)) == expected


def test_what_was_deleted_does_not_come_back_by_a_merge_into_its_successor() -> None:
    anew: list[Operation] = [
        DeleteEntity(entity=E),
        CreateEntity(**E.model_dump()),
        MergeEntities(sources=(X,), into=E),
    ]
    (edge,) = laid(plain(FIRST, SECOND), *anew).relationships
    assert (edge.source_id, edge.weight) == (E.id, 1.0)


def test_names_of_what_is_merged_later_stay() -> None:
    graph = plain(aliases=("Lobes", "Shells"))
    split = splitting(names=("Lobes",))
    ears = laid(graph, split).entity(E.id)
    assert set(aliases_of(ears)) >= {"Shells"}
    assert "Lobes" not in aliases_of(ears)
    assert "Lobes" not in aliases_of(laid(graph, split, MergeEntities(sources=(E,), into=X)).entity(X.id))
    back = laid(graph, split, MergeEntities(sources=(N,), into=X), MergeEntities(sources=(X,), into=E))
    assert "Lobes" in aliases_of(back.entity(E.id))


def test_spellings_of_what_is_merged_later_stay() -> None:
    whole = corpus([["John Snow lived in London."], ["Henry Whitehead met John Snow in London."]])
    snow, henry = (named(whole.graph.entity(name)) for name in ("John Snow", "Henry Whitehead"))
    split = SplitEntity(entity=snow, into=N, names=("Henry Whitehead",))
    view = over(whole, [split, MergeEntities(sources=(henry,), into=snow)])
    assert view.entity(snow.id).n_mentions == 3
    assert view.entity(N.id).n_mentions == 0
    earlier = over(whole, [MergeEntities(sources=(henry,), into=snow), split])
    assert earlier.entity(snow.id).n_mentions == 2
    assert earlier.entity(N.id).n_mentions == 1
