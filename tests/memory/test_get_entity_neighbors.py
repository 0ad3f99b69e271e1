"""The entities connected with one."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from tests.counted import calls_of
from tests.memory.conftest import World


@pytest.fixture
def trap(empty: World) -> World:
    """Return the graph of the published examples."""
    empty.make(("TRAP Framework", "concept"), ("Sequential Thinking", "pattern"))
    empty.json(
        "add_entity_relationship",
        source_id="TRAP Framework",
        target_id="Sequential Thinking",
        relation_type="implements",
        weight=0.9,
    )
    return empty


def test_answers_in_the_published_shape(trap: World) -> None:
    trap_id, other_id = (trap.memory.find(n).short_id for n in ("TRAP Framework", "Sequential Thinking"))
    data = trap.json("get_entity_neighbors", entity_id=trap_id)
    (row,) = data.pop("neighbors")
    assert data == {
        "success": True,
        "entity_id": trap_id,
        "id": trap.memory.find("TRAP Framework").id,
        "name": "TRAP Framework",
        "neighbor_count": 1,
        "truncated": 0,
        "search_params": {"relation_type": None, "direction": "both", "depth": 1, "min_weight": 0.0},
    }
    published = {
        "neighbor_id": other_id,
        "neighbor_name": "Sequential Thinking",
        "entity_type": "pattern",
        "relation_type": "implements",
        "weight": 0.9,
        "is_causal": False,
        "direction": "outbound",
    }
    assert published.items() <= row.items()


@pytest.mark.parametrize("ref", ["TRAP Framework", "trap framework", "short", "id"])
def test_an_entity_is_named_by_short_id_id_or_name(trap: World, ref: str) -> None:
    entity = trap.memory.find("TRAP Framework")
    named = {"short": entity.short_id, "id": entity.id}.get(ref, ref)
    assert trap.json("get_entity_neighbors", entity_id=named)["neighbor_count"] == 1


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        ("both", ["John Snow", "London", "contaminated water"]),
        ("outbound", ["London"]),
        ("inbound", ["John Snow", "contaminated water"]),
        ("in", ["John Snow", "contaminated water"]),
        ("outgoing", ["London"]),
    ],
)
def test_direction(world: World, direction: str, expected: list[str]) -> None:
    data = world.json("get_entity_neighbors", entity_id="cholera", direction=direction)
    assert sorted(row["neighbor_name"] for row in data["neighbors"]) == expected


def test_what_causes_it_and_what_causes_that(empty: World) -> None:
    empty.make(*((name, "event") for name in "abcde"))
    empty.relate(
        ("a", "causes", "b"),
        ("b", "causes", "c"),
        ("c", "causes", "a"),
        ("d", "uses", "c"),
        ("e", "causes", "d"),
    )
    data = empty.json(
        "get_entity_neighbors", entity_id="c", relation_type="causes", direction="inbound", depth=2
    )
    found = [(row["neighbor_name"], row["depth"], row["is_causal"]) for row in data["neighbors"]]
    assert found == [("b", 1, True), ("a", 2, True)]
    assert data["neighbors"][1]["via"] == empty.memory.find("b").id


def test_weak_relations_are_left_out(empty: World) -> None:
    empty.make(("a", "x"), ("b", "x"), ("c", "x"))
    for target, weight in (("b", 0.3), ("c", 1.0)):
        empty.json(
            "add_entity_relationship", source_id="a", target_id=target, relation_type="uses", weight=weight
        )
    data = empty.json("get_entity_neighbors", entity_id="a", min_weight=1.0)
    assert [(row["neighbor_name"], row["weight"]) for row in data["neighbors"]] == [("c", 1.0)]


@pytest.mark.parametrize(("asked", "got"), [(0, 1), (-4, 1), (4, 3), (99, 3)])
def test_depth_is_changed_to_the_nearest_with_a_warning(world: World, asked: int, got: int) -> None:
    noted = world.noted("get_entity_neighbors", entity_id="cholera", depth=asked)
    assert noted.data.search_params.depth == got
    assert [w.code for w in noted.warnings] == ["depth_clamped"]


def test_the_count_has_those_left_out(hub: Callable[[int], World]) -> None:
    data = hub(30).json("get_entity_neighbors", entity_id=0, limit=4)
    assert (len(data["neighbors"]), data["truncated"], data["neighbor_count"]) == (4, 26, 30)
    assert {row["weight"] for row in data["neighbors"]} == {0.9}


def test_an_unknown_type_is_told_with_the_nearest(world: World) -> None:
    noted = world.noted("get_entity_neighbors", entity_id="cholera", relation_type="cause")
    assert noted.data.neighbor_count == 0
    assert "causes" in noted.warnings[0].message


def test_two_relations_with_one_neighbour_are_two_rows(trap: World) -> None:
    trap.relate(("TRAP Framework", "uses", "Sequential Thinking"))
    rows = trap.json("get_entity_neighbors", entity_id="TRAP Framework")["neighbors"]
    assert sorted(row["relation_type"] for row in rows) == ["implements", "uses"]


@pytest.mark.parametrize(
    "bad", [{"direction": "up"}, {"limit": 0}, {"min_weight": 1.5}, {"entity_id": True}, {"entity_id": " "}]
)
def test_bad_input_is_refused(world: World, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        world.json("get_entity_neighbors", **{"entity_id": "cholera", **bad})


def test_an_unknown_entity_is_an_error(world: World) -> None:
    with pytest.raises(UnknownEntityError):
        world.json("get_entity_neighbors", entity_id=-1)


def test_a_hub_answers_in_time_that_does_not_grow_as_its_neighbours_do(hub: Callable[[int], World]) -> None:
    made = []
    for n in (1_000, 10_000):
        world = hub(n)
        data = world.json("get_entity_neighbors", entity_id=0)
        assert data["neighbor_count"] == n
        made.append(calls_of(partial(world.json, "get_entity_neighbors", entity_id=0)))
    few, many = made
    assert many < 2 * few
