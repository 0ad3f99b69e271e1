"""Reading all there is, or as much as fits."""

from collections.abc import Callable

from tests.memory.conftest import World


def test_an_empty_index_has_nothing(empty: World) -> None:
    assert empty.json("read_graph") == {"entities": [], "relations": []}


def test_what_was_made_by_hand_comes_in_the_order_in_which_it_was(project: World) -> None:
    graph = project.json("read_graph")
    assert [node["name"] for node in graph["entities"]][:3] == [
        "Module: Payment",
        "Module: Auth",
        "File: processor.rs",
    ]
    assert graph["relations"][0] == {
        "from": "Module: Payment",
        "to": "File: processor.rs",
        "relationType": "contains",
    }
    assert (len(graph["entities"]), len(graph["relations"])) == (8, 7)


def test_a_corpus_is_read_with_the_sentences_that_describe_it(world: World) -> None:
    graph = world.json("read_graph")
    assert graph["entities"][0] == {
        "name": "John Snow",
        "entityType": "person",
        "observations": ["physician"],
    }
    assert {"from": "contaminated water", "to": "cholera", "relationType": "causes"} in graph["relations"]


def test_of_too_much_what_is_by_hand_and_best_connected_is_read(hub: Callable[[int], World]) -> None:
    many = hub(50)
    many.make(("Zed", "thing"))
    noted = many.noted("read_graph", limit=3)
    assert [node.name for node in noted.data.entities] == ["Zed", "Hub", "Leaf 0"]
    assert len(noted.data.relations) == 1
    (warning,) = noted.warnings
    assert warning.code == "graph_truncated"
    assert "3 of 52 entities and 1 of 50 relations" in warning.message


def test_relations_have_a_limit_too(hub: Callable[[int], World]) -> None:
    noted = hub(2500).noted("read_graph", limit=10_000)
    assert len(noted.data.relations) == 2000
    assert [w.code for w in noted.warnings] == ["graph_truncated"]
