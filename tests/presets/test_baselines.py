"""The floor: nothing retrieved."""

import pytest

from tests.llm.fake import FakeModel, Fault
from tests.presets.world import run


def test_zero_shot_says_what_the_model_knows_and_cites_nothing() -> None:
    model = FakeModel({"sentences": [{"text": " Bob,  I think. "}]})
    found = run("zero_shot", "Whom did Ada meet?", llm=model)
    assert found.answer is not None
    assert (found.answer.text, found.answer.citations, found.answer.supported) == ("Bob, I think.", (), False)
    assert found.answer.method == "fake"
    assert [warning.code for warning in found.warnings] == ["no_sources"]
    assert found.passages == ()
    assert "met Bob" not in model.prompts[0].user


def test_zero_shot_without_a_model_has_no_answer_and_says_so() -> None:
    found = run("zero_shot", "Whom did Ada meet?")
    assert found.answer is not None
    assert not found.answer.supported
    assert [warning.code for warning in found.warnings] == ["no_llm"]


@pytest.mark.parametrize("fault", ["error", "flaky", "empty", "foreign"])
def test_zero_shot_with_a_model_that_misbehaves(fault: Fault) -> None:
    found = run("zero_shot", "Whom did Ada meet?", llm=FakeModel({"sentences": []}, fault=fault))
    assert found.answer is not None
    assert not found.answer.supported
