"""Communities of small graphs, against networkx and by their definition."""

import random

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.graph import Community, Entity
from corpusgraph.schemas.study import CommunityOptions
from corpusgraph.tasks.build.communities import find_communities
from tests.communities.build import graph
from tests.examples import tried

KARATE = [(f"m{a:02}", f"m{b:02}", float(w)) for a, b, w in nx.karate_club_graph().edges(data="weight")]


@pytest.fixture(params=["graspologic", "stable"])
def whole(request: pytest.FixtureRequest) -> CommunityOptions:
    return CommunityOptions(max_size=1000, algorithm=request.param)


def names(communities: list[Community], entities: list[Entity]) -> list[set[str]]:
    by_id = {entity.id: entity.name for entity in entities}
    return sorted(({by_id[number] for number in c.entity_ids} for c in communities), key=sorted)


def test_karate_club_is_parted_as_well_as_it_can_be(whole: CommunityOptions) -> None:
    """0.4198 is the largest modularity of the unweighted club (Brandes et al. 2008)."""
    edges = [edge[:2] for edge in KARATE]
    entities, relationships = graph(edges)
    found = names(find_communities(entities, relationships, whole), entities)
    club = nx.Graph(edges)
    assert nx.community.modularity(club, found) == pytest.approx(0.4198, abs=5e-5)


def test_weights_count(whole: CommunityOptions) -> None:
    entities, relationships = graph(KARATE)
    found = names(find_communities(entities, relationships, whole), entities)
    club = nx.Graph()
    club.add_weighted_edges_from(KARATE)
    reference = nx.community.louvain_communities(club, seed=1)
    assert nx.community.modularity(club, found) >= nx.community.modularity(club, reference) - 1e-9


def test_cliques_joined_by_a_bridge(whole: CommunityOptions) -> None:
    cliques = [[f"{letter}{i}" for i in range(5)] for letter in "abc"]
    edges = [(one, other) for clique in cliques for one in clique for other in clique if one < other]
    entities, relationships = graph([*edges, ("a0", "b0"), ("b1", "c1")])
    found = find_communities(entities, relationships, whole)
    assert names(found, entities) == [set(clique) for clique in cliques]
    first = next(c for c in found if len(c.relationship_ids) == 10)
    assert first.level == 0
    assert first.size == 5
    assert first.title is not None
    assert first.title.count(", ") == 2
    assert len(first.chunk_ids) == 10


def test_levels_nest() -> None:
    generated = nx.planted_partition_graph(4, 30, 0.5, 0.02, seed=3)
    entities, relationships = graph((f"n{a:03}", f"n{b:03}") for a, b in generated.edges)
    found = find_communities(entities, relationships, CommunityOptions(max_size=10))
    by_id = {community.id: community for community in found}
    assert max(community.level for community in found) >= 1
    for community in found:
        parts = [by_id[number] for number in community.children]
        assert all(part.parent_id == community.id and part.level == community.level + 1 for part in parts)
        if parts:
            members = sorted(member for part in parts for member in part.entity_ids)
            assert members == list(community.entity_ids)
        else:
            assert community.parent_id is None or community.level > 0
    for level in range(max(c.level for c in found) + 1):
        members = [member for c in found if c.level == level for member in c.entity_ids]
        assert len(members) == len(set(members))
    coarse = {member for c in found if c.level == 0 for member in c.entity_ids}
    assert coarse == {entity.id for entity in entities}


@settings(max_examples=tried(5), deadline=None)
@given(st.randoms(use_true_random=False))
def test_order_of_the_graph_changes_nothing(shuffled: random.Random) -> None:
    entities, relationships = graph(KARATE)
    found = find_communities(entities, relationships, CommunityOptions())
    again = find_communities(
        shuffled.sample(entities, len(entities)),
        shuffled.sample(relationships, len(relationships)),
        CommunityOptions(),
    )
    assert again == found


def test_dates_amounts_and_denials_join_nothing(whole: CommunityOptions) -> None:
    entities, relationships = graph([("a", "1854"), ("b", "1854"), ("a", "b"), ("c", "5 miles")],
                                    {"1854": "date", "5 miles": "quantity"})  # fmt: skip
    found = find_communities(entities, relationships, whole)
    assert names(found, entities) == [{"a", "b"}]
    denied = [r.model_copy(update={"type": "not_causes", "negated_weight": r.weight}) for r in relationships]
    assert find_communities(entities, denied, whole) == []


def test_a_graph_without_edges_has_none(whole: CommunityOptions) -> None:
    assert find_communities([], [], whole) == []
    entities, _ = graph([("a", "b")])
    assert find_communities(entities, [], whole) == []


def test_the_weightiest_community_is_rated_ten(whole: CommunityOptions) -> None:
    entities, relationships = graph([("a", "b", 7.0), ("c", "d", 1.0)])
    ratings = sorted(c.rating or 0 for c in find_communities(entities, relationships, whole))
    assert ratings == [pytest.approx(10 * 1 / 3, abs=0.01), 10]


def test_title_and_keywords_name_the_most_central(whole: CommunityOptions) -> None:
    entities, relationships = graph(
        [("pump", "snow", 5.0), ("pump", "water", 3.0), ("pump", "well", 2.0), ("snow", "water", 1.0)],
        {"pump": "concept", "water": "concept"},
    )
    community = find_communities(entities, relationships, whole)[0]
    assert community.title == "pump, snow, water"
    assert community.keywords == ("pump", "water", "links")


@settings(max_examples=tried(40), deadline=None)
@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), max_size=40), st.integers(1, 6))
def test_every_entity_with_an_edge_is_in_one_community_per_level(
    pairs: list[tuple[int, int]], max_size: int
) -> None:
    entities, relationships = graph((f"e{a:02}", f"e{b:02}") for a, b in pairs)
    found = find_communities(entities, relationships, CommunityOptions(max_size=max_size))
    linked = {end for r in relationships if r.source_id != r.target_id for end in (r.source_id, r.target_id)}
    top = [member for c in found if c.level == 0 for member in c.entity_ids]
    assert sorted(top) == sorted(linked)
    assert len({c.id for c in found}) == len(found)
    assert sorted(c.short_id or 0 for c in found) == list(range(1, len(found) + 1))
