"""What tools take where they expect ids, and rankings."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from corpusgraph.schemas.graph import Entity
from corpusgraph.schemas.results import Scored
from corpusgraph.tasks.graph.inputs import ChunkRefs, EntityRefs, EntityScores, Query, Seeds, resolved
from corpusgraph.tasks.graph.ranking import ranked, then
from corpusgraph.tasks.tools.entity import Link
from tests.graph.small import small_graph

A, B = Entity(id="a"), Entity(id="b")
SCORED = [Scored[Entity](item=A, score=0.5, rank=1), Scored[Entity](item=B, score=0.25, rank=2)]


@pytest.mark.parametrize(
    "given",
    [
        ["a", "b"],
        [A, B],
        SCORED,
        [s.model_dump(mode="json") for s in SCORED],
        [Link(mention="x", source_id=None, entity=A), {"id": "b"}],
        {"a": 0.5, "b": 0.25},
    ],
)
def test_references_are_read_from_whatever_another_tool_returns(given: Any) -> None:
    assert TypeAdapter(EntityRefs).validate_python(given) == ["a", "b"]
    assert TypeAdapter(ChunkRefs).validate_python(given) == ["a", "b"]


@pytest.mark.parametrize("given", [SCORED, [s.model_dump() for s in SCORED], {"a": 0.5, "b": 0.25}])
def test_scores_are_read_from_scored_items(given: Any) -> None:
    assert TypeAdapter(EntityScores).validate_python(given) == {"a": 0.5, "b": 0.25}
    assert TypeAdapter(Seeds).validate_python(given) == {"a": 0.5, "b": 0.25}


def test_scores_of_an_item_that_comes_twice_are_summed() -> None:
    assert TypeAdapter(EntityScores).validate_python([SCORED[0], SCORED[0]]) == {"a": 1.0}


def test_seeds_may_be_a_list() -> None:
    assert TypeAdapter(Seeds).validate_python(["a", 7, B]) == ["a", 7, "b"]


@pytest.mark.parametrize(("kind", "empty"), [(EntityRefs, []), (Seeds, []), (Seeds, {}), (EntityScores, {})])
def test_nothing_named_is_an_error(kind: Any, empty: Any) -> None:
    with pytest.raises(ValidationError, match="at least"):
        TypeAdapter(kind).validate_python(empty)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1])
def test_scores_are_finite_and_not_negative(bad: float) -> None:
    with pytest.raises(ValidationError, match=r"finite and not negative; these are not: 'a'"):
        TypeAdapter(EntityScores).validate_python({"a": bad, "b": 1})


@pytest.mark.parametrize("blank", ["", " \n"])
def test_a_blank_query_is_an_error(blank: str) -> None:
    with pytest.raises(ValidationError, match="blank"):
        TypeAdapter(Query).validate_python(blank)


def test_an_entity_named_twice_is_resolved_once() -> None:
    found = resolved(small_graph(), ["pump", 1, "John Snow", "snow"])
    assert [entity.id for entity in found] == ["pump", "snow"]


def test_ranking_is_by_score_then_id() -> None:
    found = ranked([(B, 1.0, {}), (A, 1.0, {}), (Entity(id="c"), 2.0, {"x": 1})], "test", 2)
    assert [(s.item.id, s.rank, s.scorer, s.components) for s in found] == [
        ("c", 1, "test", {"x": 1}),
        ("a", 2, "test", {}),
    ]


def test_the_second_key_decides_between_equals_only() -> None:
    assert then(2, 0) < then(2, 1) < then(2, 1e9) < then(3, 0)
