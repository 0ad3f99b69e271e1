"""Tool 2."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.entity  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import InvalidInputError, UnknownItemError
from tests.graph.small import ids, run, scores

TOOL = "entity_relnode_extract"


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ({"relationships": ["r1", "r2"]}, ["pump", "snow", "cholera"]),
        ({"relationships": ["r2", "r1"]}, ["pump", "snow", "cholera"]),
        ({"relationships": ["r1", "r2"], "direction": "source"}, ["pump", "snow"]),
        ({"relationships": ["r1", "r2"], "endpoint": "target"}, ["cholera"]),
        ({"relationships": ["r1", "r2"], "top_k": 1}, ["pump"]),
    ],
)
def test_ends_once_each_by_degree_then_id(arguments: dict[str, Any], found: list[str]) -> None:
    assert ids(run(TOOL, **arguments)) == found


def test_the_score_is_the_degree() -> None:
    assert scores(run(TOOL, relationships=["r1"])) == {"snow": 3, "cholera": 2}


def test_the_score_can_be_the_mean_of_the_relationships_that_end_there() -> None:
    """r1 joins snow and cholera, r2 pump and cholera: cholera has both."""
    given: dict[str, Any] = {"relationships": {"r1": 0.5, "r2": 0.25}, "score_by": "relationships"}
    assert scores(run(TOOL, **given)) == {"snow": 0.5, "cholera": 0.375, "pump": 0.25}
    assert ids(run(TOOL, **given)) == ["snow", "cholera", "pump"]
    assert scores(run(TOOL, relationships=["r1"], score_by="relationships")) == {"snow": 1, "cholera": 1}


def test_a_score_that_is_no_number_is_refused_where_it_counts() -> None:
    nan: dict[str, Any] = {"relationships": {"r1": float("nan")}}
    assert ids(run(TOOL, **nan)) == ["snow", "cholera"]
    with pytest.raises(InvalidInputError, match="not finite"):
        run(TOOL, **nan, score_by="relationships")


def test_an_unknown_relationship_is_an_error() -> None:
    with pytest.raises(UnknownItemError, match="Unknown relationship 'r9'"):
        run(TOOL, relationships=["r1", "r9"])


@pytest.mark.parametrize("bad", [{"relationships": []}, {"relationships": ["r1"], "direction": "in"}])
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)
