"""Shortest paths of the small graph."""

from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.tasks.tools.subgraph import shortest_paths
from tests.graph.small import run

TOOL = shortest_paths.__name__


def edges(noted: Any) -> list[tuple[str, ...]]:
    return [scored.item.edge_ids for scored in noted.data]


def test_one_path_of_each_pair_the_shortest_of_all_first() -> None:
    noted = run(TOOL, source_entities=["cholera"], target_entities=["soho", "snow"])
    assert edges(noted) == [("r1",), ("r2", "r3")]


def test_by_weight_a_detour_may_be_shorter() -> None:
    """Snow to pump: r5 costs 1, over soho 4/3, over cholera 3/2; cholera to soho over the pump 4/3."""
    asked: dict[str, Any] = {"source_entities": ["snow"], "target_entities": ["pump"], "weighted": True}
    assert edges(run(TOOL, **asked)) == [("r5",)]
    assert edges(run(TOOL, **asked, top_k=3)) == [("r5",), ("r4", "r3"), ("r1", "r2")]


def test_top_k_is_of_each_pair() -> None:
    noted = run(TOOL, source_entities=["snow"], target_entities=["soho", "cholera"], top_k=2)
    assert len(noted.data) == 4
    assert [s.rank for s in noted.data] == [1, 2, 3, 4]


def test_among_the_sources_where_there_is_no_target() -> None:
    assert edges(run(TOOL, source_entities=["snow", "soho", "cholera"])) == [("r1",), ("r4",), ("r3", "r2")]


def test_hops_direction_and_types_limit_and_the_unreached_are_named() -> None:
    noted = run(TOOL, source_entities=["cholera"], target_entities=["soho"], max_hops=1)
    assert noted.data == []
    assert [(w.code, w.records) for w in noted.warnings] == [("unreached", ("cholera soho",))]
    asked: dict[str, Any] = {"source_entities": ["snow"], "target_entities": ["cholera"]}
    assert edges(run(TOOL, **asked, direction="out", relationship_types=["visits", "causes"])) == [
        ("r5", "r2")
    ]
    assert edges(run(TOOL, **asked, direction="incoming")) == []


@pytest.mark.parametrize("wrong", [{"max_hops": 0}, {"max_hops": 21}, {"top_k": 0}, {"source_entities": []}])
def test_bad_input_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **{"source_entities": ["snow"], **wrong})


def test_more_paths_than_there_can_be_are_all_there_are() -> None:
    noted = run(TOOL, source_entities=["snow"], target_entities=["cholera"], top_k=10**400)
    assert edges(noted) == [("r1",), ("r5", "r2"), ("r4", "r3", "r2")]
