"""Search of chunks by vector."""

from typing import Any

import pytest

import corpusgraph.tasks.tools.chunk  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import InvalidInputError, MissingAttributeError
from tests.graph.small import TEXTS, ids, run, scores

TOOL = "chunk_vdb_search"


def test_the_nearest_come_first() -> None:
    noted = run(TOOL, query=TEXTS["c3"], top_k=2)
    assert ids(noted) == ["c3", "c4"]
    assert scores(noted)["c3"] == pytest.approx(1, abs=1e-6)
    assert ids(run(TOOL, query=TEXTS["c3"], threshold=0.9)) == ["c3"]


def test_an_index_without_vectors_is_an_error() -> None:
    with pytest.raises(MissingAttributeError, match="No chunk"):
        run(TOOL, query="x", without="chunk")


@pytest.mark.parametrize("bad", [{"query": ""}, {"query": "x", "top_k": 0}])
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)
