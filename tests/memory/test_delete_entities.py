"""Taking entities out."""

from tests.memory.conftest import World

DONE = {"success": True, "message": "Entities deleted successfully"}


def test_an_entity_goes_with_its_relations(project: World) -> None:
    assert project.json("delete_entities", entityNames=["Module: Payment"]) == DONE
    graph = project.json("read_graph")
    assert "Module: Payment" not in {node["name"] for node in graph["entities"]}
    assert not [r for r in graph["relations"] if "Module: Payment" in (r["from"], r["to"])]
    assert len(graph["relations"]) == 4


def test_one_of_the_corpus_goes_too_and_comes_back_when_undone(world: World) -> None:
    assert world.json("delete_entities", entity_names=["ent_b"]) == DONE
    assert [e.id for e in world.graph.entities] == ["ent_a", "ent_c", "ent_d"]
    assert [r.id for r in world.graph.relationships] == ["rel_2"]
    world.json("undo_change")
    assert len(world.graph.relationships) == 4


def test_a_name_that_is_not_there_is_told(world: World) -> None:
    data = world.json("delete_entities", entityNames=["London", "Paris"])
    assert data == {"success": True, "message": "Deleted 1 of 2 entities. Not found: Paris"}


def test_nothing_there_writes_nothing(world: World) -> None:
    assert world.codes("delete_entities", entityNames=["Paris"]) == ["nothing_changed"]
    assert world.memory.changes() == ()


def test_named_twice_goes_once(world: World) -> None:
    assert world.json("delete_entities", entityNames=["London", "london", 3]) == DONE
    assert len(world.memory.changes()[0].operations) == 1


def test_by_the_name_of_one_that_was_merged_all_of_it_goes_and_that_is_told(empty: World) -> None:
    empty.make(("Beta", "t"), ("Delta", "t"))
    empty.json("merge_entities", sources=["Beta"], into="Delta")
    noted = empty.noted("delete_entities", entityNames=["Beta"])
    assert noted.data.message == "Entities deleted successfully"
    assert [(w.code, w.records) for w in noted.warnings] == [("other_name", ("Beta",))]
    assert "'Beta' is another name of 'Delta'" in noted.warnings[0].message
    empty.json("undo_change")
    entity = empty.graph.entity("Delta")
    assert empty.codes("delete_entities", entityNames=[entity.id, "delta"]) == []
