"""Paths between entities of the small graph, worked out by hand."""

from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.tools.subgraph import subgraph_khop_paths
from tests.graph.small import run

TOOL = subgraph_khop_paths.__name__


def edges(noted: Any) -> list[tuple[str, ...]]:
    return [scored.item.edge_ids for scored in noted.data]


def codes(noted: Any) -> list[str]:
    return [warning.code for warning in noted.warnings]


def test_fewest_relationships_first_with_costs() -> None:
    noted = run(TOOL, start_entities=["snow"], end_entities=["soho"], k=3)
    assert edges(noted) == [("r4",), ("r5", "r3"), ("r1", "r2", "r3")]
    assert [s.item.cost for s in noted.data] == pytest.approx([1, 1 + 1 / 3, 1 / 2 + 1 + 1 / 3])
    assert noted.data[0].item.node_ids == ("snow", "soho")
    assert [s.rank for s in noted.data] == [1, 2, 3]
    assert noted.data[0].score > noted.data[1].score > noted.data[2].score


def test_weighted_the_least_cost_comes_first() -> None:
    noted = run(TOOL, start_entities=["cholera"], end_entities=["soho"], k=3, weighted=True)
    assert edges(noted) == [("r2", "r3"), ("r1", "r4"), ("r1", "r5", "r3"), ("r2", "r5", "r4")]
    assert noted.data[0].score == pytest.approx(1 / (1 + 1 / 3))


@pytest.mark.parametrize(
    ("direction", "found"), [("out", [("r2",)]), ("in", []), ("both", [("r2",), ("r5", "r1")])]
)
def test_direction_is_kept(direction: str, found: list[tuple[str, ...]]) -> None:
    noted = run(TOOL, start_entities=["pump"], end_entities=["cholera"], direction=direction)
    assert edges(noted) == found


def test_types_and_number_of_paths() -> None:
    asked: dict[str, Any] = {"start_entities": ["snow"], "end_entities": ["soho"], "k": 3}
    assert edges(run(TOOL, **asked, relationship_types=["visits", "part_of"])) == [("r5", "r3")]
    assert edges(run(TOOL, **asked, max_paths=1)) == edges(run(TOOL, **asked, top_k=1)) == [("r4",)]


def test_too_many_hops_are_lowered_with_a_warning() -> None:
    noted = run(TOOL, start_entities=["snow"], end_entities=["soho"], max_hops=9)
    assert codes(noted) == ["hops_clamped"]
    assert codes(run(TOOL, start_entities=["snow"], end_entities=["soho"], depth=9, hop_ceiling=9)) == []


def test_pairs_that_no_path_joins_are_named() -> None:
    noted = run(TOOL, start_entities=["snow"], end_entities=["farr", "soho"])
    assert [(w.code, w.records) for w in noted.warnings] == [("unreached", ("snow farr",))]
    assert edges(noted)[0] == ("r4",)


def test_greedy_paths_begin_at_the_first_entity_and_prefixes_are_merged() -> None:
    """From cholera: pump by r2, snow by r1, soho by r2 r3, which begins with the path to pump."""
    noted = run(TOOL, start_entities=["cholera", "pump", "snow", "soho", "farr"])
    assert edges(noted) == [("r1",), ("r2", "r3")]
    assert [(w.code, w.records) for w in noted.warnings] == [("unreached", ("farr",))]


def test_a_chain_goes_on_from_the_entity_it_found() -> None:
    noted = run(TOOL, start_entities=["cholera", "pump", "soho"], method="chain", k=1)
    assert [s.item.node_ids for s in noted.data] == [("cholera", "pump", "soho")]


def two_ways() -> MemoryGraph:
    weights = [("r1", "a", "b", 1.0), ("r2", "b", "a", 4.0), ("r3", "a", "b", 4.0), ("r4", "a", "a", 9.0)]
    return MemoryGraph(
        [Entity(id=i) for i in "ab"],
        [Relationship(id=i, source_id=s, target_id=t, weight=w) for i, s, t, w in weights],
    )


def test_of_parallel_relationships_the_strongest_counts_unless_asked() -> None:
    asked: dict[str, Any] = {"graph": two_ways(), "start_entities": ["a"], "end_entities": ["b"]}
    assert edges(run(TOOL, **asked)) == [("r2",)]
    assert edges(run(TOOL, **asked, direction="out")) == [("r3",)]
    assert edges(run(TOOL, **asked, parallel_edges=True)) == [("r2",), ("r3",), ("r1",)]


def test_a_path_from_an_entity_to_itself_is_none() -> None:
    assert run(TOOL, start_entities=["snow"], end_entities=["snow"]).data == []
    assert run(TOOL, graph=MemoryGraph([Entity(id="x")]), start_entities=["x"]).data == []


def test_unknown_entities_and_bad_numbers_are_refused() -> None:
    with pytest.raises(UnknownEntityError, match="Jon Snow"):
        run(TOOL, start_entities=["Jon Snow"])
    bad: tuple[dict[str, Any], ...] = (
        {"k": 0},
        {"max_paths": 0},
        {"direction": "up"},
        {"start_entities": []},
    )
    for wrong in bad:
        with pytest.raises(InvalidInputError):
            run(TOOL, **{"start_entities": ["snow"], **wrong})
