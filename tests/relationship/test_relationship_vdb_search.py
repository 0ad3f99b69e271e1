"""Tool 8."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.relationship  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import InvalidInputError, MissingAttributeError
from tests.graph.small import ids, run, scores

TOOL = "relationship_vdb_search"


def test_the_nearest_come_first_in_order_of_similarity() -> None:
    noted = run(TOOL, query="pump causes cholera", top_k=3)
    assert ids(noted)[0] == "r2"
    assert scores(noted)["r2"] == pytest.approx(1, abs=1e-6)
    assert [s.score for s in noted.data] == sorted((s.score for s in noted.data), reverse=True)


def test_types_are_filtered_before_the_best_are_taken() -> None:
    found = run(TOOL, query="pump causes cholera", top_k=1, relationship_types=["lived_in"])
    assert ids(found) == ["r4"]
    assert run(TOOL, query="pump", relationship_types=["unknown"]).data == []


def test_a_threshold_leaves_weak_hits_out() -> None:
    assert ids(run(TOOL, query="pump causes cholera", threshold=0.95)) == ["r2"]


def test_an_index_without_vectors_is_an_error() -> None:
    with pytest.raises(MissingAttributeError, match="No relationship"):
        run(TOOL, query="x", without="relationship")


@pytest.mark.parametrize("bad", [{"query": ""}, {"query": "x", "top_k": -1}])
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)
