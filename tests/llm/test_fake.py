"""The fake model is a language model, and its faults are those asked for."""

from typing import get_args

import pytest
from pydantic import BaseModel

from corpusgraph.schemas.llm import Prompt
from corpusgraph.schemas.ports import LanguageModel
from tests.llm.fake import FAULTS, FOREIGN, NOWHERE, FakeModel, Fault


class Mark(BaseModel):
    id: int
    score: float
    why: str = ""


class Marks(BaseModel):
    marks: list[Mark]


PROMPT = Prompt(system="Score.", user="1. cholera\n2. water")
SAID = Marks(marks=[Mark(id=1, score=0.9, why="a"), Mark(id=2, score=0.2, why="b")])


def marks(fault: Fault | None) -> list[Mark]:
    reply = FakeModel(SAID, fault=fault).ask([PROMPT], Marks)[0]
    assert reply.value is not None, reply.error
    return reply.value.marks


def test_says_what_the_script_says_and_counts_what_it_costs() -> None:
    model = FakeModel(lambda prompt, _: {"marks": [{"id": len(prompt.user.splitlines()), "score": 1}]})
    assert isinstance(model, LanguageModel)
    replies = model.ask([PROMPT, PROMPT], Marks)
    assert [r.value.marks[0].id for r in replies if r.value] == [2, 2]
    assert model.prompts == [PROMPT, PROMPT]
    assert model.usage.calls == 2
    assert model.usage.tokens == sum(r.usage.tokens for r in replies) > 0


def test_takes_one_answer_for_each_model() -> None:
    model = FakeModel({"Marks": SAID, "Mark": '{"id": 7, "score": "1"}'})
    assert model.ask([PROMPT], Marks)[0].value == SAID
    assert model.ask([PROMPT], Mark)[0].value == Mark(id=7, score=1.0)


def test_what_does_not_validate_is_an_error_after_one_repair() -> None:
    model = FakeModel("I think cholera is best.")
    reply = model.ask([PROMPT], Marks)[0]
    assert reply.value is None
    assert reply.error
    assert model.usage == reply.usage
    assert model.usage.calls == 2


def test_faults() -> None:
    assert [m.id for m in marks("short")] == [1]
    assert [m.id for m in marks("long")] == [1, 2, 2]
    assert [m.score for m in marks("integers")] == [1.0, 0.0]
    assert [m.score for m in marks("out_of_range")] == [92.0, 22.0]
    assert marks("empty") == []
    assert [(m.id, m.why) for m in marks("unknown")] == [(1001, NOWHERE), (1002, NOWHERE)]
    assert {m.why for m in marks("foreign")} == {FOREIGN}
    assert len(marks("repetition")) == 6


@pytest.mark.parametrize("fault", ["error", "flaky"])
def test_failing_calls(fault: Fault) -> None:
    replies = FakeModel(SAID, fault=fault).ask([PROMPT, PROMPT], Marks)
    assert [r.error is None for r in replies] == [fault == "flaky", False]


def test_every_fault_is_listed() -> None:
    assert set(FAULTS) == set(get_args(Fault))
