"""What was changed by hand."""

from typing import Any

import pytest

from tests.memory.conftest import AT, REQUEST, World


def numbers(world: World, **asked: Any) -> list[int]:
    return [row["change"] for row in world.json("list_changes", **asked)["changes"]]


@pytest.fixture
def changed(world: World) -> World:
    """Return an index with six changes, of which the second is undone."""
    world.make(("Soho", "place", "A parish"))
    world.relate(("John Snow", "lived_in", "Soho"))
    world.json("undo_change")
    world.json("rename_entity", entity="Soho", name="Soho Square")
    world.json("merge_entities", sources=["Soho Square"], into="London")
    world.json("delete_entities", entityNames=["cholera"])
    return world


def test_the_last_come_first_in_words(changed: World) -> None:
    rows = changed.json("list_changes")["changes"]
    assert [row["what"] for row in rows] == [
        ["deleted 'cholera'"],
        ["took 'Soho Square' for 'London'"],
        ["called 'Soho' 'Soho Square'"],
        ["undid change 2"],
        ["stated 'John Snow' lived_in 'Soho', confidence 1, hand"],
        ["made 'Soho' (place)", "noted of 'Soho': A parish"],
    ]
    assert [row["undone"] for row in rows] == [False, False, False, False, True, False]
    assert (rows[3]["undoes"], rows[0]["at"], rows[0]["request_id"]) == (2, AT, REQUEST)
    assert (rows[5]["by"], rows[5]["operations"]) == ("create_entities", 2)


def test_those_in_force(changed: World) -> None:
    assert numbers(changed, in_force=True) == [6, 5, 4, 1]


def test_a_page_at_a_time(changed: World) -> None:
    assert numbers(changed, limit=4) == [6, 5, 4, 3]
    assert numbers(changed, limit=4, before=3) == [2, 1]
    assert changed.json("list_changes", limit=1)["total"] == 6


def test_those_that_name_an_entity_by_whatever_it_was(changed: World) -> None:
    assert numbers(changed, entity="London") == [5, 4, 2, 1]
    assert numbers(changed, entity="cholera") == [6]
    assert numbers(changed, entity="Nobody at all") == []


def test_none_yet(world: World) -> None:
    assert world.json("list_changes") == {"success": True, "total": 0, "changes": []}
