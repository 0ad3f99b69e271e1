"""The rounds of a loop that rest on no other are run at once, and nothing but time tells the difference."""

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from corpusgraph.flows.methods import load_method
from corpusgraph.schemas.errors import CorpusgraphError
from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.schemas.method import MethodResult
from corpusgraph.tasks.method import run as running
from corpusgraph.tasks.method.run import run_method
from corpusgraph.tasks.progress import step
from tests.llm.fake import FakeModel
from tests.presets.world import ports, run

ASKED = "Who met or wrote to whom, married, knows or taught: Ada, Bob, Cara, Dan, Eve, Fay, Gus?"


class Counted:
    """Counts how often it is asked; a question of several prompts is one."""

    name = "counted"

    def __init__(self, model: FakeModel) -> None:
        self.model = model
        self.asked: list[tuple[str, int]] = []

    def ask(self, prompts: Sequence[Prompt], answer: type[Any], accept: Any = None) -> list[Reply[Any]]:
        self.asked.append((answer.__name__, len(prompts)))
        return self.model.ask(prompts, answer, accept)


def say(prompt: Prompt, answer: type[BaseModel]) -> Any:
    """Answer by the prompt alone, whichever comes first; of what is asked about Dan nothing can be used."""
    if answer.__name__ == "QuestionEntities":
        return {"named": ["Ada", "Cara", "Eve"]}
    if answer.__name__ == "Primed":
        asked = [f"What about {name}?" for name in ("Ada", "Bob", "Cara", "Dan")]
        return {"sentences": [{"text": "Ada met Bob.", "sources": [1]}], "follow_up_queries": asked}
    if answer.__name__ == "NextStep":
        told = prompt.user.partition(">>>")[0]
        return {"sentence": "" if "Dan" in told else "They met.", "query": f"And then? {len(told)}"}
    if answer.__name__ == "Marks":
        return {"marks": [{"id": n, "score": 1 / n} for n in range(1, 10)]}
    if answer.__name__ == "RatedPoints":
        return {"points": [{"text": "Ada met Bob.", "score": 50, "sources": [1, 2, 3, 4, 5, 6]}]}
    return {"sentences": [{"text": "Ada met Bob.", "sources": list(range(1, 20))}]}


def asked_of(name: str) -> tuple[MethodResult, Counted]:
    model = Counted(FakeModel(say))
    return run(name, ASKED, llm=model), model


def plain(found: MethodResult) -> dict[str, Any]:
    told = found.model_dump(mode="json")
    return {**told, "trace": [{**line, "seconds": 0} for line in told["trace"]]}


@pytest.mark.parametrize("name", ["ms_drift", "kgp", "dalk", "tog", "hipporag_ircot", "ms_global_dynamic"])
def test_usage_trace_and_warnings_are_those_of_one_after_the_other(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    together, model = asked_of(name)
    monkeypatch.setattr(running, "apart", lambda _: False)
    alone, other = asked_of(name)
    assert plain(together) == plain(alone)
    assert together.usage.calls >= len(model.model.prompts) == len(other.model.prompts)
    assert sorted(model.asked) == sorted(other.asked)


@pytest.mark.parametrize("name", ["ms_drift", "kgp", "dalk"])
def test_ten_runs_are_one(name: str) -> None:
    first = plain(asked_of(name)[0])
    assert all(plain(asked_of(name)[0]) == first for _ in range(9))


class Together(Counted):
    """Answers what a loop asks in its rounds only once all of them have asked."""

    def __init__(self, model: FakeModel, rounds: int) -> None:
        super().__init__(model)
        self.all_there = threading.Barrier(rounds, timeout=20)

    def ask(self, prompts: Sequence[Prompt], answer: type[Any], accept: Any = None) -> list[Reply[Any]]:
        if answer.__name__ == "NextStep":
            self.all_there.wait()
        return super().ask(prompts, answer, accept)


def test_the_rounds_of_a_loop_ask_at_once() -> None:
    model = Together(FakeModel(say), 5)
    assert run("kgp", ASKED, llm=model).answer is not None
    assert model.asked == [*[("NextStep", 1)] * 5, ("WrittenText", 1)]


class Interrupted:
    name = "interrupted"

    def ask(self, *_: object) -> list[Reply[Any]]:
        raise KeyboardInterrupt


def test_an_interruption_leaves_no_thread_waiting() -> None:
    with pytest.raises(KeyboardInterrupt):
        run("kgp", ASKED, llm=Interrupted())
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("round")]


class Broken:
    """Fails in the first round, and keeps the others waiting as a slow endpoint does."""

    name = "broken"

    def __init__(self, first: Prompt) -> None:
        self.first = first

    def ask(self, prompts: Sequence[Prompt], *_: object) -> list[Reply[Any]]:
        if prompts[0] == self.first:
            raise CorpusgraphError("The key is not set.")
        for _second in range(200):
            step("waiting for the language model")
            time.sleep(0.05)
        raise AssertionError("nobody ended it")


def test_an_error_of_the_model_is_raised_with_the_step_that_asked_and_ends_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(running, "apart", lambda _: False)
        first = asked_of("kgp")[1].model.prompts[0]
    began = time.monotonic()
    with pytest.raises(CorpusgraphError, match=r"^Step 'thought': The key is not set"):
        run("kgp", ASKED, llm=Broken(first))
    assert time.monotonic() - began < 8


LETTERS = """
method: letters
graph: kg
steps:
  - loop:
      each: $query.entities
      steps:
        - loop:
            each: $query.entities
            steps:
              - query_reason: {query: $item, chunks: [c1, c2]}
                as: thought
            collect: {thoughts: $thought.query}
          as: inner
      collect: {all: $inner.thoughts}
    as: outer
query: [entities]
answer: {chunks: [c1], entities: null}
"""


def test_loops_in_loops_run_at_once(tmp_path: Path) -> None:
    (tmp_path / "letters.yml").write_text(LETTERS, encoding="utf-8")
    model = Counted(FakeModel(say))
    found = run_method(load_method(str(tmp_path / "letters.yml")), ASKED, ports(llm=model))
    assert model.asked == [("QuestionEntities", 1), *[("NextStep", 1)] * 9, ("WrittenText", 1)]
    assert [line.round for line in found.trace if line.step == "thought"] == [1, 2, 3] * 3


def test_without_a_model_no_thread_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "ThreadPoolExecutor", None)
    assert run("kgp", ASKED).answer is not None
