"""Chains of thought: what is searched with next, what is read, and when it ends."""

from typing import Any

import pytest

from tests.llm.fake import FakeModel
from tests.presets.world import ids, run

STEPS = [
    {"sentence": "Ada met Bob.", "query": "not searched with", "done": False},
    {"sentence": "Bob wrote to Cara.", "query": "not searched with", "done": False},
    {"sentence": "So the answer is Dan.", "query": "", "done": False},
    {"sentence": "Never thought.", "query": "", "done": False},
]
SAID = {"sentences": [{"text": "Cara married Dan.", "sources": [1, 2, 3, 4, 5]}]}


def thinking() -> FakeModel:
    steps = iter(STEPS)

    def say(_prompt: Any, answer: Any) -> Any:
        if answer.__name__ == "QuestionEntities":
            return {"named": ["Ada", "Bob", "Cara", "Dan"]}
        return next(steps) if answer.__name__ == "NextStep" else SAID

    return FakeModel(say)


@pytest.mark.parametrize("name", ["ircot", "hipporag_ircot"])
def test_each_thought_is_searched_with_until_one_says_the_answer(name: str) -> None:
    model = thinking()
    found = run(name, "Whom did Ada meet, and where does it lead?", llm=model)
    reasons = [p for p in model.prompts if p.system.startswith("You answer a question step by step")]
    assert len(reasons) == 3
    assert "Ada met Bob.\nBob wrote to Cara." in reasons[2].user  # the whole chain, not its end
    assert "not searched with" not in " ".join(p.user for p in model.prompts)
    assert found.answer is not None
    assert "Cara married Dan." in {citation.text for citation in found.answer.citations}


def test_ircot_reads_what_all_steps_found() -> None:
    """The question has the words of c1; the first thought leads to c2, the second to c3."""
    model = thinking()
    found = run("ircot", "Whom did Ada meet?", llm=model)
    assert {"c1", "c2", "c3"} <= set(ids(found.results["reasoning"]["chunks"]))
    assert sum(line.step == "found" and not line.skipped for line in found.trace) == 2


def test_ircot_stops_after_eight_steps() -> None:
    numbers = iter(range(100))

    def say(_prompt: Any, answer: Any) -> Any:
        if answer.__name__ == "NextStep":
            return {"sentence": f"Ada met number {next(numbers)}.", "query": "x"}
        return SAID

    found = run("ircot", "Whom did Ada meet?", llm=FakeModel(say))
    assert sum(line.step == "thought" for line in found.trace) == 8


@pytest.mark.parametrize("name", ["ircot", "hipporag_ircot"])
def test_without_a_model_the_chain_follows_the_names(name: str) -> None:
    found = run(name, "Who met Bob?")
    assert found.answer is not None
    assert "Ada met Bob." in {citation.text for citation in found.answer.citations}
    assert found.usage.calls == 0
