"""Tool 10."""

from typing import Any

import numpy as np
import pytest

import corpusgraph.tasks.tools.entity
import corpusgraph.tasks.tools.relationship  # noqa: F401 - registers the tools
from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError, UnknownItemError
from corpusgraph.schemas.graph import Entity, Relationship
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import ids, run, scores, small_graph

TOOL = "relationship_score_aggregate"
GIVEN = {"snow": 0.5, "John Snow": 0.1, "3": 0.4, "cholera": 0.0}  # snow 0.6, pump 0.4


@pytest.mark.parametrize(
    ("method", "found"),
    [
        ("sum", {"r1": 0.6, "r2": 0.4, "r3": 0.4, "r4": 0.6, "r5": 1.0}),
        ("product", {"r5": 0.24}),
        ("max", {"r1": 0.6, "r2": 0.4, "r3": 0.4, "r4": 0.6, "r5": 0.6}),
    ],
)
def test_scores_of_both_ends(method: str, found: dict[str, float]) -> None:
    noted = run(TOOL, entity_scores=GIVEN, score_method=method)
    assert scores(noted) == pytest.approx(found)
    assert ids(noted) == sorted(found, key=lambda id_: (-found[id_], id_))


def test_sum_is_the_default_and_top_k_the_best() -> None:
    assert ids(run(TOOL, entity_scores=GIVEN, top_k=2)) == ["r5", "r1"]


def test_it_is_the_incidence_matrix_times_the_scores() -> None:
    """The paper's r = E2R' p, with the whole score vector of a walk."""
    graph = small_graph()
    walked = run("entity_ppr_rank", graph, seed_entities=["snow"]).data
    at = {entity.id: i for i, entity in enumerate(graph.entities)}
    incidence = np.zeros((len(at), len(graph.relationships)))
    for j, relationship in enumerate(graph.relationships):
        incidence[[at[relationship.source_id], at[relationship.target_id]], j] = 1
    p = np.zeros(len(at))
    for scored in walked:
        p[at[scored.item.id]] = scored.score
    expected = dict(zip((r.id for r in graph.relationships), incidence.T @ p, strict=True))
    assert scores(run(TOOL, graph, entity_scores=walked)) == pytest.approx(expected)


@pytest.mark.parametrize("method", ["sum", "product", "max"])
def test_a_loop_has_one_end(method: str) -> None:
    graph = MemoryGraph([Entity(id="a")], [Relationship(id="1", source_id="a", target_id="a")])
    assert scores(run(TOOL, graph, entity_scores={"a": 0.3}, score_method=method)) == {"1": 0.3}


def test_an_unknown_entity_is_an_error() -> None:
    with pytest.raises(UnknownEntityError):
        run(TOOL, entity_scores={"nobody at all": 1.0})


@pytest.mark.parametrize(
    "bad", [{"entity_scores": {}}, {"entity_scores": {"snow": float("nan")}}, {"entity_scores": {"snow": -1}}]
)
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)


def test_candidates_alone_are_scored() -> None:
    """r1 joins snow and cholera, r2 pump and cholera, r5 snow and pump."""
    given: dict[str, Any] = {"entity_scores": {"snow": 0.5, "cholera": 0.25}, "score_method": "product"}
    assert scores(run(TOOL, **given)) == {"r1": 0.125}
    assert scores(run(TOOL, **given, candidates=["r2", "r1"])) == {"r1": 0.125}
    assert run(TOOL, **given, candidates=["r2"]).data == []
    assert run(TOOL, **given, candidates=[]).data == []
    with pytest.raises(UnknownItemError):
        run(TOOL, **given, candidates=["r9"])
