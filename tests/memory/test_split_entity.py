"""Making two of an entity."""

from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError, UnknownItemError
from tests.memory.conftest import World


def test_observations_and_relations_go_to_the_new_one(project: World) -> None:
    edge = next(r for r in project.graph.relationships if r.type == "depends_on")
    data = project.json(
        "split_entity",
        entity="Module: Payment",
        name="Module: Billing",
        observations=["Priority: High"],
        relationships=[edge.short_id],
    )
    assert (data["name"], data["new_name"], data["new_type"]) == (
        "Module: Payment",
        "Module: Billing",
        "Module",
    )
    nodes = project.json("open_nodes", names=["Module: Payment", "Module: Billing"])["entities"]
    assert [node["observations"] for node in nodes] == [
        ["Stripe, PayPal integration", "Status: Completed"],
        ["Priority: High"],
    ]
    related = project.json("get_related", entityName="Module: Billing")["relations"]
    assert [row["target"]["name"] for row in related] == ["Module: Auth"]
    project.json("undo_change")
    assert len(project.json("open_nodes", names=["Module: Payment"])["relations"]) == 3


def test_a_namesake_is_told_apart_by_a_qualifier(world: World) -> None:
    world.make(("William Farr", "person", "An actor"))
    asked: dict[str, Any] = {"entity": "William Farr", "name": "William Farr", "observations": ["An actor"]}
    with pytest.raises(InvalidInputError) as told:
        world.json("split_entity", **asked)
    assert "qualifier" in (told.value.hint or "")
    data = world.json("split_entity", **asked, qualifier="actor")
    assert data["new_id"] != data["id"]
    assert world.memory.find(data["new_id"]).name == "William Farr"


def test_a_taken_name_is_refused(world: World) -> None:
    world.make(("Billing", "concept"))
    with pytest.raises(InvalidInputError, match="already"):
        world.json("split_entity", entity="cholera", name="Billing", documents=["doc_1"])


def test_what_the_entity_does_not_have_is_refused_with_the_nearest(project: World) -> None:
    asked = {"entity": "Module: Payment", "name": "New"}
    with pytest.raises(InvalidInputError) as told:
        project.json("split_entity", **asked, observations=["Priority: Hihg"])
    assert "Priority: High" in (told.value.hint or "")
    with pytest.raises(InvalidInputError, match="does not go by"):
        project.json("split_entity", **asked, names=["Shipping"])
    other = next(r for r in project.graph.relationships if r.type == "implements")
    with pytest.raises(UnknownItemError, match="is none of"):
        project.json("split_entity", **asked, relationships=[other.id])
    with pytest.raises(InvalidInputError, match="say what goes"):
        project.json("split_entity", **asked)
    assert len(project.memory.changes()) == 2
