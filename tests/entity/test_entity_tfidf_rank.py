"""Tool 7."""

from math import log, sqrt
from typing import Any

import pytest

import corpusgraph.tasks.tools.entity  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from corpusgraph.schemas.graph import Entity
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import ids, run, scores

TOOL = "entity_tfidf_rank"


def test_cosine_by_hand() -> None:
    """Of five entities two are physicians; John Snow is John, Snow, physician."""
    common, rare = log(6 / 3) + 1, log(6 / 2) + 1
    cosine = common / sqrt(common**2 + 2 * rare**2)
    noted = run(TOOL, query="Physicians")
    assert ids(noted) == ["farr", "snow"]
    assert list(scores(noted).values()) == pytest.approx([cosine, cosine])


def test_candidates_are_ranked_alone() -> None:
    assert ids(run(TOOL, query="physician", candidates=["John Snow", "Soho"])) == ["snow"]


@pytest.mark.parametrize("name", ["doc_frequency_threshold", "max_df"])
def test_frequent_words_may_be_left_out(name: str) -> None:
    arguments: dict[str, Any] = {"query": "physician Soho", name: 0.2}
    assert ids(run(TOOL, **arguments)) == ["soho"]


def test_rare_words_may_be_left_out() -> None:
    assert ids(run(TOOL, query="physician Soho", min_df=2)) == ["farr", "snow"]


def test_no_word_in_common_is_no_hit() -> None:
    assert run(TOOL, query="telescope").data == []


def test_short_and_chinese_names_are_found() -> None:
    graph = MemoryGraph(
        [Entity(id="1", name="北京大学"), Entity(id="2", name="X"), Entity(id="3", name="京")]
    )
    assert ids(run(TOOL, graph, query="北京")) == ["1"]
    assert ids(run(TOOL, graph, query="x")) == ["2"]


def test_an_unknown_candidate_is_an_error() -> None:
    with pytest.raises(UnknownEntityError):
        run(TOOL, query="physician", candidates=["nobody at all"])


@pytest.mark.parametrize("bad", [{"query": ""}, {"query": "x", "top_k": 0}, {"query": "x", "max_df": 1.5}])
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)
