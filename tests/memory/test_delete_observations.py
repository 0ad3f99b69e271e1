"""Taking sentences about entities back."""

from tests.memory.conftest import World

DONE = {"success": True, "message": "Observations deleted successfully"}


def test_a_sentence_goes_and_the_others_stay(project: World) -> None:
    asked = [{"entityName": "Module: Payment", "observations": ["Status: Completed"]}]
    assert project.json("delete_observations", deletions=asked) == DONE
    (node,) = project.json("open_nodes", names=["Module: Payment"])["entities"]
    assert node["observations"] == ["Stripe, PayPal integration", "Priority: High"]


def test_what_is_not_there_is_told(project: World) -> None:
    asked = [
        {"entityName": "Module: Payment", "observations": ["Priority: High", "Priority: Low"]},
        {"entityName": "Module: Nothing", "observations": ["x"]},
    ]
    data = project.json("delete_observations", deletions=asked)
    assert data["message"] == "Deleted 1 of 3 observations. Entities not found: Module: Nothing"


def test_the_description_of_the_corpus_stays_and_nothing_is_written(world: World) -> None:
    asked = [{"entityName": "John Snow", "observations": ["physician"]}]
    noted = world.noted("delete_observations", deletions=asked)
    assert noted.data.message == "Deleted 0 of 1 observations."
    assert [w.code for w in noted.warnings] == ["nothing_changed"]
    assert world.memory.changes() == ()


def test_a_sentence_named_twice_counts_once(project: World) -> None:
    asked = [{"entityName": "Module: Payment", "observations": ["Priority: High"]}] * 2
    data = project.json("delete_observations", deletions=asked)
    assert data["message"] == "Deleted 1 of 2 observations."


def test_it_can_be_undone(project: World) -> None:
    before = project.json("read_graph")
    asked = [{"entityName": "Module: Payment", "observations": ["Status: Completed"]}]
    project.json("delete_observations", deletions=asked)
    project.json("undo_change")
    assert project.json("read_graph") == before
