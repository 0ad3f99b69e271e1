"""Searching names, types and observations for a text."""

from collections.abc import Callable

import pytest

from tests.memory.conftest import World


def names(world: World, query: str) -> list[str]:
    return [node["name"] for node in world.json("search_nodes", query=query)["entities"]]


@pytest.mark.parametrize("query", ["stripe", "STRIPE, paypal", "pal integ", "Module: Pay"])
def test_finds_part_of_a_name_or_an_observation_in_any_case(project: World, query: str) -> None:
    assert names(project, query) == ["Module: Payment"]


def test_finds_part_of_a_type(project: World) -> None:
    assert names(project, "schem") == ["Schema: orders", "Schema: transactions"]


def test_relations_have_an_end_among_what_is_found(project: World) -> None:
    found = project.json("search_nodes", query="orders")
    assert found["relations"] == [
        {"from": "Function: process_payment", "to": "Schema: orders", "relationType": "uses"}
    ]


def test_an_empty_query_finds_everything(project: World) -> None:
    assert len(names(project, "")) == 8


def test_without_a_text_that_holds_it_the_words_are_searched(world: World) -> None:
    noted = world.noted("search_nodes", query="disease of water")
    assert "cholera" in [node.name for node in noted.data.entities]
    assert "matched_by_words" in [w.code for w in noted.warnings]


def test_nothing_is_told(project: World) -> None:
    noted = project.noted("search_nodes", query="qqqq")
    assert (noted.data.entities, [w.code for w in noted.warnings]) == ((), ["nothing_found"])


def test_more_than_fits_is_told(project: World) -> None:
    noted = project.noted("search_nodes", query="module", limit=1)
    assert len(noted.data.entities) == 1
    assert [w.code for w in noted.warnings] == ["graph_truncated"]


def test_part_of_a_word_is_found_in_what_was_added_and_in_what_was_not(hub: Callable[[int], World]) -> None:
    many = hub(10)
    many.make(("Leafhopper", "insect"))
    assert names(many, "eaf") == ["Leafhopper", *(f"Leaf {n}" for n in range(10))]
    assert names(many, "fhopp") == ["Leafhopper"]
    assert names(many, "insect") == ["Leafhopper"]


def test_no_text_of_two_entities_or_fields_is_found(hub: Callable[[int], World]) -> None:
    many = hub(3)
    many.make(("Ant", "insect"), ("Bee", "insect"))
    for text in ("antinsect", "ant\0insect", "insectbee", "insect\0bee"):
        assert names(many, text) == []


def test_letters_are_compared_composed(empty: World) -> None:
    empty.make(("Hà Nội", "city"))
    assert names(empty, "ha\u0300 n") == ["Hà Nội"]
