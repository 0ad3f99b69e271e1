"""DRIFT's primer: a broad answer from reports, and what to ask next."""

from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError, UnknownItemError
from tests.answer.build import assert_true_to_the_documents, call, codes
from tests.llm.fake import FAULTS, FakeModel, Fault

QUERY = "Who studied cholera?"
SAID = {
    "sentences": [
        {"text": "John Snow studied cholera.", "sources": [1]},
        {"text": "Aliens helped him.", "sources": [31]},
    ],
    "follow_up_queries": ["What did Snow find?", QUERY, "Who opposed him?", "what did snow find?"],
}


def primer(llm: Any = None, **arguments: Any) -> Any:
    given: dict[str, Any] = {"query": QUERY, "communities": ["k1", "k2", "k0"], **arguments}
    return call("query_drift_primer", llm=llm, **given)


def test_offline_the_top_findings_answer_and_names_of_communities_make_the_follow_ups() -> None:
    noted = primer()
    told = noted.data
    assert told.answer.citations[0].text == "John Snow studied cholera in London."
    assert told.answer.supported
    assert told.follow_ups == (f"{QUERY} (Snow, cholera, pump)", f"{QUERY} (Farr, sewers)", f"{QUERY} (All)")
    assert told.communities == ("k1", "k2", "k0")
    assert codes(noted) == ["no_llm"]
    assert_true_to_the_documents(told.answer.citations)


def test_offline_without_an_answer_the_weightiest_findings_are_shown_and_support_nothing() -> None:
    told = primer(query="Which comets did Kepler see?").data
    assert told.answer.citations
    assert not told.answer.supported


def test_the_model_reads_the_reports_in_parts() -> None:
    model = FakeModel(SAID)
    noted = primer(model, folds=2)
    assert len(model.prompts) == 2
    assert noted.data.answer.method == "fake"
    assert noted.data.answer.text == "John Snow studied cholera. [1]"
    assert noted.data.follow_ups == ("What did Snow find?", "Who opposed him?")
    assert codes(noted) == ["uncited_sentences"]


def test_so_many_follow_ups_at_most() -> None:
    assert len(primer(top_k=1).data.follow_ups) == 1
    assert primer(FakeModel(SAID), top_k=1).data.follow_ups == ("What did Snow find?",)


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_the_model_does_there_is_something_to_ask_next(fault: Fault) -> None:
    noted = primer(FakeModel(SAID, fault=fault))
    assert noted.data.follow_ups
    assert_true_to_the_documents(noted.data.answer.citations)
    assert ("llm_failed" in codes(noted)) == (fault in {"error", "flaky", "empty"})
    assert noted.data.answer.supported == bool(noted.data.answer.citations)


def test_results_of_a_search_for_communities_are_taken_as_they_are() -> None:
    hits = call("community_vdb_search", query="cholera", top_k=2).data
    assert set(primer(communities=hits).data.communities) == {hit.item.id for hit in hits}


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"communities": []}, InvalidInputError),
        ({"communities": ["nowhere"]}, UnknownItemError),
        ({"query": ""}, InvalidInputError),
        ({"folds": 0}, InvalidInputError),
    ],
)
def test_bad_input_is_refused(bad: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        primer(**bad)
