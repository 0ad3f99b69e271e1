"""Steiner trees of the small graph, worked out by hand."""

from itertools import pairwise
from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.tools.subgraph import subgraph_steiner_tree
from tests.graph.small import run, small_graph

TOOL = subgraph_steiner_tree.__name__


def edges(noted: Any) -> list[str]:
    return [edge.id for edge in noted.data.edges]


@pytest.mark.parametrize("algorithm", ["mehlhorn", "kou"])
def test_the_cheapest_tree_is_found(algorithm: str) -> None:
    """Costs: r1 1/2, r2 1, r3 1/3, r4 1, r5 1; cholera to soho costs 4/3 over the pump, 3/2 over Snow."""
    noted = run(TOOL, terminal_entities=["cholera", "soho"], algorithm=algorithm)
    assert edges(noted) == ["r2", "r3"]
    assert [node.id for node in noted.data.nodes] == ["cholera", "pump", "soho"]
    assert noted.data.metadata["cost"] == pytest.approx(4 / 3)
    assert noted.data.metadata["algorithm"] == algorithm
    assert noted.data.metadata["terminals"] == ["cholera", "soho"]
    assert noted.data.metadata["unreached"] == []
    assert not noted.warnings


@pytest.mark.parametrize("algorithm", ["mehlhorn", "kou"])
def test_disconnected_terminals_give_a_forest_and_are_named(algorithm: str) -> None:
    noted = run(TOOL, terminal_entities=["farr", "snow", "soho"], algorithm=algorithm)
    assert edges(noted) == ["r4"]
    assert [node.id for node in noted.data.nodes] == ["farr", "snow", "soho"]
    assert noted.data.metadata["unreached"] == ["farr"]
    assert noted.data.metadata["trees"] == [["snow", "soho"], ["farr"]]
    assert [(w.code, w.records) for w in noted.warnings] == [("unreached", ("farr",))]


def test_one_terminal_is_a_tree_and_a_graph_without_edges_a_forest() -> None:
    assert [node.id for node in run(TOOL, terminal_entities=["snow", "snow"]).data.nodes] == ["snow"]
    bare = MemoryGraph([Entity(id="a"), Entity(id="b")])
    noted = run(TOOL, graph=bare, terminal_entities=["a", "b"])
    assert noted.data.metadata["unreached"] == ["b"]


def attributed(*values: object) -> MemoryGraph:
    """Return a triangle a b c whose relationships r0 (ab), r1 (bc), r2 (ac) have an attribute."""
    ends = ["ab", "bc", "ac"]
    return MemoryGraph(
        [Entity(id=i) for i in "abc"],
        [
            Relationship(
                id=f"r{i}",
                source_id=two[0],
                target_id=two[1],
                confidence=0.1 if two == "ac" else 1.0,
                attributes=None if value is None else {"trust": value},
            )
            for i, (two, value) in enumerate(zip(ends, values, strict=True))
        ],
    )


def test_the_weight_attribute_is_a_strength() -> None:
    graph = attributed(8, 8, None)
    assert edges(run(TOOL, graph=graph, terminal_entities=["a", "c"])) == ["r2"]
    trusted = run(TOOL, graph=graph, terminal_entities=["a", "c"], weight_attribute="trust")
    assert edges(trusted) == ["r0", "r1"]
    assert trusted.data.metadata["cost"] == pytest.approx(1 / 4)
    sure = run(TOOL, graph=graph, terminal_entities=["a", "c"], weight_attribute="confidence")
    assert edges(sure) == ["r0", "r1"]


@pytest.mark.parametrize("value", [0, -1, float("nan"), float("inf"), "strong"])
def test_a_strength_that_is_none_is_refused_by_id(value: object) -> None:
    with pytest.raises(InvalidInputError, match="1 relationships: r1"):
        run(TOOL, graph=attributed(1, value, 2), terminal_entities=["a", "c"], weight_attribute="trust")


def test_an_attribute_nobody_has_is_told() -> None:
    noted = run(TOOL, terminal_entities=["snow", "soho"], weight_attribute="colour")
    assert [w.code for w in noted.warnings] == ["missing_attribute"]
    assert edges(noted) == ["r4"]


def test_pcst_leaves_out_what_is_not_worth_its_way() -> None:
    """Two entities four edges apart at 0.5 each: worth it for prizes of 2 and 1, not at a cost of 5 each."""
    line = MemoryGraph(
        [Entity(id=i) for i in "abcde"],
        [Relationship(id=f"r{i}", source_id=s, target_id=t) for i, (s, t) in enumerate(pairwise("abcde"))],
    )
    asked: dict[str, Any] = {"graph": line, "terminal_entities": {"a": 0.9, "e": 0.8}, "algorithm": "pcst"}
    noted = run(TOOL, **asked, cost_e=0.2)
    assert edges(noted) == ["r0", "r1", "r2", "r3"]
    assert noted.data.metadata["prize"] == 3
    dear = run(TOOL, **asked, cost_e=5)
    assert [node.id for node in dear.data.nodes] == ["a"]
    assert dear.data.metadata["left_out"] == ["e"]
    assert dear.data.metadata["unreached"] == []


def test_pcst_prizes_of_relationships_by_rank_draw_the_tree() -> None:
    asked: dict[str, Any] = {"terminal_entities": ["snow"], "algorithm": "pcst", "pruning": "strong"}
    assert edges(run(TOOL, **asked)) == []
    noted = run(TOOL, **asked, relationships={"r3": 0.9, "r4": 0.5})
    assert edges(noted) == ["r3", "r4"]
    assert noted.data.metadata["prize"] == 1 + 2 + 1


def test_pcst_names_what_no_path_leads_to() -> None:
    noted = run(TOOL, terminal_entities=["snow", "farr"], algorithm="pcst")
    assert noted.data.metadata["unreached"] == ["farr"]
    assert [w.code for w in noted.warnings] == ["unreached"]


def test_the_order_of_terminals_does_not_change_the_tree() -> None:
    names = ["soho", "cholera", "snow"]
    assert edges(run(TOOL, terminal_entities=names)) == edges(run(TOOL, terminal_entities=names[::-1]))


def test_bad_input_is_refused() -> None:
    bad: tuple[dict[str, Any], ...] = (
        {"terminal_entities": []},
        {"cost_e": 0},
        {"top_k": 0},
        {"algorithm": "mst"},
    )
    for wrong in bad:
        with pytest.raises(InvalidInputError):
            run(TOOL, **{"terminal_entities": ["snow"], **wrong})
    with pytest.raises(InvalidInputError, match="no finite number"):
        run(TOOL, terminal_entities={"snow": float("nan")}, algorithm="pcst")
    many = MemoryGraph([Entity(id=f"e{i}") for i in range(65)])
    with pytest.raises(InvalidInputError, match="at most 64"):
        run(TOOL, graph=many, terminal_entities=[f"e{i}" for i in range(65)], algorithm="kou")
    assert small_graph().entity("snow").name == "John Snow"
