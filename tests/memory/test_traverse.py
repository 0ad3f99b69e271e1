"""Paths that follow a pattern."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.errors import InvalidInputError
from tests.examples import tried
from tests.memory.conftest import World, nothing

SCHEMAS = [
    {"relationType": "contains", "direction": "out", "targetType": "File"},
    {"relationType": "contains", "direction": "out", "targetType": "Function"},
    {"relationType": "uses", "direction": "out", "targetType": "Schema"},
]


def test_the_published_example(project: World) -> None:
    stem = ["Module: Payment", "File: processor.rs", "Function: process_payment"]
    relations = ["contains", "contains", "uses"]
    assert project.json("traverse", startNode="Module: Payment", path=SCHEMAS) == {
        "startNode": "Module: Payment",
        "paths": [
            {"nodes": [*stem, "Schema: orders"], "relations": relations},
            {"nodes": [*stem, "Schema: transactions"], "relations": relations},
        ],
        "endNodes": [
            {"name": "Schema: orders", "entityType": "Schema", "observations": ["table"]},
            {"name": "Schema: transactions", "entityType": "Schema", "observations": []},
        ],
    }


def test_what_a_change_of_a_schema_affects(project: World) -> None:
    path = [
        {"relationType": "uses", "direction": "in", "targetType": "Function"},
        {"relationType": "implements", "direction": "out", "targetType": "Feature"},
    ]
    data = project.json("traverse", start_node="Schema: orders", path=path)
    assert [node["name"] for node in data["endNodes"]] == ["Feature: Checkout"]


def test_without_type_or_relation_any_will_do(project: World) -> None:
    data = project.json("traverse", startNode="File: processor.rs", path=[{}, {}])
    assert len(data["paths"]) == 3
    either = project.json("traverse", startNode="Module: Auth", path=[{"direction": "both"}])
    assert [path["nodes"][1] for path in either["paths"]] == ["Module: Payment"]


def test_a_cycle_ends_nowhere(empty: World) -> None:
    empty.make(("a", "x"), ("b", "x"), ("c", "x"))
    empty.relate(("a", "next", "b"), ("b", "next", "c"), ("c", "next", "a"))
    step = {"relationType": "next"}
    assert empty.json("traverse", startNode="a", path=[step] * 2)["paths"][0]["nodes"] == ["a", "b", "c"]
    assert empty.json("traverse", startNode="a", path=[step] * 3)["paths"] == []


def test_it_stops_at_the_number_asked_for_and_says_so(hub: Callable[[int], World]) -> None:
    asked = {"startNode": "Hub", "path": [{"relationType": "contains", "targetType": "concept"}]}
    few = hub(80).json("traverse", **asked)
    assert (len(few["paths"]), len(few["endNodes"]), few["truncated"]) == (50, 50, True)
    exactly = hub(80).json("traverse", **asked, maxResults=80)
    assert (len(exactly["paths"]), "truncated" in exactly) == (80, False)


def test_parallel_relations_are_paths_of_their_own(empty: World) -> None:
    empty.make(("a", "x"), ("b", "y"))
    empty.relate(("a", "uses", "b"), ("a", "extends", "b"))
    data = empty.json("traverse", startNode="a", path=[{"targetType": "y"}])
    assert [path["relations"] for path in data["paths"]] == [["extends"], ["uses"]]
    assert len(data["endNodes"]) == 1


def test_an_unknown_type_is_told(project: World) -> None:
    noted = project.noted("traverse", startNode="Module: Auth", path=[{"relationType": "use"}])
    assert (noted.data.paths, [w.code for w in noted.warnings]) == ((), ["unknown_type"])


@pytest.mark.parametrize("path", [[], [{"direction": "up"}], [{"type": "x"}], [{}] * 11, "uses"])
def test_bad_input_is_refused(project: World, path: Any) -> None:
    with pytest.raises(InvalidInputError):
        project.json("traverse", startNode="Module: Auth", path=path)


EDGES = st.sets(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(lambda e: e[0] != e[1]), max_size=10)


@settings(max_examples=tried(20), deadline=None)
@given(EDGES, st.integers(1, 3))
def test_all_simple_paths_are_found_and_no_others(edges: set[tuple[int, int]], length: int) -> None:
    world = World(nothing())
    world.make(*((f"n{i}", "x") for i in range(5)))
    if edges:
        world.relate(*((f"n{a}", "next", f"n{b}") for a, b in sorted(edges)))
    found = world.json("traverse", startNode="n0", path=[{}] * length, maxResults=1000)["paths"]
    expected = [[0]]
    for _ in range(length):
        expected = [[*way, b] for way in expected for a, b in edges if a == way[-1] and b not in way]
    assert [path["nodes"] for path in found] == sorted([f"n{i}" for i in way] for way in expected)


@pytest.mark.parametrize(("asked", "near"), [("file", "'File'"), ("Nothing alike", "There are")])
def test_a_type_that_no_entity_is_of_is_told(project: World, asked: str, near: str) -> None:
    path = [{"relationType": "contains", "targetType": asked}]
    (told,) = project.noted("traverse", startNode="Module: Payment", path=path).warnings
    assert (told.code, told.records) == ("unknown_type", (asked,))
    assert near in told.message
