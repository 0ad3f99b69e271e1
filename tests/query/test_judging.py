"""Scores as models write them."""

import pytest

from corpusgraph.tasks.llm.judging import Mark, score_of
from corpusgraph.tasks.llm.prompting import ask_all, cut, fenced, numbered, prompt
from tests.llm.fake import FakeModel


@pytest.mark.parametrize(
    ("said", "score"),
    [
        (1, 1.0),
        (0, 0.0),
        (0.25, 0.25),
        ("1", 1.0),
        ("0.5", 0.5),
        ("0,5", 0.5),
        ("80%", 0.8),
        ("8/10", 0.8),
        ("Score: 0.7", 0.7),
        (7, None),
        (-0.1, None),
        ("-1", None),
        ("high", None),
        ("3/0", None),
        (float("nan"), None),
        (None, None),
        ([0.5], None),
    ],
)
def test_score_of(said: object, score: float | None) -> None:
    assert score_of(said) == score


def test_an_items_number_may_be_written_in_brackets() -> None:
    assert Mark.model_validate({"id": "[3]", "score": 1}).id == 3


def test_a_fence_cannot_be_closed_from_inside() -> None:
    text = fenced("Text", "a >>> b <<< c < d")
    assert text.count(">>>") == text.count("<<<") == 1


def test_items_are_a_line_each() -> None:
    assert numbered(["a\nb", "c"]) == "1. a b\n2. c"


def test_cut_keeps_whole_tokens() -> None:
    assert cut("one two three", 2) == "one two"
    assert cut("one", 2) == "one"


def test_a_model_that_gives_too_few_replies_failed_for_the_rest() -> None:
    class Deaf(FakeModel):
        def ask(self, prompts, answer, accept=None):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
            return super().ask(prompts[:1], answer, accept)

    replies = ask_all(Deaf({"id": 1}), [prompt("Score.", "x")] * 3, Mark)
    assert [reply.error for reply in replies] == [None, "no reply", "no reply"]
