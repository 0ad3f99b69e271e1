"""T58: the most central sentences, each cited, within the length asked for."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpusgraph.schemas.documents import Chunk
from corpusgraph.schemas.errors import InvalidInputError, UnknownItemError
from corpusgraph.tasks.graph.terms import TfIdf
from corpusgraph.tasks.graph.view import MemoryGraph
from corpusgraph.tasks.registry import find
from corpusgraph.tasks.text.tokens import count_tokens
from corpusgraph.tasks.tools.answer import centrality, likenesses
from tests.answer.build import assert_true_to_the_documents, call, codes
from tests.examples import tried
from tests.llm.fake import FAULTS, FakeModel, Fault

NEWS = (
    "The council voted to close the pump on Broad Street. "
    "A cat slept in the sun all day long. "
    "Doctors had told the council that the pump spread cholera. "
    "The pump was closed, and cholera in Broad Street ended."
)
SAID = {
    "sentences": [
        {"text": "Snow studied cholera.", "sources": [1]},
        {"text": "Farr kept statistics.", "sources": [2]},
        {"text": "Unfounded.", "sources": [12]},
    ]
}


def summary(**arguments: Any) -> Any:
    return call("summarize_chunks", **{"chunks": ["c_d1", "c_d2"], **arguments})


def test_central_sentences_are_taken_in_text_order_and_cited() -> None:
    chunk = {"id": "n", "content": NEWS}
    noted = summary(chunks=[chunk], max_sentences=2)
    assert noted.data.method == "extractive"
    assert "cat" not in noted.data.text
    assert [c.start for c in noted.data.citations] == sorted(c.start for c in noted.data.citations)
    assert codes(noted) == ["no_llm"]
    for citation in noted.data.citations:
        assert NEWS[citation.start : citation.end] == citation.text


def test_a_query_is_what_the_summary_is_about() -> None:
    told = summary(query="statistics and sewers", max_sentences=2).data
    assert {c.document_id for c in told.citations} == {"d2"}
    assert_true_to_the_documents(told.citations)


def test_pieces_that_a_chunk_cut_off_are_left_out() -> None:
    chunk = {
        "id": "n",
        "content": "closed the pump of Broad Street. The council of Broad Street closed the pump.",
    }
    told = summary(chunks=[chunk]).data
    assert [c.text for c in told.citations] == ["The council of Broad Street closed the pump."]


WORDS = st.sampled_from(["pump", "water", "Snow", "cholera", "street", "Farr", "map"])
TEXT = st.lists(st.lists(WORDS, min_size=1, max_size=9).map(lambda w: " ".join(w) + "."), max_size=12).map(
    " ".join
)


@settings(max_examples=tried(60), deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=3), st.integers(1, 6), st.integers(1, 60))
def test_no_summary_is_longer_than_asked_for(texts: list[str], n: int, max_tokens: int) -> None:
    chunks = [Chunk(id=f"c{i}", content=text, source_doc=f"d{i}") for i, text in enumerate(texts)]
    told = call(
        "summarize_chunks",
        over=MemoryGraph([], chunks=chunks),
        with_documents=False,
        chunks=[c.id for c in chunks],
        max_sentences=n,
        max_tokens=max_tokens,
    ).data
    assert len(told.citations) <= n
    assert told.n_tokens == count_tokens(told.text) <= max_tokens
    by_document = {chunk.source_doc: chunk.content for chunk in chunks}
    for citation in told.citations:
        assert by_document[citation.document_id][citation.start : citation.end] == citation.text


def test_what_a_model_writes_is_cited() -> None:
    noted = summary(llm=FakeModel(SAID))
    assert noted.data.method == "fake"
    assert noted.data.text == "Snow studied cholera. [1] Farr kept statistics. [2]"
    assert_true_to_the_documents(noted.data.citations)
    assert codes(noted) == ["uncited_sentences"]


def test_what_a_model_writes_beyond_the_length_is_left_out() -> None:
    noted = summary(llm=FakeModel(SAID), max_sentences=1)
    assert noted.data.text == "Snow studied cholera. [1]"
    assert codes(noted) == ["uncited_sentences", "summary_cut"]
    assert summary(llm=FakeModel(SAID), max_tokens=3).data.text == ""


@pytest.mark.parametrize("fault", FAULTS)
def test_whatever_the_model_does_there_is_a_cited_summary(fault: Fault) -> None:
    told = summary(llm=FakeModel(SAID, fault=fault)).data
    assert told.citations
    assert_true_to_the_documents(told.citations)
    assert (told.method == "extractive") == (fault in {"error", "empty", "unknown", "short"})


@settings(max_examples=tried(40), deadline=None)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=6).map(" ".join), min_size=1, max_size=8))
def test_likeness_and_centrality_agree_with_other_ways_of_counting(texts: list[str]) -> None:
    alike = likenesses(texts)
    by_query = np.array([TfIdf(texts).scores(text) for text in texts])
    np.testing.assert_allclose(alike, by_query, atol=1e-9)
    graph = nx.from_numpy_array(alike - np.diag(np.diag(alike)))
    expected = nx.pagerank(graph, alpha=0.85, tol=1e-12, max_iter=500)
    np.testing.assert_allclose(centrality(alike), [expected[i] for i in range(len(texts))], atol=1e-6)


def test_nothing_central_is_nothing_chosen() -> None:
    assert centrality(np.zeros((0, 0))).tolist() == []


def test_similar_items_can_be_summarised() -> None:
    hits = call("similarity_search", query="statistics", top_k=2).data
    assert call("summarize_chunks", items=hits).data.citations


def test_the_alias_finds_it() -> None:
    assert find("T58").name == "summarize_chunks"


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        ({"chunks": None}, InvalidInputError),
        ({"chunks": []}, InvalidInputError),
        ({"chunks": ["c9"]}, UnknownItemError),
        ({"max_sentences": 0}, InvalidInputError),
        ({"query": " "}, InvalidInputError),
    ],
)
def test_bad_input_is_refused(bad: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        summary(**bad)
