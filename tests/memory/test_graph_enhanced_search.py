"""Search by likeness and centrality."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpusgraph.flows.embed.hashing import HashingEmbedder
from corpusgraph.schemas.errors import InvalidInputError, VectorsUnreachableError
from corpusgraph.schemas.ports import Floats
from corpusgraph.tasks import registry as _tool
from corpusgraph.tasks.tools.memory.search import combined
from tests.contract.graphs import Vectors
from tests.memory.conftest import World


def test_the_published_score_is_rounded_half_to_even() -> None:
    assert combined(0.85, 0.72, (0.6, 0.4)) == 0.798
    assert combined(0.0001, 0.0, (0.5, 0.5)) == 0.0
    assert combined(0.0003, 0.0, (0.5, 0.5)) == 0.0002


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 1))
def test_a_score_lies_between_its_parts(likeness: float, centrality: float, share: float) -> None:
    score = combined(likeness, centrality, (share, 1 - share))
    low, high = sorted((likeness, centrality))
    assert low - 1e-4 <= score <= high + 1e-4


def test_answers_in_the_published_shape(project: World) -> None:
    data = project.json("graph_enhanced_search", query="payment processing", limit=2)
    assert (data["success"], data["query"], data["result_count"]) == (True, "payment processing", 2)
    assert data["search_params"] == {"depth": 2, "vector_weight": 0.6, "graph_weight": 0.4}
    assert data["retrieval_mode"] == "vector"
    first = data["results"][0]
    assert (first["entity_name"], first["entity_type"]) == ("Function: process_payment", "Function")
    assert first["combined_score"] == combined(first["vector_score"], first["graph_score"], (0.6, 0.4))
    assert first["neighbor_count"] == len(first["neighbors"]) + first["truncated"]
    assert set(first["neighbors"][0]) == {"entity_id", "id", "name", "relation", "weight", "depth"}
    assert {row["depth"] for row in first["neighbors"]} == {1, 2}


def test_results_come_best_first_and_scores_are_0_to_1(world: World) -> None:
    rows = world.json("graph_enhanced_search", query="cholera in London", limit=10)["results"]
    scores = [row["combined_score"] for row in rows]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= row[key] <= 1 for row in rows for key in ("vector_score", "graph_score"))
    assert max(row["graph_score"] for row in rows) == 1


def test_the_graph_brings_what_the_words_do_not(empty: World) -> None:
    empty.make(("cholera outbreak", "event"), ("Broad Street pump", "thing"), ("Queen's speech", "event"))
    empty.relate(("Broad Street pump", "causes", "cholera outbreak"))
    rows = empty.json("graph_enhanced_search", query="cholera outbreak")["results"]
    assert [row["entity_name"] for row in rows][:2] == ["cholera outbreak", "Broad Street pump"]
    alone = next((row for row in rows if row["entity_name"] == "Queen's speech"), {"graph_score": 0.0})
    assert alone["graph_score"] == 0.0


def test_weights_are_scaled_to_a_sum_of_one(world: World) -> None:
    asked = {"query": "cholera", "vector_weight": 0.3, "graph_weight": 0.2}
    scaled, same = (
        world.json("graph_enhanced_search", **asked),
        world.json("graph_enhanced_search", query="cholera"),
    )
    assert scaled["search_params"] == same["search_params"]
    assert scaled["results"] == same["results"]
    only = world.json("graph_enhanced_search", query="cholera", graph_weight=0)["results"]
    assert all(row["combined_score"] == row["vector_score"] for row in only)


def test_without_neighbors(world: World) -> None:
    rows = world.json("graph_enhanced_search", query="cholera", include_neighbors=False)["results"]
    assert {(len(row["neighbors"]), row["neighbor_count"]) for row in rows} == {(0, 0)}


@pytest.mark.parametrize(("asked", "got"), [(0, 1), (9, 3)])
def test_depth_is_clamped_with_a_warning(world: World, asked: int, got: int) -> None:
    noted = world.noted("graph_enhanced_search", query="cholera", depth=asked)
    assert (noted.data.search_params.depth, [w.code for w in noted.warnings]) == (got, ["depth_clamped"])


def test_an_empty_index_has_no_results(empty: World) -> None:
    assert empty.json("graph_enhanced_search", query="cholera")["results"] == []


class Unreachable(Vectors):
    """Vectors kept where nothing answers."""

    def nearest(self, kind: str, vector: Floats, top_k: int) -> list[tuple[str, float]]:  # noqa: ARG002
        raise VectorsUnreachableError("Nothing answers.")


def test_where_vectors_are_unreachable_full_text_search_answers_and_says_so(world: World) -> None:
    embedder = HashingEmbedder(64)
    ports: dict[str, Any] = {"graph": world.graph, "vectors": Unreachable(world.items, embedder)}
    for embedding in (embedder, None):
        tool = _tool.find("graph_enhanced_search")
        noted = tool.run({"query": "cholera"}, {**ports, "embedder": embedding})
        assert noted.data.retrieval_mode == "fulltext"
        assert noted.data.results[0].entity_name == "cholera"
        assert [w.code for w in noted.warnings] == ["fulltext_instead"]


@pytest.mark.parametrize(
    "bad",
    [
        {"query": " "},
        {"query": "!?"},
        {"limit": 0},
        {"vector_weight": 1.2},
        {"vector_weight": 0, "graph_weight": 0},
    ],
)
def test_bad_input_is_refused(world: World, bad: dict[str, Any]) -> None:
    with pytest.raises(InvalidInputError):
        world.json("graph_enhanced_search", **{"query": "cholera", **bad})
