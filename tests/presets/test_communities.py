"""GraphRAG's presets: local, global, and the paper's variants of them."""

from typing import Any

import pytest

from tests.llm.fake import FakeModel
from tests.presets.world import ids, run, scores


def test_lgraphrag() -> None:
    """Ada (cosine 1) and bob, cara, dan, eve (0, in order of id). Relationships between busier ends first: r3
    (2 + 2, weight 2), r2 (2 + 2), r1 and r4 (1 + 2). Chunks in order of the first of the entities in each.
    Communities by members among the five: k0 all, k1 three, k2 two; the rating of all reports is 5.
    """
    found = run("lgraphrag", "Ada").results
    assert ids(found["entities"]) == ["ada", "bob", "cara", "dan", "eve"]
    assert ids(found["relationships"]) == ["r3", "r2", "r1", "r4"]
    assert ids(found["chunks"]) == ["c1", "c2", "c3", "c4"]
    assert scores(found["communities"]) == pytest.approx({"k0": 5 + 5 / 6, "k1": 3 + 5 / 6, "k2": 2 + 5 / 6})


@pytest.mark.parametrize("preset", ["ggraphrag", "nano_global"])
def test_communities_by_layer(preset: str) -> None:
    """Chunks that a community's members are in: k0 c1 to c4, k1 c1 to c3, k2 c3 and c4, k3 c5."""
    found = run(preset, "What is it all about?")
    expected = {"k0": 4 + 5 / 6, "k1": 3 + 5 / 6, "k2": 2 + 5 / 6, "k3": 1 + 5 / 6}
    assert scores(found.results["community_by_layer"]) == pytest.approx(expected)


def test_ms_global_reads_each_entitys_finest_community() -> None:
    """k0 is never the finest: its members are in k1 and k2."""
    found = run("ms_global", "What is it all about?")
    assert ids(found.results["community_by_layer"]) == ["k1", "k2", "k3"]


def test_global_answers_are_made_of_points_of_groups() -> None:
    """One group of reports gives one point that cites the third report (k2, "Dan knows Eve")."""

    def say(_prompt: Any, answer: Any) -> Any:
        if answer.__name__ == "RatedPoints":
            return {"points": [{"text": "Eve.", "score": 80, "sources": [3]}]}
        return {"sentences": [{"text": "It is about Eve.", "sources": [1]}]}

    model = FakeModel(say)
    found = run("ggraphrag", "What is it all about?", llm=model)
    assert found.answer is not None
    assert found.answer.text.startswith("It is about Eve.")
    assert [citation.chunk_id for citation in found.answer.citations] == ["c4"]
    assert len(model.prompts) == 2


def test_vgraphrag() -> None:
    """ "Ada letters" is half of "Ada" (1/√2), of "On letters", title twice, (1/√2 √2), of c1 (1/√2 √3)."""
    found = run("vgraphrag", "Ada letters").results
    assert scores(found["entities"])["ada"] == pytest.approx(2**-0.5, abs=1e-5)
    assert ids(found["entities"]) == ["ada", "bob", "cara", "dan"]
    assert ids(found["relationships"]) == ["r3", "r2", "r1", "r4"]
    assert ids(found["communities"])[0] == "k1"
    assert scores(found["communities"])["k1"] == pytest.approx(1 / 2, abs=1e-5)
    assert scores(found["chunks"])["c1"] == pytest.approx(6**-0.5, abs=1e-5)
    assert (len(found["communities"]), len(found["chunks"])) == (4, 4)


@pytest.mark.parametrize("preset", ["cheap_rag", "vgraphrag_cc"])
def test_reports_and_passages_by_vector(preset: str) -> None:
    found = run(preset, "Ada letters").results
    assert ids(found["communities"])[0] == "k1"
    assert ids(found["chunks"])[0] == "c1"
    assert set(found) <= {"communities", "chunks", "answer"}


