"""What a method asks a model for apart is asked at once, and nothing but time tells the difference."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from corpusgraph.flows.methods import load_method
from corpusgraph.schemas.errors import CorpusgraphError, InvalidInputError
from corpusgraph.schemas.llm import Prompt, Reply
from corpusgraph.schemas.method import MethodResult
from corpusgraph.schemas.ports import LanguageModel
from corpusgraph.tasks.llm.prompting import Said
from corpusgraph.tasks.method import run as running
from corpusgraph.tasks.method.run import AT_ONCE, run_method, side_by_side
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


@pytest.fixture
def one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], tuple[MethodResult, Counted]]:
    """Run a method as if nothing in it were apart."""

    def found(name: str) -> tuple[MethodResult, Counted]:
        with monkeypatch.context() as patched:
            patched.setattr(running, "apart", lambda _: False)
            patched.setattr(running, "side_by_side_order", lambda _: None)
            return asked_of(name)

    return found


@pytest.mark.parametrize("name", ["ms_drift", "kgp", "dalk", "tog", "hipporag_ircot", "ms_global_dynamic"])
def test_usage_trace_and_warnings_are_those_of_one_after_the_other(
    name: str, one_after_the_other: Callable[[str], tuple[MethodResult, Counted]]
) -> None:
    together, model = asked_of(name)
    alone, other = one_after_the_other(name)
    assert plain(together) == plain(alone)
    assert together.usage.calls >= len(model.model.prompts) == len(other.model.prompts)
    assert len(model.asked) <= len(other.asked)


@pytest.mark.parametrize("name", ["ms_drift", "kgp", "dalk"])
def test_ten_runs_are_one(name: str) -> None:
    first = plain(asked_of(name)[0])
    assert all(plain(asked_of(name)[0]) == first for _ in range(9))


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("kgp", [("NextStep", 5), ("WrittenText", 1)]),
        (
            "ms_drift",
            [("Primed", 4), *[("NextStep", n) for n in (4, 3, 2)], ("RatedPoints", 1), ("WrittenText", 1)],
        ),
        ("dalk", [("QuestionEntities", 1), ("Marks", 2), ("WrittenText", 1)]),
    ],
)
def test_a_model_is_asked_as_often_as_answers_rest_on_answers(
    name: str, asked: list[tuple[str, int]]
) -> None:
    assert asked_of(name)[1].asked == asked


class Thing(Said):
    n: int = 0


class Other(Said):
    n: int = 0


def test_work_waits_for_what_it_rests_on_and_kinds_of_answers_are_asked_in_turn() -> None:
    model = Counted(FakeModel(lambda prompt, _: {"n": int(prompt.user)}))
    done: list[str] = []

    def work(
        name: str, *numbers: int, kind: type[Thing] | type[Other] = Thing
    ) -> Callable[[LanguageModel], int]:
        def made(llm: LanguageModel) -> int:
            prompts = [Prompt(system="", user=str(n)) for n in numbers]
            told = [reply.value.n for reply in llm.ask(prompts, kind) if reply.value]
            done.append(name)
            return sum(told)

        return made

    works = [work("a", 1, 2), work("b", 3, kind=Other), work("c", 4), work("d", 5)]
    assert side_by_side(works, model, [set(), set(), {0}, set()]) == [3, 3, 4, 5]
    assert model.asked == [("Thing", 3), ("Other", 1), ("Thing", 1)]
    assert done == ["a", "b", "d", "c"]


def test_each_judges_its_own_replies_by_their_place() -> None:
    model = FakeModel({"n": 1})
    seen: list[tuple[str, int]] = []

    def work(name: str, wrong: str | None) -> Callable[[LanguageModel], list[str | None]]:
        def accept(place: int, _: Thing) -> str | None:
            seen.append((name, place))
            return wrong

        prompts = [Prompt(system="", user=name)] * 2
        return lambda llm: [reply.error for reply in llm.ask(prompts, Thing, accept)]

    made = side_by_side([work("a", None), work("b", "no")], model)
    assert [[bool(error) for error in errors] for errors in made] == [[False, False], [True, True]]
    assert list(dict.fromkeys(seen)) == [("a", 0), ("a", 1), ("b", 0), ("b", 1)]


def test_the_first_that_fails_ends_the_others() -> None:
    model = Counted(FakeModel({"n": 1}))
    ended: list[str] = []

    def fails(_: LanguageModel) -> int:
        raise InvalidInputError("It cannot be.")

    def waits(llm: LanguageModel) -> int:
        try:
            return len(llm.ask([Prompt(system="", user="")], Thing))
        finally:
            ended.append("waits")

    with pytest.raises(InvalidInputError, match="cannot be"):
        side_by_side([waits, fails, waits], model)
    assert ended == ["waits"]
    assert model.asked == []


class Interrupted:
    name = "interrupted"

    def ask(self, *_: object) -> list[Reply[Any]]:
        raise KeyboardInterrupt


def test_an_interruption_leaves_no_thread_waiting() -> None:
    ended: list[int] = []

    def waits(llm: LanguageModel) -> None:
        try:
            llm.ask([Prompt(system="", user="")], Thing)
        finally:
            ended.append(threading.get_ident())

    with pytest.raises(KeyboardInterrupt):
        side_by_side([waits] * 5, Interrupted())
    assert len(ended) == 5
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("strand")]


class Broken:
    name = "broken"

    def ask(self, *_: object) -> list[Reply[Any]]:
        raise CorpusgraphError("The key is not set.")


def test_an_error_of_the_model_is_raised_with_the_step_that_asked() -> None:
    with pytest.raises(CorpusgraphError, match=r"^Step 'thought': The key is not set"):
        run("kgp", ASKED, llm=Broken())


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


def test_loops_in_loops_ask_once(tmp_path: Path) -> None:
    (tmp_path / "letters.yml").write_text(LETTERS, encoding="utf-8")
    model = Counted(FakeModel(say))
    found = run_method(load_method(str(tmp_path / "letters.yml")), ASKED, ports(llm=model))
    assert model.asked == [("QuestionEntities", 1), ("NextStep", 9), ("WrittenText", 1)]
    assert [line.round for line in found.trace if line.step == "thought"] == [1, 2, 3] * 3


def test_so_many_that_they_are_begun_in_parts() -> None:
    model = Counted(FakeModel({"n": 1}))
    works = [lambda llm: len(llm.ask([Prompt(system="", user="")], Thing))] * (AT_ONCE + 6)
    assert side_by_side(works, model) == [1] * (AT_ONCE + 6)
    assert model.asked == [("Thing", AT_ONCE), ("Thing", 6)]


def test_without_a_model_no_thread_is_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "side_by_side", None)
    assert run("kgp", ASKED).answer is not None
