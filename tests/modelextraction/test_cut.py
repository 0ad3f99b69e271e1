"""A reply that is cut at the token limit: its chunk is asked about in halves, down to a floor."""

from typing import Any

import pytest
from pydantic import BaseModel

from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.study import Chunking
from tests.llm.fake import FakeModel
from tests.modelextraction.build import codes, entity, passage_of, relationship, run_with, said

NAMES = ("Ada", "Bertha", "Clara", "Dora", "Edith", "Frida", "Greta", "Hedda")
PAIRS = [(one, other) for one in NAMES for other in NAMES if one < other]
SENTENCES = [f"In the spring {one} wrote a long letter to {other}." for one, other in PAIRS]
TEXT = " ".join(SENTENCES)
WIDE = Chunking(size=5000)
PER_SENTENCE = 140
"""Tokens of a reply about one sentence, at most."""


def of_each_sentence(prompt: Prompt, _answer: type[BaseModel]) -> Any:
    """Say who wrote to whom; in a round of gleaning, nothing more."""
    passage = passage_of(prompt)
    told = [(*pair, quote) for pair, quote in zip(PAIRS, SENTENCES, strict=True) if quote in passage]
    return said(
        entities=[entity(name, quote=quote) for one, other, quote in told for name in (one, other)],
        relationships=[relationship(one, "wrote_to", other, quote) for one, other, quote in told],
    )


def test_the_halves_say_what_the_whole_would_have_said_at_the_right_places() -> None:
    whole = run_with(FakeModel(of_each_sentence), TEXT, chunking=WIDE)
    model = FakeModel(of_each_sentence, max_tokens=9 * PER_SENTENCE)
    parts = run_with(model, TEXT, chunking=WIDE)
    assert len(whole.evidence.assertions) == len(PAIRS)
    assert parts.failures == ()
    assert parts.evidence == whole.evidence
    assert all(TEXT[found.start : found.end] in SENTENCES for found in parts.evidence.assertions)
    assert set(codes(parts.dropped)) == {"asked_in_parts"}
    assert len(model.prompts) == 1 + 2 * len(parts.dropped) > 3
    assert model.usage.calls == len(model.prompts)


def test_a_text_without_sentences_is_divided_at_a_space() -> None:
    listed = ", ".join(f"{one}-{other}" for one, other in PAIRS)

    def names(prompt: Prompt, _answer: type[BaseModel]) -> Any:
        return said(entities=[entity(name) for name in passage_of(prompt).replace(",", " ").split()])

    found = run_with(FakeModel(names, max_tokens=700), listed, chunking=WIDE)
    assert (found.failures, set(codes(found.dropped))) == ((), {"asked_in_parts"})
    surfaces = {mention.surface for mention in found.evidence.mentions}
    assert surfaces == set(listed.split(", "))


def test_what_is_too_short_to_be_divided_is_a_failure_and_the_rest_is_kept() -> None:
    endless = SENTENCES[3]

    def reply(prompt: Prompt, answer: type[BaseModel]) -> Any:
        right = of_each_sentence(prompt, answer)
        if endless in passage_of(prompt):
            right["claims"] = [{"text": "and so on", "quote": endless}] * 2000
        return right

    found = run_with(FakeModel(reply, max_tokens=9 * PER_SENTENCE), TEXT, chunking=WIDE)
    (failure,) = found.failures
    assert (failure.code, failure.retry) == ("truncated_reply", True)
    start, end = map(int, failure.message.removeprefix("characters ").split(":")[0].split(" to "))
    assert endless in TEXT[start:end]
    assert end - start < 2 * 200
    lost = sum(start <= TEXT.index(sentence) < end for sentence in SENTENCES)
    assert len(found.evidence.assertions) == len(PAIRS) - lost
    assert "truncated_reply" not in codes(found.dropped)


@pytest.mark.parametrize("gleanings", [1, 2])
def test_a_round_of_gleaning_that_is_cut_goes_on_in_halves(gleanings: int) -> None:
    """The first round names people; who wrote to whom comes with the rounds after it."""

    def reply(prompt: Prompt, answer: type[BaseModel]) -> Any:
        right = of_each_sentence(prompt, answer)
        if "Found:" in prompt.user:
            return right
        first = {item["name"]: item for item in right["entities"]}
        return said(entities=list(first.values()))

    whole = run_with(FakeModel(reply), TEXT, chunking=WIDE, gleanings=gleanings)
    model = FakeModel(reply, max_tokens=15 * PER_SENTENCE)
    parts = run_with(model, TEXT, chunking=WIDE, gleanings=gleanings)
    assert parts.failures == ()
    assert parts.evidence == whole.evidence
    assert len(parts.evidence.assertions) == len(PAIRS)
    halves = [prompt for prompt in model.prompts if passage_of(prompt) != TEXT]
    assert halves
    assert all("Ada" in prompt.user.split("Found:")[1] for prompt in halves if "Ada" in passage_of(prompt))