def test_the_ablations_keep_to_their_kinds() -> None:
    both = run("graphrag_er", "Ada").results
    assert (ids(both["entities"])[0], ids(both["relationships"])) == ("ada", ["r3", "r2", "r1", "r4"])
    assert "chunks" not in both
    rest = run("graphrag_cc", "Ada")
    assert ids(rest.results["chunks"]) == ["c1", "c2", "c3", "c4"]
    assert ids(rest.results["communities"]) == ["k0", "k1", "k2"]
    model = FakeModel({"WrittenText": {"sentences": [{"text": "So.", "sources": [1]}]}})
    run("graphrag_cc", "Ada", llm=model)
    assert "wrote to" not in model.prompts[-1].user.split("Question")[0].replace("Bob wrote to Cara.", "")


def test_ms_local() -> None:
    """All seven entities are among the 20: the finest community of each, all five relationships, all chunks,
    those of Ada first."""
    found = run("ms_local", "Ada").results
    assert len(found["entities"]) == 7
    assert ids(found["communities"]) == ["k1", "k2", "k3"]
    assert {edge.id for edge in found["graph"].edges} == {"r1", "r2", "r3", "r4", "r5"}
    assert ids(found["chunks"]) == ["c1", "c2", "c3", "c4", "c5"]


def test_ms_basic_and_the_baselines_rank_passages_by_cosine() -> None:
    """ "Cara married" shares both words with c3 (2/√2 √3) and one with c2 (1/√2 √4)."""
    for preset, n in (("ms_basic", 5), ("dense", 5), ("vanilla_rag", 4)):
        found = scores(run(preset, "Cara married").passages)
        assert list(found)[:2] == ["c3", "c2"]
        assert found["c3"] == pytest.approx(2 / 6**0.5, abs=1e-5)
        assert found["c2"] == pytest.approx(1 / 8**0.5, abs=1e-5)
        assert len(found) == n


def test_ms_global_dynamic_goes_down_where_a_report_is_relevant() -> None:
    """Level 0: k0 0.6, k3 0.1 (below 0.2); of k0's parts k1 0.1 and k2 0.9, which takes its place."""
    marks = iter([(0.6, 0.1), (0.1, 0.9)])

    def say(_prompt: Any, answer: Any) -> Any:
        if answer.__name__ == "Marks":
            return {"marks": [{"id": i, "score": s} for i, s in enumerate(next(marks), start=1)]}
        if answer.__name__ == "RatedPoints":
            return {"points": [{"text": "Eve.", "score": 80, "sources": [1]}]}
        return {"sentences": [{"text": "They married.", "sources": [1]}]}

    found = run("ms_global_dynamic", "Who married?", llm=FakeModel(say))
    assert scores(found.results["communities"]) == {"k2": 0.9}
    assert ids(found.passages) == ["c4"]  # what its report cites


def test_ms_drift_searches_locally_for_what_the_reports_leave_open() -> None:
    """The primer asks about Fay; the local search around her reads c5 first; the thought asks about Gus, then
    about Gus again, then ends: four searches in three rounds would be too many for one question a round."""
    asked = iter(["Gus", "Gus", "Gus"])

    def say(_prompt: Any, answer: Any) -> Any:
        if answer.__name__ == "Primed":
            return {"sentences": [{"text": "Friends.", "sources": [1]}], "follow_up_queries": ["Fay"]}
        if answer.__name__ == "NextStep":
            return {"sentence": "Fay taught.", "query": next(asked)}
        if answer.__name__ == "RatedPoints":
            return {"points": [{"text": "Fay taught Gus.", "score": 90, "sources": [1]}]}
        return {"sentences": [{"text": "Fay taught Gus.", "sources": [1]}]}

    found = run("ms_drift", "Who taught?", llm=FakeModel(say))
    assert found.results["primer"].follow_ups == ("Fay",)
    assert sum(line.step == "around" for line in found.trace) == 3
    assert ids(found.results["drift"]["chunks"])[0] == "c5"
    assert {edge.id for edge in found.results["drift"]["subgraph"].edges} >= {"r5"}


def test_hybrid_joins_the_passages_of_graph_and_text_by_rank() -> None:
    """Graph: Ada's c1 first, then c2 … c5; text: c1 (1/√3), then c2 … c5 (0, by id): the same order twice."""
    found = run("hybrid", "Ada")
    expected = {f"c{n}": 2 / (60 + n) for n in range(1, 6)}
    assert scores(found.passages) == pytest.approx(expected)
    assert ids(run("hybrid", "Fay married").passages)[:1] == ["c5"]
