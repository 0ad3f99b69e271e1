"""The entities that have a relation with one."""

from collections.abc import Callable
from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from tests.memory.conftest import World


def test_the_published_example(project: World) -> None:
    asked = {"entityName": "Module: Payment", "relationType": "contains", "direction": "outgoing"}
    assert project.json("get_related", **asked) == {
        "entity": "Module: Payment",
        "relations": [
            {
                "relationType": "contains",
                "direction": "outgoing",
                "target": {
                    "name": "File: processor.rs",
                    "entityType": "File",
                    "observations": ["Takes payments"],
                },
            },
            {
                "relationType": "contains",
                "direction": "outgoing",
                "target": {"name": "File: webhook.rs", "entityType": "File", "observations": []},
            },
        ],
    }


def test_what_depends_on_a_module(project: World) -> None:
    asked = {"entity_name": "Module: Auth", "relation_type": "depends_on", "direction": "incoming"}
    (row,) = project.json("get_related", **asked)["relations"]
    assert (row["direction"], row["target"]["name"]) == ("incoming", "Module: Payment")


def test_both_directions_are_the_default(project: World) -> None:
    rows = project.json("get_related", entityName="Function: process_payment")["relations"]
    assert sorted((row["direction"], row["relationType"]) for row in rows) == [
        ("incoming", "contains"),
        ("outgoing", "implements"),
        ("outgoing", "uses"),
        ("outgoing", "uses"),
    ]


def test_further_out_each_is_told_with_its_distance(project: World) -> None:
    asked = {"entityName": "Module: Payment", "direction": "out", "relationType": "contains", "maxDepth": 2}
    rows = project.json("get_related", **asked)["relations"]
    far = [row for row in rows if "depth" in row]
    assert len(rows) == 3
    assert [(row["depth"], row["via"], row["target"]["name"]) for row in far] == [
        (2, "File: processor.rs", "Function: process_payment")
    ]


def test_the_corpus_is_told_by_its_description(world: World) -> None:
    rows = world.json("get_related", entityName="contaminated water")["relations"]
    assert rows == [
        {
            "relationType": "causes",
            "direction": "outgoing",
            "target": {"name": "cholera", "entityType": "concept", "observations": ["disease"]},
        }
    ]


def test_depth_is_clamped_and_a_hub_is_cut_with_the_number_left_out(hub: Callable[[int], World]) -> None:
    noted = hub(300).noted("get_related", entityName="Hub", maxDepth=7, maxResults=5)
    assert (len(noted.data.relations), noted.data.truncated) == (5, 295)
    assert [w.code for w in noted.warnings] == ["depth_clamped"]


def test_an_unknown_type_is_told(project: World) -> None:
    noted = project.noted("get_related", entityName="Module: Auth", relationType="depend_on")
    assert noted.data.relations == ()
    assert [w.code for w in noted.warnings] == ["unknown_type"]


@pytest.mark.parametrize("bad", [{"direction": "sideways"}, {"relationType": ""}, {"maxDepth": "far"}])
def test_bad_input_is_refused(project: World, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        project.json("get_related", entityName="Module: Auth", **bad)
    with pytest.raises(UnknownEntityError):
        project.json("get_related", entityName="Module: Nothing at all")


@pytest.mark.parametrize("direction", ["outgoing", "incoming", "both"])
def test_a_relation_with_itself_is_listed_once_whichever_way_is_asked_for(
    project: World, direction: str
) -> None:
    project.relate(("Module: Auth", "calls", "Module: Auth"))
    for depth in (1, 2):
        told = project.json("get_related", entityName="Module: Auth", direction=direction, maxDepth=depth)
        own = [row for row in told["relations"] if row["target"]["name"] == "Module: Auth"]
        assert [(row["relationType"], row["direction"]) for row in own] == [("calls", "outgoing")]
    typed = project.json("get_related", entityName="Module: Auth", relationType="contains")
    assert typed["relations"] == []
