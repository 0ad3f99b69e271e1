"""subgraph_agent_filter: paths kept by their relevance."""

from typing import Any

import pytest

from corpusgraph.schemas.errors import InvalidInputError
from corpusgraph.schemas.graph import Path
from corpusgraph.schemas.results import Scored
from corpusgraph.tasks.graph.verbal import verbalise_path
from tests.graph.small import small_graph
from tests.llm.fake import FAULTS, FakeModel, Fault
from tests.llm.small import codes, marks, run

ASKED = "Where did John Snow live?"
HOME = Path(node_ids=("snow", "soho", "pump"), edge_ids=("r4", "r3"), cost=2.0)
WORK = Path(node_ids=("snow", "cholera"), edge_ids=("r1",))
ALONE = Path(node_ids=("farr",), edge_ids=())
PATHS = [WORK, HOME, ALONE]


def kept(noted: Any) -> list[Path]:
    return [scored.item for scored in noted.data]


def test_a_path_reads_as_a_line_with_each_arrow_its_way() -> None:
    line = "John Snow -[lived in]-> Soho <-[part of]- Broad Street pump"
    assert verbalise_path(small_graph(), HOME) == line
    assert verbalise_path(small_graph(), ALONE) == "William Farr"


def test_paths_are_ranked_by_the_models_relevance() -> None:
    model = FakeModel(marks(0.3, 1, 0, why="he lived there"))
    noted = run("subgraph_agent_filter", model, query=ASKED, paths=PATHS)
    assert kept(noted) == [HOME, WORK]
    assert [(s.score, s.rank, s.scorer) for s in noted.data] == [(1.0, 1, "llm"), (0.3, 2, "llm")]
    assert "he lived there" in noted.reasoning_trace
    assert noted.warnings == ()


def test_no_more_than_max_paths_are_kept() -> None:
    noted = run("subgraph_agent_filter", FakeModel(marks(0.3, 1, 0.9)), query=ASKED, paths=PATHS, max_paths=2)
    assert kept(noted) == [HOME, ALONE]


def test_a_path_without_a_score_is_listed() -> None:
    noted = run("subgraph_agent_filter", FakeModel(marks("very", "8/10", 0.1)), query=ASKED, paths=PATHS)
    assert [s.score for s in noted.data] == [0.8, 0.1]
    assert codes(noted) == ["unscored"]
    assert noted.warnings[0].records == ("John Snow -[studies]-> cholera",)


@pytest.mark.parametrize("fault", FAULTS)
def test_every_fault_leaves_scored_paths(fault: Fault) -> None:
    noted = run(
        "subgraph_agent_filter", FakeModel(marks(0.6, 0.9, 0.7), fault=fault), query=ASKED, paths=PATHS
    )
    assert {tuple(p.node_ids) for p in kept(noted)} <= {tuple(p.node_ids) for p in PATHS}
    assert noted.data
    assert all(0 < s.score <= 1 for s in noted.data)
    assert [s.rank for s in noted.data] == list(range(1, len(noted.data) + 1))


def test_many_paths_are_shown_in_batches() -> None:
    model = FakeModel(lambda p, _: marks(*[0.5] * p.user.count("-[studies]->")))
    paths = [WORK.model_copy(update={"cost": float(n)}) for n in range(90)]
    noted = run("subgraph_agent_filter", model, query=ASKED, paths=paths, max_paths=90)
    assert len(model.prompts) == 3
    assert [path.cost for path in kept(noted)] == [float(n) for n in range(90)]


def test_without_a_model_words_decide() -> None:
    noted = run("subgraph_agent_filter", query=ASKED, paths=PATHS, max_paths=2)
    assert kept(noted) == [HOME, WORK]
    assert codes(noted) == ["no_llm"]


def test_takes_what_other_tools_give_and_entities_that_follow_each_other() -> None:
    scored = Scored[Path](item=HOME, score=0.1, rank=1)
    for given in ([scored], [scored.model_dump(mode="json")], [HOME.model_dump()], [HOME]):
        assert kept(run("subgraph_agent_filter", query=ASKED, paths=given)) == [HOME]
    made = kept(run("subgraph_agent_filter", query=ASKED, paths=[["John Snow", "Soho", 3]]))
    assert [(p.node_ids, p.edge_ids) for p in made] == [(HOME.node_ids, HOME.edge_ids)]


def test_paths_that_do_not_hold_together_are_refused() -> None:
    with pytest.raises(InvalidInputError, match="do not join"):
        run("subgraph_agent_filter", query=ASKED, paths=[{"node_ids": ["snow", "soho"], "edge_ids": ["r1"]}])
    with pytest.raises(InvalidInputError, match="no relationship between"):
        run("subgraph_agent_filter", query=ASKED, paths=[["farr", "soho"]])
    with pytest.raises(InvalidInputError, match="at least one entity"):
        run("subgraph_agent_filter", query=ASKED, paths=[[]])


def test_no_paths_give_none() -> None:
    noted = run("subgraph_agent_filter", query=ASKED, paths=[])
    assert noted.data == []
    assert codes(noted) == ["no_candidates"]
