"""Tool 3."""

from typing import Any

import networkx as nx
import pytest

import corpusgraph.tasks.tools.entity  # noqa: F401 - registers the tool
from corpusgraph.schemas.errors import InvalidInputError, UnknownEntityError
from corpusgraph.schemas.graph import Graph
from corpusgraph.tasks.graph.view import MemoryGraph
from tests.graph.small import ids, run, scores, small_graph

TOOL = "entity_ppr_rank"


def expected(seeds: dict[str, float], damping: float = 0.85) -> dict[str, float]:
    graph = nx.MultiGraph()
    view = small_graph()
    graph.add_nodes_from(entity.id for entity in view.entities)
    graph.add_weighted_edges_from((r.source_id, r.target_id, r.weight) for r in view.relationships)
    found: dict[str, float] = nx.pagerank(
        graph, alpha=damping, personalization=seeds, tol=1e-10, max_iter=500
    )
    return {id_: score for id_, score in found.items() if score > 0}


def test_scores_are_those_of_networkx_and_descend() -> None:
    noted = run(TOOL, seed_entities=["John Snow"])
    assert scores(noted) == pytest.approx(expected({"snow": 1}), abs=1e-5)
    assert [s.score for s in noted.data] == sorted((s.score for s in noted.data), reverse=True)
    assert noted.warnings == ()


@pytest.mark.parametrize(
    ("given", "reset", "weights"),
    [
        (["snow", "soho"], "weights", {"snow": 1, "soho": 1}),
        (["snow", "soho", 1], "weights", {"snow": 1, "soho": 1}),  # 1 is snow again
        ({"snow": 3, "4": 1}, "weights", {"snow": 3, "soho": 1}),
        ({"snow": 3, "soho": 1}, "uniform", {"snow": 1, "soho": 1}),
        (["snow", "farr"], "node_specificity", {"snow": 1 / 2, "farr": 1}),  # snow is in two chunks
        ({"snow": 4, "pump": 2}, "node_specificity", {"snow": 2, "pump": 1}),
        ({"snow": 0.5, "soho": -0.2}, "similarity", {"snow": 1}),
    ],
)
def test_how_seeds_draw_the_walk_back(given: Any, reset: str, weights: dict[str, float]) -> None:
    noted = run(TOOL, seed_entities=given, reset=reset)
    assert scores(noted) == pytest.approx(expected(weights), abs=1e-5)
    total = sum(weights.values())
    drawn = {s.item.id: s.components["reset"] for s in noted.data if s.components["reset"]}
    assert drawn == pytest.approx({id_: weight / total for id_, weight in weights.items()})


def test_damping_and_top_k() -> None:
    near = run(TOOL, seed_entities=["snow"], damping_factor=0.1, top_k=2)
    assert scores(near)["snow"] == pytest.approx(expected({"snow": 1}, 0.1)["snow"], abs=1e-5)
    assert len(near.data) == 2


def test_directed_walks_reach_targets_only() -> None:
    assert ids(run(TOOL, seed_entities=["pump"], directed=True)) == ["pump", "soho", "cholera"]


def test_relationship_types_limit_the_walk() -> None:
    assert sorted(ids(run(TOOL, seed_entities=["snow"], relationship_types=["studies"]))) == [
        "cholera",
        "snow",
    ]


def test_a_seed_without_relationships_keeps_the_walk() -> None:
    assert scores(run(TOOL, seed_entities=["William Farr"])) == {"farr": pytest.approx(1)}


def test_too_few_iterations_are_a_warning() -> None:
    noted = run(TOOL, seed_entities=["snow"], max_iterations=2)
    assert [warning.code for warning in noted.warnings] == ["not_converged"]


def test_the_minimal_graph_is_enough() -> None:
    minimal = Graph.model_validate(
        {"nodes": [{"id": "1", "name": "Obama"}], "edges": [{"id": "r1", "source_id": "1", "target_id": "2"}]}
    )
    assert ids(run(TOOL, MemoryGraph(minimal.nodes, minimal.edges), seed_entities=["Obama"])) == ["1", "2"]


def test_an_unknown_seed_is_an_error_with_near_names() -> None:
    with pytest.raises(UnknownEntityError) as caught:
        run(TOOL, seed_entities=["Jon Snow"])
    assert "'John Snow' (person, snow)" in str(caught.value)


@pytest.mark.parametrize(
    "bad",
    [
        {"seed_entities": []},
        {"seed_entities": {}},
        {"seed_entities": ["snow"], "top_k": 0},
        {"seed_entities": ["snow"], "damping_factor": 1.0},
        {"seed_entities": ["snow"], "max_iterations": 0},
        {"seed_entities": {"snow": -1.0, "soho": 2.0}},
        {"seed_entities": {"snow": float("nan")}},
        {"seed_entities": {"snow": 0.0}},
        {"seed_entities": {"snow": -0.5}, "reset": "similarity"},
    ],
)
def test_bad_input_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        run(TOOL, **bad)
