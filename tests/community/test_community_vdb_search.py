"""Search of communities by the vectors of their reports."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.community  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import InvalidInputError, MissingAttributeError
from tests.graph.small import ids, run

TOOL = "community_vdb_search"


def test_the_nearest_report_brings_its_community() -> None:
    noted = run(TOOL, query="cholera studied", top_k=1)
    assert ids(noted) == ["k1"]
    assert (noted.data[0].item.title, noted.data[0].item.rating) == ("Cholera studied", 8.0)


def test_levels_are_filtered_before_the_best_are_taken() -> None:
    assert ids(run(TOOL, query="cholera studied", top_k=1, max_layer=0)) == ["k0"]


def test_an_index_without_vectors_is_an_error() -> None:
    with pytest.raises(MissingAttributeError, match="No report"):
        run(TOOL, query="x", without="report")


@pytest.mark.parametrize("bad", [{"query": ""}, {"query": "x", "top_k": 0}, {"query": "x", "max_layer": -1}])
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)
