"""Taking relations out."""

from tests.memory.conftest import World

DONE = {"success": True, "message": "Relations deleted successfully"}
DEPENDS = {"from": "Module: Payment", "to": "Module: Auth", "relationType": "depends_on"}


def test_a_relation_goes_and_its_ends_stay(project: World) -> None:
    assert project.json("delete_relations", relations=[DEPENDS]) == DONE
    graph = project.json("read_graph")
    assert DEPENDS not in graph["relations"]
    assert (len(graph["entities"]), len(graph["relations"])) == (8, 6)


def test_one_of_the_corpus_goes_and_comes_back(world: World) -> None:
    asked = {"from": "contaminated water", "to": "cholera", "relationType": "causes"}
    assert world.json("delete_relations", relations=[asked]) == DONE
    assert "rel_1" not in {r.id for r in world.graph.relationships}
    world.json("undo_change")
    assert "rel_1" in {r.id for r in world.graph.relationships}


def test_what_is_not_there_is_told(project: World) -> None:
    backward = {"from": "Module: Auth", "to": "Module: Payment", "relationType": "depends_on"}
    data = project.json("delete_relations", relations=[DEPENDS, backward])
    assert data["message"] == "Deleted 1 of 2 relations. The rest matched nothing."
    unknown = {**DEPENDS, "from": "Nobody"}
    before = len(project.memory.changes())
    assert project.codes("delete_relations", relations=[unknown]) == ["nothing_changed"]
    assert len(project.memory.changes()) == before


def test_one_that_the_corpus_denies_goes_by_the_type_it_shows(world: World) -> None:
    kept = world.items["relationships"]
    kept[0] = kept[0].model_copy(update={"type": "not_causes"})
    denied = World(world.items)
    asked = {"from": "contaminated water", "to": "cholera", "relationType": "not_causes"}
    assert denied.json("delete_relations", relations=[asked]) == DONE
    assert "rel_1" not in {r.id for r in denied.graph.relationships}
