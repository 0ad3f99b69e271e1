"""Tool 12. c1 states r1; c2 states r1, r2, r5; c3 states r3; r4 is stated nowhere."""

from math import log
from typing import Any

import pytest

import corpusgraph.tasks.tools.chunk  # noqa: F401 - registers the tool
from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError, MissingAttributeError, UnknownItemError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import ids, run, scores

TOOL = "chunk_score_aggregate"
GIVEN = {"r1": 0.5, "r2": 0.25, "r3": 0.1, "r4": 9.0}


@pytest.mark.parametrize(
    ("aggregation", "found"),
    [
        ("sum", {"c2": 0.75, "c1": 0.5, "c3": 0.1}),
        ("max", {"c1": 0.5, "c2": 0.5, "c3": 0.1}),
        # mentions of the ends: c1 snow 2 + cholera 1; c2 snow 1 + cholera 2, pump 1 + cholera 2; c3 1 + 1
        (
            "weighted",
            {
                "c2": (0.5 * 3 + 0.25 * 3) / log(1 + 12),
                "c1": 0.5 * 3 / log(1 + 8),
                "c3": 0.1 * 2 / log(1 + 5),
            },
        ),
    ],
)
def test_aggregation_by_hand(aggregation: str, found: dict[str, float]) -> None:
    noted = run(TOOL, relationship_scores=GIVEN, aggregation=aggregation)
    assert scores(noted) == pytest.approx(found)
    assert ids(noted) == sorted(found, key=lambda id_: (-found[id_], id_))


def test_sum_is_the_default_with_the_number_of_relationships() -> None:
    noted = run(TOOL, relationship_scores=GIVEN, top_k=1)
    assert [(s.item.id, s.score, s.components) for s in noted.data] == [("c2", 0.75, {"relationships": 2})]


def test_minmax_counts_chunks_without_a_score_as_zero() -> None:
    noted = run(TOOL, relationship_scores=GIVEN, normalize="minmax")
    assert scores(noted) == pytest.approx({"c2": 1.0, "c1": 0.5 / 0.75, "c3": 0.1 / 0.75})


def test_minmax_of_equals_is_one_and_no_nan() -> None:
    only = MemoryGraph(
        [Entity(id="a"), Entity(id="b")],
        [Relationship(id="1", source_id="a", target_id="b", chunk_ids=("x", "y"))],
        [Chunk(id="x", content="x"), Chunk(id="y", content="y")],
    )
    assert scores(run(TOOL, only, relationship_scores={"1": 2.0}, normalize="minmax")) == {"x": 1, "y": 1}


def test_minmax_over_all_chunks_puts_the_least_at_zero() -> None:
    given: dict[str, Any] = {
        "chunk_relationship_map": {"c1": ["r1"], "c2": ["r2"], "c3": ["r3"], "c4": ["r1"]}
    }
    noted = run(TOOL, relationship_scores=GIVEN, normalize="minmax", **given)
    assert scores(noted) == pytest.approx({"c1": 1, "c4": 1, "c2": 0.15 / 0.4, "c3": 0})


def test_a_map_replaces_that_of_the_index() -> None:
    noted = run(
        TOOL, relationship_scores=GIVEN, chunk_relationship_map={"c4": ["r1", "r2", "r2"], "c1": ["r9"]}
    )
    assert scores(noted) == {"c4": 0.75}


def test_an_empty_chunk_has_a_finite_weight() -> None:
    graph = MemoryGraph(
        [Entity(id="a"), Entity(id="b")],
        [Relationship(id="1", source_id="a", target_id="b")],
        [Chunk(id="x", content="", relationships=("1",))],
    )
    noted = run(TOOL, graph, relationship_scores={"1": 1.0}, aggregation="weighted")
    assert scores(noted) == pytest.approx({"x": 1 / log(2)})


def test_a_graph_that_does_not_tell_where_is_an_error() -> None:
    graph = MemoryGraph([Entity(id="a")], [Relationship(id="1", source_id="a", target_id="a")])
    with pytest.raises(MissingAttributeError, match="which chunk states which relationship"):
        run(TOOL, graph, relationship_scores={"1": 1.0})


@pytest.mark.parametrize(
    "unknown",
    [
        {"relationship_scores": {"r9": 1}},
        {"relationship_scores": {"r1": 1}, "chunk_relationship_map": {"c9": ["r1"]}},
    ],
)
def test_unknown_items_are_errors(unknown: dict[str, Any]) -> None:
    with pytest.raises(UnknownItemError):
        run(TOOL, **unknown)


@pytest.mark.parametrize(
    "bad",
    [
        {"relationship_scores": {}},
        {"relationship_scores": {"r1": float("inf")}},
        {"relationship_scores": {"r1": -0.5}},
        {"relationship_scores": {"r1": 1}, "top_k": 0},
        {"relationship_scores": {"r1": 1}, "aggregation": "mean"},
    ],
)
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)
