"""Arrays of a graph, hops, and what is read off relationships."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.compiled import (
    compiled,
    degree,
    in_order,
    neighbours_at,
    relationship_chunks,
)
from corpusgraph.tasks.graph.paths import hops
from corpusgraph.tasks.graph.view import MemoryGraph


def small_graph() -> MemoryGraph:
    """Edges a-b twice (weights 1 and 2, two types), b-c, and a loop at c; d is alone."""
    return MemoryGraph(
        [Entity(id=i) for i in "abcd"],
        [
            Relationship(id="r1", source_id="a", target_id="b", type="uses"),
            Relationship(id="r2", source_id="b", target_id="a", type="causes", weight=2, chunk_ids=("k2",)),
            Relationship(id="r3", source_id="b", target_id="c", chunk_ids=("k2", "k1", "gone")),
            Relationship(id="r4", source_id="c", target_id="c"),
        ],
        [
            Chunk(id="k1", content="", source_doc="d", position=0, relationships=("r1", "unknown")),
            Chunk(id="k2", content="", source_doc="d", position=1, relationships=("r3",)),
        ],
    )


def test_adjacency_directed_and_not() -> None:
    arrays = compiled(small_graph())
    assert tuple(arrays.ids) == ("a", "b", "c", "d")
    assert arrays.adjacency(directed=True).toarray().tolist() == [
        [0, 1, 0, 0],
        [2, 0, 1, 0],
        [0, 0, 1, 0],
        [0, 0, 0, 0],
    ]
    assert arrays.adjacency(directed=False).toarray().tolist() == [
        [0, 3, 0, 0],
        [3, 0, 1, 0],
        [0, 1, 1, 0],
        [0, 0, 0, 0],
    ]


def test_adjacency_of_some_types() -> None:
    arrays = compiled(small_graph())
    assert arrays.adjacency(directed=True, types={"causes"}).toarray().sum() == 2
    assert arrays.adjacency(directed=True, types=set()).nnz == 0


def test_degree_counts_a_loop_once() -> None:
    graph = small_graph()
    assert [degree(graph, i) for i in "abcd"] == [2, 3, 2, 0]
    arrays = compiled(graph)
    assert arrays.edges_of(arrays.at["c"]).tolist() == [2, 3]
    assert neighbours_at(arrays, arrays.at["c"]).tolist() == [arrays.at["b"]]
    assert not len(neighbours_at(arrays, arrays.at["d"]))


def test_chunks_of_relationships_come_from_either_side_in_text_order() -> None:
    assert relationship_chunks(small_graph()) == {"r1": ("k1",), "r2": ("k2",), "r3": ("k1", "k2"), "r4": ()}


def test_what_is_remembered_dies_with_the_graph() -> None:
    graph = small_graph()
    assert compiled(graph) is compiled(graph)
    arrays = weakref.ref(compiled(graph))
    del graph
    gc.collect()
    assert arrays() is None


@pytest.mark.parametrize(("starts", "found"), [([], [-1, -1, -1, -1]), ([0, 3], [0, 1, -1, 0])])
def test_hops_from_several_starts(starts: list[int], found: list[int]) -> None:
    assert hops(compiled(small_graph()), starts, 1).tolist() == found


@given(st.lists(st.integers(0, 9)), st.sampled_from([10, 2**61]))
def test_places_in_order_keep_equals_as_they_came(keys: list[int], below: int) -> None:
    order = in_order(np.array(keys, dtype=np.int64), below)
    assert order.tolist() == sorted(range(len(keys)), key=keys.__getitem__)
