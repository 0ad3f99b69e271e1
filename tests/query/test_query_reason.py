"""query_reason: one sentence further, and what to search for next."""

import pytest

from corpusgraph.schemas.documents import Chunk
from tests.llm.fake import FAULTS, FakeModel, Fault
from tests.llm.small import codes, run

ASKED = "Where was the director of The Piano born?"
CHUNKS = [
    Chunk(id="1", content="The Piano is a drama. Its director is Jane Campion. It was a success."),
    Chunk(id="2", content="Jane Campion was born in Wellington."),
]


def test_a_models_step() -> None:
    step = {"sentence": "Jane Campion directed it. More follows.", "query": "Jane Campion birthplace"}
    model = FakeModel(step)
    noted = run("query_reason", model, query=ASKED, chunks=CHUNKS[:1], thoughts=["It is a film."])
    assert noted.data.sentence == "Jane Campion directed it."
    assert noted.data.query == "Jane Campion birthplace"
    assert not noted.data.done
    assert "It is a film." in model.prompts[0].user
    assert "Its director is Jane Campion." in model.prompts[0].user


def test_without_a_query_the_sentence_is_searched_for() -> None:
    noted = run("query_reason", FakeModel({"sentence": "She is Jane Campion."}), query=ASKED, chunks=CHUNKS)
    assert noted.data.query == f"{ASKED} She is Jane Campion."


def test_a_repeated_thought_ends_the_reasoning() -> None:
    model = FakeModel({"sentence": "Jane Campion  directed it!", "query": "x"})
    noted = run("query_reason", model, query=ASKED, chunks=CHUNKS, thoughts=["Jane Campion directed it."])
    assert noted.data.done
    assert codes(noted) == ["repeated_thought"]


def test_without_a_model_a_bridge_is_found_and_followed_to_the_end() -> None:
    first = run("query_reason", query=ASKED, chunks=CHUNKS[:1])
    assert first.data.sentence == "Its director is Jane Campion."
    assert first.data.query == f"{ASKED} Jane Campion"
    assert not first.data.done
    assert codes(first) == ["no_llm"]
    then = run("query_reason", query=ASKED, chunks=CHUNKS, thoughts=[first.data.sentence])
    assert then.data.sentence == "Jane Campion was born in Wellington."


def test_nothing_more_to_find_ends_the_reasoning() -> None:
    noted = run("query_reason", query="Who sings opera?", chunks=CHUNKS)
    assert (noted.data.sentence, noted.data.query, noted.data.done) == ("", "Who sings opera?", True)


def test_nothing_read_yet_asks_the_question_itself() -> None:
    model = FakeModel({"sentence": "x", "query": "y"})
    noted = run("query_reason", model, query=ASKED, chunks=[])
    assert (noted.data.query, noted.data.done) == (ASKED, False)
    assert codes(noted) == ["no_candidates"]
    assert model.prompts == []


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_leaves_a_next_query(fault: Fault) -> None:
    model = FakeModel({"sentence": "Jane Campion directed it.", "query": "Jane Campion"}, fault=fault)
    noted = run("query_reason", model, query=ASKED, chunks=CHUNKS)
    assert noted.data.sentence
    assert noted.data.query
    assert ("llm_failed" in codes(noted)) == (fault == "error")


def test_chunks_of_the_index_are_read_by_id() -> None:
    noted = run("query_reason", query="What did Snow study?", chunks=["c1"])
    assert noted.data.sentence == "John Snow studied cholera."


@pytest.mark.parametrize("llm", [None, FakeModel({"sentence": "The Piano is a drama.", "query": "x"})])
def test_what_is_beyond_the_budget_is_not_read_and_that_is_told(llm: FakeModel | None) -> None:
    noted = run("query_reason", llm, query=ASKED, chunks=CHUNKS, max_context_tokens=8)
    assert noted.data.sentence == "The Piano is a drama."
    assert codes(noted)[0] == "context_cut"
    assert llm is None or "Jane" not in llm.prompts[0].user
