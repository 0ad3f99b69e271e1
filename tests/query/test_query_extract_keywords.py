"""query_extract_keywords: particular and overarching."""

import pytest

from tests.llm.fake import FAULTS, FakeModel, Fault
from tests.llm.small import codes, run

ASKED = "How did the contamination of the water pump affect John Snow?"


def test_a_models_keywords_each_once() -> None:
    model = FakeModel({"low": ["pump", "Pump"], "high": ["public health"]})
    noted = run("query_extract_keywords", model, query=ASKED)
    assert (noted.data.low, noted.data.high) == (("pump",), ("public health",))
    assert noted.warnings == ()


def test_keywords_of_one_level_serve_for_the_other() -> None:
    noted = run("query_extract_keywords", FakeModel({"low": [], "high": ["health"]}), query=ASKED)
    assert noted.data.low == noted.data.high == ("health",)


def test_without_a_model_names_and_things_are_low_and_topics_high() -> None:
    noted = run("query_extract_keywords", query=ASKED)
    assert noted.data.low == ("John Snow", "water pump")
    assert noted.data.high == ("contamination", "affect")
    assert codes(noted) == ["no_llm"]


@pytest.mark.parametrize("query", ["why?", "约翰在哪里？", "Soho", "🙂", "Where did John Snow live?"])
def test_neither_level_is_empty(query: str) -> None:
    keywords = run("query_extract_keywords", query=query).data
    assert keywords.low
    assert keywords.high


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_leaves_keywords(fault: Fault) -> None:
    noted = run(
        "query_extract_keywords", FakeModel({"low": ["pump"], "high": ["health"]}, fault=fault), query=ASKED
    )
    assert noted.data.low
    assert noted.data.high
    assert ("llm_failed" in codes(noted)) == (fault in ("error", "empty", "short"))
