"""Counts of a graph."""

from tests.memory.conftest import World


def test_answers_in_the_published_shape(project: World) -> None:
    project.relate(("Module: Auth", "causes", "Feature: Checkout"))
    data = project.json("get_graph_statistics")
    assert data == {
        "success": True,
        "statistics": {
            "entities": 8,
            "relationships": 8,
            "relationship_types": [
                {"relation_type": "contains", "count": 3},
                {"relation_type": "uses", "count": 2},
                {"relation_type": "causes", "count": 1},
                {"relation_type": "depends_on", "count": 1},
                {"relation_type": "implements", "count": 1},
            ],
            "avg_relationships_per_entity": 1.0,
            "causal_relationships": 1,
            "qdrant_available": False,
            "qdrant_connected": False,
            "vector_backend": "memory",
        },
        "health": {
            "entities": 8,
            "relationships": 8,
            "avg_relationships_per_entity": 1.0,
            "causal_relationships": 1,
            "qdrant_status": "not_configured",
        },
    }


def test_an_empty_index_has_no_average_to_divide(empty: World) -> None:
    statistics = empty.json("get_graph_statistics")["statistics"]
    assert (statistics["entities"], statistics["avg_relationships_per_entity"]) == (0, 0.0)
    assert statistics["relationship_types"] == []


def test_a_change_shows_at_once(world: World) -> None:
    before = world.json("get_graph_statistics")["statistics"]
    world.json("add_entity_relationship", source_id=0, target_id=2, relation_type="uses", is_causal=True)
    world.json("delete_entities", entityNames=["London"])
    after = world.json("get_graph_statistics")["statistics"]
    assert (before["entities"], before["relationships"], before["causal_relationships"]) == (4, 4, 1)
    assert (after["entities"], after["relationships"], after["causal_relationships"]) == (3, 3, 2)
