"""community_agent_select on three levels: k0 has parts k1 (cholera) and k2 (pump), k1 has the part k3."""

from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Community, Entity
from corpusgraph.tasks import registry as _tool
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import SmallVectors, ids, scores
from tests.llm.fake import FAULTS, FakeModel, Fault
from tests.llm.small import codes, marks

_tool.load()
ASKED = "How does cholera spread?"


def layered() -> MemoryGraph:
    def part(id_: str, level: int, parent: str | None, title: str) -> Community:
        return Community(
            id=id_, entity_ids=("e",), level=level, parent_id=parent, title=title, summary=f"On {title}."
        )

    parts = [
        part("k0", 0, None, "cholera and the pump"),
        part("k1", 1, "k0", "how cholera spread"),
        part("k2", 1, "k0", "the handle"),
        part("k3", 2, "k1", "spread of cholera by water"),
        part("k4", 0, None, "fog"),
        part("k5", 1, "k4", "cholera in the fog"),
    ]
    return MemoryGraph([Entity(id="e")], communities=parts)


def run(llm: FakeModel | None = None, graph: MemoryGraph | None = None, **arguments: Any) -> Any:
    made = graph or layered()
    ports = {"graph": made, "embedder": SmallVectors(made).embedder, "llm": llm}
    return _tool.TOOLS["community_agent_select"].run({"query": ASKED, **arguments}, ports)


def by_title(**given: float) -> FakeModel:
    """Return a model that scores reports by a word of their title."""

    def say(prompt: Any, _answer: Any) -> Any:
        listed = prompt.user.split("Reports:")[1]
        lines = [line for line in listed.splitlines() if line[:1].isdigit()]
        found = []
        for line in lines:
            score = next((s for word, s in given.items() if word in line), 0.0)
            found.append({"id": int(line.split(".")[0]), "score": score})
        return {"marks": found}

    return FakeModel(say)


def test_parts_of_what_is_relevant_take_its_place() -> None:
    """Level 0: k0 0.5, k4 0; level 1: only k0's parts are asked, k1 0.9, k2 0; level 2: k1's part k3 0."""
    model = by_title(pump=0.5, how=0.9)
    noted = run(model)
    assert scores(noted) == {"k1": 0.9}
    assert [p.user.count("On ") for p in model.prompts] == [2, 2, 1]
    assert scores(run(by_title(pump=0.5, how=0.9), keep_parents=True)) == {"k1": 0.9, "k0": 0.5}


def test_the_threshold_and_the_level_are_kept() -> None:
    assert scores(run(by_title(pump=0.5, how=0.9), max_layer=0)) == {"k0": 0.5}
    assert scores(run(by_title(pump=0.5, how=0.9), threshold=0.6)) == {"k1": 0.9}
    assert scores(run(by_title(pump=0.5, how=0.9, spread=0.2), top_k=1)) == {"k3": 0.2}


def test_where_nothing_is_relevant_the_next_level_is_rated_whole() -> None:
    model = by_title(fog=0.0, handle=0.7)
    assert scores(run(model)) == {"k2": 0.7}
    assert [p.user.count("On ") for p in model.prompts][:2] == [2, 3]


def test_without_a_model_likeness_decides_and_it_says_so() -> None:
    noted = run()
    assert codes(noted) == ["no_llm"]
    assert ids(noted)[0] == "k3"
    assert "k4" not in ids(noted)
    assert all(0.2 <= score <= 1 for score in scores(noted).values())
    assert run(query="Xyzzy").data == []


@pytest.mark.parametrize("fault", FAULTS)
def test_a_model_that_misbehaves_gives_communities_or_none(fault: Fault) -> None:
    noted = run(FakeModel(marks(0.5, 0.5), fault=fault))
    assert all(0 < score <= 1 for score in scores(noted).values())
    if fault in {"error", "empty"}:
        assert "llm_failed" in codes(noted)


def test_reports_are_rated_in_batches() -> None:
    model = by_title(pump=0.5)
    run(model, batch=1)
    assert [p.user.count("On ") for p in model.prompts] == [1] * 4


def test_no_communities_is_told() -> None:
    noted = run(graph=MemoryGraph([Entity(id="e")]))
    assert (noted.data, codes(noted)) == ([], ["no_candidates"])


@pytest.mark.parametrize("bad", [{"query": " "}, {"threshold": 0}, {"max_layer": -1}, {"batch": 0}])
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(**bad)
