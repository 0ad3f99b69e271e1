"""Tool 9. The sum of degrees is r1 5, r2 5, r3 5, r4 5, r5 6; weights 2, 1, 3, 1, 1."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.relationship  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import ids, run

TOOL = "relationship_onehop_extract"


def test_busy_ends_first_then_weight_then_id() -> None:
    noted = run(TOOL, entities=["pump"])
    assert ids(noted) == ["r5", "r3", "r2"]
    assert [s.score for s in noted.data] == [6 + 1 / 2, 5 + 3 / 4, 5 + 1 / 2]
    assert noted.data[1].components == {"degree": 5, "weight": 3, "hop": 1}


def test_a_relationship_between_two_given_entities_comes_once() -> None:
    assert ids(run(TOOL, entities=["pump", "snow"])) == ["r5", "r3", "r1", "r2", "r4"]


@pytest.mark.parametrize("name", ["hop_distance", "max_hops", "k", "depth"])
def test_the_second_hop_counts_half(name: str) -> None:
    arguments: dict[str, Any] = {"entities": ["cholera"], name: 2}
    noted = run(TOOL, **arguments)
    assert ids(noted) == ["r1", "r2", "r5", "r3", "r4"]
    assert [s.components["hop"] for s in noted.data] == [1, 1, 2, 2, 2]
    assert noted.data[2].score == (6 + 1 / 2) / 2


def test_types_are_followed_and_returned_alone() -> None:
    noted = run(TOOL, entities=["cholera"], hop_distance=2, relationship_types=["causes", "visits"])
    assert ids(noted) == ["r2", "r5"]


def test_too_many_hops_are_clamped_with_a_warning() -> None:
    noted = run(TOOL, entities=["snow"], hop_distance=9, top_k=1)
    assert ([w.code for w in noted.warnings], len(noted.data)) == (["hops_clamped"], 1)


def test_loops_and_entities_alone() -> None:
    graph = MemoryGraph(
        [Entity(id="a"), Entity(id="b")], [Relationship(id="1", source_id="a", target_id="a")]
    )
    assert ids(run(TOOL, graph, entities=["a"])) == ["1"]
    assert run(TOOL, graph, entities=["b"]).data == []


def test_an_unknown_entity_is_an_error() -> None:
    with pytest.raises(UnknownEntityError):
        run(TOOL, entities=["nobody at all"])


@pytest.mark.parametrize("bad", [{"entities": []}, {"entities": ["snow"], "hop_distance": 0}])
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)
