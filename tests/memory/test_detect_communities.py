"""Communities of the graph as it is now."""

from itertools import combinations
from typing import Any

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corpusgraph.tasks.tools.memory.structure  # noqa: F401 - registers the tool
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import TOOLS
from tests.examples import tried
from tests.graph.small import small_graph


def cliques(n: int = 3, size: int = 4) -> MemoryGraph:
    """Return `n` cliques in a ring of weak ties."""
    ids = [[f"e{k}{i}" for i in range(size)] for k in range(n)]
    ties = [(a, b, 2.0) for group in ids for a, b in combinations(group, 2)]
    ties += [(ids[k][0], ids[(k + 1) % n][1], 0.5) for k in range(n)]
    edges = [Relationship(id=f"r{i}", source_id=a, target_id=b, weight=w) for i, (a, b, w) in enumerate(ties)]
    return MemoryGraph([Entity(id=id_) for group in ids for id_ in group], edges)


def found(graph: MemoryGraph, **asked: Any) -> Any:
    return TOOLS["detect_communities"].run(asked, {"graph": graph})


def test_cliques_are_communities_with_the_modularity_of_networkx() -> None:
    graph = cliques()
    data = found(graph).data
    assert [set(c.names) for c in data.communities] == [set(c.entity_ids) for c in data.communities]
    assert sorted(c.entity_ids[0][:2] for c in data.communities) == ["e0", "e1", "e2"]
    network: Any = nx.Graph()
    network.add_weighted_edges_from((r.source_id, r.target_id, r.weight) for r in graph.relationships)
    expected = nx.community.modularity(network, [set(c.entity_ids) for c in data.communities])
    assert data.modularity == pytest.approx(expected, abs=1e-6)
    assert (data.community_count, data.covered, data.truncated) == (3, 12, False)


@given(
    st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8)), max_size=25), st.sampled_from([0.5, 1.0, 2.0])
)
@settings(max_examples=tried(50), deadline=None)
def test_any_graph_is_parted_as_its_modularity_says(pairs: list[tuple[int, int]], resolution: float) -> None:
    edges = [Relationship(id=f"r{i}", source_id=f"e{a}", target_id=f"e{b}") for i, (a, b) in enumerate(pairs)]
    graph = MemoryGraph([Entity(id=f"e{i}") for i in range(9)], edges)
    data = found(graph, resolution=resolution, min_size=1).data
    members = [id_ for c in data.communities for id_ in c.entity_ids]
    assert len(members) == len(set(members))
    tied: Any = nx.Graph()
    for a, b in pairs:
        if a != b:
            held = tied.get_edge_data(f"e{a}", f"e{b}", {"weight": 0})["weight"]
            tied.add_edge(f"e{a}", f"e{b}", weight=held + 1)
    assert set(members) == set(tied)
    if tied:
        parts = [set(c.entity_ids) for c in data.communities]
        expected = nx.community.modularity(tied, parts, resolution=resolution)
        assert data.modularity == pytest.approx(expected, abs=1e-5)
        one = nx.community.modularity(tied, [set(tied)], resolution=resolution)
        assert expected >= one - 1e-9


def test_resolution_level_and_least_size() -> None:
    graph = cliques(2, 6)
    assert (
        found(graph, resolution=8, min_size=1).data.community_count > found(graph).data.community_count == 2
    )
    divided = found(graph, max_size=3, level=None, min_size=1).data
    assert divided.level_count >= 1
    assert divided.covered == 12
    assert found(graph, min_size=7).warnings[0].code == "no_communities"
    assert found(graph, top_k=1).data.truncated


def test_filters_and_what_is_added_count_at_once() -> None:
    graph = cliques()
    assert found(graph, min_weight=1).data.modularity > found(graph).data.modularity
    more = [*graph.relationships, Relationship(id="new", source_id="e00", target_id="x", weight=3)]
    with_hand = found(MemoryGraph([*graph.entities, Entity(id="x", name="hand-made")], more)).data
    assert any("hand-made" in c.names for c in with_hand.communities)
    assert found(graph, relationship_types=["causes"]).warnings[0].code == "unknown_type"


def test_the_seed_decides_and_nothing_else() -> None:
    assert found(cliques(), seed=1).data == found(cliques(), seed=1).data
    assert found(small_graph()).data.covered == 4
    assert found(MemoryGraph([])).data.community_count == 0
